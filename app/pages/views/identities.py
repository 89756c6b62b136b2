# SPDX-License-Identifier: Apache-2.0
"""What was pinned, what receipts say ran, and how each is known: declared or observed."""

from __future__ import annotations

from collections.abc import Mapping

from app.core.statement.receipt import Rank, ReceiptPredicate
from app.core.statement.study import HarnessPin, Image, ModelPin, StudyPredicate
from app.core.verdict.numbers import NOT_PUBLISHED, NOT_RECORDED
from app.pages.facts import StudyFacts
from app.pages.views.table import Cell, Table, code


def absent_word(predicate: StudyPredicate) -> str:
    """Return what a null is called: a replay's source did not publish it."""
    return NOT_RECORDED if predicate.replay is None else NOT_PUBLISHED


def absent_in(study: StudyFacts) -> str:
    """Return what a null is called in ``study``."""
    return absent_word(study.state.predicate)


def pins_table(study: StudyFacts) -> Table:
    """Return what the study fixed for each arm before anything was reserved."""
    predicate = study.state.predicate
    absent = absent_word(predicate)
    head = predicate.head.commit
    return Table(
        caption=f"{study.name}: pinned before anything ran.",
        headers=("Arm", "Commit", "Image", "Disclosed settings", "Digest of the other settings"),
        rows=[
            (
                Cell(arm),
                code(
                    pin.commit or absent,
                    note=pin.relation or ("this head" if pin.commit == head else None),
                ),
                _image(pin.image, absent),
                code(_settings(pin.settings)),
                code(pin.settings_digest or absent),
            )
            for arm, pin in predicate.arms.items()
        ],
    )


def conditions_table(study: StudyFacts) -> Table:
    """Return what the study fixed for all arms together."""
    predicate = study.state.predicate
    absent = absent_word(predicate)
    shape = predicate.topology
    rows = (
        ("target model", _model(predicate.models.target, absent)),
        ("draft model", _draft(predicate, absent)),
        ("harness", _harness(predicate.harness, absent)),
        ("tensor parallel", str(shape.tensor_parallel)),
        ("draft tensor parallel", _or(shape.draft_tensor_parallel, absent)),
        ("nodes", f"{shape.nodes}: {', '.join(shape.hosts)}"),
        ("GPU model", shape.gpu_model),
    )
    return Table(
        caption=f"{study.name}: pinned for every arm.",
        headers=("What", "Pinned"),
        rows=[(Cell(name), code(value)) for name, value in rows],
    )


def receipts_identity_table(study: StudyFacts, receipts: Mapping[str, ReceiptPredicate]) -> Table:
    """Return, receipt by receipt, what ran and how each part of it is known."""
    return Table(
        caption=f"{study.name}: what each receipt says ran. Declared: a person typed it. Observed: "
        "the runner read it.",
        headers=("Receipt", "Commit", "Image", "Models", "Harness", "Workload", "Settings"),
        rows=[_receipt_row(label, one, absent_in(study)) for label, one in receipts.items()],
        empty=f"{study.name}: there is no receipt, so nothing is known of what ran.",
    )


def ranks_of(receipt: ReceiptPredicate, absent: str) -> Table:
    """Return every rank of one receipt."""
    shape = receipt.topology
    caption = (
        f"Ranks; tensor parallel {shape.tensor_parallel}, nodes {shape.nodes}, "
        f"{len(shape.ranks)} ranks listed."
    )
    return _ranks(caption, {receipt.slot: receipt}, absent)


def ranks_table(study: StudyFacts, receipts: Mapping[str, ReceiptPredicate]) -> Table:
    """Return every rank of every receipt with the basis of what is said of it."""
    caption = f"{study.name}: ranks of the tensor-parallel group."
    return _ranks(caption, receipts, absent_in(study))


def _ranks(caption: str, receipts: Mapping[str, ReceiptPredicate], absent: str) -> Table:
    return Table(
        caption=caption,
        headers=(
            "Receipt", "Rank", "Host", "GPU", "GPU digest (salted)", "Driver", "Commit", "Image",
            "Target revision", "Draft revision", "Settings digest", "Basis",
        ),
        rows=[
            _rank_row(label, rank, absent)
            for label, one in receipts.items()
            for rank in one.topology.ranks
        ],
        empty="No receipt lists a rank, so nothing is known of the ranks.",
    )  # fmt: skip


def receipts_of(study: StudyFacts) -> dict[str, ReceiptPredicate]:
    """Return the receipts of a study by a label of slot, attempt and place."""
    found: dict[str, ReceiptPredicate] = {}
    for identity, attempt, receipt in study.receipts():
        late = ", late" if receipt.late else ""
        found[f"{identity} attempt {attempt.number}{late} ({receipt.digest[:12]})"] = (
            receipt.predicate
        )
    return found


def _receipt_row(label: str, receipt: ReceiptPredicate, absent: str) -> tuple[Cell, ...]:
    said, basis = receipt.identities, receipt.identities.basis
    models = f"{_model(said.models.target, absent)}; draft {_stated_draft(receipt, absent)}"
    settings = f"{_settings(said.settings)}; others {said.settings_digest or absent}"
    return (
        Cell(label),
        code(said.arm_commit or absent, note=basis.arm_commit),
        code(_image(said.image, absent).text, note=basis.image),
        code(models, note=basis.models),
        code(_harness(said.harness, absent), note=basis.harness),
        code(f"{said.workload.generator} {said.workload.sha256}", note=basis.workload),
        code(settings, note=basis.settings),
    )


def _rank_row(label: str, rank: Rank, absent: str) -> tuple[Cell, ...]:
    return (
        Cell(label),
        Cell(str(rank.rank)),
        Cell(rank.host),
        Cell(rank.gpu_model),
        code(rank.gpu_uuid_digest or absent),
        Cell(rank.driver or absent),
        code(rank.commit or absent),
        _image(rank.image, absent),
        code(rank.target_revision or absent),
        code(rank.draft_revision or absent),
        code(rank.settings_digest or absent),
        Cell(rank.basis),
    )


def _image(image: Image | None, absent: str) -> Cell:
    return code(absent) if image is None else code(f"{image.digest} (of its {image.of})")


def _model(pin: ModelPin, absent: str) -> str:
    return f"{pin.repository}, revision {pin.revision or absent}"


def _draft(predicate: StudyPredicate, absent: str) -> str:
    draft = predicate.models.draft
    if draft is not None:
        return _model(draft, absent)
    replay = predicate.replay
    unknown = replay is not None and "models.draft" in replay.not_published
    return absent if unknown else "none"


def _stated_draft(receipt: ReceiptPredicate, absent: str) -> str:
    draft = receipt.identities.models.draft
    return "none" if draft is None else _model(draft, absent)


def _harness(pin: HarnessPin, absent: str) -> str:
    return f"{pin.name} {pin.version}, sha256 {pin.sha256 or absent}"


def _settings(settings: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in settings.items()) or "none disclosed"


def _or(value: int | None, absent: str) -> str:
    return absent if value is None else str(value)


def receipt_table(receipt: ReceiptPredicate, absent: str) -> Table:
    """Return what one receipt says ran."""
    said, basis = receipt.identities, receipt.identities.basis
    rows = (
        ("commit", said.arm_commit or absent, basis.arm_commit),
        ("image", _image(said.image, absent).text, basis.image),
        ("target model", _model(said.models.target, absent), basis.models),
        ("draft model", _stated_draft(receipt, absent), basis.models),
        ("harness", _harness(said.harness, absent), basis.harness),
        ("workload", f"{said.workload.generator} {said.workload.sha256}", basis.workload),
        ("disclosed settings", _settings(said.settings), basis.settings),
        ("digest of the other settings", said.settings_digest or absent, basis.settings),
    )
    return Table(
        caption="What ran, and how each part is known. Declared: a person typed it. Observed: the "
        "runner read it.",
        headers=("What", "Value", "Basis"),
        rows=[(Cell(name), code(value), Cell(how)) for name, value, how in rows],
    )

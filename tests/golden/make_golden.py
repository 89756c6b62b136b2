# SPDX-License-Identifier: Apache-2.0
"""Makes the golden bundles: ``python -m tests.golden.make_golden`` adds those that are not there.

One folder a case, ``_fail`` in the name of what must not verify. A case that stands is never made
again: it is what an earlier version has written, and every later one has to read it. ``case.json``
says what the reader brings and the exit code of ``fairtrial verify``.
"""

import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import tests.factories
from app.core.canonical import canonical
from app.core.digest import sha256_hex, to_base64
from app.core.log.checkpoint import Checkpoint, sign_checkpoint
from app.core.log.cosignature import Witness, cosign
from app.core.log.note import Note, NoteSigner, parse_note
from app.core.log.pin import pin_of
from app.core.signing.envelope import sign
from app.core.verdict.bundle import write_bundle
from tests import facts
from tests.drafts import ORIGIN, signing_key
from tests.factories import Story, begun
from tests.unit.core.verdict.bundles import (
    Records,
    data_of,
    kind_of,
    passed,
    records_of,
    resigned,
    unknown_record,
)
from tests.unit.core.verdict.tales import B, bundled, run_study

FOLDER: Final = Path(__file__).parent
SUMS: Final = FOLDER / "SHA256SUMS"
LOG: Final = NoteSigner(ORIGIN, signing_key("checkpoint"))
WITNESSES: Final = tuple(Witness(f"w{n}.example", signing_key(f"w{n}").public) for n in range(3))
AT_S: Final = 1_790_000_000


@dataclass(frozen=True)
class Case:
    """What is brought, and what it must come to.

    Attributes:
        files: what stands beside the bundle, by name.
        arguments: of ``fairtrial verify``, behind the bundle; ``@`` stands for the folder.
    """

    code: int
    reason: str | None
    bundle: bytes
    files: dict[str, bytes] = field(default_factory=dict)
    arguments: tuple[str, ...] = ("--trust", "@trust.toml")


def cases() -> Iterator[tuple[str, Callable[[], Case]]]:
    """Yield each case's name, and what makes it."""
    yield "qualified", lambda: _good(passed())
    yield "not_qualified", lambda: _good(_starved())
    yield "open_study", lambda: _good(_open())
    yield "cosigned", _cosigned
    yield "pinned", lambda: _pinned(root=None, code=0, reason=None)
    yield "pasted", lambda: _pasted(root=None, code=0, reason=None)
    yield "no_trust_fail", _no_trust
    yield "empty_fail", lambda: replace(_good(passed()), code=43, reason="no_match", bundle=b"")
    yield "forged_ledger_fail", _forged_ledger
    for line, kind in (("ledger", "key"), ("repository", "policy"), ("head", "receipt")):
        yield f"gap_in_{line}_line_fail", lambda kind=kind: _gap(kind)  # type: ignore[misc]  # bound now
    yield "cut_tail_fail", _cut_tail
    yield "swapped_proof_fail", _swapped_proof
    yield "other_subject_fail", _other_subject
    yield "unknown_kind_fail", _unknown_kind
    yield "wrong_checkpoint_fail", _wrong_checkpoint
    yield "bad_signature_fail", _bad_signature
    yield "too_few_witnesses_fail", _too_few_witnesses
    yield "missing_capture_fail", _missing_capture
    yield "split_view_fail", lambda: _pinned(root=bytes(32), code=44, reason="inconsistent")
    yield "pasted_other_root_fail", lambda: _pasted(root=bytes(32), code=44, reason="inconsistent")
    yield "damaged_pin_fail", _damaged_pin
    yield "forged_whole_ledger_fail", lambda: _forged_whole(trusted=True)
    yield "forged_whole_ledger_without_trust_fail", lambda: _forged_whole(trusted=False)
    yield "pin_of_another_size_fail", _pin_of_another_size


def trust_of(story: Story, *, quorum: int = 0) -> bytes:
    """Return the trust file of a reader who knows the story's ledger."""
    witnesses = "".join(f'\n[[ledger.witness]]\nkey = "{one.to_vkey()}"\n' for one in WITNESSES)
    return (
        f'[[ledger]]\norigin = "{ORIGIN}"\ngenesis = "{story.steps[0].digest}"\n'
        f'checkpoint_key = "{LOG.verifier.to_vkey()}"\nquorum = {quorum}\n{witnesses}'
    ).encode()


def _good(story: Story) -> Case:
    return Case(0, None, write_bundle(bundled(story)), {"trust.toml": trust_of(story)})


def _no_trust() -> Case:
    return replace(_good(passed()), code=41, reason="untrusted", arguments=())


def _changed(story: Story, records: Records, code: int, reason: str) -> Case:
    return Case(code, reason, data_of(records), {"trust.toml": trust_of(story)})


def _starved() -> Story:
    story = begun()
    run_study(story, {B: facts.starved()})
    story.close_due()
    return story


def _open() -> Story:
    story = begun()
    story.open()
    story.reserve(B)
    story.push(B)
    return story


def _place(records: Records, kind: str) -> int:
    return next(n for n, record in enumerate(records) if kind_of(record) == kind)


def _gap(kind: str) -> Case:
    story = passed()
    records = records_of(story)
    del records[_place(records, kind)]
    return _changed(story, records, 42, "line_incomplete")


def _cut_tail() -> Case:
    """The last entries and what belongs to them are gone: an honest, older line by its looks."""
    story = passed()
    records = [r for r in records_of(story) if kind_of(r) not in {"closure", "verdict"}]
    return _changed(story, records, 42, "line_incomplete")


def _swapped_proof() -> Case:
    story = passed()
    records = records_of(story)
    one = _place(records, "receipt")
    records[one]["proof"], records[one - 1]["proof"] = (
        records[one - 1]["proof"],
        records[one]["proof"],
    )
    return _changed(story, records, 42, "inclusion_proof")


def _other_subject() -> Case:
    case = _good(passed())
    arguments = (*case.arguments, "--head", "f" * 40)
    return replace(case, code=42, reason="other_subject", arguments=arguments)


def _unknown_kind() -> Case:
    story = passed()
    records = records_of(story)
    at = max(n for n, r in enumerate(records) if r["record"] == "entry") + 1
    entry = unknown_record(story, canonical({"predicateType": "urn:fairtrial:foo:v9"}))
    grown = resigned([*records[:at], entry, *records[at:]], size=story.size + 1)
    return _changed(story, grown, 43, "unknown_statement")


def _wrong_checkpoint() -> Case:
    story = passed()
    records = records_of(story)
    other = sign_checkpoint(Checkpoint(ORIGIN, story.size, bytes(32)), [LOG]).decode()
    records[0]["checkpoint"] = other
    return _changed(story, records, 42, "bundle_checkpoint")


def _bad_signature() -> Case:
    story = passed()
    records = records_of(story)
    place = _place(records, "receipt")
    forged = sign(b"something else", [signing_key("runner")]).signatures[0]
    records[place]["envelope"]["signatures"][0]["sig"] = to_base64(forged.sig)
    return _changed(story, records, 40, "bad_signature")


def _missing_capture() -> Case:
    story = passed()
    records = [r for r in records_of(story) if r["record"] != "capture"]
    return _changed(story, records, 45, "capture_missing")


def _forged_ledger() -> Case:
    """Everything in it is consistent; only its keys are those of somebody else."""
    story = passed()
    honest = trust_of(story)
    stranger = NoteSigner(ORIGIN, signing_key("stranger")).verifier.to_vkey()
    trust = honest.replace(LOG.verifier.to_vkey().encode(), stranger.encode())
    return Case(40, "other_ledger", write_bundle(bundled(story)), {"trust.toml": trust})


def _forged_whole(*, trusted: bool) -> Case:
    """A whole ledger of the same name, told again with other keys: nothing in it contradicts."""
    with _other_keys():
        bundle = write_bundle(bundled(passed()))
    if not trusted:
        return Case(41, "untrusted", bundle, arguments=())
    return Case(40, "other_ledger", bundle, {"trust.toml": trust_of(passed())})


@contextmanager
def _other_keys() -> Iterator[None]:
    """Give every label another key."""

    def forget() -> None:
        for kept in (signing_key, tests.factories._begun):
            kept.cache_clear()

    forget()
    try:
        with patch("tests.drafts.sha256_hex", lambda data: sha256_hex(b"forged " + data)):
            yield
    finally:
        forget()


def _pin_of_another_size() -> Case:
    """Offline nothing shows whether a later tree continues this one; that it may is no proof."""
    story = passed()
    later = sign_checkpoint(Checkpoint(ORIGIN, story.size + 5, bytes(32)), [LOG]).decode()
    pin = pin_of(story.steps[0].digest, LOG.verifier, later)
    files = {"pin.json": pin.to_bytes()}
    return Case(43, "other_size", write_bundle(bundled(story)), files, ("--pin", "@pin.json"))


def _cosigned(*, quorum: int = 2, code: int = 0, reason: str | None = None) -> Case:
    story = passed()
    bundle = bundled(story)
    note = parse_note(bundle.signed.checkpoint.encode())
    lines = [cosign(note.text, f"w{n}.example", signing_key(f"w{n}"), at_s=AT_S) for n in (0, 2)]
    full = Note(note.text, (*note.signatures, *lines)).to_bytes().decode()
    whole = replace(bundle, signed=replace(bundle.signed, checkpoint=full))
    return Case(code, reason, write_bundle(whole), {"trust.toml": trust_of(story, quorum=quorum)})


def _too_few_witnesses() -> Case:
    return _cosigned(quorum=3, code=41, reason="quorum")


def _note(story: Story, root: bytes | None) -> str:
    of = bytes.fromhex(story.roots[-1]) if root is None else root
    return sign_checkpoint(Checkpoint(ORIGIN, story.size, of), [LOG]).decode()


def _pinned(*, root: bytes | None, code: int, reason: str | None) -> Case:
    story = passed()
    pin = pin_of(story.steps[0].digest, LOG.verifier, _note(story, root))
    files = {"pin.json": pin.to_bytes()}
    return Case(code, reason, write_bundle(bundled(story)), files, ("--pin", "@pin.json"))


def _damaged_pin() -> Case:
    case = _pinned(root=None, code=45, reason="pin")
    return replace(case, files={"pin.json": case.files["pin.json"][:-30]})


def _pasted(*, root: bytes | None, code: int, reason: str | None) -> Case:
    story = passed()
    case = _good(story)
    quoted = "".join(f"> {line}\n" for line in _note(story, root).splitlines())
    return replace(
        case,
        code=code,
        reason=reason,
        files={**case.files, "thread.txt": f"Seen today:\n{quoted}\nThanks.\n".encode()},
        arguments=(*case.arguments, "--checkpoint-from", "@thread.txt"),
    )


def sums_of(folder: Path) -> str:
    """Return a case's lines for ``SHA256SUMS``, as ``sha256sum`` writes them."""
    files = sorted(folder.iterdir())
    return "".join(f"{sha256_hex(one.read_bytes())}  {folder.name}/{one.name}\n" for one in files)


def main() -> None:
    """Write the cases that are not there yet, and note their digests."""
    for name, make in cases():
        folder = FOLDER / name
        if not folder.exists():
            _write(folder, make())
            with SUMS.open("a") as sums:
                sums.write(sums_of(folder))


def _write(folder: Path, case: Case) -> None:
    folder.mkdir()
    (folder / "bundle.jsonl.gz").write_bytes(gzip.compress(case.bundle, mtime=0))
    for file, data in case.files.items():
        (folder / file).write_bytes(data)
    about: dict[str, Any] = {
        "exit_code": case.code,
        "reason": case.reason,
        "arguments": list(case.arguments),
    }
    (folder / "case.json").write_text(json.dumps(about, indent=2) + "\n")


if __name__ == "__main__":
    main()

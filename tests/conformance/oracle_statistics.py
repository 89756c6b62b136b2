# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  an oracle file is any JSON
"""Oracle cases with a p-value: from the file to the functions of ``app.core.score``, and back."""

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from app.core.protocol.contrast import Contrast
from app.core.protocol.design import Design, design_findings
from app.core.protocol.margin import Margin
from app.core.score.assay import with_assay
from app.core.score.blocks import judge_blocks, judge_differences
from app.core.score.bracket import AgainstControl, judge_bracket
from app.core.score.drift import drift_of
from app.core.score.holm import holm, rejected
from app.core.score.interval import Interval
from app.core.score.number import chance_text, number_text
from app.core.score.sample import Sample
from app.core.score.sample_size import units_needed
from app.core.score.share import (
    ShareClaim,
    ShareJudged,
    judge_counts,
    judge_exceedances,
    judge_share,
)
from app.core.score.state import State
from tests.conformance.oracle_observations import Answer, domain_of, end_of, observed

POLICIES: Mapping[str, bool] = {"cap_if_possibly_drifted": True, "bracket_only": False}


def sample(values: Any, domain: Any = ("0", "inf")) -> Sample:
    """Return one arm."""
    return Sample(tuple(observed(each) for each in values), domain_of(domain))


def maybe(values: Any, domain: Any) -> Sample | None:
    """Return one arm, or None for one that was never planned or captured."""
    return None if values is None else sample(values, domain)


def number(value: Any) -> Any:
    """Return a chance as text, as verdicts do; None stays."""
    return None if value is None else chance_text(value)


def contrast_of(gate: Any) -> Contrast:
    """Return a comparison's numbers."""
    return Contrast(
        gate["comparison"],
        Margin(Fraction(gate["margin"]), gate["scale"], gate["worse"]),
        Fraction(gate["alpha"]),
        None if "drift_margin" not in gate else Fraction(gate["drift_margin"]),
        POLICIES[gate.get("drift_policy", "cap_if_possibly_drifted")],
        gate.get("required_n"),
    )


def comparison(gate: Any, inputs: Any) -> Answer:
    """A candidate against its controls."""
    return DESIGNS[gate["inference"]](gate, inputs["arms"])


def bracket(gate: Any, arms: Any) -> Answer:
    """A, B, A2 by the shifted rank-sum."""
    domain = gate.get("domain", ("0", "inf"))
    candidate = sample(arms["B"] or (), domain)
    controls = (maybe(arms.get("A"), domain), maybe(arms.get("A2"), domain))
    got = judge_bracket(contrast_of(gate), candidate, controls)
    sides = {**side("A", got.first), **side("A2", got.back)}
    drift = got.drift and {
        "drift": got.drift.state,
        "drift_p": [number(got.drift.p_upper), number(got.drift.p_lower)],
    }
    values = {
        "control_certifies_itself": got.certified,
        "min_attainable_p": number(got.least_p),
        **(drift or {}),
    }
    return Answer(got.state, got.reason, {**sides, **values})


def side(name: str, got: AgainstControl | None) -> Mapping[str, Any]:
    """Return what a candidate shows against one control."""
    if got is None:
        return {}
    values = {
        f"p_pass_{name}": number(got.test.p_pass),
        f"p_fail_{name}": number(got.test.p_fail),
        f"u_fav_{name}": got.test.favourable,
        f"u_unf_{name}": got.test.unfavourable,
    }
    if got.shift is None:
        return values
    bounds = [got.shift.lower, got.shift.upper]
    return {
        **values,
        f"hl_shift_{name}": number_text(got.shift.middle.lo),
        f"one_sided_bounds_{name}": [each and number_text(each) for each in bounds],
    }


def blocks(gate: Any, arms: Any) -> Answer:
    """Blocks of A and B by sign-flips."""
    got = judge_blocks(contrast_of(gate), sample(arms["B"] or ()), sample(arms["A"] or ()))
    p_pass, p_fail = number(got.p_pass), number(got.p_fail)
    values = {"p_pass": p_pass, "p_pass_A": p_pass, "p_fail": p_fail, "p_fail_A": p_fail}
    return Answer(got.state, got.reason, values)


DESIGNS: Mapping[str, Callable[[Any, Any], Answer]] = {
    "exact_ranksum": bracket,
    "signflip_blocks": blocks,
}


def drift(gate: Any, inputs: Any) -> Answer:
    """Two runs of one control."""
    first, back = (sample(inputs["arms"][each] or ()).cautious for each in ("A", "A2"))
    margin = Margin(Fraction(gate["drift_margin"]), gate["scale"], "higher")
    got = drift_of(first, back, margin=margin, alpha=Fraction(gate["alpha"]))
    values = {"p_upper": number(got.p_upper), "p_lower": number(got.p_lower), "p": number(got.p)}
    return Answer(None, None, {"drift": got.state, **values})


def paired(gate: Any, inputs: Any) -> Answer:
    """Differences of blocks, margin taken off."""
    ends = [end_of(each) for each in inputs["facts"]["diff_minus_margin"]]
    got = judge_differences([Interval(each, each) for each in ends], alpha=Fraction(gate["alpha"]))
    (test,) = got.tests
    values = {"p_pass": number(got.p_pass), "min_attainable_p": number(test.least_p)}
    return Answer(got.state, got.reason, {**values, "p_fail": number(got.p_fail)})


def share(got: ShareJudged) -> Answer:
    """Return what is said of a quantile or a proportion."""
    values = {
        "p_pass": number(got.p_pass),
        "p_fail": number(got.p_fail),
        "n_min": got.least_n,
        "lower_bound": number(got.bound),
    }
    return Answer(got.state, got.reason, values)


def quantile(gate: Any, inputs: Any) -> Answer:
    """A quantile is at most the limit."""
    limit, required = Fraction(gate.get("limit", "0")), gate.get("required_n")
    claim = ShareClaim(Fraction(gate["p"]), Fraction(gate["alpha"]), "<=", limit, required)
    match inputs["facts"]:
        case {"n": n, "exceedances": above}:
            return share(judge_exceedances(claim, n=n, above=above))
        case _:
            return share(judge_share(claim, sample(inputs["arms"]["B"] or ())))


def proportion(gate: Any, inputs: Any) -> Answer:
    """A chance of success is above a number."""
    one, required = Fraction("1"), gate.get("required_n")
    claim = ShareClaim(Fraction(gate["p0"]), Fraction(gate["alpha"]), ">=", one, required)
    match inputs["facts"]:
        case {"planned": n, "successes": good}:
            return share(judge_counts(claim, n=n, good=good))
        case _:
            return share(judge_share(claim, sample(inputs["arms"]["B"] or (), ("0", "1"))))


def sample_size(gate: Any, inputs: Any) -> Answer:
    """How many units some percentiles need."""
    facts = inputs["facts"]
    confidence = Fraction(facts["confidence"])
    needed = [
        units_needed(Fraction(each), exceedances=facts["exceedances"], confidence=confidence)
        for each in gate["percentiles"]
    ]
    return Answer(None, None, {"n_min": needed})


def family(gate: Any, inputs: Any) -> Answer:
    """Holm's correction."""
    adjusted = holm([Fraction(each) for each in inputs["facts"]["p_values"]])
    found = list(rejected(adjusted, Fraction(gate["alpha"])))
    return Answer(None, None, {"adjusted": [number(each) for each in adjusted], "rejected": found})


def assay(_gate: Any, inputs: Any) -> Answer:
    """A candidate beside a control that should show something."""
    facts = inputs["facts"]
    state, reason = with_assay(
        State(facts["candidate_state"]),
        expected=State(facts["control_expected"]),
        shown=State(facts["control_state"]),
    )
    return Answer(state, reason, {})


def lint(_gate: Any, inputs: Any) -> Answer:
    """What the lint says first about a part of a protocol."""
    part = inputs["facts"]["fragment"]
    n = part.get("planned_n", part.get("blocks", part.get("nB", part.get("runs_per_arm"))))
    kind = KINDS.get(part.get("type"), "bound")
    says = part.get("statistic") or ""
    design = Design(
        kind,
        rational(part.get("alpha")),
        n,
        part.get("nA", part.get("runs_per_arm")),
        any_of={"any": part.get("cells", 1)}.get(part.get("mode"), 1),
        share=rational(part.get("p")),
        unit=unit_of(kind, part.get("unit_of_analysis")),
        has_control=part.get("control", "") is not None,
        has_population=part.get("population", "named") not in NOTHING,
        drops_slots=part.get("on_missing") not in KEEPING or DROPPING.search(says) is not None,
        interpolates=INTERPOLATING.search(says) is not None,
        is_mean=MEANS.search(says) is not None,
        limit=rational(part.get("limit")),
        resolution=rational(part.get("resolution")),
        margin_over_sd=rational(part.get("margin_over_sd")),
    )
    match list(design_findings(design)):
        case [first, *_]:
            return Answer(None, first.code, {"severity": SEVERITIES[first.severity]})
        case _:
            return Answer(None, None, {})


def unit_of(kind: str, unit: Any) -> Any:
    """Return what one observation is; where arms are compared, a slot has a boot of its own."""
    return "boot" if (kind, unit) in OWN_BOOT else unit


def rational(text: Any) -> Fraction | None:
    """Return a number of a fragment, or None."""
    return None if text is None else Fraction(text)


KINDS: Mapping[Any, Any] = {
    "quantile": "share",
    "proportion": "share",
    "non_inferiority": "rank_sum",
    "superiority": "rank_sum",
    "paired_non_inferiority": "sign_flip",
    "paired_superiority": "sign_flip",
}
NOTHING: tuple[Any, ...] = (None, "", {})
KEEPING = (None, "unknown")
"""What may become of a missing slot."""
DROPPING = re.compile("trim|outlier|winsor|best.?of|exclude|drop|ignore")
INTERPOLATING = re.compile("interpol|linear")
MEANS = re.compile("mean|average")
OWN_BOOT = (("rank_sum", "slot"), ("sign_flip", "slot"))
SEVERITIES: Mapping[str, str] = {"error": "reject", "warning": "warn"}

STATISTICS: Mapping[str, Callable[[Any, Any], Answer]] = {
    "comparison": comparison,
    "drift": drift,
    "paired": paired,
    "quantile": quantile,
    "proportion": proportion,
    "sample_size": sample_size,
    "holm": family,
    "assay": assay,
    "lint": lint,
}

# SPDX-License-Identifier: Apache-2.0
"""Each kind of claim, done again from what its judgement alone carries: nothing else is read."""

from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from msgspec import UNSET

from app.core.statement.judgement import Inference, Judgement
from tests.claims import compared, drift, share, times
from tests.judged import judged
from tests.lints import with_
from tests.scores import MISSING, Filled, only
from tests.scores import protocol as canary

A: list[int | Filled] = [1_000_000, 1_040_000, 990_000, 1_010_000, 1_005_000, 1_020_000]
B: list[int | Filled] = [1_050_000, 1_010_000, 1_030_000, 1_080_000, 1_000_000, 1_045_000]


def claimed(gate: object, **arms: list[int | Filled]) -> tuple[Judgement, Inference]:
    of = canary(gate, repetitions=6)
    name = gate["id"]  # type: ignore[index]  # a gate is any JSON
    found = only(times(of, {"A": A, "B": B, "A2": A, **arms}), name)
    assert found.inference is not UNSET
    return found, found.inference


def ends_of(found: Judgement, arm: str) -> list[tuple[Fraction, Fraction]]:
    """Return the units of an arm: those of the test if it has its own, else the observations."""
    assert found.inference is not UNSET
    own = [each.for_pass for each in found.inference.samples if each.arm == arm]
    if own:
        return [(Fraction(each.lo), Fraction(each.hi)) for each in own[0]]
    units = [each.interval for each in found.observations if each.slot.startswith(f"{arm}/")]
    return [(Fraction(each.lo), Fraction(each.hi)) for each in units if each is not None]


@pytest.mark.parametrize(
    ("kind", "margin", "state"),
    [
        ("non_inferiority", "0.1", "PASS"),
        ("non_inferiority", "0.02", "INCONCLUSIVE"),
        ("equivalence", "0.1", "PASS"),
        ("superiority", "-0.1", "FAIL"),
    ],
)
def test_blocks_are_done_again_from_their_judgement(kind: str, margin: str, state: str) -> None:
    found, record = claimed(with_(compared(kind), comparison__margin=margin))
    assert record.margin is not None
    limit, alpha = Fraction(record.margin.limit), Fraction(record.alpha)
    one, other = ends_of(found, "B"), ends_of(found, "A")
    sides = [(one, other), (other, one)][: len(record.subsets)]
    subsets = [s for n in range(7) for s in combinations(range(6), n)]
    for (worse, better), counted, bounds in zip(
        sides, record.subsets, record.undecided, strict=True
    ):
        worst = [(worse[i][1], better[i][0]) for i in range(6)]
        best = [(worse[i][0], better[i][1]) for i in range(6)]
        above = [s for s in subsets if sum(worst[i][0] - limit * worst[i][1] for i in s) >= 0]
        below = [s for s in subsets if sum(best[i][0] - limit * best[i][1] for i in s) <= 0]
        assert (len(above), len(below)) == (counted.not_below, counted.not_above)
        high, low = (
            sorted(sum(e[i][0] for i in s) / sum(e[i][1] for i in s) for s in subsets if s)
            for e in (worst, best)
        )
        assert bounds is not None
        assert Fraction(bounds.hi) == high[-int(alpha * 64)]
        assert Fraction(bounds.lo) == low[int(alpha / len(sides) * 64) - 1]
    p_pass = max(Fraction(each.not_below, each.subsets) for each in record.subsets)
    p_fail = min(Fraction(each.not_above, each.subsets) for each in record.subsets)
    assert Fraction(record.p_pass) == p_pass
    assert Fraction(record.p_fail) == min(len(sides) * p_fail, 1)
    fails = Fraction(record.p_fail) <= alpha
    again = "FAIL" if fails else "PASS" if p_pass <= alpha else "INCONCLUSIVE"
    assert (found.state, again) == (state, state)


def test_bracket_and_its_drift_are_done_again_from_their_judgement() -> None:
    found, record = claimed(compared("non_inferiority", "A", "A2"))
    assert record.margin is not None
    assert record.margin.drift is not None
    limit = Fraction(record.margin.limit)
    for side in record.against:
        pairs = [(b, a) for b in ends_of(found, "B") for a in ends_of(found, side.arm)]
        assert sum(b[1] < limit * a[0] for b, a in pairs) == side.favourable
        assert sum(b[0] > limit * a[1] for b, a in pairs) == side.unfavourable
        assert Fraction(side.p_pass) == chance(side.favourable)
    assert record.drift is not None
    beyond = 1 + Fraction(record.margin.drift)
    pairs = [(b, a) for b in ends_of(found, "A2") for a in ends_of(found, "A")]
    upper = sum(b[1] < beyond * a[0] for b, a in pairs)
    assert Fraction(record.drift.p_upper) == chance(upper)


def chance(pairs: int) -> Fraction:
    """Return how likely six against six have so many pairs, by every order of the twelve."""
    orders = list(combinations(range(12), 6))
    u = [sum(each) - 15 for each in orders]
    return Fraction(sum(one >= pairs for one in u), comb(12, 6))


def test_drift_is_done_again_from_its_judgement() -> None:
    found, record = claimed(drift("0.2"), A2=B)
    assert record.margin is not None
    limit = Fraction(record.margin.limit)
    pairs = [(b, a) for b in ends_of(found, "A2") for a in ends_of(found, "A")]
    assert record.drift is not None
    upper, lower = record.drift.p_upper, record.drift.p_lower
    assert Fraction(upper) == chance(sum(b[1] < limit * a[0] for b, a in pairs))
    assert Fraction(lower) == chance(sum(a[1] < limit * b[0] for b, a in pairs))
    assert Fraction(record.least_p) == chance(36)


@pytest.mark.parametrize(
    ("kind", "limit", "state"),
    [
        ("proportion", "1045000", "INCONCLUSIVE"),
        ("quantile", "1045000", "INCONCLUSIVE"),
        ("quantile", "1081000", "PASS"),
        ("quantile", "900000", "FAIL"),
    ],
)
def test_share_is_done_again_from_its_judgement(kind: str, limit: str, state: str) -> None:
    found, record = claimed(share(kind, limit=limit))
    assert record.share is not None
    assert found.limit is not None
    p, most = Fraction(record.share.claimed), Fraction(found.limit)
    units = ends_of(found, "B")
    good = sum(each[1] <= most for each in units)
    maybe = sum(each[0] <= most for each in units)
    assert (record.share.n, record.share.least_good) == (len(units), good)
    tail = sum((comb(6, k) * p**k * (1 - p) ** (6 - k) for k in range(good, 7)), Fraction(0))
    assert Fraction(record.p_pass) == tail
    few = sum((comb(6, k) * p**k * (1 - p) ** (6 - k) for k in range(maybe + 1)), Fraction(0))
    assert Fraction(record.p_fail) == few
    assert Fraction(record.least_p_fail) == (1 - p) ** 6
    alpha = Fraction(record.alpha)
    again = "FAIL" if few <= alpha else "PASS" if tail <= alpha else "INCONCLUSIVE"
    assert (found.state, again) == (state, state)


def test_units_that_are_not_their_observations_stand_in_the_record() -> None:
    _, plain = claimed(compared())
    assert plain.samples == []
    found, record = claimed(compared(), B=[*B[:5], MISSING])
    assert [each.arm for each in record.samples] == ["B", "A"]
    assert record.samples[0].for_pass[5].hi == "inf"
    assert len(record.differences) == 6
    assert found.counts.unknown == 1
    in_one_boot = judged(compared(), boots=dict.fromkeys(("B1", "B2"), "one"))
    assert in_one_boot.inference is not UNSET
    assert in_one_boot.inference.samples

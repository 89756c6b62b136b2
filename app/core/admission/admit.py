# SPDX-License-Identifier: Apache-2.0
"""May this statement enter at this index? Each kind's rules stand in ``app.core.admission.rules``.

Everything here is judged at the statement's own index and log time, inside the sequencer; the same
statement again was found by its digest before. What a receipt says is never a reason to refuse it.
"""

from __future__ import annotations

from app.core.admission.line import repository_of
from app.core.admission.request import Effect, Request, RootAt
from app.core.admission.rules.decision import admit_decision
from app.core.admission.rules.deviation import admit_deviation
from app.core.admission.rules.genesis import admit_genesis
from app.core.admission.rules.hold import admit_hold
from app.core.admission.rules.key import admit_key
from app.core.admission.rules.ledger_own import admit_closure, admit_refusal, admit_verdict
from app.core.admission.rules.policy import admit_policy
from app.core.admission.rules.protocol import admit_protocol
from app.core.admission.rules.receipt import admit_receipt
from app.core.admission.rules.ref import admit_ref
from app.core.admission.rules.reservation import admit_reservation
from app.core.admission.rules.review import admit_review
from app.core.admission.rules.study import admit_study
from app.core.admission.state import Standing
from app.core.statement.capture import Capture
from app.core.statement.closure import ClosurePredicate
from app.core.statement.decision import DecisionPredicate
from app.core.statement.deviation import DeviationPredicate
from app.core.statement.genesis import GenesisPredicate
from app.core.statement.hold import HoldPredicate
from app.core.statement.key import KeyPredicate
from app.core.statement.parse import Parsed
from app.core.statement.policy import PolicyPredicate
from app.core.statement.protocol import ProtocolPredicate
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.ref import RefPredicate
from app.core.statement.refusal import RefusalPredicate
from app.core.statement.reservation import ReservationPredicate
from app.core.statement.review import ReviewPredicate
from app.core.statement.study import StudyPredicate
from app.core.statement.verdict import VerdictPredicate

__all__ = ["Effect", "RootAt", "admit"]


def admit(  # noqa: C901, PLR0912, PLR0913  one case a kind; each argument is an input of the fold
    parsed: Parsed,
    *,
    signers: frozenset[str],
    standing: Standing,
    index: int,
    at_us: int,
    capture: Capture | None = None,
    root_at: RootAt | None = None,
    stood: bool = False,
) -> Effect:
    """Return what ``parsed`` would do at ``index``, or refuse it.

    Args:
        parsed: the statement.
        signers: key ids of its verified signatures.
        standing: the three lines, every entry below ``index`` applied.
        index: where it would stand.
        at_us: the log time it would get.
        capture: receipts only.
        root_at: roots of older trees, for the checkpoint that a key statement names; None: only
            its size is checked.
        stood: it stands in a log already: what the lint of its own day let in is not held against
            the lint of today, which may have learned to refuse more.

    Raises:
        NotAuthenticated: a signature that the kind needs is not there.
        NotAllowed: this key may not do this here.
        UnknownThing: it names what does not stand on its lines.
        Conflict: something else stands there.
        Unprocessable: it could not be meant.
        IntegrityBroken: the ledger's own statement does not follow from the entries below it.
    """
    request = Request(parsed, signers, standing, index, at_us, capture, root_at, stood)
    match parsed.predicate:
        case GenesisPredicate() as genesis:
            return admit_genesis(request, genesis)
        case KeyPredicate() as key:
            return admit_key(request, key)
        case PolicyPredicate() as policy:
            return admit_policy(request, policy)
        case ProtocolPredicate() as lock:
            return admit_protocol(request, lock)
        case StudyPredicate() as study:
            return admit_study(request, study)
        case ReservationPredicate() as reservation:
            return admit_reservation(request, reservation)
        case ReceiptPredicate() as receipt:
            return admit_receipt(request, receipt)
        case DeviationPredicate() as deviation:
            return admit_deviation(request, deviation)
        case ReviewPredicate() as review:
            return admit_review(request, review, repository_of(parsed) or "")
        case HoldPredicate() as hold:
            return admit_hold(request, hold)
        case DecisionPredicate() as decision:
            return admit_decision(request, decision, repository_of(parsed) or "")
        case RefPredicate() as ref:
            return admit_ref(request, ref)
        case RefusalPredicate() as refusal:
            return admit_refusal(request, refusal)
        case ClosurePredicate() as closure:
            return admit_closure(request, closure)
        case VerdictPredicate():  # pragma: no branch  the last of the closed union
            return admit_verdict(request)

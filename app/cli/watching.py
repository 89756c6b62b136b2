# SPDX-License-Identifier: Apache-2.0
"""What ``log monitor`` does: one look at a log, its state kept, its outcome as an exit code."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import typer

from app.cli.exit_code import ExitCode
from app.cli.output import emit, fail, problem_document
from app.cli.session import connect
from app.core.errors import IntegrityBroken, MalformedDocument
from app.core.identity import micros_of
from app.core.log.following import Followed, parse_followed
from app.core.verdict.trust import TrustedLedger
from app.runner.kept_files import replace_file
from app.runner.monitor import Look, NotTheTrustedLog, RolledBack, look_at

_INCONSISTENT: Final = "consistency-proof"
_SIGNATURES: Final = frozenset({"note-signature", "note-unsigned", "checkpoint-origin"})


def watch(url: str, path: Path, trust: tuple[TrustedLedger, ...] | None, *, as_json: bool) -> None:
    """Look once, and end with what was seen."""
    state = parse_followed(path.read_bytes()) if path.exists() else Followed()
    try:
        with connect(url) as client:
            look = look_at(
                client,
                state,
                trust=trust,
                keep=lambda one: replace_file(path, one.to_bytes()),
            )
    except RolledBack as error:
        detail = (
            f"The log shows {error.shown} entries and was seen with {error.seen}: those from index "
            f"{error.shown} on are not shown any more."
        )
        raise _ended(ExitCode.ROLLBACK, "rolled-back", detail, as_json=as_json) from error
    except NotTheTrustedLog as error:
        detail = "This is not the log that is trusted: its name, genesis or key is another."
        raise _ended(ExitCode.BAD_SIGNATURE, "other-ledger", detail, as_json=as_json) from error
    except (IntegrityBroken, MalformedDocument) as error:
        raise _ended(_code_of(error.code), error.code, error.detail, as_json=as_json) from error
    _tell(look, as_json=as_json)
    if not look.vouched or look.cosigned < look.quorum:
        raise typer.Exit(ExitCode.UNTRUSTED)


def _code_of(code: str) -> ExitCode:
    if code == _INCONSISTENT:
        return ExitCode.INCONSISTENT
    return ExitCode.BAD_SIGNATURE if code in _SIGNATURES else ExitCode.DAMAGE


def _tell(look: Look, *, as_json: bool) -> None:
    checkpoint = look.pin.checkpoint
    result = {
        "origin": checkpoint.origin,
        "genesis": look.pin.genesis,
        "size": checkpoint.size,
        "root": checkpoint.root.hex(),
        "new_entries": checkpoint.size - look.before,
        "log_time_us": micros_of(look.state.at),
        "vouched": look.vouched,
        "cosigned": look.cosigned,
        "quorum": look.quorum,
    }
    told = (
        f"{checkpoint.size} entries, {result['new_entries']} of them new, one history, the newest "
        f"of {look.state.at}"
    )
    lines = [f"{checkpoint.origin}: {told}; root {result['root']}"]
    if not look.vouched:
        lines.append("The first look: nobody vouches for these keys but the log itself.")
    if look.quorum:
        named = f"{look.cosigned} of the witnesses you name have cosigned"
        lines.append(f"{named}; {look.quorum} are demanded.")
    emit(result, lines, as_json=as_json)


def _ended(code: ExitCode, name: str, detail: str, *, as_json: bool) -> typer.Exit:
    fail(problem_document(500, name, "The log does not hold", detail), as_json=as_json)
    return typer.Exit(code)

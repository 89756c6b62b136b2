# SPDX-License-Identifier: Apache-2.0
"""The console script: every command by its name, and every failure as an exit code.

With ``--json`` a failure is a problem document on stdout, also where the arguments could not be
read. What nobody foresaw ends with code 1 and the type of what happened, never with its message,
which may hold what somebody sent.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from functools import cache
from types import TracebackType

import typer
from typer.exceptions import TyperException

from app.cli import (
    admin,
    completing,
    deviations,
    doctor,
    drafting,
    holds,
    importing,
    key_endings,
    keys,
    local,
    logs,
    people,
    policies,
    progress,
    protocols,
    receipts,
    signing,
    slots,
    studies,
    verdicts,
    verifying,
    versions,
)
from app.cli.exit_code import ExitCode, of_error, of_refusal
from app.cli.misconfigured import Misconfigured
from app.cli.output import document_of, fail, problem_document, say, wants_json
from app.core.errors import FairtrialError
from app.runner.client import Document, Refused, Unreachable
from app.runner.key_files import UnusableKeyFile

NAME = "fairtrial"

commands = typer.Typer(
    name=NAME,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Qualification protocols and an evidence ledger for exact commits.",
    epilog="Example: fairtrial protocol lock --help, where every command shows one. "
    "stdout is the result, stderr the progress. Exit codes: see README.",
)
commands.command(
    "init",
    epilog="Example: fairtrial init --origin ledger.example/sparks "
    "--repository git.example/owner/name --holder ada",
)(local.init)
commands.command("serve", epilog="Example: fairtrial serve --host 127.0.0.1 --port 8000")(
    local.serve
)
commands.command("fsck", epilog="Example: fairtrial fsck --data-dir ./var --json")(local.fsck)
commands.command("demo", epilog="Example: fairtrial demo --data-dir ./var --port 8000")(local.demo)
commands.command(
    "doctor", epilog="Example: fairtrial doctor --data-dir ledger --key ledger/keys/admin.pem"
)(doctor.doctor)
commands.command("sign", epilog="Example: fairtrial sign policy policy.json --key maintainer.pem")(
    signing.sign_file
)
commands.command(
    "deviate",
    epilog="Example: fairtrial deviate STUDY --what 'the wrapper used the wrong URL' "
    "--phase warmup --end --key keys/runner.pem",
)(deviations.deviate)
commands.command(
    "review",
    epilog="Example: fairtrial review HEAD --scope source --did 'read the delta' "
    "--did-not 'live endpoints' --key keys/reviewer.pem",
)(people.review)
commands.command(
    "decide",
    epilog="Example: fairtrial decide HEAD waived --scope performance --claim land "
    "--reason 'off by default' --key keys/maintainer.pem",
)(people.decide)
keys.commands.command(
    "retire", epilog="Example: fairtrial key retire --reason 'new machine' --key keys/old.pem"
)(key_endings.retire)
keys.commands.command(
    "revoke",
    epilog="Example: fairtrial key revoke KEY-ID --reason 'the disk was lost' --suspect-from 120 "
    "--key keys/admin.pem --also keys/second-admin.pem",
)(key_endings.revoke)
protocols.commands.command(
    "new", epilog="Example: fairtrial protocol new --from comparison-blocks -o draft.json"
)(drafting.new)
protocols.commands.command(
    "diff", epilog="Example: fairtrial protocol diff protocols/comparison-blocks.v1.json draft.json"
)(drafting.diff)
protocols.commands.command(
    "versions", epilog="Example: fairtrial protocol versions comparison-blocks --json"
)(versions.versions)
studies.commands.command("status", epilog="Example: fairtrial study status STUDY --json")(
    progress.status
)
studies.commands.command("watch", epilog="Example: fairtrial study watch STUDY --timeout 3600")(
    progress.watch
)
studies.commands.command(
    "end",
    epilog="Example: fairtrial study end STUDY --why 'spark-2 lost its GPU' --phase warmup "
    "--key keys/maintainer.pem",
)(progress.end)
commands.command(
    "import",
    epilog="Example: fairtrial import junit report.xml --suite cpu-suite "
    "--named helper-v5=tests.helpers::test_v5 --artifact helper-v5=helpers/v5.py -o capture.json",
)(importing.import_report)
commands.command(
    "verdict",
    epilog="Example: fairtrial verdict HEAD --repository git.example/owner/name --claim land "
    "--exit-code",
)(verdicts.verdict)
commands.command(
    "bundle",
    epilog="Example: fairtrial bundle HEAD --repository git.example/owner/name -o head.jsonl",
)(verdicts.bundle)
commands.command("score", epilog="Example: fairtrial score head.jsonl --claim land")(verdicts.score)
commands.command(
    "verify",
    epilog="Example: fairtrial verify head.jsonl --trust fairtrial.toml --claim land",
)(verifying.verify)
commands.command("completion", epilog="Example: source <(fairtrial completion bash)")(
    completing.completion
)
commands.command("version", epilog="Example: fairtrial version --json")(completing.version)
for _name, _group in (
    ("key", keys.commands),
    ("protocol", protocols.commands),
    ("policy", policies.commands),
    ("study", studies.commands),
    ("slot", slots.commands),
    ("receipt", receipts.commands),
    ("hold", holds.commands),
    ("log", logs.commands),
    ("admin", admin.commands),
):
    commands.add_typer(_group, name=_name)

# Every signature is read for it: once, where a process runs several command lines.
_command = cache(typer.main.get_command)


def run() -> None:
    """Run the command line of this process."""
    sys.excepthook = _unforeseen
    sys.exit(answer(sys.argv[1:]))


def answer(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    try:
        returned = _command(commands).main(
            args=list(arguments), prog_name=NAME, standalone_mode=False
        )
    except Refused as refused:
        return _failed(refused.problem, of_refusal(refused), arguments)
    except FairtrialError as error:
        return _failed(document_of(error), of_error(error), arguments)
    except (Misconfigured, UnusableKeyFile) as error:
        problem = problem_document(400, "configuration", "Configuration", str(error))
        return _failed(problem, ExitCode.CONFIGURATION, arguments)
    except Unreachable as error:
        problem = problem_document(503, "unreachable", "No answer", str(error))
        return _failed(problem, ExitCode.NETWORK, arguments)
    except TyperException as error:
        problem = problem_document(400, "usage", "Usage", error.format_message())
        say(f"{NAME} --help lists the commands, {NAME} COMMAND --help an example of each.")
        return _failed(problem, ExitCode.USAGE, arguments)
    except OSError as error:
        # A file that was named on the command line; its name is the caller's own.
        detail = f"{error.strerror or type(error).__name__}: {error.filename or 'a file'}"
        problem = problem_document(400, "file", "A file cannot be used", detail)
        return _failed(problem, ExitCode.CONFIGURATION, arguments)
    except typer.Abort:
        return ExitCode.INTERRUPTED
    return returned if isinstance(returned, int) else ExitCode.OK


def _failed(problem: Document, code: ExitCode, arguments: Sequence[str]) -> ExitCode:
    fail(problem, as_json=wants_json(arguments))
    return code


def _unforeseen(
    kind: type[BaseException], _error: BaseException, trace: TracebackType | None
) -> None:
    """Tell the type and the place of what nobody foresaw; the interpreter then ends with 1."""
    for line in traceback.format_tb(trace):
        say(line.rstrip())
    detail = f"Something unexpected happened: {kind.__qualname__}."
    problem = problem_document(500, "internal-error", "Unexpected", detail)
    fail(problem, as_json=wants_json(sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0
"""``fairtrial log``: the log's entries in order, the proof of one, and a watch from outside."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.options import DEFAULT_URL, AsJson, KeyFile, Url
from app.cli.output import emit, put, say
from app.cli.session import connect, signing_key
from app.cli.stored import genesis_of, proved, rows_of
from app.cli.trusting import CheckoutOption, TrustOption, read_trust
from app.core.admission.rules.genesis import key_of
from app.core.digest import from_base64
from app.core.log.note import NoteVerifier
from app.core.log.proof import parse_proof

commands = typer.Typer(no_args_is_help=True, help="Look at the log.")


@commands.command(epilog="Example: fairtrial log show --line head:git.example/owner/name@SHA")
def show(
    *,
    line: Annotated[
        str, typer.Option(help="Only lines that begin with this.", metavar="PREFIX")
    ] = "",
    checkpoint: Annotated[
        bool, typer.Option("--checkpoint", help="Print the newest signed checkpoint instead.")
    ] = False,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Print the log's entries, oldest first: index, time, kind, statement and line."""
    with connect(url) as client:
        if checkpoint:
            note = client.read("/log/checkpoint")
            if not as_json:
                put(note)
            else:
                emit({"checkpoint": note.decode()}, (), as_json=True)
            return
        rows = [row for page in client.pages("/v1/log/entries") for row in rows_of(page, "entries")]
    rows = [row for row in rows if str(row["line"]).startswith(line)]
    lines = [
        f"{row['index']}  {row['at']}  {row['kind']}  {row['statement']}  {row['line']}"
        for row in rows
    ]
    emit({"entries": rows}, lines, as_json=as_json)


@commands.command(epilog="Example: fairtrial log proof STATEMENT -o receipt.tlog-proof")
def proof(
    statement: Annotated[str, typer.Argument(help="Its SHA-256.", metavar="STATEMENT")],
    *,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the text there.", metavar="FILE")
    ] = None,
    trust_file: TrustOption = None,
    checkout: CheckoutOption = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Print the C2SP tlog-proof of a statement, once it holds for the statement itself."""
    trusted = read_trust(trust_file, checkout)
    with connect(url) as client:
        found = client.read_document(f"/v1/statements/{statement}/proof")
    text = str(found["tlog_proof"]).encode()
    record = from_base64(str(found["leaf"]))
    checkpoint = proved(text, record, statement, trusted)
    if trusted is None:
        say("Whose log this is was not asked: no trust file was given.")
    if output is not None:
        output.write_bytes(text)
    elif not as_json:
        put(text)
    result = {
        "statement": statement,
        "index": parse_proof(text).index,
        "size": checkpoint.size,
        "root": checkpoint.root.hex(),
        "trusted": trusted is not None,
    }
    if as_json or output is not None:
        lines = [f"index {result['index']} of {checkpoint.size}"]
        emit(result, lines, as_json=as_json)


@commands.command(epilog="Example: fairtrial log trust > fairtrial.toml")
def trust(*, url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Print a trust file for this ledger, as it says of itself.

    Compare origin and genesis with what its people say elsewhere before you rely on it.
    """
    with connect(url) as client:
        ledger = client.ledger()
        genesis = genesis_of(client, ledger)
    vkey = NoteVerifier(genesis.ledger.origin, key_of(genesis.checkpoint_key)).to_vkey()
    rows = {"origin": ledger.origin, "genesis": str(ledger.genesis), "checkpoint_key": vkey}
    lines = ["[[ledger]]", *(f'{name} = "{value}"' for name, value in rows.items())]
    emit({"ledger": [rows]}, lines, as_json=as_json)


@commands.command(epilog="Example: fairtrial log monitor http://127.0.0.1:8000 --state log.state")
def monitor(
    url: Annotated[str, typer.Argument(help="The service to watch.", metavar="URL")],
    *,
    state: Annotated[
        Path, typer.Option("--state", help="Where it is kept how far this came.", metavar="FILE")
    ],
    trust_file: TrustOption = None,
    checkout: CheckoutOption = None,
    as_json: AsJson = False,
) -> None:
    """Hash every entry since the last look from the public tiles; 0 when it is one history.

    44: the log signed another history than the one seen before; 46: it shows fewer entries; 45:
    tiles and entries are not those that it signed, or the state file is damaged; 40: somebody else
    signed; 41: nobody vouches for the keys (the first look), or too few witnesses have cosigned.
    """
    from app.cli.watching import watch

    watch(url, state, read_trust(trust_file, checkout), as_json=as_json)


@commands.command(
    epilog="Example: fairtrial log witness --name witness.example/w1 --key witness.pem "
    "--log 'ledger.example/sparks+2df17a16+Ae1J...' --state witness.json --port 8100"
)
def witness(
    *,
    name: Annotated[
        str, typer.Option("--name", help="The witness's name, for ever.", metavar="NAME")
    ],
    log: Annotated[
        list[str],
        typer.Option("--log", help="Verifier key of a log; may be repeated.", metavar="VKEY"),
    ],
    state: Annotated[
        Path, typer.Option("--state", help="What it cosigned last is kept here.", metavar="FILE")
    ],
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=0, max=65535)] = 8100,
    key: KeyFile = None,
    as_json: AsJson = False,
) -> None:
    """Run a small C2SP witness for other people's logs, until interrupted.

    It cosigns a checkpoint only when it continues the one it cosigned before. Use a key of its own.
    """
    from app.cli.witnesses import WitnessPlace, serve_witness

    place = WitnessPlace(state, host, port)
    serve_witness(name, signing_key(key), log, place, as_json=as_json)

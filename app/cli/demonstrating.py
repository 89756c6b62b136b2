# SPDX-License-Identifier: Apache-2.0
"""``fairtrial demo``: build the example ledger, serve it, and print every page to open."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from app.cli.options import AsJson
from app.cli.output import emit, say
from app.cli.serving import LOOPBACK, HostOption, PortOption, address, app_of, listen
from app.config import ConfigurationError, Settings, load_settings
from app.demo.build import Built, build, site_in
from app.pages.views.links import head_page
from app.runner.compose import HeadPlace
from app.storage.clock import SystemClock

FolderOption = Annotated[
    Path, typer.Option("--data-dir", help="A folder of the demo's own.", metavar="FOLDER")
]


def demo(
    *,
    data_dir: FolderOption = Path("var"),
    host: HostOption = LOOPBACK,
    port: PortOption = 8000,
    no_serve: Annotated[bool, typer.Option("--no-serve", help="Build it and stop.")] = False,
    as_json: AsJson = False,
) -> None:
    """Build the example ledger, print the URL of every page to open, and serve it.

    A second run replaces the demo ledger of the first; any other folder is left as it is.
    """
    settings = _settings(data_dir.absolute(), address(host, port))
    if not no_serve:
        _require_free(host, port)
    say("building the example ledger ...")
    built = asyncio.run(build(settings.data_dir, SystemClock()))
    urls = _urls(settings.public_url, built)
    groups = {"replays": built.replays, "synthetic": built.synthetic}
    pages = {name: _heads(settings.public_url, group) for name, group in groups.items()}
    emit({"url": settings.public_url, **pages}, urls, as_json=as_json)
    if not no_serve:
        say(f"serving on {settings.public_url} until interrupted (Ctrl-C)")
        listen(app_of(settings), host=host, port=port)


def _settings(folder: Path, url: str) -> Settings:
    return load_settings(
        environment="development",
        data_dir=folder,
        database_url=site_in(folder).database_url,
        public_url=url,
    )


def _require_free(host: str, port: int) -> None:
    """Refuse a port that is taken before anything is built.

    Raises:
        ConfigurationError: something listens there, perhaps a demo that still runs.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            message = f"Port {port} is taken; stop what listens there or name another --port."
            raise ConfigurationError(message) from error


def _heads(url: str, places: Sequence[HeadPlace]) -> list[str]:
    return [url + head_page(place.repository, place.head) for place in places]


def _urls(url: str, built: Built) -> list[str]:
    return [
        f"{url}/",
        "replays of a public thread:",
        *(f"  {page}" for page in _heads(url, built.replays)),
        "synthetic, one head for every word:",
        *(f"  {page}" for page in _heads(url, built.synthetic)),
    ]

# SPDX-License-Identifier: Apache-2.0
"""Shows the example ledger: built anew, every page named, and served."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.cli.output import emit, say
from app.cli.serving import address, alone, app_of, listen, require_free
from app.cli.settings import settings_for
from app.config import Settings
from app.demo import replays, synthetic
from app.demo.build import build, refuse_other, site_in
from app.pages.views.links import change_page, head_page, repository_page
from app.runner.compose import HeadPlace
from app.storage.clock import SystemClock


@dataclass(frozen=True, slots=True)
class Stage:
    """Where to listen."""

    host: str
    port: int


_USUAL: Final = Stage("127.0.0.1", 8000)


def show(data_dir: Path, stage: Stage | None, *, as_json: bool) -> None:
    """Build the example ledger, print its pages, and serve it on ``stage``, if there is one.

    Raises:
        Misconfigured: the port is taken, or another process serves the folder; nothing was built.
        Conflict: ``not-a-demo``, the folder holds something else.
    """
    folder = data_dir.absolute()
    where = stage or _USUAL
    url = address(where.host, where.port)
    settings = settings_for(
        folder,
        environment="development",
        database_url=site_in(folder).database_url,
        public_url=url,
    )
    if stage is not None:
        require_free(stage.host, stage.port)
    refuse_other(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with alone(settings.database_url):
        _show(settings, stage, url, as_json=as_json)


def _show(settings: Settings, stage: Stage | None, url: str, *, as_json: bool) -> None:
    say("building the example ledger ...")
    built = asyncio.run(build(settings.data_dir, SystemClock()))
    pages = {
        "replays": _heads(url, built.replays),
        "synthetic": _heads(url, built.synthetic),
        "around": [
            url + repository_page(replays.REPOSITORY),
            url + change_page(replays.REPOSITORY, replays.CHANGE),
            url + repository_page(synthetic.REPOSITORY),
        ],
    }
    emit({"url": url, **pages}, _lines(url, pages), as_json=as_json)
    if stage is not None:
        listen(app_of(settings), host=stage.host, port=stage.port)


def _heads(url: str, places: Sequence[HeadPlace]) -> list[str]:
    return [url + head_page(place.repository, place.head) for place in places]


def _lines(url: str, pages: dict[str, list[str]]) -> list[str]:
    return [
        f"{url}/",
        "replays of a public thread:",
        *(f"  {page}" for page in pages["replays"]),
        "synthetic, one head for every word:",
        *(f"  {page}" for page in pages["synthetic"]),
        "around them, repositories and a change:",
        *(f"  {page}" for page in pages["around"]),
    ]

# SPDX-License-Identifier: Apache-2.0
"""Shows the example ledger: built anew, every page named, and served."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.cli.output import emit, say
from app.cli.serving import address, app_of, as_server, listen, require_free
from app.cli.settings import settings_for
from app.config import Settings
from app.demo import replays, synthetic
from app.demo.build import Shown, build, refuse_other, site_in
from app.demo.thread import landing
from app.pages.views.links import change_page, head_page, repository_page
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
    with as_server(settings):
        _show(settings, stage, url, as_json=as_json)


def _show(settings: Settings, stage: Stage | None, url: str, *, as_json: bool) -> None:
    say("building the example ledger ...")
    built = asyncio.run(build(settings.data_dir, SystemClock()))
    pages: dict[str, list[dict[str, str]]] = {
        "replays": _heads(url, built.replays),
        "synthetic": _heads(url, built.synthetic),
        "around": [
            _named("the thread's repository", url + repository_page(replays.REPOSITORY)),
            *(
                _named(f"change {change}", url + change_page(replays.REPOSITORY, change))
                for change in (replays.CHANGE, landing.CHANGE)
            ),
            _named("the made-up repository", url + repository_page(synthetic.REPOSITORY)),
        ],
    }
    emit({"url": url, **pages}, _lines(url, pages), as_json=as_json)
    if stage is not None:
        listen(app_of(settings), host=stage.host, port=stage.port)


def _heads(url: str, shown: Sequence[Shown]) -> list[dict[str, str]]:
    return [
        _named(one.what, url + head_page(one.place.repository, one.place.head)) for one in shown
    ]


def _named(what: str, url: str) -> dict[str, str]:
    return {"what": what, "url": url}


def _lines(url: str, pages: dict[str, list[dict[str, str]]]) -> list[str]:
    return [
        f"{url}/",
        "replays of a public thread:",
        *_listed(pages["replays"]),
        "synthetic, one head for every word:",
        *_listed(pages["synthetic"]),
        "around them, repositories and changes:",
        *_listed(pages["around"]),
    ]


def _listed(pages: Sequence[dict[str, str]]) -> list[str]:
    """Return each page in two lines: what it shows, and where it is."""
    return [line for page in pages for line in (f"  {page['what']}", f"    {page['url']}")]

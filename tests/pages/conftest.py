# SPDX-License-Identifier: Apache-2.0
"""A service over a fresh ledger on SQLite, with heads of every word to look at."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.core.statement.parse import parse_verdict_document
from app.core.statement.verdict import VerdictDocument
from app.storage.migrate import upgrade
from tests.api.world import World, opened
from tests.pages.reading import Node, read
from tests.pages.scenes import SCENES, Scenes


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with an empty, migrated SQLite database, to be copied."""
    folder = tmp_path_factory.mktemp("migrated")
    upgrade(f"sqlite:///{folder / 'ledger.db'}")
    return folder


@dataclass(frozen=True)
class Seen:
    """One head's page beside the verdict that it shows."""

    head: str
    page: Node
    document: VerdictDocument


@pytest.fixture(scope="session")
def seen(migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    """Return the page of every scene, all in one ledger and read once."""
    folder = tmp_path_factory.mktemp("seen") / "data"
    shutil.copytree(migrated, folder)

    async def look() -> dict[str, Seen]:
        async with opened(f"sqlite:///{folder / 'ledger.db'}") as world:
            await world.begin()
            scenes = Scenes(world)
            return {name: await _one(scenes, name) for name in SCENES}

    return asyncio.run(look())


async def _one(scenes: Scenes, name: str) -> Seen:
    await getattr(scenes, name)()
    verdict = await scenes.get(f"{scenes.world.head_path}?claim=land")
    html = (await scenes.get(scenes.head_path)).text
    return Seen(scenes.head, read(html), parse_verdict_document(verdict.content))


@pytest.fixture
def sqlite_url(migrated: Path, tmp_path: Path) -> str:
    """URL of an empty database of this test's own."""
    folder = tmp_path / "data"
    shutil.copytree(migrated, folder)
    return f"sqlite:///{folder / 'ledger.db'}"


@pytest.fixture
async def world(sqlite_url: str) -> AsyncIterator[World]:
    """Yield a ledger on SQLite behind the routes."""
    async with opened(sqlite_url) as one:
        yield one


@pytest.fixture
async def scenes(world: World) -> Scenes:
    """Return a begun ledger and who sets its scenes."""
    await world.begin()
    return Scenes(world)


@pytest.fixture
def world_scenes(world: World) -> Scenes:
    """Return who sets scenes in a ledger in which nothing is locked yet."""
    return Scenes(world)

# SPDX-License-Identifier: Apache-2.0
"""W18: a real browser loads every kind of page without a request elsewhere or a policy broken.

The same visit asks axe for what a person who cannot see the page well would stumble over.
"""

import asyncio
import os
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page, async_playwright

from app.edge.server import server_config
from tests.api.world import World, begun_app
from tests.pages.scenes import Scenes

HEAD, OTHER_COMMIT, STUDY = 11, 14, 19
"""Places of a failed head, of one of which another commit was tested, and of a study."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}}
COUNT_VIOLATIONS = """
    window.violations = [];
    document.addEventListener('securitypolicyviolation', e => window.violations.push(e.blockedURI));
"""


def browser_path() -> str:
    """Return where a browser is; without one the test is skipped, but never in CI."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        reason = "no Chromium is installed: pages were not loaded in a browser"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@asynccontextmanager
async def served(url: str) -> AsyncIterator[tuple[World, str]]:
    """Serve a begun ledger on a free loopback port."""
    app, make, ledger, clock = await begun_app(url)
    listening = uvicorn.Server(server_config(app, host="127.0.0.1", port=0))
    with socket.create_server(("127.0.0.1", 0)) as sock:
        task = asyncio.create_task(listening.serve(sockets=[sock]))
        while not listening.started:  # noqa: ASYNC110 - uvicorn has a flag and no event
            await asyncio.sleep(0.01)
        base = f"http://127.0.0.1:{sock.getsockname()[1]}"
        try:
            async with httpx.AsyncClient(base_url=base) as client:
                yield World(client, make, ledger, clock), base
        finally:
            listening.should_exit = True
            await task


async def every_kind_of_page(world: World) -> list[str]:
    """Set scenes of every word; return a page of every kind."""
    await world.begin()
    scenes = Scenes(world)
    heads = []
    study = await scenes.qualified()
    heads.append(scenes.head_path)
    others = (scenes.failed, scenes.unfinished, scenes.opened, scenes.other_commit)
    for scene in (*others, scenes.replayed):
        study = await scene()
        heads.append(scenes.head_path)
    repository = scenes.repository_path
    slots = await world.slots(study)
    return [
        "/", "/log", "/keys", "/reasons", "/reasons/REPLAY", "/problems", "/problems/host",
        "/glossary", "/reasons/NONE", repository, *heads,
        f"{repository}/heads/{'0' * 40}",
        f"{repository}/changes/180",
        f"{repository}/protocols/{study.predicate.protocol}",
        f"{repository}/studies/{study.digest}",
        f"{repository}/receipts/{slots[0]['attempts'][0]['receipts'][0]}",
        f"/statements/{study.digest}",
        f"{heads[0]}/badge.svg",
    ]  # fmt: skip


async def visit(page: Page, base: str, path: str) -> list[str]:
    """Load a page; return everything that is wrong with it."""
    wrong: list[str] = []
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    await page.goto(f"{base}{path}")
    wrong += [url for url in asked if not url.startswith(f"{base}/")]
    wrong += await page.evaluate("window.violations")
    return [one for one in wrong if "404 (Not Found)" not in one]


async def stumbling_blocks(page: Page) -> list[str]:
    results = await Axe().run(page, options=RULES)
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in results.response["violations"]
    ]


async def loaded(browser: Browser, base: str, paths: list[str], **options: object) -> list[Page]:
    """Return these pages, each loaded without anything wrong."""
    context = await browser.new_context(**options)  # type: ignore[arg-type]  # the browser's own names
    await context.add_init_script(COUNT_VIOLATIONS)
    pages = []
    for path in paths:
        pages.append(await context.new_page())
        assert await visit(pages[-1], base, path) == [], path
    return pages


async def test_w18_every_page_loads_from_this_origin_alone(sqlite_url: str) -> None:
    executable = browser_path()
    async with served(sqlite_url) as (world, base), async_playwright() as playwright:
        arguments = ["--no-sandbox"]
        browser = await playwright.chromium.launch(executable_path=executable, args=arguments)
        paths = await every_kind_of_page(world)
        await loaded(browser, base, paths)
        # Longest and most colourful: a head, and its study; the others are made of the same parts.
        looked_at = [paths[HEAD], paths[STUDY]]
        for scheme in ("light", "dark"):
            for page in await loaded(browser, base, looked_at, color_scheme=scheme):
                assert await stumbling_blocks(page) == [], (scheme, page.url)
        narrow = {"width": 420, "height": 900}
        for page in await loaded(browser, base, [*looked_at, paths[OTHER_COMMIT]], viewport=narrow):
            assert await page.evaluate("document.documentElement.scrollWidth") <= 420, page.url
        await _reads_the_same_without_scripts(browser, base + paths[HEAD])
        await browser.close()


async def _reads_the_same_without_scripts(browser: Browser, url: str) -> None:
    with_scripts, without = [
        await (await browser.new_context(java_script_enabled=scripts)).new_page()
        for scripts in (True, False)
    ]
    await with_scripts.goto(url)
    await without.goto(url)
    assert await with_scripts.inner_text("main") == await without.inner_text("main")
    assert (await without.pdf())[:5] == b"%PDF-"


def test_stylesheet_knows_one_green_and_one_use_of_it() -> None:
    styles = Path(__file__).resolve().parents[2] / "app" / "pages" / "static" / "page.css"
    text = styles.read_text(encoding="utf-8")
    uses = [line for line in text.splitlines() if "var(--qualified)" in line]
    assert len(uses) == 2
    assert all("is-qualified" in line for line in uses)
    assert "green" not in text.split("*/", 2)[2]

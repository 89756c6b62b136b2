# SPDX-License-Identifier: Apache-2.0
"""The service from its settings alone."""

from pathlib import Path

import httpx
import pytest

from app.config import Settings
from app.core.errors import FairtrialError
from app.main import create_app
from app.service.create_ledger import FirstAdmin
from app.storage.found_ledger import Site, found_ledger
from tests.api.world import MovedClock
from tests.drafts import signing_key


async def test_settings_lead_to_a_service_that_is_ready(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    site = Site(settings.database_url, settings.url_for_migrations, settings.data_dir)
    admin = FirstAdmin("mara", signing_key("admin"))
    await found_ledger(site, origin="ledger.example/composed", admins=[admin], clock=MovedClock())
    app = create_app(settings)
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client,
    ):
        ready = (await client.get("/readyz")).json()
        page = await client.get("/")
    assert (ready["status"], ready["origin"]) == ("ready", "ledger.example/composed")
    assert page.headers["content-type"].startswith("text/html")


def test_service_without_a_ledger_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(FairtrialError) as refused:
        create_app(Settings(data_dir=tmp_path))
    assert refused.value.code == "no-ledger-keys"
    assert not list(tmp_path.iterdir())

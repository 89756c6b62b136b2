# SPDX-License-Identifier: Apache-2.0
"""The lint endpoint, the command and the lock find the same in every document that is refused."""

import json
from contextlib import nullcontext
from pathlib import Path

import pytest
import typer

from app.cli.protocols import lint as lint_command
from app.core.identity import Role
from app.core.protocol.lint import lint
from app.core.protocol.parse import document_bytes
from app.core.protocol.patch import operations
from app.edge.media import JSON
from tests.api.world import World
from tests.refused import each_refused


async def test_endpoint_command_and_lock_agree_on_every_refused_document(
    world: World, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    await world.register("maintainer", Role.MAINTAINER)
    before = await world.size()
    for code, document in each_refused():
        data = document_bytes(document)
        findings = lint(document)
        told = [
            {
                "code": each.code,
                "severity": each.severity,
                "pointer": each.pointer,
                "detail": each.detail,
                "formula": each.formula or None,
                "change": operations(each.change),
            }
            for each in findings
        ]
        errors = [each for each in findings if each.severity == "error"]
        served = await world.client.post(
            "/v1/protocols/lint", content=data, headers={"content-type": JSON}
        )
        report = served.json()
        assert (report["findings"], report["lockable"]) == (told, not errors), code
        file = tmp_path / "document.json"
        file.write_bytes(data)
        with pytest.raises(typer.Exit) if errors else nullcontext():
            lint_command(str(file), as_json=True)
        assert json.loads(capsysbinary.readouterr().out) == report, code
        if errors:
            locked = await world.send("protocol", world.make.lock(document))
            assert locked.status_code == 422
            assert [(each["rule"], each["pointer"]) for each in locked.json()["errors"]] == [
                (each.code, f"/predicate/document{each.pointer}") for each in errors
            ], code
    assert await world.size() == before

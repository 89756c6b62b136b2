# SPDX-License-Identifier: Apache-2.0
"""Pages are revalidated, named by no request's Host, and allowed to load nothing from elsewhere."""

import pytest

from app.pages.render import PAGE_POLICY
from app.pages.static_files import place_of
from tests.pages.scenes import Scenes


async def paths(scenes: Scenes) -> list[str]:
    study = await scenes.failed()
    repository = scenes.repository_path
    return ["/", repository, scenes.head_path, f"{repository}/studies/{study.digest}", "/log"]


async def test_w08_page_is_revalidated_and_has_a_new_tag_after_a_new_entry(scenes: Scenes) -> None:
    study = await scenes.opened()
    first = await scenes.get(scenes.head_path)
    assert first.headers["cache-control"] == "no-cache"
    tag = first.headers["etag"]
    same = await scenes.get(scenes.head_path, **{"if-none-match": tag})
    assert same.status_code == 304
    await scenes.world.put(scenes.world.make.deviation(study.digest, ends_study=True))
    after = await scenes.get(scenes.head_path, **{"if-none-match": tag})
    assert after.status_code == 200
    assert after.headers["etag"] != tag


@pytest.mark.parametrize("suffix", ["", "/badge.svg"])
async def test_w18_revisited_page_keeps_every_header_it_had_but_those_of_its_body(
    scenes: Scenes, suffix: str
) -> None:
    await scenes.opened()
    path = scenes.head_path + suffix
    first = await scenes.get(path)
    again = await scenes.get(path, **{"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    told_once = {"content-type", "content-length"}
    expected = {name: value for name, value in first.headers.items() if name not in told_once}
    assert dict(again.headers) == expected


@pytest.mark.parametrize("header", ["x-forwarded-host", "forwarded", "x-original-url", "x-host"])
async def test_w08_header_of_a_proxy_changes_no_byte(scenes: Scenes, header: str) -> None:
    await scenes.failed()
    plain = await scenes.get(scenes.head_path)
    other = await scenes.get(scenes.head_path, **{header: "evil.example"})
    assert other.content == plain.content


async def test_w07_foreign_host_is_refused_and_no_page_holds_a_link_with_a_host(
    scenes: Scenes,
) -> None:
    for path in await paths(scenes):
        assert (await scenes.get(path, host="evil.example")).status_code == 400
        assert 'href="http' not in (await scenes.get(path)).text
        assert 'href="//' not in (await scenes.get(path)).text


async def test_w07_slash_at_the_end_is_no_redirect(scenes: Scenes) -> None:
    for path in (await paths(scenes))[1:]:
        answer = await scenes.get(f"{path}/")
        assert answer.status_code == 404
        assert "location" not in answer.headers


async def test_w18_policy_of_every_page_allows_nothing_from_elsewhere(scenes: Scenes) -> None:
    for path in await paths(scenes):
        answer = await scenes.get(path)
        assert answer.headers["content-security-policy"] == PAGE_POLICY
        assert "<script" not in answer.text
        assert " style=" not in answer.text
    assert "unsafe" not in PAGE_POLICY


async def test_head_request_has_the_headers_and_no_body(scenes: Scenes) -> None:
    for path in await paths(scenes):
        whole = await scenes.get(path)
        answer = await scenes.world.client.head(path)
        assert answer.status_code == 200
        assert answer.content == b""
        assert answer.headers["etag"] == whole.headers["etag"]


async def test_static_file_is_named_by_its_digest_and_kept_for_ever(scenes: Scenes) -> None:
    answer = await scenes.get(place_of("page.css"))
    assert answer.status_code == 200
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"] == "text/css; charset=utf-8"


@pytest.mark.parametrize("name", ["page.css", "..%2fpage.css", "page.0123456789abcdef.css"])
async def test_static_file_by_any_other_name_is_not_there(scenes: Scenes, name: str) -> None:
    assert (await scenes.get(f"/static/{name}")).status_code == 404


async def test_unknown_query_is_refused_and_nothing_is_echoed(scenes: Scenes) -> None:
    answer = await scenes.get("/log?cursr=evil-value")
    assert answer.status_code == 422
    assert "evil-value" not in answer.text

# SPDX-License-Identifier: Apache-2.0
"""Where things have their page; every link is relative to this service, none is made of a Host."""

from __future__ import annotations

from urllib.parse import quote

SHORT = 12


def short(digest: str) -> str:
    """Return the beginning of a digest, for places where the whole stands in the link."""
    return digest[:SHORT]


def repository_page(repository: str) -> str:
    """Return the path of a repository's page."""
    return f"/r/{quote(repository)}"


def head_page(repository: str, head: str) -> str:
    """Return the path of a head's page."""
    return f"{repository_page(repository)}/heads/{quote(head)}"


def change_page(repository: str, number: str) -> str:
    """Return the path of a change's page."""
    return f"{repository_page(repository)}/changes/{quote(number)}"


def protocol_page(repository: str, digest: str) -> str:
    """Return the path of a protocol's page."""
    return f"{repository_page(repository)}/protocols/{quote(digest)}"


def study_page(repository: str, digest: str) -> str:
    """Return the path of a study's page."""
    return f"{repository_page(repository)}/studies/{quote(digest)}"


def receipt_page(repository: str, digest: str) -> str:
    """Return the path of a receipt's page."""
    return f"{repository_page(repository)}/receipts/{quote(digest)}"


def statement_page(digest: str) -> str:
    """Return the path of any statement's page."""
    return f"/statements/{quote(digest)}"


def reason_page(code: str) -> str:
    """Return the path of a reason code's page."""
    return f"/reasons/{quote(code)}"


def bundle_path(repository: str, head: str) -> str:
    """Return the path under which the three lines are served whole."""
    return f"/v1/repos/{quote(repository)}/heads/{quote(head)}/bundle"


def verdict_path(repository: str, head: str, claim: str | None) -> str:
    """Return the path under which the document of one claim is served."""
    return f"/v1/repos/{quote(repository)}/heads/{quote(head)}?claim={quote(claim or '')}"

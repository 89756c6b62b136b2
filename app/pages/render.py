# SPDX-License-Identifier: Apache-2.0
"""Templates to responses: all is escaped, whatever a template's suffix, and nothing is loaded.

The framework's own template class escapes only some suffixes, ``.html.j2`` not among them; here it
is on for all. An undefined name is an error and not an empty place. The policy of every page allows
the style sheet and images of this very origin, and nothing else: no script of any kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import Response

from app.core.verdict.numbers import instant_text, seconds
from app.edge.caching import REVALIDATED
from app.pages.charts.svg import Element
from app.pages.static_files import place_of

HTML: Final = "text/html; charset=utf-8"
SVG: Final = "image/svg+xml"

PAGE_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
IMAGE_POLICY: Final = "default-src 'none'; sandbox; frame-ancestors 'none'"


def environment() -> Environment:
    """Return the one template environment."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["static"] = place_of
    made.filters["seconds"] = seconds
    made.filters["instant"] = instant_text
    return made


_ENVIRONMENT: Final = environment()


def page(
    template: str,
    context: Mapping[str, object],
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return a page made of ``template`` and exactly what ``context`` holds."""
    body = _ENVIRONMENT.get_template(template).render(context)
    sent = {**REVALIDATED, **(headers or {}), "content-security-policy": PAGE_POLICY}
    return Response(body, status, sent, media_type=HTML)


def image(drawn: Element) -> Response:
    """Return a drawing as a file of its own, in a sandbox; other sites may show it."""
    headers = {
        **REVALIDATED,
        "content-security-policy": IMAGE_POLICY,
        "cross-origin-resource-policy": "cross-origin",
    }
    return Response(str(drawn.to_markup()), headers=headers, media_type=SVG)

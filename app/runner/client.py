# SPDX-License-Identifier: Apache-2.0
"""The REST client: one connection, bounded retries, refusals as they were given.

Every write may be sent again, because the same statement gives the same answer; so a lost answer,
a full queue or a restarting service is met by a few more tries, each after a longer pause, and then
given up by name.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from types import MappingProxyType, TracebackType
from typing import Final, Self

import httpx

from app.core.canonical import parse_strict
from app.core.errors import FairtrialError
from app.core.statement.header import LedgerRef
from app.runner.answer import MOST_BYTES, TIMEOUT_S, read_answer
from app.runner.failures import AGAIN, Document, Refused, Unreachable

DSSE: Final = "application/vnd.dsse+json"
RECEIPT: Final = "application/vnd.fairtrial.receipt+json"
JSON: Final = "application/json"

PATHS: Final = {
    "key": "/v1/keys",
    "policy": "/v1/policies",
    "protocol": "/v1/protocols",
    "study": "/v1/studies",
    "reservation": "/v1/reservations",
    "receipt": "/v1/receipts",
    "deviation": "/v1/deviations",
    "review": "/v1/reviews",
    "hold": "/v1/holds",
    "decision": "/v1/decisions",
    "ref": "/v1/refs",
}
"""Where each kind is posted."""

TRIES: Final = 5
FIRST_PAUSE_S: Final = 0.25
LONGEST_PAUSE_S: Final = 8.0
MAX_PAGES: Final = 10_000

_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Polled:
    """An answer that is new to whoever asked.

    Attributes:
        tag: to ask with the next time; None: it has none.
        date: the service's own clock, as its header says it.
    """

    document: Document
    tag: str | None
    date: str | None


class Client:
    """Speaks to one service; use it as a context manager."""

    def __init__(
        self,
        url: str,
        *,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
        told: Callable[[str], None] = lambda _line: None,
    ) -> None:
        """Speak to ``url``; ``told`` hears of every try that has to be repeated."""
        base = httpx.URL(url.rstrip("/") + "/")
        self._http = httpx.Client(
            base_url=base,
            transport=transport,
            timeout=TIMEOUT_S,
            follow_redirects=True,
            # What runs on this machine is never asked for through somebody's proxy.
            trust_env=base.host not in _LOOPBACK,
        )
        # Without a login or a path that may stand in the address.
        self._tried = f"{base.scheme}://{base.netloc.decode('ascii')}"
        self._pause = pause
        self._told = told

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let the connection go."""
        self._http.close()

    def read(self, path: str, *, at_most: int = MOST_BYTES, **query: str) -> bytes:
        """Return the bytes at ``path``; one more than ``at_most`` tells that there are more.

        Raises:
            Refused: the service said no.
            Unreachable: it said nothing.
        """
        return self._get(path, query=query, at_most=at_most).content

    def read_document(self, path: str, **query: str) -> Document:
        """Return the JSON object at ``path``."""
        return _document(self._get(path, query=query))

    def poll(self, path: str, tag: str | None) -> Polled | None:
        """Return the JSON object at ``path``; None: it is still the one of ``tag``."""
        answer = self._get(path, headers={} if tag is None else {"if-none-match": tag})
        if answer.status_code == HTTPStatus.NOT_MODIFIED:
            return None
        headers = answer.headers
        return Polled(_document(answer), headers.get("etag"), headers.get("date"))

    def pages(
        self, path: str, *, cursor: int = 0, only: Mapping[str, str] | None = None
    ) -> Iterator[Document]:
        """Yield the pages of a list, in order, from the log's index ``cursor`` on.

        Args:
            path: of the list.
            cursor: where it begins.
            only: further parameters, which say what of it is asked for.
        """
        query: dict[str, str] = {"cursor": str(cursor), "limit": "500", **(only or {})}
        for _ in range(MAX_PAGES):
            answer = self._get(path, query=query)
            yield _document(answer)
            link = answer.links.get("next", {}).get("url")
            if link is None:
                return
            query = dict(httpx.URL(link).params)

    def append(self, kind: str, envelope: bytes) -> Document:
        """Post a statement that travels alone, and return the place it got."""
        return self._post(PATHS[kind], envelope, DSSE)

    def push_receipt(self, body: bytes) -> Document:
        """Post a receipt with its capture."""
        return self._post(PATHS["receipt"], body, RECEIPT)

    def ledger(self) -> LedgerRef:
        """Return the ledger that statements are made for, as the service names it."""
        ready = self.read_document("/readyz")
        return LedgerRef(origin=str(ready["origin"]), genesis=str(ready["genesis"]))

    def _post(self, path: str, body: bytes, media_type: str) -> Document:
        headers = {"content-type": media_type}
        request = self._http.build_request("POST", _place(path), content=body, headers=headers)
        return _document(self._send(request))

    def _get(
        self,
        path: str,
        *,
        query: Mapping[str, str] = _NOTHING,
        headers: Mapping[str, str] = _NOTHING,
        at_most: int = MOST_BYTES,
    ) -> httpx.Response:
        request = self._http.build_request(
            "GET", _place(path), params=query or None, headers=headers
        )
        return self._send(request, at_most)

    def _send(self, request: httpx.Request, at_most: int = MOST_BYTES) -> httpx.Response:
        for left in reversed(range(TRIES)):
            try:
                answer = read_answer(self._http, request, at_most)
            except httpx.RequestError as error:
                if not left:
                    message = (
                        f"No answer from {self._tried} after {TRIES} tries: {type(error).__name__}."
                    )
                    raise Unreachable(message) from error
                self._wait(left, None, type(error).__name__)
                continue
            if answer.status_code in AGAIN and left:
                self._wait(left, answer.headers.get("retry-after"), str(answer.status_code))
                continue
            if answer.is_error:
                raise Refused(request.method, answer.status_code, _problem(answer))
            return answer
        raise AssertionError  # the last round returns or raises

    def _wait(self, left: int, asked: str | None, why: str) -> None:
        pause = FIRST_PAUSE_S * 2 ** (TRIES - 1 - left)
        if asked is not None and asked.isdecimal():
            pause = max(pause, float(asked))
        pause = min(pause, LONGEST_PAUSE_S)
        self._told(f"{why}; trying again in {pause:g} s ({left} left)")
        self._pause(pause)


def _place(path: str) -> str:
    """Return a path below the address of the service, which may have one of its own."""
    return path.lstrip("/")


def _document(answer: httpx.Response) -> Document:
    try:
        value = parse_strict(answer.content)
    except FairtrialError as error:
        raise _not_ours(answer, "not-json") from error
    if not isinstance(value, dict):
        raise _not_ours(answer, "not-an-object")
    return value


def _not_ours(answer: httpx.Response, code: str) -> Refused:
    return Refused(answer.request.method, answer.status_code, _made_up(answer, code))


def _problem(answer: httpx.Response) -> Document:
    try:
        value = parse_strict(answer.content)
    except FairtrialError:
        value = None
    if isinstance(value, dict) and isinstance(value.get("code"), str):
        return value
    return _made_up(answer, "no-problem-document")


def _made_up(answer: httpx.Response, code: str) -> Document:
    """Return a problem for an answer that is none of the service's own, a proxy's for example."""
    return {
        "type": f"/problems/{code}",
        "title": answer.reason_phrase or "Unexpected answer",
        "status": answer.status_code,
        "detail": "The answer is not one that a Fairtrial service gives; is the address right?",
        "code": code,
        "errors": [],
    }

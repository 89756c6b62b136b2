# SPDX-License-Identifier: Apache-2.0
"""Posts checkpoints to witnesses, in bounded time, and reads no more than an answer can be."""

from __future__ import annotations

import asyncio
from typing import Final

import httpx

from app.service.witnessing import WitnessSilent

TIMEOUT_S: Final = 10.0
MAX_ANSWER_BYTES: Final = 64 * 1024


class HttpWitnessCaller:
    """Calls ``add-checkpoint`` over HTTP; redirects are not followed."""

    async def add_checkpoint(self, url: str, body: bytes) -> tuple[int, bytes]:
        """Return the status and the body of the answer.

        Raises:
            WitnessSilent: no answer in time, or one longer than it can be.
        """
        answer = bytearray()
        try:
            async with (
                asyncio.timeout(TIMEOUT_S),
                httpx.AsyncClient(timeout=TIMEOUT_S) as client,
                client.stream("POST", f"{url}/add-checkpoint", content=body) as response,
            ):
                async for chunk in response.aiter_raw():
                    answer += chunk
                    if len(answer) > MAX_ANSWER_BYTES:
                        message = "The answer is longer than a witness's can be."
                        raise WitnessSilent(message)
        except (httpx.HTTPError, TimeoutError) as error:
            raise WitnessSilent(type(error).__name__) from error
        return response.status_code, bytes(answer)

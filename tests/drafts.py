# SPDX-License-Identifier: Apache-2.0
"""Keys that are the same in every test, and signed statements ready to be sent."""

import json
from dataclasses import dataclass
from functools import cache

import zstandard

from app.core.digest import sha256_hex, to_base64
from app.core.signing.envelope import Envelope, to_json
from app.core.signing.keys import SigningKey, ed25519_signing_key, p256_signing_key
from app.core.statement.capture import Capture
from app.core.statement.encoding import encode
from app.core.statement.genesis import PublicKeyRecord
from app.core.statement.parse import Parsed
from tests import documents

ORIGIN = "ledger.example/tests"
REPOSITORY = "github.com/example-org/two-spark-recipe"
HEAD = documents.commit("head")


@cache
def signing_key(label: str) -> SigningKey:
    """Return the key of a label, the same in every test; ``p256:...`` labels give P-256 keys."""
    seed = bytes.fromhex(sha256_hex(f"test key {label}".encode()))
    return p256_signing_key(seed) if label.startswith("p256:") else ed25519_signing_key(seed)


def key_record(label: str) -> PublicKeyRecord:
    """Return the key of a label as statements write it."""
    key = signing_key(label).public
    return PublicKeyRecord(id=key.key_id, spki=to_base64(key.der))


def zstd(data: bytes) -> bytes:
    """Return ``data`` compressed, with its size in the frame."""
    return zstandard.ZstdCompressor(level=3).compress(data)


@dataclass(frozen=True, slots=True)
class Draft:
    """A signed statement, ready to be sent or appended."""

    envelope: Envelope
    parsed: Parsed
    capture: Capture | None = None

    @property
    def digest(self) -> str:
        """The statement's identity."""
        return self.parsed.digest

    @property
    def signers(self) -> frozenset[str]:
        """Key ids of the signatures."""
        return frozenset(self.envelope.keyids)

    @property
    def json(self) -> bytes:
        """The request body: the envelope."""
        return to_json(self.envelope)

    @property
    def capture_bytes(self) -> bytes:
        """The capture's JCS bytes."""
        assert self.capture is not None
        return encode(self.capture)

    @property
    def receipt_body(self) -> bytes:
        """The request body of a receipt: envelope and compressed capture."""
        body = {
            "envelope": json.loads(self.json),
            "capture": to_base64(zstd(self.capture_bytes)),
        }
        return json.dumps(body).encode()

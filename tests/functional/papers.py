# SPDX-License-Identifier: Apache-2.0
"""What a person writes into files before the command line signs it: predicates without headers."""

import json
from pathlib import Path
from typing import Any

import msgspec

from app.core.digest import sha256_hex
from app.core.protocol.parse import document_digest
from app.core.protocol.plan import plan
from app.core.statement.encoding import encode
from app.core.statement.parse import parse_document
from app.core.statement.receipt import Tool
from app.core.statement.study import StudyPredicate
from app.demo.captures import answered
from app.demo.facts import OBSERVED, ReceiptFacts, identities_of, topology_of

PROJECT = Path(__file__).resolve().parents[2]
PROTOCOL = PROJECT / "protocols" / "synthetic-demo.v1.json"
REPOSITORY = "forge.example/owner/recipe"
HEAD = sha256_hex(b"functional head")[:40]
BASE = sha256_hex(b"functional base")[:40]
CLAIM = "land"
DOCUMENT = parse_document(PROTOCOL.read_bytes())
DIGEST = document_digest(DOCUMENT)
SLOTS = [planned.id for planned in plan(DOCUMENT)]


def policy() -> dict[str, Any]:
    return {
        "repository": REPOSITORY,
        "tracked_branch": None,
        "claims": [
            {
                "name": CLAIM,
                "question": "May this land?",
                "required": [{"scope": "live_correctness", "protocols": [DIGEST]}],
            }
        ],
        "holds_cleared_by": ["maintainer"],
    }


def study(runner: str, closes_at: str, head: str = HEAD) -> dict[str, Any]:
    """Return a study whose ordinal is left for the command line to find."""
    pins = {
        arm.id: {
            "commit": head if arm.role == "candidate" else BASE,
            "image": {"digest": f"sha256:{sha256_hex(b'image')}", "of": "manifest"},
            "settings": arm.settings,
            "settings_digest": sha256_hex(b"salted settings"),
            "relation": None,
        }
        for arm in DOCUMENT.arms
    }
    shape = DOCUMENT.conditions.topology
    harness = DOCUMENT.conditions.harness[0]
    return {
        "repository": REPOSITORY,
        "protocol": DIGEST,
        "head": {"commit": head, "tree": sha256_hex(b"tree")[:40]},
        "base": BASE,
        "change": "7",
        "exploratory": False,
        "replay": None,
        "owners": {"maintainer": "ada", "author": "grace", "runner": "linus"},
        "arms": pins,
        "models": {
            "target": {"repository": "synthetic/model", "revision": sha256_hex(b"model")[:40]},
            "draft": None,
        },
        "topology": {
            "tensor_parallel": shape.tensor_parallel,
            "draft_tensor_parallel": None,
            "nodes": shape.nodes,
            "hosts": ["spark-1", "spark-2"],
            "gpu_model": shape.gpu_model,
        },
        "harness": {
            "name": harness.name,
            "version": harness.version,
            "sha256": sha256_hex(b"harness"),
        },
        "runners": [runner],
        "closes_at": closes_at,
    }


def receipt(opened: dict[str, Any], digest: str, slot: str) -> dict[str, Any]:
    """Return a receipt that leaves its place and its capture for the command line to find."""
    header = {"ledger": {"origin": "x.y", "genesis": None}, "signer": "0" * 64, "annotations": {}}
    pins = msgspec.convert({**header, "ordinal": 1, **opened}, StudyPredicate)
    facts = ReceiptFacts(basis=OBSERVED, tool=Tool(name="fairtrial", version="0.1.0"))
    return {
        "study": digest,
        "slot": slot,
        "binding": "echoed",
        "identities": json.loads(encode(identities_of(pins, DOCUMENT, slot, facts))),
        "topology": json.loads(encode(topology_of(pins, slot, facts))),
        "originals": [],
        "claims": {},
        "started_at": None,
        "finished_at": None,
        "tool": {"name": "fairtrial", "version": "0.1.0"},
    }


def capture(slot: str) -> dict[str, Any]:
    boot = slot.lower().replace("/", "-")
    number = int(slot.rpartition("/")[2])
    facts = answered(boot=boot, incumbent_tokens=256, first_us=2_000_000 + 1_000 * number)
    written: dict[str, Any] = json.loads(encode(facts))
    return written


def write(folder: Path, name: str, document: dict[str, Any]) -> str:
    """Write ``document`` the way a person would, and return the file's name."""
    path = folder / name
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")
    return str(path)

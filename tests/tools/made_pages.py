# SPDX-License-Identifier: Apache-2.0
"""The pages of ``docs/`` that are made from the code: reason codes, and names in the glossary.

``python -m tests.tools.check_docs --write`` writes them, and ``tests/docs`` compares them.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from app.core.protocol.lint import lint
from app.core.protocol.lint_codes import CODES
from app.core.protocol.patch import patch_text
from app.core.reason import Reason
from app.core.verdict.explain import explain
from app.core.verdict.gate_reasons import GATE_REASONS
from app.core.verdict.result_reasons import RESULT_REASONS
from app.core.verdict.slot_reasons import SLOT_REASONS
from app.core.verdict.version_reasons import VERSION_REASONS
from app.core.verdict.word_reasons import WORD_REASONS
from tests.refused import REFUSED

ROOT: Final = Path(__file__).resolve().parents[2]
REASONS: Final = ROOT / "docs" / "reasons.md"
GLOSSARY: Final = ROOT / "docs" / "glossary.md"
BEGIN: Final = "<!-- names: made by tests.tools.made_pages -->"

ABOUT_REASONS: Final = (
    "The closed list. A code stands in signed documents and never changes its meaning; the words "
    "here may get better. *Acts* is the role that acts next when this reason decides and no "
    "statement names anybody. No reason names a cause: a protocol shows that something held or did "
    "not, never why."
)
ABOUT_LINT: Final = (
    "`fairtrial protocol lint FILE`, `POST /v1/protocols/lint` and the lock read a document by the "
    "same rules. A finding names its code, a JSON pointer into the document, the rule with this "
    "document's numbers, and the smallest change that heals it: a JSON Patch (RFC 6902) against "
    "the document, which can be pasted. Where only a person can say what is meant, there is no "
    "change and the finding says what to decide. The examples are what the lint gives to documents "
    "of the tests, and the tests apply every change."
)
FOUND_BY: Final = {
    "shape": "The document's closed shape refuses such a document before the lint reads it.",
    "power": "Given by `fairtrial protocol lint --power`, with the numbers of a pilot.",
}
GROUPS: Final = (
    ("Slots", "Why a slot is in the state it is in.", SLOT_REASONS),
    (
        "Gates and scopes",
        "Why a gate, or a scope of a study, is in the state it is in.",
        {**GATE_REASONS, **RESULT_REASONS},
    ),
    (
        "The word",
        "Why a verdict says what it says, in the order in which they decide.",
        WORD_REASONS,
    ),
    (
        "Versions of a protocol",
        "Why the gates that a version moves are EXPLORATORY for older evidence, or nothing is.",
        VERSION_REASONS,
    ),
)


def reasons_page() -> str:
    """Return ``docs/reasons.md``."""
    parts = [f"# Reason codes\n\n{ABOUT_REASONS}\n"]
    for title, about, texts in GROUPS:
        parts.append(f"\n## {title}\n\n{about}\n")
        for reason in sorted(texts, key=list(Reason).index):
            text = explain(reason)
            parts.append(f"\n### {reason}\n\n{text.sentence} *Acts: {text.acts}.*\n\n{text.page}\n")
    return "".join(parts)


def lint_page() -> str:
    """Return ``docs/lint.md``."""
    parts = [f"# The lint of a protocol\n\n{ABOUT_LINT}\n"]
    for title, about, prefix in (
        ("Errors", "A protocol with one of these cannot be locked.", "E_"),
        ("Warnings", "A lock names each of these that its document gets.", "W_"),
    ):
        parts.append(f"\n## {title}\n\n{about}\n")
        parts += [_code_entry(code) for code in sorted(CODES) if code.startswith(prefix)]
    return "".join(parts)


def _code_entry(code: str) -> str:
    of = CODES[code]
    entry = f"\n### {code}\n\n{of.sentence}\n\nHolds where: {of.formula}.\n"
    if of.found_by != "lint":
        return f"{entry}\n{FOUND_BY[of.found_by]}\n"
    findings = [each for document in REFUSED[code] for each in lint(document)]
    given = [each for each in findings if each.code == code]
    example = min(given, key=lambda each: (not each.change, len(patch_text(each.change))))
    said = f", {example.formula}" if example.formula else ""
    entry += f"\nFor example at `{example.pointer}`{said}: {example.detail}\n"
    if example.change:
        entry += f"\n```json\n{patch_text(example.change)}\n```\n"
    return entry


def public_classes() -> Iterator[tuple[str, str, str]]:
    """Yield name, module and first docstring line of every public class of the core."""
    for path in sorted((ROOT / "app" / "core").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                first = (ast.get_docstring(node) or "").partition("\n")[0]
                yield node.name, module.removeprefix("app.core."), first


def names_table() -> str:
    """Return the table of names that ends the glossary."""
    rows = sorted(public_classes(), key=lambda row: (row[0].lower(), row[1]))
    lines = [f"| `{name}` | {first} | `{module}` |" for name, module, first in rows]
    return "\n".join(["| name | is | in `app.core` |", "|---|---|---|", *lines]) + "\n"


def glossary_page() -> str:
    """Return ``docs/glossary.md``: its written part as it is, its table made again."""
    return f"{GLOSSARY.read_text('utf-8').partition(BEGIN)[0]}{BEGIN}\n{names_table()}"

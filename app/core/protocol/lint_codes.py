# SPDX-License-Identifier: Apache-2.0
"""Every code that the lint can give: the one table that docs/lint.md is made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.core.protocol.codes_of_claims import OF_CLAIMS
from app.core.protocol.codes_of_documents import OF_DOCUMENTS
from app.core.protocol.codes_of_gates import OF_GATES
from app.core.protocol.codes_of_warnings import OF_WARNINGS
from app.core.protocol.lint_code import LintCode

CODES: Final[Mapping[str, LintCode]] = {**OF_DOCUMENTS, **OF_GATES, **OF_CLAIMS, **OF_WARNINGS}

OF_A_PILOT: Final = frozenset(code for code, of in CODES.items() if of.by_pilot)
"""Warnings that a lock may acknowledge although the document alone does not get them."""

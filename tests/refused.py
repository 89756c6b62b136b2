# SPDX-License-Identifier: Apache-2.0
"""For every code that the lint gives, documents that get it: good ones with one thing wrong."""

from collections.abc import Iterator, Mapping, Sequence

from app.core.statement.protocol_document import ProtocolDocument
from tests.refused_documents import OF_DOCUMENTS
from tests.refused_gates import OF_CLAIMS, OF_GATES, OF_WARNINGS
from tests.refused_results import OF_RESULTS

REFUSED: Mapping[str, Sequence[ProtocolDocument]] = {
    **OF_DOCUMENTS,
    **OF_GATES,
    **OF_CLAIMS,
    **OF_WARNINGS,
    **OF_RESULTS,
}


def each_refused() -> Iterator[tuple[str, ProtocolDocument]]:
    """Yield every document with the code that it is there for."""
    for code, documents in REFUSED.items():
        for document in documents:
            yield code, document

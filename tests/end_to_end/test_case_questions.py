"""The questions about the case pack's short documents, put to the real model as a person would.

Whether the model answers right is its own affair and fails nothing; `tests.benchmarks.case_questions` counts it. That
it was asked about the document as it is, and cites only pages that there are, is ours.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.case_questions import Asked, ask_cases

SHORT = 1500
OPTIONS = ["--max-tokens", "32", "--budget-units", "1024"]


def test_short_documents_are_asked_about(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    asked = [each for each in ask_cases(tmp_path, SHORT, OPTIONS) if isinstance(each, Asked)]
    assert asked, "no document of the pack is short enough"
    for each in asked:
        (document,) = each.report["documents"]
        assert (document["outcome"], document["reason"]) == (
            each.case["expect"]["outcome"],
            each.case["expect"]["reason"],
        )
        assert each.report["answer"].strip()
        assert each.report["tokens_read"] > document["tokens"] > 0
        assert {cited["page"] for cited in each.report["citations"]} <= set(range(1, (document["pages"] or 1) + 1))
    record_property("right", f"{sum(each.is_right for each in asked)} of {len(asked)}")

"""The case pack: where it is, which fields its manifest has, and who judges each. See tests/data/cases/README.md.

What a case expects is judged by `judging`; no field may be there that nobody judges.
"""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.engine.documents.judging import JUDGES

Case = dict[str, Any]

COPY = Path(__file__).parents[2] / "data" / "cases"
FOLDER = Path(os.environ.get("KEEPSAKE_CASES", COPY))
CASES: list[Case] = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
ALONE = [case for case in CASES if len(case["files"]) == 1]
DROPS = [case for case in CASES if len(case["files"]) > 1]
MADE = [case for case in CASES if not case["files"]]

# What judges the fields of `expect` that `judging` does not.
ELSEWHERE = {
    "outcome": "judging.judge",
    "reason": "judging.judge",
    "also_acceptable": "judging.judge",
    "normalise": "judging.normalised",
    "should_contain": "test_cases: what is good to have",
    "should_not_contain": "test_cases: what is good to have",
    "with_password": "test_cases: a password opens the file",
    "limits": "test_cases: a hostile file costs neither time nor memory",
    "control_tokens": "test_case_tokens",
    "ask": "test_case_tokens; an answer by tests.benchmarks.case_questions and tests/end_to_end/test_case_questions",
    "ocr_truth": "test_recognition",
    "per_file": "test_cases: a drop",
    "must_hold": "a person",
}
OF_A_CASE = {
    "id": "the name of the test",
    "files": "what is read",
    "make": "what is read",
    "sha256": "test_cases: the files are the pack's",
    "expect": "judging, and those named above",
    "kind": "a person",
    "what": "a person",
    "seen_in": "a person",
    "also_seen_in": "a person",
    "plain_pymupdf": "the pack's own checks: it is about another program",
}


def unjudged(case: Case) -> set[str]:
    """Fields that nobody judges."""
    return (case.keys() - OF_A_CASE.keys()) | _unjudged(case["expect"])


def _unjudged(expect: dict[str, Any]) -> set[str]:
    inner = expect.get("with_password", {}).get("expect", {})
    return (expect.keys() - JUDGES.keys() - ELSEWHERE.keys()) | (_unjudged(inner) if inner else set())


def ids(cases: list[Case]) -> list[str]:
    return [case["id"] for case in cases]


def maker() -> ModuleType:
    """The pack's own program for what git cannot hold; a folder without one has what the copy's makes."""
    places = (FOLDER, FOLDER.parent, COPY)
    path = next(folder / "make_cases.py" for folder in places if (folder / "make_cases.py").exists())
    spec = importlib.util.spec_from_file_location("make_cases", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

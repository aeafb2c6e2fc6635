"""The case pack: where it is, and what a case expects, in our own words. See tests/data/cases/README.md."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import unicodedata
from pathlib import Path
from types import ModuleType
from typing import Any

from engine.documents.extract import Extracted

COPY = Path(__file__).parents[2] / "data" / "cases"
FOLDER = Path(os.environ.get("KEEPSAKE_CASES", COPY))
# Cases from before pictures were read: what is right now.
NOW_READ = {"drop-picture.jpg": ("needs_ocr", "no_text_layer")}
CASES: list[dict[str, Any]] = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))


def maker() -> ModuleType:
    """The pack's own program for what git cannot hold."""
    (path,) = [folder / "make_cases.py" for folder in (FOLDER, FOLDER.parent) if (folder / "make_cases.py").exists()]
    spec = importlib.util.spec_from_file_location("make_cases", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def normalised(text: str, expect: dict[str, Any]) -> str:
    how = expect.get("normalise", ["whitespace"])
    if "nfkc" in how:
        text = unicodedata.normalize("NFKC", text)
    return re.sub(r"\s+", " ", text).strip() if "whitespace" in how else text


def numbers(extracted: Extracted, outcome: str) -> list[int]:
    return [page.number for page in extracted.pages if page.outcome == outcome]


def all_text(extracted: Extracted, page: int | None = None) -> str:
    return "\n".join(found.text for found in extracted.pages if page in (None, found.number))


def check_outcome(extracted: Extracted, expect: dict[str, Any]) -> None:
    right = [(expect["outcome"], expect["reason"])]
    right += [(other["outcome"], other["reason"]) for other in expect.get("also_acceptable", [])]
    assert (extracted.outcome, extracted.reason) in right
    assert (extracted.message is None) == (extracted.outcome == "read")


def check_pages(extracted: Extracted, expect: dict[str, Any]) -> None:
    assert extracted.page_count == expect["pages"] or expect["pages"] is None
    for field, outcome in (
        ("pages_read", "read"),
        ("pages_need_ocr", "needs_ocr"),
        ("pages_blank", "blank"),
        ("pages_failed", "failed"),
    ):
        if field in expect:
            assert numbers(extracted, outcome) == expect[field], field


def check_text(extracted: Extracted, expect: dict[str, Any], file: str) -> None:
    whole = normalised(all_text(extracted), expect)
    for item in expect["must_contain"]:
        if item.get("file", file) == file:
            assert normalised(item["text"], expect) in normalised(all_text(extracted, item["page"]), expect)
    for text in expect["must_not_contain"]:
        assert normalised(text, expect) not in whole
    places = [whole.find(normalised(text, expect)) for text in expect.get("order", [])]
    assert -1 not in places and places == sorted(places)
    for row in expect.get("rows", []):
        assert re.search(r"[\W_]{1,6}".join(re.escape(normalised(cell, expect)) for cell in row), whole), row
    for text, times in dict(expect.get("at_most", {})).items():
        assert whole.count(text) <= times
    for token in expect.get("control_tokens", []):
        assert token in whole
    for item in expect.get("should_contain", []):
        assert normalised(item["text"], expect) in normalised(all_text(extracted, item["page"]), expect)
    for text in expect.get("should_not_contain", []):
        assert normalised(text, expect) not in whole
    if "line_count" in expect:
        assert len(all_text(extracted).strip("\n").split("\n")) == expect["line_count"]


def check(extracted: Extracted, expect: dict[str, Any], file: str) -> None:
    check_outcome(extracted, expect)
    check_pages(extracted, expect)
    check_text(extracted, expect, file)

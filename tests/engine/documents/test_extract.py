from __future__ import annotations

import hashlib
import os
import sys
import time
import zipfile
from pathlib import Path

import psutil
import pymupdf
import pytest

from engine.documents import plain
from engine.documents.archive import members
from engine.documents.extract import Extracted, extract, file_sha256
from engine.documents.judge import judge
from engine.documents.limits import MIB
from engine.documents.page import Page
from engine.documents.page_image import page_image
from engine.documents.reader import LeftOut
from engine.documents.reasons import SENTENCES
from engine.documents.source import file_source
from engine.errors import UserError
from tests.engine.documents.cases import maker


def pdf_of(path: Path, pages: int) -> Path:
    document = pymupdf.open()
    for number in range(1, pages + 1):
        document.new_page().insert_text((50, 50), f"This is sheet {number} of the log of the pump house.")
    document.save(path)
    document.close()
    return path


def page(number: int, outcome: str, reason: str | None = None) -> Page:
    return Page(number, outcome, reason, "text" if outcome == "read" else "")  # type: ignore[arg-type]


def test_pages_are_handed_over_as_they_come(tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    path = pdf_of(tmp_path / "a.pdf", 5)
    extracted = extract(path, on_page=lambda page, pages: seen.append((page.number, pages)))
    assert seen == [(number, 5) for number in range(1, 6)]
    assert (extracted.page_count, extracted.pages_read) == (5, 5)
    assert extracted.sha256 == hashlib.sha256(path.read_bytes()).hexdigest() == file_sha256(path)


def test_a_long_file_is_cancelled_at_once(tmp_path: Path) -> None:
    path = pdf_of(tmp_path / "a.pdf", 300)
    seen: list[int] = []
    cancelled_at = 0.0

    def cancelled() -> bool:
        nonlocal cancelled_at
        cancelled_at = cancelled_at or (time.monotonic() if len(seen) == 3 else 0.0)
        return len(seen) >= 3

    with pytest.raises(UserError) as stopped:
        extract(path, on_page=lambda page, pages: seen.append(page.number), cancelled=cancelled)
    assert stopped.value.code == "cancelled"
    assert seen == [1, 2, 3] and time.monotonic() - cancelled_at < 0.5


def test_hashing_is_cancelled_too(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("text")
    with pytest.raises(UserError) as stopped:
        file_sha256(path, cancelled=lambda: True)
    assert stopped.value.code == "cancelled"


def test_a_text_file_is_one_page_without_a_count(tmp_path: Path) -> None:
    seen: list[tuple[Page, int | None]] = []
    path = tmp_path / "a.md"
    path.write_text("# Title\n\n\tindented  text\n")
    extracted = extract(path, on_page=lambda page, pages: seen.append((page, pages)))
    assert (extracted.kind, extracted.outcome, extracted.page_count) == ("markdown", "read", None)
    assert seen == [(Page(1, "read", None, "# Title\n\n\tindented  text\n"), None)]
    assert extract(path).pages == (seen[0][0],)
    assert extract(path, earlier=extracted.pages).pages == extracted.pages


def test_a_document_of_hundreds_of_pages_streams(tmp_path: Path) -> None:
    path = tmp_path / "long.pdf"
    made = maker().make_large_pdf(path, 500)
    held: list[int] = []
    texts: dict[int, str] = {}

    def on_page(page: Page, pages: int | None) -> None:
        texts[page.number] = page.text
        if page.number % 100 == 0:
            held.append(sum(child.memory_info().rss for child in psutil.Process().children()))

    extracted = extract(path, on_page)
    assert [page.number for page in extracted.pages] == list(texts) == list(range(1, 501))
    assert not any(page.text for page in extracted.pages)
    assert all(fact in texts[number] for number, fact in made["facts"].items())
    assert max(held) - held[0] < 20 * MIB


def test_what_cannot_be_opened_has_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "blank.txt").write_text(" \n\n")
    (tmp_path / "large.txt").write_text("larger than allowed")
    monkeypatch.setattr(plain, "LARGEST_TEXT", 10)
    reasons = {name: extract(tmp_path / name).reason for name in ("gone.txt", "blank.txt", "large.txt")}
    assert reasons == {
        "gone.txt": "no_such_file",
        "blank.txt": "no_text",
        "large.txt": "too_large",
    }


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such files")
def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    assert extract(tmp_path / "pipe.txt").reason == "special_file"


@pytest.mark.parametrize(("error", "reason"), [(PermissionError(), "no_permission"), (OSError(5, "I/O"), "disk_error")])
def test_a_file_that_the_system_keeps_back(
    error: OSError, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("text")

    def refuse(self: Path, mode: str) -> None:
        raise error

    monkeypatch.setattr(Path, "open", refuse)
    assert extract(path) == Extracted("unknown", None, "refused", reason, SENTENCES[reason])


@pytest.mark.parametrize(
    ("pages", "outcome", "reason"),
    [
        ((page(1, "read"), page(2, "blank")), "read", None),
        ((page(1, "read"), page(2, "failed", "damaged"), page(3, "needs_ocr", "no_text_layer")), "partial", "damaged"),
        ((page(1, "read"), page(2, "read", "damaged")), "partial", "damaged"),
        ((page(1, "read"), page(2, "needs_ocr", "unreadable_font")), "partial", "some_pages_need_ocr"),
        ((page(1, "needs_ocr", "unreadable_font"), page(2, "blank")), "needs_ocr", "unreadable_font"),
        (
            (page(1, "needs_ocr", "unreadable_font"), page(2, "needs_ocr", "no_text_layer")),
            "needs_ocr",
            "no_text_layer",
        ),
        ((page(1, "failed", "damaged"), page(2, "needs_ocr", "no_text_layer")), "needs_ocr", "no_text_layer"),
        ((page(1, "failed", "damaged"), page(2, "blank")), "refused", "damaged"),
        ((page(1, "blank"),), "refused", "no_text"),
    ],
)
def test_a_pdf_is_judged_by_its_pages(pages: tuple[Page, ...], outcome: str, reason: str | None) -> None:
    extracted = judge("pdf", "0" * 64, pages, len(pages))
    assert (extracted.outcome, extracted.reason, extracted.page_count) == (outcome, reason, len(pages))
    assert (extracted.message is None) == (outcome == "read")


def test_every_page_that_was_not_read_is_named() -> None:
    extracted = judge(
        "pdf", "0" * 64, (page(1, "read"), page(2, "failed", "damaged"), page(3, "needs_ocr", "no_text_layer"))
    )
    assert extracted.message is not None
    assert (
        extracted.message.startswith("Page 2 is damaged.") and "Page 3 is a picture without text." in extracted.message
    )


@pytest.mark.skipif(sys.platform != "linux", reason="has no such names")
def test_a_pdf_whose_name_is_no_valid_unicode_is_read(tmp_path: Path) -> None:
    path = pdf_of(tmp_path / "a.pdf", 2).rename(tmp_path / os.fsdecode(b"caf\xe9.pdf"))
    extracted = extract(path)
    assert (extracted.outcome, extracted.page_count) == ("read", 2)
    assert page_image(file_source(path), 1, 100).startswith(b"\x89PNG")


def test_a_path_is_taken_from_where_the_caller_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pdf_of(tmp_path / "a.pdf", 1)
    monkeypatch.chdir(tmp_path)
    assert extract(Path("a.pdf")).outcome == "read"
    with zipfile.ZipFile("a.zip", "w") as archive:
        archive.write("a.pdf")
    listing = members(Path("a.zip"))
    assert listing is not None and [member.name for member in listing.members] == ["a.pdf"]
    assert extract(Path("a.zip"), member="a.pdf").outcome == "read"


def test_pages_read_in_part_and_pages_lost_are_told_apart() -> None:
    pages = [page(1, "read"), page(2, "read", "damaged"), page(3, "failed", "damaged")]
    told = judge("xlsx", "f", pages)
    assert (told.outcome, told.reason) == ("partial", "damaged")
    assert told.message is not None
    assert told.message.startswith("Sheet 2 is damaged and has been read as far as possible.")
    assert "Sheet 3 is damaged. The others were read" in told.message
    alone = judge("docx", "f", [page(1, "read", "too_large_unpacked")]).message
    assert alone == "This file holds more than any document; its beginning was read. Split it."


def test_what_lies_in_a_document_is_named_as_a_file_is() -> None:
    told = judge("email", "f", [page(1, "read")], left_out=[LeftOut("attachment", "bill\u202efdp.exe\n", "binary")])
    assert told.left_out == (LeftOut("attachment", "billfdp.exe ", "binary"),)
    assert told.message == "Not read: billfdp.exe ."


def test_a_document_of_nothing_but_lost_pages_is_judged_at_once() -> None:
    pages = [page(number, "failed", "crashed" if number % 3 else "damaged") for number in range(1, 60_001)]
    assert judge("pdf", "0" * 64, pages, len(pages)).reason == "crashed"

"""The jobs that take documents in and their text out, on the real store and the fake runtime: folders and what changed
in them, archives, passwords, long extractions that break off, and what is told of it all.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import pymupdf
import pytest

from engine import document_events, methods, page_keeper
from engine.answer_job import hidden_parts, left_out
from engine.documents import archive as archives
from engine.documents import extract as extracting
from engine.documents.judge import Extracted, judge
from engine.documents.page import Page
from engine.documents.reader import LeftOut, Unreadable
from engine.documents.reasons import SENTENCES
from engine.documents.recipe import recipe_of
from engine.engine import Engine
from engine.errors import UserError
from engine.reading_job import ReadingJob
from engine.store import Document
from tests.engine.documents.locked_zip import locked_zip
from tests.engine.fake_runtime import FakeRuntime, fake_model

MakeJob = Callable[[], ReadingJob]


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    from engine.conversation import Conversation
    from engine.engine import Loaded
    from engine.session import Session

    engine = Engine(tmp_path / "data", {"recognition": "off"})
    model = fake_model(FakeRuntime())
    loaded = Loaded(None, model, Session(model, engine.store), Conversation(model, engine.store), "f", None)  # type: ignore[arg-type]
    monkeypatch.setattr(engine, "loaded", lambda emit: loaded)
    monkeypatch.setattr(engine, "pace_key", lambda: "pace")
    yield engine
    engine._loaded = None
    engine.close()


class Drop:
    """A conversation, its jobs, and what they told."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.store = engine, engine.store
        self.conversation = engine.store.create_conversation().id
        self.told: list[tuple[str, dict[str, Any]]] = []

    def job(self) -> ReadingJob:
        return ReadingJob(self.engine, self.conversation, lambda event, data: self.told.append((event, data)))

    def add(self, *paths: Path) -> list[Document]:
        job = self.job()
        job.add([str(path) for path in paths])
        job.read_all()
        return self.documents()

    def documents(self) -> list[Document]:
        return self.store.documents(self.conversation)

    def outcomes(self) -> list[tuple[str, str, str | None]]:
        return [(d.name, d.outcome, d.reason) for d in self.documents()]


@pytest.fixture
def drop(engine: Engine) -> Drop:
    return Drop(engine)


def write(path: Path, text: str = "The rent is due.") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def later(path: Path, text: str) -> None:
    """Changes a file as if some time had passed."""
    stamp = path.stat().st_mtime_ns
    path.write_text(text)
    os.utime(path, ns=(stamp, stamp + 10**9))


def locked(path: Path, text: str, password: str) -> Path:
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), text)
        pdf.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=password, owner_pw="owner")
    return path


def test_a_folder_is_told_of_at_once_with_its_sum(drop: Drop, tmp_path: Path) -> None:
    for name in ("a.txt", "b/c.txt", ".hidden", "out/x.txt", "d.bin"):
        write(tmp_path / "drop" / name, name)
    (tmp_path / "drop" / "d.bin").write_bytes(bytes(range(256)) * 20)
    write(tmp_path / "drop" / ".gitignore", "out/")
    drop.add(tmp_path / "drop")
    assert drop.outcomes() == [
        (".gitignore", "refused", "hidden"),
        (".hidden", "refused", "hidden"),
        ("a.txt", "read", None),
        ("b/c.txt", "read", None),
        ("d.bin", "refused", "binary"),
        ("out", "refused", "ignored"),
    ]
    (folder,) = drop.store.folders(drop.conversation)
    assert (folder.name, folder.origin) == ("drop", str(tmp_path / "drop"))
    assert folder.outcomes == {"read": 2}
    assert folder.left_out == {"hidden": 2, "ignored": 1, "binary": 1}
    event, data = drop.told[0]
    assert event == "documents" and len(data["documents"]) == 6
    assert data["folders"][0]["files"] == 6
    assert left_out(drop.documents()) is None, "what was never meant to be read is not said to be missing"


def test_only_what_has_changed_in_a_folder_is_read_again(drop: Drop, tmp_path: Path) -> None:
    folder = tmp_path / "drop"
    for name in ("a.txt", "b.txt", "c.txt", "same.txt"):
        write(folder / name, f"{name} says one thing.")
    drop.add(folder)
    origin = str(folder)
    assert drop.job().adding.changes(origin, lambda: False).count == 0
    later(folder / "a.txt", "a.txt says another thing.")
    later(folder / "same.txt", "same.txt says one thing.")
    (folder / "b.txt").unlink()
    write(folder / "d.txt", "d.txt is new.")
    drop.told.clear()
    job = drop.job()
    changes = job.adding.refresh(origin)
    job.read_all()
    assert ([f.name for f in changes.new], [f.name for f in changes.changed]) == (["d.txt"], ["a.txt"])
    assert changes.gone == [(str(folder / "b.txt"), None)]
    assert drop.outcomes() == [
        ("a.txt", "read", "outdated"),
        ("b.txt", "read", "gone"),
        ("c.txt", "read", None),
        ("same.txt", "read", None),
        ("d.txt", "read", None),
        ("a.txt", "read", None),
    ]
    read = {data["document"] for event, data in drop.told if event == "reading"}
    assert read == {d.id for d in drop.documents()[4:]}
    assert drop.job().adding.changes(origin, lambda: False).count == 0
    assert left_out(drop.documents()) is None


def packed(path: Path, **texts: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in texts.items():
            archive.writestr(f"{name}.txt", text)
    return path


def test_only_what_has_changed_in_an_archive_is_read_again(drop: Drop, tmp_path: Path) -> None:
    path = packed(tmp_path / "papers.zip", a="a says one thing.", b="b says one thing.", c="c says one thing.")
    drop.add(path)
    origin = str(path)
    assert drop.job().adding.changes(origin, lambda: False).count == 0
    packed(path, a="a says a whole new thing.", c="c says one thing.", d="d is new.")
    job = drop.job()
    changes = job.adding.refresh(origin)
    job.read_all()
    assert [f.member for f in changes.new] == ["d.txt"] and [f.member for f in changes.changed] == ["a.txt"]
    assert changes.gone == [(origin, "b.txt")]
    assert [(name.removeprefix("papers.zip/"), *came_out) for name, *came_out in drop.outcomes()] == [
        ("a.txt", "read", "outdated"),
        ("b.txt", "read", "gone"),
        ("c.txt", "read", None),
        ("d.txt", "read", None),
        ("a.txt", "read", None),
    ]
    assert drop.job().adding.changes(origin, lambda: False).count == 0
    path.unlink()
    with pytest.raises(UserError, match="archive is not there any more"):
        drop.job().adding.changes(origin, lambda: False)


def test_what_was_not_read_yet_is_read_as_it_is_now(drop: Drop, tmp_path: Path) -> None:
    folder = tmp_path / "drop"
    write(folder / "a.txt", "")
    write(folder / "b.txt", "b.txt")
    drop.add(folder)
    assert drop.outcomes()[0] == ("a.txt", "refused", "empty_file")
    later(folder / "a.txt", "Now there is something.")
    job = drop.job()
    job.adding.refresh(str(folder))
    job.read_all()
    assert drop.outcomes() == [("a.txt", "read", None), ("b.txt", "read", None)]


def test_a_folder_that_is_gone_is_said_to_be(drop: Drop, tmp_path: Path) -> None:
    with pytest.raises(UserError) as gone:
        drop.job().adding.refresh(str(tmp_path / "nowhere"))
    assert gone.value.code == "no_such_file"


def test_an_empty_folder_is_said_to_be_empty(drop: Drop, tmp_path: Path) -> None:
    (tmp_path / "drop").mkdir()
    params = {"conversation": drop.conversation, "paths": [str(tmp_path / "drop")]}
    with pytest.raises(UserError) as empty:
        methods.documents_add(drop.engine, params, lambda event, data: None)
    assert empty.value.code == "nothing_to_read"


def test_a_dropped_archive_is_opened_like_a_folder(drop: Drop, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "papers.zip", "w") as archive:
        archive.writestr("a/lease.txt", "The otter holds the lease.")
        archive.writestr("b.txt", "The heron is the landlord.")
        archive.writestr(".hidden", "no")
        archive.writestr("../out.txt", "no")
    (tmp_path / "drop").mkdir()
    with zipfile.ZipFile(tmp_path / "drop" / "inner.zip", "w") as archive:
        archive.writestr("c.txt", "never shown")
    drop.add(tmp_path / "papers.zip", tmp_path / "drop")
    outcomes = {name: (outcome, reason) for name, outcome, reason in drop.outcomes()}
    assert outcomes == {
        "papers.zip/.hidden": ("refused", "hidden"),
        "papers.zip/a/lease.txt": ("read", None),
        "papers.zip/b.txt": ("read", None),
        "papers.zip": ("refused", "unsafe_archive"),
        "inner.zip": ("refused", "unsupported_type"),
    }
    lease = next(d for d in drop.documents() if d.name.endswith("lease.txt"))
    assert lease.member == "a/lease.txt" and lease.origin == str(tmp_path / "papers.zip")
    assert "otter" in drop.store.pages(lease.sha256 or "", lease.recipe)[0].text


def test_one_password_opens_every_file_that_it_fits_and_is_kept_nowhere(drop: Drop, tmp_path: Path) -> None:
    files = [locked(tmp_path / f"{n}.pdf", f"Secret {n}", "heron-7") for n in range(2)]
    files.append(locked(tmp_path / "other.pdf", "Secret other", "otter-9"))
    drop.add(*files)
    assert [(outcome, reason) for _, outcome, reason in drop.outcomes()] == [("needs_password", "encrypted")] * 3
    assert drop.job().extraction.unlock("wrong") == 0
    assert {reason for _, _, reason in drop.outcomes()} == {"wrong_password"}
    job = drop.job()
    assert job.extraction.unlock("heron-7") == 2
    job.read_all()
    assert [outcome for _, outcome, _ in drop.outcomes()] == ["read", "read", "needs_password"]
    assert left_out(drop.documents()) == "1 of 3 files could not be read: other.pdf."
    kept = [path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert not any(b"heron-7" in data for data in kept) and "heron-7" not in str(drop.told)


def mail_with(path: Path, attachment: Path) -> Path:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "ada@tern.org", "bo@tern.org", "Lease"
    made.set_content("The lease is attached.")
    made.add_attachment(attachment.read_bytes(), maintype="application", subtype="pdf", filename="lease.pdf")
    path.write_bytes(made.as_bytes())
    return path


def test_an_archive_of_which_nothing_can_be_taken_says_why(
    drop: Drop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "folders.zip", "w") as archive:
        archive.writestr("a/b/", "")
    with zipfile.ZipFile(tmp_path / "colon.zip", "w") as archive:
        archive.writestr("Re: the lease.txt", "The otter signs.")
    (alone, read) = drop.add(tmp_path / "folders.zip", tmp_path / "colon.zip")
    assert (alone.name, alone.outcome, alone.reason) == ("folders.zip", "refused", "empty_file")
    assert alone.message == "This file is empty. Check that it was saved or downloaded whole."
    assert (read.name, read.outcome) == ("colon.zip/Re: the lease.txt", "read")

    def too_large(*_: object) -> None:
        raise Unreadable("too_large_unpacked")

    monkeypatch.setattr(archives, "members", too_large)
    large = drop.add(tmp_path / "colon.zip")[-1]
    assert (large.outcome, large.reason, large.message) == (
        "refused",
        "too_large_unpacked",
        SENTENCES["too_large_unpacked"],
    )


def test_a_password_opens_what_lies_in_archives_and_messages(drop: Drop, tmp_path: Path) -> None:
    """What the model has read of a message stays as it is; the message with its attachment is read as another one."""
    pdf = locked(tmp_path / "lease.pdf", "The rent is 700.", "heron-7")
    mail = mail_with(tmp_path / "mail.eml", pdf)
    (tmp_path / "papers.zip").write_bytes(locked_zip({"a.txt": b"The otter signs."}, b"heron-7"))
    drop.add(mail, tmp_path / "papers.zip")
    assert drop.outcomes() == [
        ("mail.eml", "partial", "encrypted"),
        ("papers.zip/a.txt", "needs_password", "encrypted"),
    ]
    before = drop.documents()[0]
    assert before.message == "Not read: lease.pdf. What is locked in it opens with its password."
    as_read = [page.text for page in drop.store.pages(before.sha256 or "", before.recipe)]

    assert drop.job().extraction.unlock("otter") == 0
    assert {reason for _, _, reason in drop.outcomes()} == {"wrong_password"}
    assert "does not open" in (drop.documents()[0].message or "")

    job = drop.job()
    assert job.extraction.unlock("heron-7") == 2
    job.read_all()
    assert drop.outcomes() == [
        ("mail.eml", "partial", "outdated"),
        ("papers.zip/a.txt", "read", None),
        ("mail.eml", "read", None),
    ]
    old, archived, new = drop.documents()
    assert [page.text for page in drop.store.pages(old.sha256 or "", old.recipe)] == as_read
    assert "700" in drop.store.pages(new.sha256 or "", new.recipe)[1].text
    assert drop.store.pages(archived.sha256 or "", archived.recipe)[0].text == "The otter signs."
    assert job.extraction.locked() == [] and left_out(drop.documents()) is None


def test_what_was_not_read_yet_is_opened_where_it_is(drop: Drop, tmp_path: Path) -> None:
    mail = mail_with(tmp_path / "mail.eml", locked(tmp_path / "lease.pdf", "The rent is 700.", "heron-7"))
    job = drop.job()
    job.add([str(mail)])
    job.extract_all()
    assert job.extraction.unlock("heron-7") == 1
    job.read_all()
    assert drop.outcomes() == [("mail.eml", "read", None)]


class BreakError(Exception):
    pass


def test_a_long_extraction_goes_on_where_it_broke_off(
    drop: Drop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = [Page(n, "read", None, f"Page {n}.", source="ocr") for n in range(1, 11)]
    asked: list[int] = []

    def extract(path: Path, on_page: Any, cancelled: Any, password: Any, recognition: Any, member: Any,
                earlier: Sequence[Page]) -> Extracted:  # fmt: skip
        asked.append(len(earlier))
        for page in pages[len(earlier) :]:
            if page.number == 7 and len(asked) == 1:
                raise BreakError
            on_page(page, 10)
        return judge("pdf", extracting.file_sha256(path), pages, 10)

    monkeypatch.setattr(extracting, "extract", extract)
    monkeypatch.setattr(page_keeper, "SAVE_SECONDS", 0.0)
    monkeypatch.setattr(document_events, "EVENT_SECONDS", 0.0)
    file = write(tmp_path / "scan.pdf")
    with pytest.raises(BreakError):
        drop.add(file)
    assert drop.documents()[0].outcome == "waiting"
    drop.job().read_all()
    assert asked == [0, 6]
    (document,) = drop.documents()
    assert (document.outcome, document.pages_read, document.pages_recognised) == ("read", 10, 10)
    assert [page.text for page in drop.store.pages(document.sha256 or "", document.recipe)] == [p.text for p in pages]
    lives = [d["document"] for event, d in drop.told if event == "document" and d["document"]["doing"]]
    assert "recognising" in [live["doing"] for live in lives]


def test_pages_before_the_break_are_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    with pymupdf.open() as pdf:
        for number in range(1, 4):
            pdf.new_page().insert_text((72, 72), f"Text of page {number}.")
        pdf.save(path)
    seen: list[int] = []
    earlier = [Page(1, "read", None, "As it was read before.")]
    found = extracting.extract(path, lambda page, _: seen.append(page.number), earlier=earlier)
    assert seen == [2, 3]
    assert [(page.number, page.text) for page in found.pages] == [(1, "As it was read before."), (2, ""), (3, "")]


def test_a_file_that_changes_after_it_was_looked_up_leaves_no_pages_of_another(
    drop: Drop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, before = write(tmp_path / "a.txt", "The rent is due."), extracting.file_sha256
    monkeypatch.setattr(page_keeper, "SAVE_SECONDS", 0.0)

    def looked_up(path: Path, *rest: Any) -> str:
        found = before(path, *rest)
        later(path, "The rent is paid.")
        return found

    monkeypatch.setattr(extracting, "file_sha256", looked_up)
    drop.add(file)
    assert drop.outcomes() == [("a.txt", "refused", "changed")]
    for text in (b"The rent is due.", b"The rent is paid."):
        assert drop.store.pages(hashlib.sha256(text).hexdigest(), recipe_of(None)) == []


def test_a_long_text_is_kept_before_its_end(drop: Drop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.pdf"
    with pymupdf.open() as pdf:
        for number in range(1, 7):
            pdf.new_page().insert_text((72, 72), f"Text of page {number}.")
        pdf.save(path)
    monkeypatch.setattr(page_keeper, "MOST_CHARACTERS", 30)
    together: list[int] = []
    save = drop.store.save_some_pages

    def save_some_pages(sha256: str, recipe: str, pages: Sequence[Page]) -> None:
        together.append(len(pages))
        save(sha256, recipe, pages)

    monkeypatch.setattr(drop.store, "save_some_pages", save_some_pages)
    (document,) = drop.add(path)
    assert together == [2, 2, 2] and (document.outcome, document.pages_read) == ("read", 6)
    texts = [page.text for page in drop.store.pages(document.sha256 or "", document.recipe)]
    assert texts == [f"Text of page {number}." for number in range(1, 7)]


def test_pictures_of_text_are_tried_again_once_there_is_a_way_to_read_them(
    drop: Drop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[object] = []

    def extract(path: Path, on_page: Any, cancelled: Any, password: Any, recognition: Any, *_: Any) -> Extracted:
        tried.append(recognition)
        page = (
            Page(1, "read", None, "Seen.", source="ocr") if recognition else Page(1, "needs_ocr", "no_text_layer", "")
        )
        return judge("pdf", extracting.file_sha256(path), [page], 1)

    monkeypatch.setattr(extracting, "extract", extract)
    drop.add(write(tmp_path / "scan.pdf"))
    drop.job().read_all()
    assert drop.outcomes() == [("scan.pdf", "needs_ocr", "no_text_layer")]
    assert tried == [None], "the same way is not tried twice"
    drop.engine.configuration.overrides["recognition"] = "auto"
    drop.job().read_all()
    assert drop.outcomes() == [("scan.pdf", "read", None)]
    assert drop.documents()[0].recipe != "2"


def test_pictures_between_the_lines_are_tried_again_too(
    drop: Drop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[object] = []

    def extract(path: Path, on_page: Any, cancelled: Any, password: Any, recognition: Any, *_: Any) -> Extracted:
        tried.append(recognition)
        page = Page(1, "read", None, "Written. Seen." if recognition else "Written.")
        on_page(page, None)
        missed = () if recognition else (LeftOut("picture", "Scan", "no_text_layer"),)
        return judge("docx", extracting.file_sha256(path), [page], None, missed)

    monkeypatch.setattr(extracting, "extract", extract)
    drop.add(write(tmp_path / "a.docx"))
    drop.job().read_all()
    assert drop.outcomes() == [("a.docx", "partial", "no_text_layer")]
    assert tried == [None], "the same way is not tried twice"
    drop.engine.configuration.overrides["recognition"] = "auto"
    drop.job().read_all()
    assert drop.outcomes() == [("a.docx", "read", None)]


def test_pages_that_are_pictures_are_tried_again_beside_others_that_were_read(
    drop: Drop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []

    def extract(path: Path, on_page: Any, cancelled: Any, password: Any, recognition: Any, *_: Any) -> Extracted:
        tried.append(path.name)
        scan = (
            Page(2, "read", None, "Seen.", source="ocr") if recognition else Page(2, "needs_ocr", "no_text_layer", "")
        )
        pages = [Page(1, "read", None, "Written."), scan]
        for page in pages:
            on_page(page, 2)
        return judge("pdf", extracting.file_sha256(path), pages, 2)

    monkeypatch.setattr(extracting, "extract", extract)
    names = ("same.pdf", "changed.pdf", "gone.pdf")
    drop.add(*(write(tmp_path / name, name) for name in names))
    assert {outcome for _, outcome, _ in drop.outcomes()} == {"partial"}
    write(tmp_path / "changed.pdf", "Another text.")
    (tmp_path / "gone.pdf").unlink()
    drop.engine.configuration.overrides["recognition"] = "auto"
    tried.clear()
    drop.job().read_all()
    drop.job().read_all()
    assert tried == ["same.pdf"], "what was read of a file is not given up, and the same way is not tried twice"
    outcomes = {name: outcome for name, outcome, _ in drop.outcomes()}
    assert outcomes == {"same.pdf": "read", "changed.pdf": "partial", "gone.pdf": "partial"}


def test_what_a_document_hides_is_said_by_name() -> None:
    hides = SimpleNamespace(name="plan.xlsx", left_out=(LeftOut("hidden", "Old"), LeftOut("picture", "logo.png")))
    assert hidden_parts([cast(Document, hides)]) == ["Hidden in plan.xlsx and not read: Old."]


def test_a_report_says_of_every_document_what_was_read(drop: Drop, tmp_path: Path) -> None:
    path = tmp_path / "mixed.pdf"
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The text of the first page is long enough to be text.")
        picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 400, 400))
        picture.clear_with(90)
        pdf.new_page().insert_image(pymupdf.Rect(50, 50, 500, 700), pixmap=picture)
        pdf.save(path)
    drop.add(path, tmp_path / "gone.txt")
    mixed, gone = drop.job().documents()
    assert (mixed["outcome"], mixed["pages"], mixed["pages_read"], mixed["kind"]) == ("partial", 2, 1, "pdf")
    (skipped,) = mixed["pages_skipped"]
    assert (skipped["page"], skipped["reason"]) == (2, "no_text_layer") and skipped["message"].startswith("Page 2 is")
    assert mixed["tokens"] > 0 and mixed["left_out"] == [] and mixed["pages_recognised"] == []
    assert (gone["outcome"], gone["reason"]) == ("refused", "no_such_file") and gone["message"]
    assert left_out(drop.documents()) == (
        "1 of 2 files could not be read: gone.txt. Only part of mixed.pdf could be read."
    )


def test_looking_for_files_stops_at_once_and_leaves_nothing(
    drop: Drop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine import adding_job
    from engine.documents.find import find_files

    told = Event()

    def counted(paths: Sequence[str]) -> Any:
        for number, found in enumerate(find_files(paths)):
            if number == 5:
                told.wait(20)
                drop.engine.cancelled.set()
            yield found

    def emit(event: str, data: dict[str, Any]) -> None:
        drop.told.append((event, data))
        told.set()

    for number in range(20):
        write(tmp_path / "drop" / f"{number}.txt")
    monkeypatch.setattr(adding_job, "find_files", counted)
    monkeypatch.setattr(adding_job, "EVENT_SECONDS", 0.0)
    with pytest.raises(UserError) as stopped:
        ReadingJob(drop.engine, drop.conversation, emit).add([str(tmp_path / "drop")])
    assert stopped.value.code == "cancelled"
    assert drop.documents() == []
    assert drop.told[0] == ("loading", {"message": "Looking for files: 1 so far"})

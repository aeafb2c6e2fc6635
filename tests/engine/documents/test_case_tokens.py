"""The cases as the starter model sees them: what an answer needs is there, and nothing of a document is structure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine import paths
from engine.backends.vocabulary import Vocabulary, gguf_vocabulary
from engine.chat_format import chat_format
from engine.conversation import Conversation
from engine.documents.extract import Extracted, extract
from engine.documents.page import Page
from engine.documents.render import render
from engine.store import Content, Document, Store
from tests.engine.documents.cases import ALONE, CASES, FOLDER, Case, ids, maker
from tests.engine.documents.judging import normalised

WITH_TEXT = [case for case in ALONE if case["expect"]["outcome"] in ("read", "partial")]
ASKED = [case for case in CASES if "ask" in case["expect"]]
WITH_CONTROL = [case for case in ALONE if "control_tokens" in case["expect"]]


@pytest.fixture(scope="module")
def vocabulary() -> Iterator[Vocabulary]:
    model = paths.starter_model()
    assert model is not None, "the starter model's package is not installed"
    opened = gguf_vocabulary(model)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def control(vocabulary: Vocabulary) -> frozenset[int]:
    """The ids that are structure and no text."""
    found = frozenset(id for id in range(vocabulary.size) if not vocabulary.token_bytes(id))  # type: ignore[attr-defined]
    assert vocabulary.end_tokens <= found
    return found


class Seen:
    """A store and a conversation of the starter model, which reads nothing."""

    def __init__(self, store: Store, vocabulary: Vocabulary) -> None:
        self.store = store
        chat = chat_format(vocabulary.chat_template)
        model: Any = SimpleNamespace(runtime=vocabulary, chat=chat)
        self.conversation = Conversation(model, store)

    def document(self, name: str, kind: str, pages: tuple[Page, ...]) -> Document:
        """Stored as its extraction would be."""
        recipe, sha256 = "test", f"{name} {len(pages)}"
        self.store.save_pages(Content(sha256, recipe, kind, "read", None, None, None), pages)
        id = self.store.create_conversation().id
        added = self.store.add_document(id, name=name, path=name)
        return self.store.update_document(added.id, kind=kind, sha256=sha256, recipe=recipe, outcome="read")

    def tokens(self, document: Document) -> list[int]:
        """Of a whole turn: what is around the document too."""
        return [token for segment in self.conversation.segments([], [document]) for token in segment.tokens]


@pytest.fixture
def seen(tmp_path: Path, vocabulary: Vocabulary) -> Iterator[Seen]:
    with Store(tmp_path / "store.sqlite3") as store:
        yield Seen(store, vocabulary)


def extracted_for(case: Case, tmp_path: Path) -> Extracted:
    if case["files"]:
        return extract(FOLDER / case["files"][0])
    target = tmp_path / case["make"]["file"]
    getattr(maker(), case["make"]["function"])(target, **case["make"]["args"])
    return extract(target)


@pytest.mark.parametrize("case", WITH_TEXT, ids=ids(WITH_TEXT))
def test_a_document_is_text_to_the_last_token(
    case: Case, seen: Seen, vocabulary: Vocabulary, control: frozenset[int]
) -> None:
    (file,) = case["files"]
    found = extract(FOLDER / file)
    tokens = seen.conversation.document_tokens(seen.document(file, found.kind, found.pages)).tokens
    assert not control & set(tokens)
    back = b"".join(map(vocabulary.token_bytes, tokens)).decode()
    assert back == "".join(text for _, text in render(file, found.pages, found.kind))


@pytest.mark.parametrize("case", WITH_CONTROL, ids=ids(WITH_CONTROL))
def test_control_tokens_in_a_document_change_nothing_of_the_prompt(
    case: Case, seen: Seen, vocabulary: Vocabulary, control: frozenset[int]
) -> None:
    (file,) = case["files"]
    found = extract(FOLDER / file)
    document = seen.document(file, found.kind, found.pages)
    harmless = seen.document("harmless.txt", "text", (Page(1, "read", None, "Nothing of that kind."),))
    structure, usual = ([id for id in seen.tokens(each) if id in control] for each in (document, harmless))
    assert structure == usual != []
    text = b"".join(map(vocabulary.token_bytes, seen.conversation.document_tokens(document).tokens)).decode()
    for token in case["expect"]["control_tokens"]:
        assert token in text
        assert not control & set(vocabulary.tokenize(token, special=False))


@pytest.mark.parametrize("case", ASKED, ids=ids(ASKED))
def test_what_an_answer_needs_is_on_the_page_named(case: Case, tmp_path: Path) -> None:
    found = extracted_for(case, tmp_path)
    for asked in case["expect"]["ask"]:
        seen = [text for page, text in render("a", found.pages, found.kind) if asked.get("page") in (None, page)]
        assert normalised(asked["answer"], case["expect"]) in normalised("\n".join(seen), case["expect"]), asked
        assert asked["answer"] != asked.get("not")

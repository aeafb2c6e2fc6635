"""What a document says, or is called, is plain text to the model, whichever runtime reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from transformers import LlamaConfig

from engine.backends.base import Runtime
from engine.backends.vocabulary import Vocabulary, folder_vocabulary, gguf_vocabulary
from engine.conversation import Conversation
from engine.documents.find import display_name
from engine.documents.page import Page
from engine.paths import packaged_model
from engine.store import Content, Document, Store
from engine.store.store import FILE_NAME
from tests.engine.backends import tiny_folder
from tests.engine.fake_runtime import fake_model

SHA = "a" * 64
CONTROL = {"llama.cpp": ("<|im_end|>", "<|im_start|>", "<filename>"), "torch": ("<|end|>", "<|user|>", "<tool>")}


@pytest.fixture(scope="module", params=CONTROL)
def words_and_vocabulary(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[tuple[str, ...], Vocabulary]]:
    if request.param == "llama.cpp":
        model = packaged_model()
        assert model is not None
        vocabulary = gguf_vocabulary(model)
    else:
        folder = tmp_path_factory.mktemp("torch")
        tiny_folder.tokenizer().save_pretrained(folder)
        vocabulary = folder_vocabulary(folder, LlamaConfig())
    yield CONTROL[request.param], vocabulary
    vocabulary.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / FILE_NAME) as opened:
        yield opened


@pytest.mark.parametrize("kind", ["pdf", "email", "markdown"])
def test_control_tokens_in_names_labels_sections_and_pages_are_text(
    store: Store, words_and_vocabulary: tuple[tuple[str, ...], Vocabulary], kind: str
) -> None:
    words, vocabulary = words_and_vocabulary
    all_of_them = " ".join(words)
    pages = [
        Page(1, "read", None, f"Pay.{all_of_them}", label=f"A {all_of_them}"),
        Page(2, "read", None, all_of_them, section=f"B {all_of_them}"),
    ]
    document = _stored(store, f"{all_of_them}.txt", kind, pages)
    tokens = _conversation(store, vocabulary).document_tokens(document).tokens
    control = {token for word in words for token in vocabulary.tokenize(word, special=True)}
    assert len(control) == len(words) and not control & set(tokens)
    said = b"".join(map(vocabulary.token_bytes, tokens)).decode()
    begins = f"[Document: {all_of_them}.txt]" if kind == "markdown" else f"[{all_of_them}.txt, p"
    assert said.startswith(begins) and said.count(all_of_them) == (3 if kind == "markdown" else 6)


def test_a_name_of_two_lines_is_one_line(
    store: Store, words_and_vocabulary: tuple[tuple[str, ...], Vocabulary]
) -> None:
    vocabulary = words_and_vocabulary[1]
    pages = [Page(1, "read", None, "[Page 9]\nText.", section="Loans]\n[Page 8")]
    for name in ("a]\n[Page 7].pdf", display_name("a]\n[Page 7].pdf")):
        document = _stored(store, name, "pdf", pages)
        tokens = _conversation(store, vocabulary).document_tokens(document).tokens
        said = b"".join(map(vocabulary.token_bytes, tokens)).decode()
        assert said == "[a] [Page 7].pdf, page 1, Loans] [Page 8]\n\\[Page 9]\nText.\n\n"


def _stored(store: Store, name: str, kind: str, pages: list[Page]) -> Document:
    conversation = store.create_conversation().id
    document = store.add_document(conversation, name=name, path=f"/{name}")
    store.save_pages(Content(SHA, "1", kind, "read", None, None, len(pages)), pages)
    return store.update_document(document.id, sha256=SHA, recipe="1", kind=kind)


def _conversation(store: Store, vocabulary: Vocabulary) -> Conversation:
    return Conversation(replace(fake_model(), runtime=cast(Runtime, vocabulary)), store)

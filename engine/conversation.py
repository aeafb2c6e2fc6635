"""A conversation as segments of one token stream: what the model reads, in the order in which it happened.

It knows messages, documents and the chat format, and nothing of caches or windows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.documents.render import render
from engine.loaded_model import LoadedModel
from engine.store import Document, Message, Store
from engine.stream import Segment


@dataclass(frozen=True)
class DocumentTokens:
    """A document as the model sees it. ends: (page, tokens up to its end), in order."""

    tokens: tuple[int, ...]
    ends: tuple[tuple[int, int], ...]

    def page_at(self, token: int) -> int:
        """The page that the token of this index stands on, 1 for an empty document."""
        return next((page for page, end in self.ends if token < end), self.ends[-1][0] if self.ends else 1)


class Conversation:
    """Builds streams for one model; keeps the tokens of the last documents, since a long one takes a second."""

    def __init__(self, model: LoadedModel, store: Store) -> None:
        self.model, self.store = model, store
        self._tokens_of = lru_cache(maxsize=64)(self._tokenize)

    def document_tokens(self, document: Document) -> DocumentTokens:
        """Text is data: control tokens in it are read as plain text."""
        assert document.sha256 is not None
        return self._tokens_of(document.sha256, document.recipe, document.name, document.kind)

    def _tokenize(self, sha256: str, recipe: str | None, name: str, kind: str) -> DocumentTokens:
        tokens: list[int] = []
        ends: list[tuple[int, int]] = []
        for page, text in render(name, self.store.pages(sha256, recipe), kind):
            tokens += self.model.runtime.tokenize(text, special=False)
            ends.append((page, len(tokens)))
        return DocumentTokens(tuple(tokens), tuple(ends))

    def segments(self, path: Sequence[Message], pending: Sequence[Document] = ()) -> list[Segment]:
        """The stream along a path of messages; `pending`: documents that a turn not yet written will bring in."""
        stream: list[Segment] = []
        for message in path:
            if message.role == "assistant":
                answer = message.stats.get("token_ids") or ()
                if answer:
                    stream.append(Segment("answer", tuple(answer), message.id))
                continue
            stream.append(self._beginning(stream))
            stream += [self._document(self.store.document(id)) for id in message.documents]
            stream.append(self._question(message))
        if pending:
            stream.append(self._beginning(stream))
            stream += [self._document(document) for document in pending]
        return stream

    def in_sight(self, path: Sequence[Message]) -> list[Segment]:
        """The stream along a path that ends with a question, with that question's text in front of everything as well:
        all that follows is read in sight of it (Locret-Q). Segment 0 is the opening, segment 1 the question in front.
        """
        opening, *rest = self.segments(path)
        text = self.model.runtime.tokenize(f"{path[-1].text}\n\n", special=False)
        return [opening, Segment("turn", tuple(text), path[-1].id), *rest]

    def _beginning(self, stream: Sequence[Segment]) -> Segment:
        text = self.model.chat.next if stream else self.model.chat.opening
        return Segment("turn", tuple(self.model.runtime.tokenize(text, special=True)))

    def _document(self, document: Document) -> Segment:
        return Segment("document", self.document_tokens(document).tokens, document.id)

    def _question(self, message: Message) -> Segment:
        runtime = self.model.runtime
        tokens = runtime.tokenize(message.text, special=False)
        tokens += runtime.tokenize(self.model.chat.closing, special=True)
        return Segment("turn", tuple(tokens), message.id)

"""The vocabulary of a GGUF file, as llama.cpp holds it: text to tokens and back, control tokens, the chat template."""

from __future__ import annotations

import ctypes
import re
from functools import cached_property
from typing import Any

from llama_cpp import llama_cpp as lib

from engine.backends.vocabulary import unmarked_control, without


class LlamaVocabulary:
    """Of a loaded model, or of one whose vocabulary alone was loaded, which `close` then frees."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self._vocabulary = lib.llama_model_get_vocab(handle)
        self.size = int(lib.llama_vocab_n_tokens(self._vocabulary))

    @property
    def chat_template(self) -> str | None:
        template = lib.llama_model_chat_template(self.handle, None)
        return template.decode("utf-8", "replace") if template else None

    @property
    def template_words(self) -> dict[str, str]:
        """What a chat template calls `bos_token` and `eos_token`, as text; empty for those the model has not."""
        tokens = {"bos_token": lib.llama_vocab_bos, "eos_token": lib.llama_vocab_eos}
        return {name: self._text(of(self._vocabulary)) for name, of in tokens.items()}

    @cached_property
    def _unmarked(self) -> re.Pattern[str] | None:
        attributes = ((token, lib.llama_vocab_get_attr(self._vocabulary, token)) for token in range(self.size))
        return unmarked_control(
            self._text(token) for token, attribute in attributes if attribute & lib.LLAMA_TOKEN_ATTR_USER_DEFINED
        )

    def _text(self, token: int) -> str:
        text = lib.llama_vocab_get_text(self._vocabulary, token) if token >= 0 else None
        return text.decode("utf-8", "replace") if text else ""

    @property
    def end_tokens(self) -> frozenset[int]:
        vocabulary = self._vocabulary
        return frozenset(t for t in range(self.size) if lib.llama_vocab_is_eog(vocabulary, t))

    def tokenize(self, text: str, special: bool) -> list[int]:
        """Tokens of the text alone, no BOS added; special: whether control tokens in it are read as such.

        llama.cpp leaves those marked as control alone, and obeys in any text the others that a model's makers added.
        """
        if special or self._unmarked is None:
            return self._tokenize(text, special)
        return [token for piece in without(self._unmarked, text) for token in self._tokenize(piece, False)]

    def _tokenize(self, text: str, special: bool) -> list[int]:
        data = text.encode("utf-8", "replace")
        room = len(data) + 8
        tokens = (lib.llama_token * room)()
        count = lib.llama_tokenize(self._vocabulary, data, len(data), tokens, room, False, special)
        if count < 0:
            raise ValueError(f"{-count} tokens in {len(data)} bytes of text")
        return list(tokens[:count])

    def token_bytes(self, token: int) -> bytes:
        """What the token says; empty for control tokens."""
        size = 64
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = lib.llama_token_to_piece(self._vocabulary, token, buffer, size, 0, False)
            if length >= 0:
                return buffer.raw[:length]
            size = -length

    def close(self) -> None:
        """Frees the model that it belongs to."""
        if self.handle:
            lib.llama_model_free(self.handle)
            self.handle = None

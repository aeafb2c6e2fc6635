"""Text to tokens and back, for the torch runtime: a model folder's own tokenizer, or a GGUF file's by llama.cpp.

A GGUF file is tokenized by llama.cpp whichever runtime reads it, so that both see the same tokens.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from engine.errors import UserError


class Vocabulary(Protocol):
    """What a runtime asks of a tokenizer."""

    @property
    def chat_template(self) -> str | None: ...
    @property
    def end_tokens(self) -> frozenset[int]: ...
    @property
    def template_words(self) -> Mapping[str, str]: ...
    def tokenize(self, text: str, special: bool) -> list[int]: ...
    def token_bytes(self, token: int) -> bytes: ...
    def close(self) -> None: ...


def gguf_vocabulary(path: Path) -> Vocabulary:
    """The vocabulary of a GGUF file, without its weights. Raises UserError."""
    from engine.backends.llama_model import load
    from engine.backends.llama_vocabulary import LlamaVocabulary

    return LlamaVocabulary(load(path, vocabulary_only=True))


def folder_vocabulary(path: Path, config: Any) -> Vocabulary:
    """The tokenizer of a Hugging Face folder. Raises UserError."""
    return FolderVocabulary(path, config)


class FolderVocabulary:
    """A fast tokenizer of transformers. Raises UserError("model_broken")."""

    def __init__(self, path: Path, config: Any) -> None:
        from transformers import AutoTokenizer

        try:
            tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True, trust_remote_code=False)
            self._encoder = tokenizer.backend_tokenizer
        except Exception as error:
            message = f"The tokenizer of {path.name} is missing or damaged. Download the model again."
            raise UserError("model_broken", message, cause=str(error)) from error
        template = tokenizer.chat_template
        self.chat_template: str | None = template.get("default") if isinstance(template, dict) else template
        self.template_words = {"bos_token": tokenizer.bos_token or "", "eos_token": tokenizer.eos_token or ""}
        self.end_tokens = _end_tokens(path, config, tokenizer.eos_token_id)
        self._control = frozenset(tokenizer.all_special_ids)
        added = tokenizer.added_tokens_decoder.values()
        self._unmarked = unmarked_control(token.content for token in added if not token.special)
        decoder = json.loads(self._encoder.to_str()).get("decoder")
        self._bytes_of = _byte_level if "ByteLevel" in json.dumps(decoder) else _sentence_piece

    def tokenize(self, text: str, special: bool) -> list[int]:
        """Tokens of the text alone; special: whether control tokens in it are read as such."""
        self._encoder.encode_special_tokens = not special
        if special or self._unmarked is None:
            return self._encode(text)
        return [token for piece in without(self._unmarked, text) for token in self._encode(piece)]

    def _encode(self, text: str) -> list[int]:
        return list(self._encoder.encode(text, add_special_tokens=False).ids)

    def token_bytes(self, token: int) -> bytes:
        """What the token says; empty for control tokens."""
        piece = None if token in self._control else self._encoder.id_to_token(token)
        return b"" if piece is None else self._bytes_of(piece)

    def close(self) -> None:
        """Nothing is held open."""


def _end_tokens(path: Path, config: Any, of_tokenizer: int | None) -> frozenset[int]:
    """What ends an answer, by the generation settings, the configuration and the tokenizer together."""
    from transformers import GenerationConfig

    try:
        generation = GenerationConfig.from_pretrained(path, local_files_only=True).eos_token_id
    except OSError:
        generation = None
    ends: set[int] = set()
    for said in (generation, getattr(config, "eos_token_id", None), of_tokenizer):
        ends.update([said] if isinstance(said, int) else said or [])
    return frozenset(ends)


def unmarked_control(added: Iterable[str]) -> re.Pattern[str] | None:
    """Added tokens that look like structure but are not marked as special, so an encoder would obey them in a text.

    added: those that are not marked. None where none looks so.
    """
    looks = sorted((word for word in added if re.fullmatch(r"<.+>|\[.+\]", word)), key=len, reverse=True)
    return re.compile(f"({'|'.join(map(re.escape, looks))})") if looks else None


def without(words: re.Pattern[str], text: str) -> Iterator[str]:
    """The text in pieces of which none holds one of these words whole."""
    for part in words.split(text):
        yield from filter(None, (part[:1], part[1:]) if words.fullmatch(part) else (part,))


def _sentence_piece(piece: str) -> bytes:
    byte = re.fullmatch(r"<0x([0-9A-F]{2})>", piece)
    return bytes([int(byte[1], 16)]) if byte else piece.replace("\u2581", " ").encode()


def _byte_level(piece: str) -> bytes:
    """GPT-2's alphabet, a printable character for each byte; other pieces are added tokens, which are plain text."""
    if all(character in _BYTES for character in piece):
        return bytes(_BYTES[character] for character in piece)
    return piece.encode()


def _byte_alphabet() -> dict[str, int]:
    printable = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(b): b for b in printable} | {chr(256 + place): byte for place, byte in enumerate(others)}


_BYTES = _byte_alphabet()

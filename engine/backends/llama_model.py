"""A GGUF model as llama.cpp loads it: its shape, its vocabulary, its template. No context, no cache."""

from __future__ import annotations

import ctypes
from pathlib import Path

from llama_cpp import llama_cpp as lib

from engine.backends.llama_log import capture_log, last_errors
from engine.errors import UserError

_MAGIC = b"GGUF"
_ROPE_KINDS = (lib.LLAMA_ROPE_TYPE_NORM, lib.LLAMA_ROPE_TYPE_NEOX)


class LlamaModel:
    """Weights and vocabulary. Raises UserError("model_missing" or "model_broken")."""

    def __init__(self, path: Path, gpu_layers: int) -> None:
        _check_file(path)
        capture_log()
        lib.llama_backend_init()
        parameters = lib.llama_model_default_params()
        parameters.n_gpu_layers = gpu_layers
        last_errors.clear()
        handle = lib.llama_model_load_from_file(str(path).encode(), parameters)
        if not handle:
            message = (
                f"{path.name} could not be loaded: it is damaged, or of a kind that llama.cpp does not know. "
                "Download it again, or choose another model in the settings."
            )
            raise UserError("model_broken", message, cause="; ".join(last_errors))
        self.handle = handle
        self._vocabulary = lib.llama_model_get_vocab(handle)
        self.architecture = self.metadata("general.architecture") or ""
        self.layers = int(lib.llama_model_n_layer(handle))
        self.heads = int(lib.llama_model_n_head(handle))
        self.kv_heads = int(lib.llama_model_n_head_kv(handle))
        key_length = self.metadata(f"{self.architecture}.attention.key_length")
        self.head_dim = int(key_length) if key_length else lib.llama_model_n_embd(handle) // max(self.heads, 1)
        self.context_length = int(lib.llama_model_n_ctx_train(handle))
        self.model_bytes = int(lib.llama_model_size(handle))
        self.vocabulary_size = int(lib.llama_vocab_n_tokens(self._vocabulary))

    def metadata(self, key: str) -> str | None:
        """A value of the GGUF header as text, or None."""
        size = 256
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = lib.llama_model_meta_val_str(self.handle, key.encode(), buffer, size)
            if length < 0:
                return None
            if length < size:
                return buffer.value.decode("utf-8", "replace")
            size = length + 1

    @property
    def chat_template(self) -> str | None:
        template = lib.llama_model_chat_template(self.handle, None)
        return template.decode("utf-8", "replace") if template else None

    @property
    def interleaved(self) -> bool:
        """Whether RoPE pairs neighbours, (2i, 2i+1), in each head."""
        return bool(lib.llama_model_rope_type(self.handle) == lib.LLAMA_ROPE_TYPE_NORM)

    @property
    def memory_refusal(self) -> str | None:
        """Why this kind of memory cannot be evicted head by head, as a sentence; None where it may be."""
        if lib.llama_model_has_encoder(self.handle) or lib.llama_model_is_diffusion(self.handle):
            return "This model does not read in one direction, so its cache cannot be evicted."
        if lib.llama_model_is_recurrent(self.handle) or lib.llama_model_is_hybrid(self.handle):
            return "This model has recurrent layers, whose memory is no cache of units that could be evicted."
        if lib.llama_model_n_swa(self.handle) > 0:
            return "This model has sliding-window layers, whose cache already drops units by itself."
        if lib.llama_model_rope_type(self.handle) not in _ROPE_KINDS:
            return "This model marks positions in a way whose keys cannot be moved to another slot."
        return None

    @property
    def end_tokens(self) -> frozenset[int]:
        vocabulary = self._vocabulary
        return frozenset(t for t in range(self.vocabulary_size) if lib.llama_vocab_is_eog(vocabulary, t))

    def tokenize(self, text: str, special: bool) -> list[int]:
        """Tokens of the text alone, no BOS added; special: whether control tokens in it are read as such."""
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
        if self.handle:
            lib.llama_model_free(self.handle)
            self.handle = None


def _check_file(path: Path) -> None:
    if not path.is_file():
        raise UserError("model_missing", f"There is no model at {path}. Choose a GGUF file in the settings.")
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        message = f"{path.name} cannot be opened: {error.strerror}. Choose another model in the settings."
        raise UserError("model_broken", message) from error
    if magic != _MAGIC:
        message = f"{path.name} is no GGUF file. Choose a model in GGUF format in the settings."
        raise UserError("model_broken", message)

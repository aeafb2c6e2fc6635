"""A GGUF model as llama.cpp loads it: its shape, its vocabulary, its template. No context, no cache."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

from llama_cpp import llama_cpp as lib

from engine.backends.llama_log import capture_log, last_errors
from engine.backends.llama_vocabulary import LlamaVocabulary
from engine.backends.rope import Rope
from engine.errors import UserError

_MAGIC = b"GGUF"
_ROPE_KINDS = (lib.LLAMA_ROPE_TYPE_NORM, lib.LLAMA_ROPE_TYPE_NEOX)


def load(path: Path, gpu_layers: int = 0, vocabulary_only: bool = False) -> Any:
    """llama.cpp's handle of the model. Raises UserError("model_missing" or "model_broken")."""
    _check_file(path)
    capture_log()
    lib.llama_backend_init()
    parameters = lib.llama_model_default_params()
    parameters.n_gpu_layers, parameters.vocab_only = gpu_layers, vocabulary_only
    last_errors.clear()
    handle = lib.llama_model_load_from_file(str(path).encode(), parameters)
    if not handle:
        message = (
            f"{path.name} could not be loaded: it is damaged, or of a kind that llama.cpp does not know. "
            "Download it again, or choose another model in the settings, or with --model."
        )
        raise UserError("model_broken", message, cause="; ".join(last_errors))
    return handle


class LlamaModel:
    """Weights and vocabulary. Raises UserError("model_missing" or "model_broken")."""

    def __init__(self, path: Path, gpu_layers: int) -> None:
        self.handle = handle = load(path, gpu_layers)
        self.vocabulary = LlamaVocabulary(handle)
        self.architecture = self.metadata("general.architecture") or ""
        self.layers = int(lib.llama_model_n_layer(handle))
        self.heads = int(lib.llama_model_n_head(handle))
        self.kv_heads = int(lib.llama_model_n_head_kv(handle))
        key_length = self.metadata(f"{self.architecture}.attention.key_length")
        self.head_dim = int(key_length) if key_length else lib.llama_model_n_embd(handle) // max(self.heads, 1)
        self.context_length = int(lib.llama_model_n_ctx_train(handle))
        self.model_bytes = int(lib.llama_model_size(handle))
        self.vocabulary_size = self.vocabulary.size

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

    def position_limit(self, rope: Rope | None, cells: int) -> int:
        """Positions for which the rotary frequencies hold: the context that the model was trained for, or a smaller
        sliding window that llama.cpp passes over.

        longrope's short factors, which llama.cpp takes for a context of few cells, hold for the original context.
        """
        limit = self.context_length
        if window := self.metadata(f"{self.architecture}.attention.sliding_window"):
            limit = min(limit, int(window) or limit)
        if rope is not None and rope.factors and cells <= rope.original_context:
            limit = min(limit, rope.original_context)
        return limit

    def close(self) -> None:
        if self.handle:
            lib.llama_model_free(self.handle)
            self.handle = None


def _check_file(path: Path) -> None:
    if not path.is_file():
        message = f"There is no model at {path}. Choose a GGUF file in the settings, or with --model."
        raise UserError("model_missing", message)
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        reason = error.strerror
        message = f"{path.name} cannot be opened: {reason}. Choose another model in the settings, or with --model."
        raise UserError("model_broken", message) from error
    if magic != _MAGIC:
        message = f"{path.name} is no GGUF file. Choose a model in GGUF format in the settings, or with --model."
        raise UserError("model_broken", message)

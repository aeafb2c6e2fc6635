"""A llama.cpp context of one sequence with a float16 cache: decode, stop, state in and out.

It knows neither retaining heads nor eviction: what is watched while a graph runs is an `Observer`'s affair.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol

import torch
from llama_cpp import llama_cpp as lib
from torch import Tensor

from engine.backends.base import AbortedError
from engine.backends.llama_model import LlamaModel
from engine.backends.llama_state import allocate
from engine.errors import UserError

_SEQUENCE = 0
_ABORTED = 2
_FLASH_ATTENTION_ON = 1
_NO_ABORT = lib.ggml_abort_callback()


Wanted = Literal["no", "last", "every"]


class Observer(Protocol):
    """Sees tensors of a running graph by their address."""

    def wants(self, address: int) -> bool: ...
    def take(self, address: int) -> None: ...
    def finish(self) -> None: ...
    def drop(self) -> None: ...


class LlamaContext:
    """cells: units that each head can hold. batch: tokens a graph. Raises UserError when there is no memory for it."""

    def __init__(
        self, model: LlamaModel, cells: int, batch: int, threads: int, abort: Callable[[], bool] | None, observed: bool
    ) -> None:
        self.observer: Observer | None = None
        self.observed = observed
        self._failure: BaseException | None = None
        self._abort = abort
        self._abort_callback = lib.ggml_abort_callback(self._stop) if abort else _NO_ABORT
        parameters = lib.llama_context_default_params()
        parameters.n_ctx, parameters.n_batch, parameters.n_ubatch, parameters.n_seq_max = cells, batch, batch, 1
        parameters.n_threads = parameters.n_threads_batch = threads
        parameters.flash_attn_type = _FLASH_ATTENTION_ON
        parameters.type_k = parameters.type_v = lib.GGML_TYPE_F16
        if observed:
            self._eval_callback = lib.ggml_backend_sched_eval_callback(self._observe)
            parameters.cb_eval = self._eval_callback
        self.handle = lib.llama_init_from_model(model.handle, parameters)
        if not self.handle:
            message = f"There is not enough memory for a cache of {cells:,} units. Choose a smaller memory budget."
            raise UserError("model_broken", message)
        self._memory = lib.llama_get_memory(self.handle)
        self._vocabulary_size = model.vocabulary_size
        self.cells = int(lib.llama_n_ctx(self.handle))
        self.batch_size = int(lib.llama_n_ubatch(self.handle))
        self._batch = lib.llama_batch_init(self.batch_size, 0, 1)

    def decode(self, tokens: Sequence[int], position: int, logits: Wanted) -> None:
        """Runs at most `batch_size` tokens at position, position+1, ...; logits: of which of them.

        Raises AbortedError, and whatever the observer raised; cells of these tokens may then be left behind.
        """
        if self._abort is not None and self._abort():
            raise AbortedError
        # One token is over before anybody could wait for it, and asking at every node would slow answers down.
        stoppable = self._abort_callback if len(tokens) > 1 else _NO_ABORT
        lib.llama_set_abort_callback(self.handle, stoppable, ctypes.c_void_p(0))
        status = lib.llama_decode(self.handle, self._filled(tokens, position, logits))
        failure, self._failure = self._failure, None
        if failure is None and status == 0:
            if self.observer is not None:
                self.observer.finish()
            return
        if self.observer is not None:
            self.observer.drop()
        if failure is not None:
            raise failure
        raise AbortedError if status == _ABORTED else RuntimeError(f"llama_decode failed with {status}")

    def logits(self) -> Tensor:
        """A copy, float32 (vocabulary,), of the last token whose logits were asked for."""
        row = lib.llama_get_logits_ith(self.handle, -1)
        address = ctypes.cast(row, ctypes.c_void_p).value
        if address is None:
            raise RuntimeError("no token was read whose logits could be given")
        return torch.frombuffer(
            (ctypes.c_float * self._vocabulary_size).from_address(address), dtype=torch.float32
        ).clone()

    def every_logits(self, tokens: int) -> Tensor:
        """A copy, float32 (tokens, vocabulary), of the last `decode`, which was asked for every token's."""
        first = ctypes.cast(lib.llama_get_logits(self.handle), ctypes.c_void_p).value
        if first is None:
            raise RuntimeError("no token was read whose logits could be given")
        count = tokens * self._vocabulary_size
        rows = torch.frombuffer((ctypes.c_float * count).from_address(first), dtype=torch.float32)
        return rows.view(tokens, self._vocabulary_size).clone()

    def drop_from(self, position: int) -> None:
        """Frees the cells from this position on."""
        lib.llama_memory_seq_rm(self._memory, _SEQUENCE, position, -1)

    def clear(self) -> None:
        """Frees every cell and zeroes the memory behind it."""
        lib.llama_memory_clear(self._memory, True)

    def state(self) -> Tensor:
        """The sequence's state as llama.cpp writes it, uint8."""
        size = lib.llama_state_seq_get_size(self.handle, _SEQUENCE)
        buffer = allocate(size)
        written = lib.llama_state_seq_get_data(self.handle, _bytes_of(buffer), size, _SEQUENCE)
        if written != size:
            raise RuntimeError(f"llama.cpp wrote {written} bytes of a state of {size}")
        return buffer

    def replace_state(self, buffer: Tensor) -> None:
        """Puts a state, uint8, in the place of all that there is."""
        self.clear()
        if not lib.llama_state_seq_set_data(self.handle, _bytes_of(buffer), buffer.numel(), _SEQUENCE):
            raise RuntimeError("llama.cpp refused the state")

    def close(self) -> None:
        if self.handle:
            lib.llama_batch_free(self._batch)
            lib.llama_free(self.handle)
            self.handle = None

    def _filled(self, tokens: Sequence[int], position: int, logits: Wanted) -> Any:
        batch, count = self._batch, len(tokens)
        batch.n_tokens = count
        for index, token in enumerate(tokens):
            batch.token[index] = token
            batch.pos[index] = position + index
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = _SEQUENCE
            batch.logits[index] = logits == "every"
        batch.logits[count - 1] = logits != "no"
        return batch

    def _observe(self, address: int, ask: bool, _data: int | None) -> bool:
        observer = self.observer
        if observer is None:
            return False
        try:
            if ask:
                return observer.wants(address)
            observer.take(address)
        except BaseException as error:
            self._failure = error
            return False
        return True

    def _stop(self, _data: int | None) -> bool:
        try:
            return self._failure is not None or (self._abort is not None and self._abort())
        except BaseException as error:
            self._failure = error
            return True


def _bytes_of(buffer: Tensor) -> Any:
    return ctypes.cast(buffer.data_ptr(), ctypes.POINTER(ctypes.c_uint8))

"""A program for test_restoring: reads on from a stored cache and stores the new one.

python -m tests.engine.backends.continue_reading MODEL STATE.npz RESULT.npz
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from engine.backends.base import LayerState
from engine.backends.llama_cpp import LlamaCppBackend
from tests.engine.backends.samples import passage_tokens, random_slots


def open_and_read(model: Path, begin: int, state: list[LayerState] | None = None) -> LlamaCppBackend:
    """Reads chunks of 64 passage tokens from `begin` to 256 with an eviction to 96 units after each."""
    backend = LlamaCppBackend(model, n_ctx=256, n_batch=64, threads=2)
    if state is not None:
        backend.import_state(state)
    tokens = passage_tokens(backend, 256)
    for start in range(begin, 256, 64):
        read_chunk(backend, tokens[start : start + 64], seed=start)
    backend.forward(tokens[:1])
    return backend


def read_chunk(backend: LlamaCppBackend, tokens: list[int], seed: int) -> None:
    backend.forward(tokens)
    if backend.length > 96:
        backend.keep(random_slots(backend.layers, backend.kv_heads, backend.length, 96, seed))


def arrays(backend: LlamaCppBackend) -> dict[str, np.ndarray]:
    state = backend.export_state()
    return {
        "keys": np.stack([layer.keys for layer in state]),
        "values": np.stack([layer.values for layer in state]),
        "logits": backend.logits().numpy(),
    }


def main(model: str, stored: str, result: str) -> None:
    with np.load(stored) as file:
        state = [LayerState(k, v) for k, v in zip(file["keys"], file["values"], strict=True)]
        begin = int(file["begin"])
    backend = open_and_read(Path(model), begin, state)
    np.savez(result, **arrays(backend))
    backend.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

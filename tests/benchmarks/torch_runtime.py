"""The torch runtime against the authors' way of keeping keys, on the same weights in one run, a piece each in turn.

The authors cache keys unrotated and rotate the whole cache again for every forward, a decoded token included, with
transformers' own apply_rotary_pos_emb in the model's dtype. The baseline does just that, its angles ready beforehand,
with our attention, our heads and our selection; all that differs is the cache.

    python -m tests.benchmarks.torch_runtime [--model FILE_OR_FOLDER] [--units 6000] [--dtype float32]
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

from engine import paths
from engine.backends.torch_backend import TorchBackend
from engine.backends.torch_cache import UnitLayer
from engine.backends.torch_devices import device_for, dtype_for
from engine.backends.torch_model import Placement
from engine.evaluation.agreement import same_share
from engine.locret.heads import load_heads
from engine.locret.policies import Locret
from engine.locret.reading import Reader
from engine.locret.selection import Selection

DECODED, PIECE = 48, 8


class AuthorsLayer(UnitLayer):
    """Keys unrotated, grown by concatenation, all of them rotated at every update."""

    def __init__(self, cos: Tensor, sin: Tensor) -> None:
        super().__init__(len(cos), grows=False, rotation=None)
        self._cos, self._sin = cos, sin

    def update(self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
        if not self.is_initialized:
            self._keys, self._values = key_states[0].clone(), value_states[0].clone()
            self.is_initialized = True
        else:
            self._keys = torch.cat([self._keys, key_states[0]], dim=1)
            self._values = torch.cat([self._values, value_states[0]], dim=1)
        self.length = self._keys.shape[1]
        keys = self._keys[None]
        cos, sin = self._cos[None, : self.length], self._sin[None, : self.length]
        return apply_rotary_pos_emb(keys[:, :0], keys, cos, sin)[1], self._values[None]

    def keep(self, slots: Tensor, compact: bool) -> None:
        index = slots.to(self._keys.device)[..., None].expand(-1, -1, self._keys.shape[-1])
        self._keys, self._values = self._keys.gather(1, index), self._values.gather(1, index)
        self.length = slots.shape[1]


def authors_layers(backend: TorchBackend) -> list[UnitLayer]:
    model = backend._model
    angles = torch.arange(backend.capacity).float().outer(model.frequencies).repeat(1, 2)
    cos, sin = (table.to(model.device, model.dtype) for table in (angles.cos(), angles.sin()))
    return [AuthorsLayer(cos, sin) for _ in range(backend.layers)]


class Side:
    """One way of keeping keys, with the seconds that it took."""

    def __init__(self, options: argparse.Namespace, authors: bool) -> None:
        heads = load_heads(next(paths.heads_dir().glob("*.safetensors")))
        selection = Selection(options.units, options.chunk, min(options.units, options.chunk) // 4, 4, turn=512)
        device = device_for(options.device)
        placement = Placement(device, dtype_for(options.dtype, device))
        self.backend = TorchBackend(options.model, n_ctx=selection.capacity, heads=heads, placement=placement)
        if authors:
            layers = authors_layers(self.backend)
            self.backend._cache.units, self.backend._cache.layers = layers, [*layers]
        self.reader = Reader(self.backend, Locret(), selection)
        self.prefill = self.decode = 0.0

    def start(self, tokens: list[int]) -> None:
        self._reading = self.reader.read(tokens)

    def read_on(self) -> bool:
        began = time.perf_counter()
        more = next(self._reading, None) is not None
        self._wait()
        self.prefill += time.perf_counter() - began
        return more

    def decode_on(self, tokens: list[int]) -> None:
        began = time.perf_counter()
        for token in tokens:
            self.backend.logits()
            self.reader.append([token])
        self._wait()
        self.decode += time.perf_counter() - began

    def _wait(self) -> None:
        if torch.cuda.is_available():
            torch.cuda.synchronize()


@torch.inference_mode()
def measure(options: argparse.Namespace) -> dict[str, Any]:
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(100, options.vocabulary, (options.tokens,), generator=generator).tolist()
    ours, authors = Side(options, authors=False), Side(options, authors=True)
    for side in (ours, authors):
        side.start(tokens)
    while all([ours.read_on(), authors.read_on()]):
        pass
    same = same_share(ours.reader.units.positions, authors.reader.units.positions)
    for at in range(0, DECODED, PIECE):
        for side in (ours, authors):
            side.decode_on(tokens[at : at + PIECE])
    timings = ours.backend.timings
    return {
        "model": options.model.name,
        "dtype": str(ours.backend._model.dtype),
        "device": str(ours.backend._model.device),
        "tokens": options.tokens,
        "units": options.units,
        "chunk": options.chunk,
        "same_units_kept": same,
        "prefill_ratio": round(authors.prefill / ours.prefill, 3),
        "decode_ratio": round(authors.decode / ours.decode, 3),
        "heads_share": round(timings.scoring / (timings.forward + timings.scoring + timings.evicting), 4),
        "tokens_per_second": {
            "prefill": round(options.tokens / ours.prefill, 1),
            "decode": round(DECODED / ours.decode, 1),
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, default=paths.starter_model())
    parser.add_argument("--tokens", type=int, default=12288)
    parser.add_argument("--units", type=int, default=6000)
    parser.add_argument("--chunk", type=int, default=512)
    parser.add_argument("--dtype", default="auto", choices=["auto", "float32", "bfloat16", "float16"])
    parser.add_argument("--device", default="cpu", choices=["auto", "cpu", "cuda", "mps"])
    parser.add_argument("--vocabulary", type=int, default=40000)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    print(json.dumps(measure(options)))


if __name__ == "__main__":
    main()

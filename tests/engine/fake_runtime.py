"""A runtime without weights: its logits are a function of every unit that its cache holds, so any difference in the
cache shows.

It answers with the words it was last told, then ends. For tests of sessions, jobs and the server.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engine.backends.base import AbortedError, LayerState, Timings
from engine.backends.places import Places
from engine.backends.scoring import Scoring
from engine.chat_format import ChatFormat
from engine.loaded_model import LoadedModel
from engine.locret.policies import Random
from engine.locret.selection import Selection
from engine.model_shape import ModelShape

LAYERS, KV_HEADS, HEAD_DIM = 2, 2, 4
END = 0
SELECTION = Selection(40, 16, 4, 2, turn=1200, local=8)
SHAPE = ModelShape(
    Path("fake.gguf"), "fake", "llama", LAYERS, 4, KV_HEADS, HEAD_DIM, 8192, 1_000_000, 16, 64, 302, 500_000
)


class FakeRuntime:
    """Implements `engine.backends.base.Runtime`. A token is a byte of UTF-8 plus one; 300 and 301 stand for control.

    The first number of each unit is its position, as a key that is kept rotated would have it.
    """

    def __init__(
        self, seconds_a_token: float = 0.0, abort: Callable[[], bool] = lambda: False, position_limit: int = 8192
    ) -> None:
        self.layers, self.kv_heads = LAYERS, KV_HEADS
        self.seconds_a_token, self.abort = seconds_a_token, abort
        self.eviction_refusal: str | None = None
        self.end_tokens = frozenset({END})
        self.chat_template = None
        self.template_words = {"bos_token": "", "eos_token": ""}
        self.state_dtype = np.dtype(np.float16)
        self.timings = Timings(0, 0, 0)
        self.position_limit = position_limit
        self.forwarded: list[int] = []
        self.closed = False
        self.scored_with: Scoring | None = None
        self.clear()

    @property
    def length(self) -> int:
        return self.cache.shape[2]

    @property
    def position(self) -> int:
        return self.length + self._places.shift

    @property
    def cache_bytes(self) -> int:
        return self.cache.numel() * 4

    def clear(self) -> None:
        self.cache = torch.zeros(LAYERS, KV_HEADS, 0, HEAD_DIM, dtype=torch.float16)
        self._places = Places(LAYERS, KV_HEADS)
        self._last = 0

    def forward(self, tokens: Sequence[int]) -> Tensor:
        end = time.monotonic() + self.seconds_a_token * len(tokens)
        while time.monotonic() < end:
            if self.abort():
                raise AbortedError
            time.sleep(0.005)
        if self.abort():
            raise AbortedError
        past = torch.zeros(LAYERS, KV_HEADS)
        if self.length:
            distances = self.position - self.cache[..., 0].float()
            past = (self.cache[..., 1:].float().mean(dim=-1) * (distances * 0.01).cos()).mean(dim=-1)
        values = torch.tensor([(token * 37 % 101) / 101 for token in tokens])
        new = (values[None, None, :, None] + past[:, :, None, None] * 0.5).expand(-1, -1, -1, HEAD_DIM)
        cis = new[..., 0].clone()
        new = new.half().clone()
        new[..., 0] = torch.arange(self.position, self.position + len(tokens))
        self.cache = torch.cat([self.cache, new], dim=2)
        self._last = tokens[-1]
        self.forwarded += tokens
        return cis

    def rewind(self, tokens: int) -> None:
        self.cache = self.cache[:, :, : self.length - tokens]

    def keep(self, slots: Tensor, compact: bool = True) -> None:
        if compact:
            self._places.clear()
        else:
            self._places.keep(slots, self.length)
        self.cache = self.cache.gather(2, slots[..., None].expand(*slots.shape, HEAD_DIM))
        if compact:
            self.cache[..., 0] = torch.arange(slots.shape[-1])

    def logits(self) -> Tensor:
        """Favours a letter that depends on the whole cache, and the end after a full stop."""
        if not self._last:
            raise RuntimeError("no token was read whose logits could be given")
        scores = torch.zeros(302)
        letter = ord("a") + int(self.cache.double().sum() * 1000) % 25
        scores[letter + 1 if self.length % 12 else ord(".") + 1] = 1
        if self._last == ord(".") + 1:
            scores[END] = 2
        return scores

    def every_logits(self, tokens: Sequence[int]) -> Tensor:
        """A step for each token, as nothing is gained here by one forward of them all."""
        rows = []
        for token in tokens:
            self.forward([token])
            rows.append(self.logits())
        return torch.stack(rows)

    def score_with(self, heads: Scoring | None) -> None:
        self.scored_with = heads

    def export_state(self) -> list[LayerState]:
        flat = self.cache.transpose(1, 2).reshape(LAYERS, self.length, KV_HEADS * HEAD_DIM).numpy()
        return [
            LayerState(layer.copy(), layer.copy(), *self._places.exported(index, self.length))
            for index, layer in enumerate(flat)
        ]

    def import_state(self, layers: Iterable[LayerState]) -> None:
        given = list(layers)
        flat = torch.from_numpy(np.stack([layer.keys for layer in given]))
        self._places.put([layer.positions for layer in given], given[0].next_position, flat.shape[1])
        self.cache = flat.view(LAYERS, -1, KV_HEADS, HEAD_DIM).transpose(1, 2).clone()

    def tokenize(self, text: str, special: bool) -> list[int]:
        return [300 if special and byte == ord("<") else byte + 1 for byte in text.encode()]

    def token_bytes(self, token: int) -> bytes:
        return bytes([token - 1]) if 0 < token < 257 else b""

    def close(self) -> None:
        self.closed = True


def fake_model(runtime: FakeRuntime | None = None, selection: Selection | None = SELECTION) -> LoadedModel:
    return LoadedModel(
        shape=SHAPE,
        fingerprint="fake",
        runtime=runtime or FakeRuntime(),
        policy=Random(3),
        selection=selection,
        chat=ChatFormat("<open>", "<answer>", "<next>"),
        heads_name=None,
        notice=None,
        parameters={
            "model": "fake",
            "heads": None,
            "policy": "random-3",
            "selection": selection and selection.as_dict(),
        },
    )

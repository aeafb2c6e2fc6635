"""The llama.cpp runtime: Locret's eviction, per layer and KV head, through llama.cpp's public calls (DESIGN section 4).

All heads keep the same number of units, and a cell's own position matters to the causal mask alone, so a cell may hold
another token in every layer and head, each rotated to a position of its own. It knows the method's Backend, and no
document, conversation or store.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import psutil
import torch
from torch import Tensor

from engine.backends import llama_layers, llama_state
from engine.backends.base import LayerState, Timings
from engine.backends.checks import check_heads, check_slots
from engine.backends.fair_rounding import FairRounding
from engine.backends.feature_layout import FeatureLayout, interleaved_columns
from engine.backends.llama_context import LlamaContext, Wanted
from engine.backends.llama_features import FeatureCapture
from engine.backends.llama_model import LlamaModel
from engine.backends.places import Places
from engine.backends.rope import Rope, Rotation
from engine.backends.rope_check import PROBE_TOKENS, EvictionRefusedError, check_rope
from engine.backends.scoring import Scorer, Scoring, scorer_for, scoring_name, scoring_refusal
from engine.locret.heads import RetainingHeads

# Architectures whose feature order is known: the rows of `llama` files are interleaved, those of the others are not.
_INTERLEAVED_ROWS = frozenset({"llama"})
_PLAIN_ROWS = frozenset({"qwen2", "qwen3", "phi3"})
_HALF = 2


class LlamaCppBackend:
    """A GGUF model with one float16 cache of at most `n_ctx` units in each head, flash attention on.

    n_batch: tokens a graph, at most. threads: None for the physical cores. heads: retaining heads or the name of a
    training-free score; without them `forward` gives no CIS.
    abort: asked all the time while tokens run; True stops them at the next node of the graph, and AbortedError is
    raised. Keys stay float16: forty moves to other slots cost 0.2 % of a key's norm (FairRounding), one costs 0.03 %.
    Raises UserError("model_missing" or "model_broken").
    """

    def __init__(
        self,
        model_path: Path,
        *,
        n_ctx: int,
        n_batch: int = 512,
        threads: int | None = None,
        n_gpu_layers: int = 0,
        heads: Scoring | None = None,
        abort: Callable[[], bool] | None = None,
    ) -> None:
        self._model = model = LlamaModel(model_path, n_gpu_layers)
        self.layers, self.heads, self.kv_heads, self.head_dim = (
            model.layers,
            model.heads,
            model.kv_heads,
            model.head_dim,
        )
        self.context_length, self.model_bytes, self.architecture = (
            model.context_length,
            model.model_bytes,
            model.architecture,
        )
        vocabulary = model.vocabulary
        self.chat_template, self.end_tokens = vocabulary.chat_template, vocabulary.end_tokens
        self.template_words = vocabulary.template_words
        self.state_dtype = np.dtype(np.float16)
        self.eviction_refusal: str | None = None
        self._length, self._places = 0, Places(self.layers, self.kv_heads)
        self._forward_seconds = self._scoring_seconds = self._evicting_seconds = 0.0
        try:
            self._open(max(n_ctx, PROBE_TOKENS), n_batch, threads or psutil.cpu_count(logical=False) or 1, heads, abort)
        except BaseException:
            model.close()
            raise

    def _open(
        self, cells: int, batch: int, threads: int, heads: Scoring | None, abort: Callable[[], bool] | None
    ) -> None:
        self._check_scoring(heads)
        self._rope = rope = self._checked_rope(cells, threads, heads)
        self.position_limit = self._model.position_limit(rope, cells)
        self._context = LlamaContext(self._model, cells, batch, threads, abort, observed=heads is not None)
        self._rotation = Rotation(rope, self._context.cells) if rope else None
        self._rounding = FairRounding(self._context.cells, self.head_dim)
        self._scorer: Scorer | None = None
        self.score_with(heads)

    @property
    def length(self) -> int:
        """Units that each head holds now."""
        return self._length

    @property
    def position(self) -> int:
        """The RoPE position of the token that comes next."""
        return self._length + self._places.shift

    @property
    def capacity(self) -> int:
        """Units that each head can hold."""
        return self._context.cells

    @property
    def cache_bytes(self) -> int:
        """Bytes of the keys and values held now, in every layer."""
        return self._length * self.layers * self.kv_heads * self.head_dim * 2 * _HALF

    @property
    def timings(self) -> Timings:
        return Timings(self._forward_seconds - self._scoring_seconds, self._scoring_seconds, self._evicting_seconds)

    def forward(self, tokens: Sequence[int]) -> Tensor | None:
        """Runs the tokens at positions position..position+n-1; the logits are then those of the last one.

        Returns the raw CIS, float32 (layers, kv_heads, n), or None without heads. Raises AbortedError; the cache is
        then as it was before the call, as it is after any other error.
        """
        return self._forward(tokens, None)

    def _forward(self, tokens: Sequence[int], every: list[Tensor] | None) -> Tensor | None:
        """every: takes the logits of every token, a piece at a time."""
        if not tokens:
            raise ValueError("there are no tokens to read")
        if self._length + len(tokens) > self.capacity:
            raise ValueError(f"{len(tokens)} tokens on {self._length} units do not fit {self.capacity}")
        began = time.perf_counter()
        try:
            scores = self._run(tokens, every)
        except BaseException:
            self._context.drop_from(self.position)
            if self._scorer is not None:
                self._scorer.drop()
            raise
        finally:
            self._forward_seconds += time.perf_counter() - began
        self._length += len(tokens)
        return scores

    def keep(self, slots: Tensor, compact: bool = True) -> None:
        """Keeps only these units; compact: turns their keys to their new slots, otherwise leaves them as they are.

        slots: int64 (layers, kv_heads, kept), ascending in each head. Raises EvictionRefusedError where
        `eviction_refusal` says why.
        """
        if self._rotation is None:
            raise EvictionRefusedError(self.eviction_refusal)
        check_slots(slots, self.layers, self.kv_heads, self._length)
        began = time.perf_counter()
        kept = slots.shape[-1]

        def gathered(layer: int, old: Tensor) -> Tensor:
            return self._gathered(old, slots[layer]).view(kept, -1)

        moved = self._places.at(self._length).gather(-1, slots) - torch.arange(kept) if compact else None
        state = llama_state.compact(
            llama_state.parse(self._context.state()),
            kept,
            keys=gathered
            if moved is None
            else lambda layer, old: self._turned(self._gathered(old, slots[layer]), moved[layer]),
            values=gathered,
            position=0 if compact else self.position - kept,
        )
        self._context.replace_state(state.buffer)
        del state  # giving back that much memory takes milliseconds, which belong to evicting
        if compact:
            self._places.clear()
        else:
            self._places.keep(slots, self._length)
        self._length = kept
        self._evicting_seconds += time.perf_counter() - began

    def rewind(self, tokens: int) -> None:
        """Forgets the last so many tokens forwarded, all of them since the last `keep`; `logits` is as it was."""
        if not tokens:
            return
        self._context.drop_from(self.position - tokens)
        self._length -= tokens

    def clear(self) -> None:
        """Empties the cache and zeroes its memory."""
        self._context.clear()
        self._places.clear()
        self._length = 0

    def score_with(self, heads: Scoring | None) -> None:
        """Scores what is read from now on with these heads, or this score; only where it was opened with some."""
        self._check_scoring(heads)
        if heads is not None and not self._context.observed:
            raise RuntimeError("this model was opened without anything to score with")
        refused = heads is None or (self._rope is None and not isinstance(heads, RetainingHeads))
        self._scorer = None if refused or heads is None else scorer_for(heads, self._layout())
        self._context.observer = None if self._scorer is None else self._capture()

    def every_logits(self, tokens: Sequence[int]) -> Tensor:
        """As `forward`, but gives the logits of every token, float32 (n, vocabulary), and no CIS."""
        every: list[Tensor] = []
        self._forward(tokens, every)
        return torch.cat(every)

    def logits(self) -> Tensor:
        """float32 (vocabulary,): of the last token forwarded."""
        return self._context.logits()

    def export_state(self) -> list[LayerState]:
        """The cache, layer by layer: one copy of it, the same bit for bit after `import_state` in any process."""
        if self._length == 0:
            return llama_layers.empty(self.layers, self.kv_heads * self.head_dim)
        return llama_layers.exported(llama_state.parse(self._context.state()), self._places)

    def import_state(self, layers: Iterable[LayerState]) -> None:
        """Puts an exported cache in the place of what there is, by way of one copy of it that is filled layer by layer.

        Raises ValueError for another model's, and whatever asking for a layer raised; the cache is then as it was.
        """
        state, places = llama_layers.filled(iter(layers), self.layers, self.kv_heads, self.head_dim)
        if state is None:
            self.clear()
            return
        self._context.replace_state(state.buffer)
        self._length, self._places = state.keys.shape[1], places

    def tokenize(self, text: str, special: bool) -> list[int]:
        """special: whether control tokens in the text are read as such; False for documents and questions."""
        return self._model.vocabulary.tokenize(text, special)

    def token_bytes(self, token: int) -> bytes:
        """What the token says; UTF-8 when joined with its neighbours. Empty for control tokens."""
        return self._model.vocabulary.token_bytes(token)

    def close(self) -> None:
        """Frees the cache and the weights; nothing else may be called after it."""
        self._context.close()
        self._model.close()

    def _check_scoring(self, heads: Scoring | None) -> None:
        if isinstance(heads, RetainingHeads):
            check_heads(heads, self.layers, (self.heads + 2 * self.kv_heads) * self.head_dim, self.kv_heads)

    def _checked_rope(self, cells: int, threads: int, heads: Scoring | None) -> Rope | None:
        known = self.architecture in _INTERLEAVED_ROWS | _PLAIN_ROWS
        try:
            if heads is not None and not known:
                name = scoring_name(heads)
                raise EvictionRefusedError(f"{name} cannot score models of the kind {self.architecture} yet.")
            if refusal := scoring_refusal(heads, self.architecture):
                raise EvictionRefusedError(refusal)
            return check_rope(self._model, cells, threads)
        except EvictionRefusedError as refusal:
            self.eviction_refusal = str(refusal)
            return None

    def _layout(self) -> FeatureLayout:
        interleaved = self.architecture in _INTERLEAVED_ROWS
        return FeatureLayout(
            layers=self.layers,
            heads=self.heads,
            kv_heads=self.kv_heads,
            head_dim=self.head_dim,
            columns=interleaved_columns(self.heads, self.kv_heads, self.head_dim) if interleaved else None,
            frequencies=self._rope.frequencies() if self._rope else torch.empty(0),
            magnitude=self._rope.magnitude if self._rope else 1.0,
            rotated=[True] * self.layers,
            device=torch.device("cpu"),
            dtype=torch.float32,
        )

    def _capture(self) -> FeatureCapture:
        return FeatureCapture(
            self.layers, self.heads, self.kv_heads, self.head_dim, self._context.batch_size, self._score_layer
        )

    def _score_layer(self, layer: int, features: Tensor) -> None:
        began = time.perf_counter()
        if self._scorer is not None:
            self._scorer.take(layer, features)
        self._scoring_seconds += time.perf_counter() - began

    def _run(self, tokens: Sequence[int], every: list[Tensor] | None) -> Tensor | None:
        size, scores = self._context.batch_size, []
        for start in range(0, len(tokens), size):
            piece = tokens[start : start + size]
            last: Wanted = "last" if start + size >= len(tokens) else "no"
            self._context.decode(piece, self.position + start, last if every is None else "every")
            if every is not None:
                every.append(self._context.every_logits(len(piece)))
            if self._scorer is not None:
                began = time.perf_counter()
                scores.append(self._scorer.finish())
                self._scoring_seconds += time.perf_counter() - began
        return torch.cat(scores, dim=-1) if scores else None

    def _gathered(self, rows: Tensor, slots: Tensor) -> Tensor:
        """rows: (units, kv_heads * head_dim), slots: (kv_heads, kept). Returns (kept * kv_heads, head_dim)."""
        places = (slots * self.kv_heads + torch.arange(self.kv_heads)[:, None]).T.reshape(-1)
        return rows.reshape(-1, self.head_dim).index_select(0, places)

    def _turned(self, keys: Tensor, moved: Tensor) -> Tensor:
        """keys: (kept * kv_heads, head_dim), moved: (kv_heads, kept), positions to go back. Returns (kept, width)."""
        assert self._rotation is not None
        turned = self._rotation.back(keys.float(), moved.T.reshape(-1))
        return self._rounding(turned.view(-1, self.kv_heads, self.head_dim)).view(moved.shape[-1], -1)

"""The torch runtime: Locret's eviction on Hugging Face models, through hooks and a cache of ours (DESIGN section 5).

It knows the method's Backend and how transformers calls attention and cache; no document, conversation or store.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engine.backends.base import AbortedError, LayerState, Timings
from engine.backends.checks import check_heads, check_ragged_slots, check_slots
from engine.backends.feature_layout import FeatureLayout
from engine.backends.places import Places
from engine.backends.scoring import Scorer, Scoring, scorer_for, scoring_refusal
from engine.backends.torch_attention import Pass, unrotated
from engine.backends.torch_cache import Rotation, UnitCache
from engine.backends.torch_errors import first_line, in_sentences
from engine.backends.torch_features import FeatureCapture
from engine.backends.torch_model import Placement, TorchModel
from engine.backends.torch_ragged import RaggedCache
from engine.backends.torch_state import STATE_DTYPES, CacheState
from engine.errors import UserError
from engine.locret.heads import RetainingHeads
from engine.model_shape import model_name

_TRIED_TOKENS = 8


class TorchBackend:
    """A transformers model with one cache of at most `n_ctx` units in each head, in the model's own dtype.

    n_batch: tokens a forward, at most. heads: retaining heads or the name of a training-free score; without them
    `forward` gives no CIS. abort: asked before every layer while several tokens run. grows: take the cache's memory as
    it is needed, for a full cache. ragged: whether heads may hold different numbers of units, `n_ctx` in the mean.
    Raises UserError ("model_missing" or "model_broken").
    """

    def __init__(
        self,
        model_path: Path,
        *,
        n_ctx: int,
        n_batch: int = 512,
        heads: Scoring | None = None,
        abort: Callable[[], bool] | None = None,
        placement: Placement | None = None,
        grows: bool = False,
        ragged: bool = False,
    ) -> None:
        self._model = model = TorchModel(model_path, placement or Placement())
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
        self.position_limit = model.context_length
        self.chat_template, self.end_tokens = model.vocabulary.chat_template, model.vocabulary.end_tokens
        self.template_words = model.vocabulary.template_words
        self.state_dtype = STATE_DTYPES[model.dtype]
        self.eviction_refusal: str | None = None
        self._batch, self._abort = n_batch, abort
        self._capacity = n_ctx
        self._last_hidden: Tensor | None = None
        self._stoppable = False
        self._forward_seconds = self._scoring_seconds = self._evicting_seconds = 0.0
        self._hooks = ExitStack()
        try:
            self._open(model_path, grows, ragged, heads)
        except BaseException:
            self._hooks.close()
            model.close()
            raise

    def _open(self, path: Path, grows: bool, ragged: bool, heads: Scoring | None) -> None:
        model = self._model
        if model.window and self._capacity > model.window:
            raise UserError(
                "model_broken",
                f"{path.name} sees only its last {model.window:,} tokens (sliding-window layers), so its cache "
                f"cannot hold {self._capacity:,}. Choose a smaller memory budget, or another model.",
            )
        self._rotation = Rotation(
            model.frequencies, model.magnitude, self._capacity, model.context_length, model.device
        )
        self._grows = grows
        self._cache: UnitCache | RaggedCache
        self.hold(ragged)
        self._scorer: Scorer | None = None
        self._capture = FeatureCapture(self._score_layer)
        self._captured = self._hooks.enter_context(ExitStack())
        self._watch()
        self.score_with(heads)
        self.eviction_refusal = scoring_refusal(heads, self.architecture)
        self._try_out(path)

    def hold(self, ragged: bool) -> None:
        """From now on a cache, empty, whose heads may hold different numbers of units, or may not."""
        rotations = [self._rotation if rotated else None for rotated in self._model.rotated_layers]
        self._cache = (
            RaggedCache(self._capacity, rotations) if ragged else UnitCache(self._capacity, self._grows, rotations)
        )
        self._places = Places(self.layers, self.kv_heads, ragged)
        self._last_hidden = None

    @property
    def length(self) -> int:
        """Units that each head holds now, or their mean."""
        return self._cache.length

    @property
    def position(self) -> int:
        """The RoPE position of the token that comes next."""
        return self._cache.position

    @property
    def capacity(self) -> int:
        """Units that each head can hold, or their mean."""
        return self._capacity

    @property
    def cache_bytes(self) -> int:
        """Bytes of the units held now, in every layer: values, keys unrotated and keys rotated."""
        layers = zip(self._state().units, self._model.rotated_layers, strict=True)
        kept = sum(layer.total * (3 if rotated else 2) for layer, rotated in layers)
        return kept * self.head_dim * self._model.dtype.itemsize

    @property
    def timings(self) -> Timings:
        """On CUDA and MPS what the calls took, which return before the device is done."""
        return Timings(self._forward_seconds - self._scoring_seconds, self._scoring_seconds, self._evicting_seconds)

    @torch.inference_mode()
    def forward(self, tokens: Sequence[int]) -> Tensor | None:
        """Runs the tokens at positions position..position+n-1; the logits are then those of the last one.

        Returns the raw CIS, float32 (layers, kv_heads, n), or None without heads. Raises AbortedError; the cache is
        then as it was before the call, as it is after any other error.
        """
        return self._forward(tokens, None)

    @torch.inference_mode()
    def every_logits(self, tokens: Sequence[int]) -> Tensor:
        """As `forward`, but gives the logits of every token, float32 (n, vocabulary), on the CPU, and no CIS."""
        every: list[Tensor] = []
        self._forward(tokens, every)
        return torch.cat(every)

    def _forward(self, tokens: Sequence[int], every: list[Tensor] | None) -> Tensor | None:
        """every: takes the logits of every token, a piece at a time."""
        if not tokens:
            raise ValueError("there are no tokens to read")
        if self.length + len(tokens) > self._capacity:
            raise ValueError(f"{len(tokens)} tokens on {self.length} units do not fit {self._capacity}")
        before = self.position
        began = time.perf_counter()
        try:
            with in_sentences(self._model.device):
                pieces = [self._run(tokens[at : at + self._batch], every) for at in range(0, len(tokens), self._batch)]
        except BaseException:
            self._cache.drop_to(before)
            self._capture.drop()
            if self._scorer is not None:
                self._scorer.drop()
            raise
        finally:
            self._forward_seconds += time.perf_counter() - began
        return torch.cat([piece for piece in pieces if piece is not None], dim=-1) if self._scorer else None

    @torch.inference_mode()
    def keep(self, slots: Tensor, compact: bool = True) -> None:
        """Keeps only these units; compact: each kept key is rotated to its new slot from its own original, otherwise it
        stays as it is.

        slots: int64 (layers, kv_heads, kept), ascending in each head; of a ragged cache -1 in front where a head keeps
        fewer, and slots count from the front of the longest.
        """
        if isinstance(self._cache, RaggedCache):
            check_ragged_slots(slots, self._cache.lengths)
        else:
            check_slots(slots, self.layers, self.kv_heads, self.length)
        began = time.perf_counter()
        with in_sentences(self._model.device):
            if compact:
                self._places.compact(slots)
            else:
                self._places.keep(slots, self._cache.width)
            self._cache.keep(slots, compact)
        self._evicting_seconds += time.perf_counter() - began

    @torch.inference_mode()
    def rewind(self, tokens: int) -> None:
        """Forgets the last so many tokens forwarded, all of them since the last `keep`; `logits` is as it was."""
        self._cache.drop_to(self.position - tokens)

    @torch.inference_mode()
    def clear(self) -> None:
        """Empties the cache and zeroes its memory."""
        self._cache.clear()
        self._places.clear()
        self._last_hidden = None

    @torch.inference_mode()
    def logits(self) -> Tensor:
        """float32 (vocabulary,), on the CPU: of the last token forwarded. Raises UserError where they overflowed."""
        if self._last_hidden is None:
            raise RuntimeError("no token was read whose logits could be given")
        with in_sentences(self._model.device):
            logits = self._model.unembed(self._last_hidden).float().cpu().clone()
        if not logits.isfinite().all():
            name = str(self._model.dtype).removeprefix("torch.")
            message = f"This model's numbers do not fit {name}. Choose another precision (--dtype bfloat16 or float32)."
            raise UserError("model_broken", message)
        return logits

    def export_state(self) -> Iterator[LayerState]:
        """The cache, keys unrotated, each layer copied when it is asked for; the same bit for bit after `import_state`
        in any process.
        """
        return self._state().exported()

    @torch.inference_mode()
    def import_state(self, layers: Iterable[LayerState]) -> None:
        """Puts an exported cache in the place of what there is, layer by layer.

        Raises ValueError for another model's, and whatever asking for a layer raised; the cache is then empty.
        """
        self.clear()
        try:
            self._state().put(layers)
        except BaseException:
            self.clear()
            raise

    def _state(self) -> CacheState:
        model = self._model
        return CacheState(self._cache, self._places, self.kv_heads, self.head_dim, model.dtype, model.device)

    def tokenize(self, text: str, special: bool) -> list[int]:
        """special: whether control tokens in the text are read as such; False for documents and questions."""
        return self._model.vocabulary.tokenize(text, special)

    def token_bytes(self, token: int) -> bytes:
        """What the token says; UTF-8 when joined with its neighbours. Empty for control tokens."""
        return self._model.vocabulary.token_bytes(token)

    def close(self) -> None:
        """Frees the cache and the weights; nothing else may be called after it."""
        self._hooks.close()
        self._cache.layers.clear()
        self._cache.units.clear()
        self._model.close()

    def _try_out(self, path: Path) -> None:
        """Runs a few tokens, so that what this model or device cannot do is known before a person waits for it."""
        abort, self._abort = self._abort, None
        try:
            self.forward(list(range(min(_TRIED_TOKENS, self._capacity))))
            self.logits()
        except UserError:
            raise
        except Exception as error:
            message = (
                f"{model_name(path)} cannot be run: {first_line(error)}. "
                "Choose another model in the settings, or with --model."
            )
            raise UserError("model_broken", message, cause=str(error)) from error
        finally:
            self._abort = abort
        self.clear()
        self._forward_seconds = self._scoring_seconds = 0.0

    # --- the model runs ----------------------------------------------------------------------------------------------

    def _watch(self) -> None:
        self._hooks.enter_context(unrotated(self._model.rotary))
        for block in self._model.blocks:
            handle = block.register_forward_pre_hook(self._stop_if_asked)
            self._hooks.callback(handle.remove)

    def _run(self, tokens: Sequence[int], every: list[Tensor] | None) -> Tensor | None:
        self._stoppable = len(tokens) > 1  # one token is over before anybody could wait for it
        hidden = self._model.run(tokens, self._cache, Pass(self._rotation, self._cache.position))
        self._last_hidden = hidden[-1].clone()
        if every is not None:
            every.append(self._model.unembed(hidden).float().cpu())
        if self._scorer is None:
            return None
        began = time.perf_counter()
        scores = self._scorer.finish()
        self._scoring_seconds += time.perf_counter() - began
        return scores

    def _stop_if_asked(self, _block: torch.nn.Module, _inputs: Any) -> None:
        if self._stoppable and self._abort is not None and self._abort():
            raise AbortedError

    # --- scoring -----------------------------------------------------------------------------------------------------

    def score_with(self, heads: Scoring | None) -> None:
        """Scores what is read from now on with these heads, or this score."""
        if isinstance(heads, RetainingHeads):
            check_heads(heads, self.layers, (self.heads + 2 * self.kv_heads) * self.head_dim, self.kv_heads)
        self._captured.close()
        self._scorer = None if heads is None else scorer_for(heads, self._layout())
        if self._scorer is not None:
            self._captured.enter_context(self._capture.on(self._model.attentions))

    def _layout(self) -> FeatureLayout:
        model = self._model
        return FeatureLayout(
            layers=self.layers,
            heads=self.heads,
            kv_heads=self.kv_heads,
            head_dim=self.head_dim,
            columns=None,
            frequencies=model.frequencies,
            magnitude=model.magnitude,
            rotated=model.rotated_layers,
            device=model.device,
            dtype=model.dtype,
        )

    def _score_layer(self, layer: int, parts: list[Tensor]) -> None:
        """parts: Q, K and V of the layer, (n, width) together."""
        began = time.perf_counter()
        if self._scorer is not None:
            self._scorer.take(layer, parts[0] if len(parts) == 1 else torch.cat(parts, dim=-1))
        self._scoring_seconds += time.perf_counter() - began

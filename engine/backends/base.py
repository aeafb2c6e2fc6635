"""What the engine asks of a runtime beyond the reading loop: text, logits, the cache as bytes, and a way to stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from engine.backends.scoring import Scoring
from engine.locret.backend import Backend


class AbortedError(Exception):
    """The running forward was stopped by the caller's `abort`; the cache is as it was before it."""


@dataclass(frozen=True)
class LayerState:
    """One layer of the cache, in the runtime's own form.

    keys, values: `state_dtype` (units, kv_heads * head_dim), or of a cache whose heads may hold different numbers of
    units (units of all heads, head_dim), head after head.

    positions: int32 (kv_heads, units of the longest head), the units' RoPE positions, -1 in front where a shorter head
    has none; None: their slots, and as many in each head. next_position: of the token that
    comes next, the same in every layer; None: after the last slot.
    """

    keys: NDArray[Any]
    values: NDArray[Any]
    positions: NDArray[np.int32] | None = None
    next_position: int | None = None


@dataclass(frozen=True)
class Timings:
    """Seconds spent since the model was loaded: in the model itself, in scoring, and in evicting."""

    forward: float
    scoring: float
    evicting: float


class Runtime(Backend, Protocol):
    """A loaded model. Every method but `close` may raise AbortedError while `abort` answers True."""

    eviction_refusal: str | None
    """Why this model's cache cannot be evicted, as a sentence; None where it can."""

    state_dtype: np.dtype[Any]
    """Of the arrays of an exported state."""

    @property
    def cache_bytes(self) -> int:
        """Bytes that the units held now take, keys and values in every layer."""
        ...

    @property
    def timings(self) -> Timings: ...

    @property
    def end_tokens(self) -> frozenset[int]:
        """Tokens that end an answer."""
        ...

    @property
    def chat_template(self) -> str | None:
        """The model's own Jinja template."""
        ...

    @property
    def template_words(self) -> Mapping[str, str]:
        """`bos_token` and `eos_token` as the template is to write them; empty texts where there are none."""
        ...

    def score_with(self, heads: Scoring | None) -> None:
        """What gives the CIS of what is read from now on: retaining heads, a training-free score, or nothing."""
        ...

    def every_logits(self, tokens: Sequence[int]) -> Tensor:
        """As `forward`, but gives the logits of every token, float32 (n, vocabulary), and no CIS: for short texts."""
        ...

    def rewind(self, tokens: int) -> None:
        """Forgets the last so many tokens forwarded, all of them since the last `keep`; `logits` is as it was."""
        ...

    def logits(self) -> Tensor:
        """float32 (vocab,): of the last token forwarded."""
        ...

    def export_state(self) -> Iterable[LayerState]:
        """The cache, layer by layer; `import_state` of it gives the same cache bit for bit, in any process.

        To be gone through, once, before the cache changes: a layer may be copied only when it is asked for.
        """
        ...

    def import_state(self, layers: Iterable[LayerState]) -> None:
        """Puts an exported cache in the place of what there is; asks for a layer when the last one was copied.

        Raises ValueError for another model's, and whatever asking for a layer raised; the cache is then as it was or
        empty.
        """
        ...

    def tokenize(self, text: str, special: bool) -> list[int]:
        """special: whether control tokens in the text are read as such; False for documents and questions."""
        ...

    def token_bytes(self, token: int) -> bytes:
        """What the token says; UTF-8 when joined with its neighbours. Empty for control tokens."""
        ...

    def close(self) -> None: ...

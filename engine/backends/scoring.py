"""What a runtime scores new units with: retaining heads, or a score that needs no training.

It knows the names of the scores and what each needs; how one is computed is its own file's affair.
"""

from __future__ import annotations

from typing import Literal, Protocol, get_args

from torch import Tensor

from engine.backends.expected_attention import ExpectedAttentionScorer
from engine.backends.feature_layout import FeatureLayout
from engine.backends.head_scorer import HeadScorer
from engine.backends.keydiff import KeyDiffScorer
from engine.locret.heads import RetainingHeads

TrainingFree = Literal["keydiff", "expected-attention"]
TRAINING_FREE: tuple[TrainingFree, ...] = get_args(TrainingFree)
Scoring = RetainingHeads | TrainingFree

_NAMES = {"keydiff": "KeyDiff", "expected-attention": "Expected Attention"}
# Their queries and keys are normalised after the projections, so the features do not say what attention sees.
_NORMALISED = frozenset({"qwen3"})


class Scorer(Protocol):
    """Scores the forwards of a runtime, layer by layer. A unit's score depends on nothing but the tokens of its own
    forward, so that there is no state to store with a reading.
    """

    def take(self, layer: int, features: Tensor) -> None:
        """features: (n, width), of one layer; layers come in order. They are read now or copied."""
        ...

    def finish(self) -> Tensor:
        """The scores of what was taken since the last call, float32 (layers, kv_heads, n), on the CPU."""
        ...

    def drop(self) -> None:
        """Forgets what was taken: the forward was stopped."""
        ...


def scorer_for(scoring: Scoring, layout: FeatureLayout) -> Scorer:
    """The scorer of features of that layout."""
    if isinstance(scoring, RetainingHeads):
        return HeadScorer(scoring, layout.columns, layout.device, layout.dtype)
    return KeyDiffScorer(layout) if scoring == "keydiff" else ExpectedAttentionScorer(layout)


def scoring_name(scoring: Scoring) -> str:
    """What a person calls it, at the beginning of a sentence."""
    return "Retaining heads" if isinstance(scoring, RetainingHeads) else _NAMES[scoring]


def scoring_refusal(scoring: Scoring | None, architecture: str) -> str | None:
    """Why models of this architecture cannot be scored with it, as a sentence; None where they can."""
    if scoring == "expected-attention" and architecture in _NORMALISED:
        return (
            f"Expected Attention cannot score models of the kind {architecture}, which normalise queries and keys. "
            "Choose KeyDiff, or another model."
        )
    return None

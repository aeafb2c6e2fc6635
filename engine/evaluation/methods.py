"""The policies that fidelity is measured for: one table of what each scores with, ranks by, and changes of the
selection.

It knows names and the parts they are made of, and runs nothing. The options of the command are read with it, so torch
is imported once a policy is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from engine.errors import UserError
from engine.locret.selection import Allocation, Selection
from engine.selection_options import policy_of

if TYPE_CHECKING:
    from engine.backends.scoring import TrainingFree
    from engine.locret.heads import RetainingHeads
    from engine.locret.policies import Policy
    from engine.locret.ranking import Ranking

PAPER_BUDGET, PAPER_STABILIZERS = 6000, 2500  # the authors' own for Phi-3: 5 units in 12 are stabilizers


def as_the_authors(selection: Selection) -> Selection:
    """Keys at their slots, no sinks, no tail, and stabilizers in the paper's proportion, at most a chunk of them."""
    stabilizers = min(selection.chunk, selection.budget * PAPER_STABILIZERS // PAPER_BUDGET)
    return Selection(selection.budget, selection.chunk, stabilizers, turn=selection.turn)


def _unchanged(selection: Selection) -> Selection:
    return selection


@dataclass(frozen=True)
class Method:
    """scores: what gives the CIS; None where the policy needs none. ranking: the policy of a seed and, where they are
    scored with, of heads; None: of labels, which are each document's own. changed: what it changes of
    `budget.selection_for`. reads: everything; the document alone; or, anew for each question, the question first.
    allocation: other than uniform, the torch runtime alone has it.
    """

    scores: Literal["heads", "surprisal"] | TrainingFree | None
    ranking: Callable[[int, RetainingHeads | None], Policy] | None
    changed: Callable[[Selection], Selection] = _unchanged
    reads: Literal["everything", "document", "question-first"] = "document"
    allocation: Allocation = "uniform"

    def selection(self, usual: Selection) -> Selection:
        """usual: that of `budget.selection_for`."""
        return replace(self.changed(usual), allocation=self.allocation)


def _newest(_seed: int, _heads: RetainingHeads | None) -> Policy:
    from engine.locret.policies import Newest

    return Newest()


def _random(seed: int, _heads: RetainingHeads | None) -> Policy:
    from engine.locret.policies import Random

    return Random(seed)


def _as_scored(name: str) -> Callable[[int, RetainingHeads | None], Policy]:
    def policy(_seed: int, _heads: RetainingHeads | None) -> Policy:
        from engine.locret.policies import AsScored

        return AsScored(name)

    return policy


def _as_the_authors_rank(_seed: int, _heads: RetainingHeads | None) -> Policy:
    from engine.locret.policies import Locret

    return Locret()


def _ours(_seed: int, heads: RetainingHeads | None, ranking: Ranking | None = None) -> Policy:
    from engine.loaded_model import policy_for

    return policy_for("locret", heads, ranking=ranking)


# Every method has the default selection's sinks, stabilizers and tail, but for `locret-authors`; `newest`, which with
# sinks is StreamingLLM, keeps the newest anyhow.
METHODS: Mapping[str, Method] = {
    "full": Method(None, _newest, reads="everything"),
    "newest": Method(None, _newest),
    "random": Method(None, _random),
    "keydiff": Method("keydiff", _as_scored("keydiff")),
    "expected-attention": Method("expected-attention", _as_scored("expected-attention")),
    "sirllm": Method("surprisal", _as_scored("sirllm")),
    "locret-authors": Method("heads", _as_the_authors_rank, as_the_authors),
    "locret": Method("heads", _ours),
    "locret-pyramid": Method("heads", _ours, allocation="pyramid"),
    "locret-layer": Method("heads", _ours, allocation="layer"),
    "locret-model": Method("heads", _ours, allocation="model"),
    "labels": Method(None, None),
    "locret-q": Method("heads", _ours, reads="question-first"),
}
DEFAULT_METHODS = tuple(
    name for name, method in METHODS.items() if method.reads != "question-first" and method.allocation == "uniform"
)


def method_of(text: str) -> Method:
    """The method of a name in METHODS, with options of `selection_options.policy_of` behind it, if any.

    They change what the method itself makes of the default selection. Raises UserError for what is unknown.
    """
    name, ranking, change = policy_of(text)
    method = METHODS.get(name)
    if method is None:
        raise UserError("bad_params", f"There is no policy {name}. There are {', '.join(METHODS)}.")
    if ranking is not None:
        if method.ranking is not _ours:
            raise UserError(
                "bad_params",
                f"{name} has no ranking to be changed. Leave consensus, own and neighbours out.",
            )
        method = replace(method, ranking=partial(_ours, ranking=ranking))
    itself = method.changed
    return replace(method, changed=lambda selection: change.of(itself(selection)))

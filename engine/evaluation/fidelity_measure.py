"""Measures one case: each policy reads its document in chunks, the questions hidden, and the cache is then asked them.

It knows runtimes through their Protocol and policies through the table of methods; what a figure means to a reader is
the table's affair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from engine.backends.base import Runtime
from engine.backends.torch_backend import TorchBackend
from engine.budget import selection_for
from engine.chat_format import ChatFormat
from engine.evaluation.answers import ask, surprise
from engine.evaluation.ceiling import Ceiling
from engine.evaluation.drafts import Drafts
from engine.evaluation.fidelity_cases import FidelityCase, Question
from engine.evaluation.methods import METHODS, Method, method_of
from engine.evaluation.surprisal import SurprisalBackend, mean_surprisal
from engine.locret.backend import Backend
from engine.locret.heads import RetainingHeads
from engine.locret.policies import Policy
from engine.locret.reading import Reader
from engine.locret.selection import Selection
from engine.target import Target

CONTINUATION = "continuation"
LIKELIHOOD = "-likelihood"  # behind a question's task: of its right answer, beside whether the model's own was right
NOTHING = "no context"


class Figure(NamedTuple):
    """value: 1 or 0, whether the answer was right; of a likelihood and of the continuation, the NLL in nats a token."""

    task: str
    policy: str
    kept: float
    value: float


@dataclass(frozen=True)
class Bench:
    """What every case is measured with. ceiling None: without the policy `labels`."""

    runtime: Runtime
    chat: ChatFormat
    target: Target
    heads: RetainingHeads | None
    ceiling: Ceiling | None
    seed: int
    continuation_tokens: int

    def close(self) -> None:
        """Frees the weights."""
        self.runtime.close()
        if self.ceiling is not None:
            self.ceiling.close()


def rows_for(policies: Sequence[str], kept: Sequence[float]) -> list[tuple[str, float]]:
    """The rows that a case has: each policy at each share kept, that of no context before them."""
    shares = {name: [1.0] if method_of(name).reads == "everything" else kept for name in policies}
    return [(NOTHING, 0.0), *((name, share) for name, of in shares.items() for share in of)]


class CaseRun:
    """One case on a bench, a row at a time. Needs a cache for the whole document."""

    def __init__(self, bench: Bench, case: FidelityCase) -> None:
        self.bench, self.case = bench, case
        runtime = bench.runtime
        self._opening = runtime.tokenize(bench.chat.opening, special=True)
        self._document = runtime.tokenize(case.document, special=False)
        following = runtime.tokenize(case.continuation, special=False)[: bench.continuation_tokens + 1]
        self._following = following if len(following) > bench.continuation_tokens else []
        self._labels: Policy | None = None
        self._drafts = {question: Drafts() for question in case.questions}

    def figures(self, policy: str, kept: float) -> list[Figure]:
        """Those of a policy of `rows_for` at its share kept."""
        if policy == NOTHING:
            self._read(METHODS["full"], self._opening, [], None)
            found = self._asked()
        else:
            method = method_of(policy)
            found = (self._in_sight if method.reads == "question-first" else self._hidden)(method, kept)
        return [Figure(task, policy, kept, value) for task, value in found]

    def _hidden(self, method: Method, kept: float) -> list[tuple[str, float]]:
        """One reading, and all questions of the same cache."""
        self._read(method, self._opening, self._document, self._selection(method, kept))
        return self._asked()

    def _asked(self) -> list[tuple[str, float]]:
        """Every question, and the continuation last: it stays in the cache."""
        values = [figure for question in self.case.questions for figure in self._answered(question)]
        continued = self._continued()
        return values if continued is None else [*values, (CONTINUATION, continued)]

    def _in_sight(self, method: Method, kept: float) -> list[tuple[str, float]]:
        """A reading for each question, which stands in front; it has no continuation of its own."""
        values = []
        for question in self.case.questions:
            asked = self.bench.runtime.tokenize(f"{question.text}\n\n", special=False)
            front = self._opening + asked
            selection = self._selection(method, kept)
            assert selection is not None
            self._read(method, front, self._document, selection.keeping_first(len(front)))
            values += self._answered(question)
        return values

    def _read(self, method: Method, front: Sequence[int], document: Sequence[int], selection: Selection | None) -> None:
        runtime, scores = self.bench.runtime, method.scores
        if isinstance(runtime, TorchBackend):
            runtime.hold(ragged=method.allocation != "uniform")
        runtime.score_with(None if scores == "surprisal" else self.bench.heads if scores == "heads" else scores)
        backend = cast(Backend, SurprisalBackend(runtime)) if scores == "surprisal" else runtime
        backend.clear()
        reader = Reader(backend, self._policy(method), selection)
        reader.append(front)
        for _ in reader.read(document):
            pass
        runtime.score_with(None)

    def _selection(self, method: Method, kept: float) -> Selection | None:
        if method.reads == "everything":
            return None
        units = round(kept * (len(self._opening) + len(self._document)))
        return method.selection(selection_for(units, self.bench.target))

    def _policy(self, method: Method) -> Policy:
        bench = self.bench
        if method.ranking is not None:
            return method.ranking(bench.seed, bench.heads)
        if self._labels is None:
            assert bench.ceiling is not None
            context = self._opening + self._document
            self._labels = bench.ceiling.policy(
                bench.runtime, bench.chat, context, self.case.questions, self._following
            )
        return self._labels

    def _answered(self, question: Question) -> list[tuple[str, float]]:
        runtime, chat = self.bench.runtime, self.bench.chat
        right = ask(runtime, chat, question.text, question.accepted, self._drafts[question])
        unlikely = surprise(runtime, chat, question.text, question.accepted[0])
        return [(question.task, float(right)), (question.task + LIKELIHOOD, unlikely)]

    def _continued(self) -> float | None:
        """NLL of the text after the document, each token predicted by those before it; its first one is given."""
        if not self._following:
            return None
        logits: Any = self.bench.runtime.every_logits(self._following[:-1])
        return mean_surprisal(logits, self._following[1:])

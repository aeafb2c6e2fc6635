"""`keepsake-engine evaluate fidelity`: what a reading with eviction still finds, beside what the full cache finds.

Each document is read in chunks, its questions hidden, once for each row; then the needle, the fact and the continuation
are asked of that cache. It knows runtimes through their Protocol, and policies through theirs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import cast

import torch

from engine.backends.base import Runtime
from engine.budget import selection_for
from engine.chat_format import ChatFormat, chat_format
from engine.errors import UserError
from engine.evaluation.fidelity_cases import FidelityCase, Question, found, make_case
from engine.evaluation.setup import heads_for
from engine.loaded_model import policy_for
from engine.locret.heads import RetainingHeads, load_heads
from engine.locret.policies import Locret, Policy
from engine.locret.reading import Reader
from engine.locret.selection import Selection
from engine.model_shape import read_shape
from engine.paths import starter_model
from engine.runtime_arguments import add_runtime_arguments, chosen_target
from engine.runtimes import open_runtime
from engine.settings import PolicyName
from engine.training.corpus import CorpusError, read_documents

ANSWER_TOKENS = 32
# locret-q: read anew for each question, with the question in front (Locret-Q); it has no continuation of its own.
POLICIES = ("full", "newest", "random", "locret", "locret-authors", "locret-q")
DEFAULT_POLICIES = POLICIES[:-1]


@dataclass
class Row:
    """One policy at one share kept, summed over `samples` documents.

    nll: mean over the continuations' tokens, None where there are none.
    """

    policy: str
    kept: float
    samples: int = 0
    needle: int = 0
    fact: int = 0
    nll: float | None = None
    continuation: float | None = None
    """The share of the full cache's gain over no context that is kept."""

    def add(self, needle: bool, fact: bool, nll: float | None) -> None:
        if nll is not None:
            self.nll = ((self.nll or 0.0) * self.samples + nll) / (self.samples + 1)
        self.samples += 1
        self.needle += needle
        self.fact += fact


@dataclass(frozen=True)
class Setup:
    """What every row shares."""

    runtime: Runtime
    chat: ChatFormat
    heads: RetainingHeads
    continuation_tokens: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `evaluate fidelity`."""
    parser.add_argument("--model", type=Path, help="a GGUF file or a folder (default: the starter model)")
    parser.add_argument("--heads", type=Path, help="a head file (default: the one we ship for the model)")
    parser.add_argument("--data", type=Path, required=True, help="the training text's folder (train --fetch fills it)")
    parser.add_argument("--tokens", type=int, default=2048, help="length of each document")
    parser.add_argument("--kept", type=_numbers, default=[0.25, 0.125], help="shares kept, with commas between")
    parser.add_argument("--policies", type=lambda text: text.split(","), default=list(DEFAULT_POLICIES))
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--continuation", type=int, default=64, help="tokens of the text after it that are predicted")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_runtime_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the table. Raises UserError when model, heads or text are missing."""
    unknown = sorted(set(args.policies) - set(POLICIES))
    if unknown:
        raise UserError("bad_params", f"Unknown policies: {', '.join(unknown)}. There are: {', '.join(POLICIES)}.")
    try:
        documents = [document for document in read_documents(args.data) if document.held_out]
    except CorpusError as error:
        raise UserError("bad_params", f"{error}.") from error
    shape = read_shape(args.model or starter_model() or Path())
    heads = load_heads(heads_for(shape, args.heads))
    torch.set_num_threads(args.threads)
    runtime = open_runtime(shape, chosen_target(args, shape), 2 * args.tokens + 512, heads)
    setup = Setup(runtime, chat_format(runtime.chat_template), heads, args.continuation)
    cases = [make_case(documents, args.seed, number, args.tokens) for number in range(args.samples)]
    rows = measure(setup, cases, args.policies, args.kept)
    print(
        json.dumps({"tokens": args.tokens, "seed": args.seed, "rows": [asdict(row) for row in rows]})
        if args.json
        else table(rows)
    )
    return 0


def measure(setup: Setup, cases: Sequence[FidelityCase], policies: Sequence[str], kept: Sequence[float]) -> list[Row]:
    """The rows `no context` and `full`, and one for each other policy and share kept."""
    empty, full = Row("no context", 0.0), Row("full", 1.0)
    rows = [Row(policy, share) for policy in policies if policy != "full" for share in kept]
    for number, case in enumerate(cases, start=1):
        for row in (empty, full, *rows):
            _measure_case(setup, case, row)
        for row in (full, *rows):
            row.continuation = _share_kept(empty.nll, row.nll, full.nll)
        print(f"{number} of {len(cases)} documents\n{table([empty, full, *rows])}", file=sys.stderr, flush=True)
    return [empty, full, *rows]


def table(rows: Sequence[Row]) -> str:
    """The rows as Markdown."""
    lines = [
        "| policy | kept | needle | fact | continuation NLL | share of the gain kept |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        share = "" if row.continuation is None else f"{row.continuation:.0%}"
        counts = f"{row.needle} of {row.samples} | {row.fact} of {row.samples}"
        nll = "" if row.nll is None else f"{row.nll:.3f}"
        lines.append(f"| {row.policy} | {row.kept:.1%} | {counts} | {nll} | {share} |")
    return "\n".join(lines)


def _share_kept(empty: float | None, nll: float | None, full: float | None) -> float | None:
    """Of the full cache's gain over no context."""
    return None if empty is None or nll is None or full is None else (empty - nll) / (empty - full)


def _measure_case(setup: Setup, case: FidelityCase, row: Row) -> None:
    runtime = setup.runtime
    if row.policy == "locret-q":
        row.add(_answers_in_sight(setup, case, case.needle, row), _answers_in_sight(setup, case, case.fact, row), None)
        return
    runtime.clear()
    opening = runtime.tokenize(setup.chat.opening, special=True)
    document = runtime.tokenize(case.document, special=False)
    if row.policy == "no context":
        runtime.forward(opening)
    else:
        reader = Reader(runtime, _policy(row.policy, setup.heads), _selection(row, len(opening) + len(document)))
        reader.append(opening)
        for _ in reader.read(document):
            pass
    state = list(runtime.export_state())
    needle = _answers(setup, case.needle)
    runtime.import_state(state)
    fact = _answers(setup, case.fact)
    runtime.import_state(state)
    row.add(needle, fact, _continuation_nll(setup, case.continuation))


def _answers_in_sight(setup: Setup, case: FidelityCase, question: Question, row: Row) -> bool:
    """As `_answers`, of a cache that was read with the question in front and has as many units as the others."""
    runtime = setup.runtime
    runtime.clear()
    opening = runtime.tokenize(setup.chat.opening, special=True)
    document = runtime.tokenize(case.document, special=False)
    front = opening + runtime.tokenize(f"{question.text}\n\n", special=False)
    selection = _selection(row, len(opening) + len(document))
    assert selection is not None
    reader = Reader(runtime, _policy("locret", setup.heads), selection.keeping_first(len(front)))
    reader.append(front)
    for _ in reader.read(document):
        pass
    return _answers(setup, question)


def _selection(row: Row, tokens: int) -> Selection | None:
    if row.policy == "full":
        return None
    return selection_for(round(row.kept * tokens))


def _policy(name: str, heads: RetainingHeads) -> Policy:
    """The authors' own ranking under its name here; any other as a reading would use it."""
    return Locret() if name == "locret-authors" else policy_for(cast(PolicyName, name), heads)


def _answers(setup: Setup, question: Question) -> bool:
    """Whether the greedy answer to the question contains its value."""
    runtime, answer = setup.runtime, b""
    asked = runtime.tokenize(f"\n\n{question.text}", special=False) + runtime.tokenize(setup.chat.closing, special=True)
    runtime.forward(asked)
    for _ in range(ANSWER_TOKENS):
        token = int(runtime.logits().argmax())
        if token in runtime.end_tokens:
            break
        answer += runtime.token_bytes(token)
        runtime.forward([token])
    return found(answer.decode("utf-8", errors="replace"), question.value)


def _continuation_nll(setup: Setup, text: str) -> float:
    """Mean negative log-likelihood of the text's first tokens, each after those before it; the first one is given."""
    runtime, losses = setup.runtime, []
    tokens = runtime.tokenize(text, special=False)[: setup.continuation_tokens]
    for token, following in pairwise(tokens):
        runtime.forward([token])
        losses.append(-runtime.logits().log_softmax(dim=-1)[following].item())
    return sum(losses) / len(losses)


def _numbers(text: str) -> list[float]:
    return [float(part) for part in text.split(",")]

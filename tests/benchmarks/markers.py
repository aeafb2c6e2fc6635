"""In which form the names of files and the numbers of pages help a model most.

    python -m tests.benchmarks.markers [--samples 20] [--seed 1] [--kept 1,0.25] [--checkpoint FILE]

It reads small documents in each form, as the product reads them, and is asked what only the markers tell; `plain` asks
what they have no part in. An answer is begun for the model ("It is on page"), and the next token tells:

    choice  whether the right candidate is the likeliest of the candidates
    exact   whether it is the likeliest of all tokens
    NLL     how likely it is among the candidates, in nats
    gain    its log-probability less the mean of the same when asked about the other pages, in nats: which name or
            number the model likes best has no part in it, and guessing gains 0

Differences to the first form are of the same questions; errors are standard errors over the sets of documents. In the
last two forms each page's own first line claims another number, as it stands there and as Keepsake writes it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engine import paths
from engine.backends.base import Runtime
from engine.budget import selection_for
from engine.chat_format import ChatFormat, chat_format
from engine.evaluation.methods import METHODS, Method
from engine.evaluation.sample_file import SampleFile
from engine.evaluation.setup import heads_for
from engine.locret.heads import RetainingHeads, load_heads
from engine.locret.reading import Reader
from engine.model_shape import read_shape
from engine.runtimes import open_runtime, quiet
from engine.target import LLAMA_CPP
from tests.benchmarks.marker_cases import FORMS, Case, Question, case

CELLS = 4096
TASKS = ("file", "page", "at page", "plain")
MEASURES = ("choice", "exact", "NLL", "gain")
Row = dict[str, object]
Figure = list[Any]  # task and measure, form, share kept, value


class Bench:
    """A loaded model that reads and is asked; one cache at a time."""

    def __init__(self, model: Path, threads: int) -> None:
        torch.set_num_threads(threads)
        shape = read_shape(model)
        self.heads: RetainingHeads = load_heads(heads_for(shape))
        self.runtime: Runtime = open_runtime(shape, LLAMA_CPP, CELLS, self.heads, threads=threads)
        words = self.runtime.template_words
        self.chat: ChatFormat = chat_format(self.runtime.chat_template, words["bos_token"], words["eos_token"])

    def text_tokens(self, parts: Sequence[str]) -> list[int]:
        return [token for part in parts for token in self.runtime.tokenize(part, special=False)]

    def read(self, documents: Sequence[Sequence[int]], kept: float, units: int) -> None:
        """Each document as the product reads it: in chunks, evicted after each."""
        method: Method = METHODS["full" if kept == 1 else "locret"]
        assert method.ranking is not None
        self.runtime.clear()
        self.runtime.score_with(None if kept == 1 else self.heads)
        selection = None if kept == 1 else method.selection(selection_for(units, LLAMA_CPP))
        reader = Reader(self.runtime, method.ranking(0, self.heads), selection)
        reader.append(self.runtime.tokenize(self.chat.opening, special=True))
        for document in documents:
            for _ in reader.read(document):
                pass
        self.runtime.score_with(None)

    def ask(self, question: Question) -> tuple[Tensor, bool]:
        """The candidates' log-probabilities among themselves, and whether the right one is the likeliest token of all.

        The cache is left as it was.
        """
        runtime = self.runtime
        asked = runtime.tokenize(question.text, special=False) + runtime.tokenize(self.chat.closing, special=True)
        begun, choices = told_apart(
            [runtime.tokenize(question.begun + word, special=False) for word in question.candidates]
        )
        units = runtime.length
        runtime.forward(asked + begun)
        logits = runtime.logits()
        runtime.rewind(runtime.length - units)
        return logits[choices].log_softmax(dim=0), int(logits.argmax()) == choices[question.right]


def told_apart(answers: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """What all answers begin with, and the token of each after it. Raises ValueError where two have the same one."""
    common = 0
    while len({tuple(answer[: common + 1]) for answer in answers}) == 1:
        common += 1
    choices = [answer[common] for answer in answers]
    if len(set(choices)) < len(choices):
        raise ValueError(f"Candidates that begin alike: {answers}")
    return list(answers[0][:common]), choices


def measure(bench: Bench, of: Case, form: str, kept: float) -> list[Figure]:
    """The figures of a case in one form and at one share kept of its text without markers, and the markers' tokens."""
    documents = [bench.text_tokens(FORMS[form](text)) for text in of.texts]
    plain = sum(len(bench.text_tokens(FORMS["nothing"](text))) for text in of.texts)
    bench.read(documents, kept, round(kept * plain))
    found: list[Figure] = [["tokens", form, kept, sum(map(len, documents)) - plain]]
    asked: dict[tuple[str, tuple[str, ...]], list[tuple[int, Tensor, bool]]] = defaultdict(list)
    for question in of.questions:
        among, exact = bench.ask(question)
        asked[question.task, question.candidates].append((question.right, among, exact))
    for (task, _), answers in asked.items():
        usual = torch.stack([among for _, among, _ in answers]).mean(dim=0)
        for right, among, exact in answers:
            values = {
                "choice": float(int(among.argmax()) == right),
                "exact": float(exact),
                "NLL": -float(among[right]),
                "gain": float(among[right] - usual[right]),
            }
            found += [[f"{task}:{name}", form, kept, value] for name, value in values.items()]
    return found


def main() -> int:
    """Prints a table a task."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, default=paths.starter_model())
    parser.add_argument("--samples", type=int, default=20, help="sets of two documents of three pages")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kept", default="1,0.25", help="shares of the units, 1 for the full cache")
    parser.add_argument("--forms", help=f"with semicolons between (default: all): {'; '.join(FORMS)}")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--checkpoint", type=Path, help="go on from what is in this file")
    options = parser.parse_args()
    quiet()
    parameters = {"model": options.model.name, "seed": options.seed}
    samples = SampleFile(options.checkpoint, parameters)
    forms = options.forms.split(";") if options.forms else list(FORMS)
    rows: list[Row] = [{"form": form, "kept": float(kept)} for kept in options.kept.split(",") for form in forms]
    run(options, samples, rows)
    numbers = [n for n in range(options.samples) if all(samples.get(n, row) for row in rows)]
    for row in rows:
        tokens = [f[3] for n in numbers for f in samples.get(n, row) or [] if f[0] == "tokens"]
        print(f"{row['form']} at {row['kept']}: {statistics.mean(tokens):.1f} tokens of markers a set")
    for kept in dict.fromkeys(row["kept"] for row in rows):
        print(f"\nkept {kept:g}, {len(numbers)} sets\n")
        print(*table(samples, numbers, [row for row in rows if row["kept"] == kept]), sep="\n")
    return 0


def run(options: argparse.Namespace, samples: SampleFile, rows: Sequence[Row]) -> None:
    """Measures what is missing, a line of progress a sample."""
    bench: Bench | None = None
    for number in range(options.samples):
        missing = [row for row in rows if samples.get(number, row) is None]
        if not missing:
            continue
        bench = bench or Bench(options.model, options.threads)
        began = time.monotonic()
        of = case(options.seed, number)
        for row in missing:
            samples.add(number, row, measure(bench, of, str(row["form"]), float(str(row["kept"]))))
        print(f"sample {number + 1}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)


def table(samples: SampleFile, numbers: Sequence[int], rows: Sequence[Row]) -> list[str]:
    """A line a task and measure: each form's mean, and its difference to the first form with a standard error."""
    lines = [f"| | {' | '.join(str(row['form']) for row in rows)} |", "|---" * (len(rows) + 1) + "|"]
    for task in TASKS:
        for name in MEASURES:
            means = [[_mean(samples.get(n, row) or [], f"{task}:{name}") for n in numbers] for row in rows]
            cells = [f"{statistics.mean(means[0]):.3f} ± {_error(means[0]):.3f}"]
            for of in means[1:]:
                apart = [value - first for value, first in zip(of, means[0], strict=True)]
                cells.append(f"{statistics.mean(of):.3f} ({statistics.mean(apart):+.3f} ± {_error(apart):.3f})")
            lines.append(f"| {task}, {name} | {' | '.join(cells)} |")
    return lines


def _mean(figures: Sequence[Figure], what: str) -> float:
    return statistics.mean(figure[3] for figure in figures if figure[0] == what)


def _error(values: Sequence[float]) -> float:
    """The standard error of the mean; 0 of a single value, which tells none."""
    return statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0


if __name__ == "__main__":
    sys.exit(main())

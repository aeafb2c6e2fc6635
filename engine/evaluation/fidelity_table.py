"""From figures of samples to rows with intervals: for `--json` and as Markdown. It knows no model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.evaluation.fidelity_measure import CONTINUATION, LIKELIHOOD, NOTHING, Figure
from engine.evaluation.statistics import gap_interval, gap_kept, wilson

ANSWERS = ("needle", "needle-of-two", "fact")
GAPS = (*(task + LIKELIHOOD for task in ANSWERS), CONTINUATION)
TASKS = (*ANSWERS, *GAPS)


@dataclass(frozen=True)
class Row:
    """score: the share of right answers or, of GAPS, of what the full cache gains over no context in log-likelihood.
    low, high: its 95 % interval (Wilson; percentile bootstrap over documents), None of a single one's gap. samples:
    documents.
    """

    task: str
    policy: str
    kept: float
    score: float
    low: float | None
    high: float | None
    samples: int


def rows_of(samples: Sequence[Iterable[Figure]], seed: int) -> list[Row]:
    """The rows in the order of TASKS, policies as they were measured. seed: of the bootstrap.

    Of GAPS there are none while the full cache gains nothing over no context.
    """
    values: dict[tuple[str, str, float], dict[int, float]] = {}
    for number, figures in enumerate(samples):
        for figure in figures:
            values.setdefault(figure[:3], {})[number] = figure.value
    rows = []
    for task in TASKS:
        for (name, policy, kept), found in values.items():
            if name == task and not (task in GAPS and policy == NOTHING):
                row = _gap_row if task in GAPS else _right_row
                rows += row(task, policy, kept, found, values, seed)
    return rows


Values = Mapping[tuple[str, str, float], Mapping[int, float]]


def _right_row(
    task: str, policy: str, kept: float, found: Mapping[int, float], _values: Values, _seed: int
) -> list[Row]:
    right = round(sum(found.values()))
    low, high = wilson(right, len(found))
    return [Row(task, policy, kept, right / len(found), low, high, len(found))]


def _gap_row(task: str, policy: str, kept: float, found: Mapping[int, float], values: Values, seed: int) -> list[Row]:
    full = values.get((task, "full", 1.0), {})
    documents = [number for number in found if number in full]
    nothing = values.get((task, NOTHING, 0.0), {})
    lost, own, best = ([figures[number] for number in documents] for figures in (nothing, found, full))
    score = gap_kept(lost, own, best)
    if score is None:
        return []
    low, high = gap_interval(lost, own, best, seed) or (None, None)
    return [Row(task, policy, kept, score, low, high, len(documents))]


def table(rows: Sequence[Row]) -> str:
    """Two tables, of right answers and of gaps: a line a policy and share kept, a column a task."""
    return "\n\n".join(filter(None, (_table(rows, tasks) for tasks in (ANSWERS, GAPS))))


def _table(all_rows: Sequence[Row], all_tasks: Sequence[str]) -> str:
    rows = [row for row in all_rows if row.task in all_tasks]
    tasks = [task for task in all_tasks if any(row.task == task for row in rows)]
    if not rows:
        return ""
    lines = ["| policy | kept | " + " | ".join(tasks) + " |", "|---|---|" + "---|" * len(tasks)]
    cells = {(row.policy, row.kept, row.task): row for row in rows}
    for policy, kept in dict.fromkeys((row.policy, row.kept) for row in rows):
        told = [_cell(cells.get((policy, kept, task))) for task in tasks]
        lines.append(f"| {policy} | {kept:.1%} | " + " | ".join(told) + " |")
    return "\n".join(lines)


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    interval = "" if row.low is None or row.high is None else f" ({row.low:.0%} to {row.high:.0%})"
    return f"{row.score:.0%}{interval} of {row.samples}"

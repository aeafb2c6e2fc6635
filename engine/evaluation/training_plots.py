"""The results of `evaluate training` as pictures. It knows matplotlib, and nothing of how they were measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.evaluation.training_results import Results
from engine.evaluation.training_variants import HIDDEN, JUDGED, KINDS
from engine.locret.training import OVERLAP_SHARES, SMOOTHING_WEIGHT

_WIDE, _NARROW = (f"overlap_{share:g}" for share in OVERLAP_SHARES)
_AT = dict(zip((_WIDE, _NARROW), (f"{share:.1%}".replace(".0%", "%") for share in OVERLAP_SHARES), strict=True))


def draw(results: Results, folder: Path) -> dict[str, Path]:
    """Writes a PNG for each question into the folder. Returns them by name."""
    pictures: dict[str, Any] = {}
    if results.steps("labels"):
        pictures |= {"labels": _labels(results), "widths": _widths(results), "steps": _steps(results)}
    if results.steps("data"):
        pictures["data"] = _texts(results)
    paths = {name: folder / f"{name}.png" for name in pictures}
    for name, figure in pictures.items():
        figure.savefig(paths[name], dpi=110, metadata={"Software": None})
    return paths


def _figure(width: float, height: float) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _labels(results: Results) -> Any:
    wanted = {"experiment": "labels", "hidden": HIDDEN, "smoothing": SMOOTHING_WEIGHT}
    return _matrices(results, "labels", list(KINDS), list(JUDGED), "trained with", "judged by", wanted)


def _texts(results: Results) -> Any:
    wanted = {"experiment": "data"}
    texts, judged = results.values("text", **wanted), results.values("judged", **wanted)
    return _matrices(results, "text", texts, judged, "trained on", "judged on", wanted)


def _matrices(
    results: Results,
    field: str,
    names: Sequence[str],
    judged: Sequence[str],
    down: str,
    across: str,
    wanted: dict[str, Any],
) -> Any:
    """Overlap and loss of each row's heads by each column's labels, at the last step."""
    last = results.steps(wanted["experiment"])[-1]
    figure = _figure(2.4 + 2.4 * len(judged), 1.4 + 0.45 * len(names))
    for axes, measure, colours in zip(figure.subplots(1, 2), (_WIDE, "loss"), ("viridis", "viridis_r"), strict=True):
        cells = [
            [results.mean(measure, step=last, judged=column, **{field: row}, **wanted) for column in judged]
            for row in names
        ]
        axes.imshow(cells, cmap=colours, aspect="auto")
        middle = (min(map(min, cells)) + max(map(max, cells))) / 2
        for row, values in enumerate(cells):
            for column, value in enumerate(values):
                told = f"{value:.0%}" if measure == _WIDE else f"{value:.2f}"
                bright = (value > middle) == (measure == _WIDE)
                axes.text(column, row, told, ha="center", va="center", color="black" if bright else "white")
        axes.set_xticks(range(len(judged)), judged)
        axes.set_yticks(range(len(names)), names)
        axes.set(title=f"Overlap at {_AT[_WIDE]}" if measure == _WIDE else "Loss", xlabel=across, ylabel=down)
    return figure


def _widths(results: Results) -> Any:
    wanted = {"experiment": "labels", "labels": "mixed", "smoothing": SMOOTHING_WEIGHT}
    wanted["step"] = results.steps("labels")[-1]
    widths = sorted(results.values("hidden", **wanted))
    figure = _figure(10, 3.6)
    loss, overlap = figure.subplots(1, 2)
    for colour, judged in enumerate(JUDGED):
        look = {"color": f"C{colour}", "markersize": 4}

        def over_widths(measure: str, judged: str = judged) -> list[float]:
            return [results.mean(measure, hidden=width, judged=judged, **wanted) for width in widths]

        loss.plot(widths, over_widths("loss"), "o-", label=judged, **look)
        overlap.plot(widths, over_widths(_WIDE), "o-", label=f"{judged}, {_AT[_WIDE]}", **look)
        overlap.plot(widths, over_widths(_NARROW), "o--", label=f"{judged}, {_AT[_NARROW]}", **look)
    for axes in (loss, overlap):
        axes.set_xscale("log", base=2)
        axes.set_xticks(widths, [str(width) for width in widths])
    loss.set(title="Loss by each kind of label", xlabel="d_R", ylabel="SmoothL1 (attention logits)")
    overlap.set(title="Overlap with each kind of label", xlabel="d_R")
    return _finished(figure)


def _steps(results: Results) -> Any:
    """A column for what is judged, a line for what was trained with."""
    wanted = {"experiment": "labels", "hidden": HIDDEN, "smoothing": SMOOTHING_WEIGHT}
    steps = results.steps("labels")
    figure = _figure(3.4 * len(JUDGED) + 1.5, 6)
    for column, judged in zip(figure.subplots(2, len(JUDGED), sharex=True, sharey="row").T, JUDGED, strict=True):
        for axes, measure, first in zip(column, ("loss", _WIDE), (1, 0), strict=True):
            for labels in KINDS:
                values = [
                    results.mean(measure, step=step, labels=labels, judged=judged, **wanted) for step in steps[first:]
                ]
                axes.plot(steps[first:], values, "o-", label=labels, markersize=3)
        column[0].set(title=f"judged by {judged}")
        column[1].set(xlabel="step")
        if judged == next(iter(JUDGED)):
            column[0].set(ylabel="loss (attention logits)")
            column[1].set(ylabel=f"overlap at {_AT[_WIDE]}")
    return _finished(figure)


def _finished(figure: Any) -> Any:
    for axes in figure.axes:
        axes.grid(alpha=0.3)
    handles, names = figure.axes[-1].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right center", fontsize="small")
    return figure

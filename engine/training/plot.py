"""Draws a run's log: loss and overlap over the steps, of training and of the held-out documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.locret.training import OVERLAP_SHARES

_KINDS = (("train", "training", "-"), ("held-out", "held out", "o-"))


def draw(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """rows: of log.jsonl. Replaces the picture."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    loss, overlap = figure.subplots(1, 2)
    for kind, label, style in _KINDS:
        chosen = [row for row in rows if row["kind"] == kind]
        steps = [row["step"] for row in chosen]
        loss.plot(steps, [row["loss"] for row in chosen], style, label=label, markersize=3)
        for share, colour in zip(OVERLAP_SHARES, ("C0", "C1"), strict=True):
            values = [row[f"overlap_{share:g}"] for row in chosen]
            name = f"{label}, top {share:.1%}"
            overlap.plot(steps, values, style, color=colour, label=name, markersize=3, alpha=1 if "o" in style else 0.5)
    loss.set(title="Loss", xlabel="step", ylabel="SmoothL1")
    overlap.set(title="Overlap of predicted and labelled top units", xlabel="step", ylim=(0, 1))
    for axes in (loss, overlap):
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
    partial = path.with_name(f"{path.stem}.partial.png")
    figure.savefig(partial, dpi=120)
    partial.replace(path)

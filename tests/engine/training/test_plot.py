"""A run's plot: what its axes are, and that its lines are the rows of the log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from engine.training.plot import draw


def row(kind: str, step: int, loss: float) -> dict[str, Any]:
    return {"kind": kind, "step": step, "loss": loss, "overlap_0.25": loss / 4, "overlap_0.125": loss / 8}


ROWS = [row("train", 20, 2.0), row("train", 40, 1.5), row("held-out", 40, 1.75), row("train", 60, 1.25)]


def test_loss_and_overlap_are_drawn_over_the_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save, saved = Figure.savefig, []

    def kept(self: Figure, *words: Any, **options: Any) -> None:
        saved.append(self)
        save(self, *words, **options)

    monkeypatch.setattr(Figure, "savefig", kept)
    path = tmp_path / "plot.png"
    path.write_bytes(b"the picture before")
    draw(ROWS, path)
    assert [file.name for file in tmp_path.iterdir()] == ["plot.png"]
    assert path.read_bytes().startswith(b"\x89PNG")

    (figure,) = saved
    both: Any = figure.axes
    loss, overlap = both
    assert (loss.get_title(), loss.get_xlabel(), loss.get_ylabel()) == ("Loss", "step", "SmoothL1")
    title = "Overlap of predicted and labelled top units"
    assert (overlap.get_title(), overlap.get_xlabel(), overlap.get_ylim()) == (title, "step", (0, 1))
    assert points(loss) == {"training": [(20, 2.0), (40, 1.5), (60, 1.25)], "held out": [(40, 1.75)]}
    assert points(overlap) == {
        "training, top 25.0%": [(20, 0.5), (40, 0.375), (60, 0.3125)],
        "training, top 12.5%": [(20, 0.25), (40, 0.1875), (60, 0.15625)],
        "held out, top 25.0%": [(40, 0.4375)],
        "held out, top 12.5%": [(40, 0.21875)],
    }
    for axes in both:
        assert [text.get_text() for text in axes.get_legend().get_texts()] == list(points(axes))


def points(axes: Any) -> dict[str, list[tuple[float, float]]]:
    """Of each line, by its name in the legend."""
    return {line.get_label(): list(zip(line.get_xdata(), line.get_ydata(), strict=True)) for line in axes.get_lines()}

"""The pictures of `evaluate training`, on made-up figures: axes, lines, and where their numbers come from."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from engine.evaluation.training_plots import draw
from engine.evaluation.training_results import Results
from engine.evaluation.training_variants import HIDDEN, JUDGED, KINDS
from engine.locret.training import SMOOTHING_WEIGHT

STEPS, WIDTHS = (0, 300, 600), (64, 256, 1024)
TEXTS, JUDGED_ON = ("novels", "manuals", "all in turn"), ("all", "novels", "manuals")


def row(labels: str = "mixed", judged: str = "mixed", **changes: Any) -> dict[str, Any]:
    """Loss and overlap differ for each pair of labels and judge, each step, width and seed."""
    fixed = {"experiment": "labels", "labels": labels, "hidden": HIDDEN, "smoothing": SMOOTHING_WEIGHT, "seed": 1}
    made = {**fixed, "step": STEPS[-1], "judged": judged, **changes}
    pair = list(KINDS).index(labels) + 10 * list(JUDGED).index(judged) if judged in JUDGED else 0
    loss = 1000 * pair + made["step"] / 1000 + made["hidden"] + made["seed"]
    return {**made, "loss": loss, "overlap_0.25": loss / 1e5, "overlap_0.125": loss / 2e5, **changes}


@pytest.fixture(scope="module")
def figures() -> Mapping[str, Figure]:
    """By the name of its file."""
    saved: dict[str, Figure] = {}
    rows = [row(*pair, step=step, seed=seed) for pair in product(KINDS, JUDGED) for step in STEPS for seed in (1, 3)]
    rows += [row(judged=judged, hidden=width) for judged in JUDGED for width in WIDTHS if width != HIDDEN]
    rows += [row(judged=judged, smoothing=0.0, loss=-1.0) for judged in JUDGED]
    for number, (text, judged) in enumerate(product(TEXTS, JUDGED_ON)):
        rows.append(row(experiment="data", text=text, judged=judged, step=300, loss=float(number)))
        rows.append(row(experiment="data", text=text, judged=judged, step=0, loss=-1.0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "savefig", lambda self, path, **_: saved.update({path.stem: self}))
        paths = draw(Results({}, {}, rows), Path("plots"))
    assert paths == {name: Path("plots") / f"{name}.png" for name in ("labels", "widths", "steps", "data")}
    assert saved.keys() == paths.keys()
    return saved


def points(axes: Any) -> dict[str, dict[float, float]]:
    """Of each line, by its name."""
    return {line.get_label(): dict(zip(line.get_xdata(), line.get_ydata(), strict=True)) for line in axes.get_lines()}


def ticks(labels: Any) -> list[str]:
    return [label.get_text() for label in labels]


def test_a_column_of_steps_is_a_judge_and_a_line_is_what_heads_were_trained_with(figures: Mapping[str, Figure]) -> None:
    axes = figures["steps"].axes
    assert len(axes) == 2 * len(JUDGED)
    assert [one.get_title() for one in axes[: len(JUDGED)]] == [f"judged by {judged}" for judged in JUDGED]
    assert {one.get_xlabel() for one in axes[len(JUDGED) :]} == {"step"}
    assert (axes[0].get_ylabel(), axes[len(JUDGED)].get_ylabel()) == ("loss (attention logits)", "overlap at 25%")
    assert all(list(points(one)) == list(KINDS) for one in axes)
    loss, overlap = axes[2], axes[len(JUDGED) + 2]  # judged by continue, the third of its kind
    mean_without_step_0 = pytest.approx({300: 21_258.3, 600: 21_258.6})
    assert points(loss)["repeat"] == mean_without_step_0
    assert points(overlap)["repeat"] == pytest.approx({0: 0.21258, 300: 0.212583, 600: 0.212586})
    (legend,) = figures["steps"].legends
    assert ticks(legend.get_texts()) == list(KINDS)


def test_over_widths_there_is_a_line_for_each_judge(figures: Mapping[str, Figure]) -> None:
    loss, overlap = figures["widths"].axes
    assert (loss.get_title(), loss.get_xlabel()) == ("Loss by each kind of label", "d_R")
    assert (overlap.get_title(), overlap.get_xlabel()) == ("Overlap with each kind of label", "d_R")
    assert loss.get_ylabel() == "SmoothL1 (attention logits)"
    assert list(points(loss)) == list(JUDGED)
    assert list(points(overlap)) == [f"{judged}, {share}" for judged in JUDGED for share in ("25%", "12.5%")]
    assert ticks(loss.get_xticklabels()) == ["64", "256", "1024"]
    assert points(loss)["continue"] == pytest.approx({64: 23_065.6, 256: 23_258.6, 1024: 24_025.6})
    assert points(overlap)["continue, 12.5%"] == pytest.approx({64: 0.115328, 256: 0.116293, 1024: 0.120128})


def test_the_matrix_of_labels_has_a_row_for_each_kind(figures: Mapping[str, Figure]) -> None:
    overlap, loss = figures["labels"].axes
    assert (overlap.get_title(), loss.get_title()) == ("Overlap at 25%", "Loss")
    for axes in (overlap, loss):
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("judged by", "trained with")
        assert ticks(axes.get_yticklabels()) == list(KINDS)
        assert ticks(axes.get_xticklabels()) == list(JUDGED)
    cells: Any = loss.get_images()[0].get_array()
    last = list(KINDS).index("all")
    assert cells.tolist()[last] == pytest.approx([5258.6, 15_258.6, 25_258.6, 35_258.6])
    assert ticks(loss.texts)[-4:] == ["5258.60", "15258.60", "25258.60", "35258.60"]
    assert ticks(overlap.texts)[-4:] == ["5%", "15%", "25%", "35%"]


def test_the_matrix_of_texts_is_of_the_last_step(figures: Mapping[str, Figure]) -> None:
    _, loss = figures["data"].axes
    assert (loss.get_xlabel(), loss.get_ylabel()) == ("judged on", "trained on")
    assert ticks(loss.get_yticklabels()) == list(TEXTS)
    assert ticks(loss.get_xticklabels()) == list(JUDGED_ON)
    cells: Any = loss.get_images()[0].get_array()
    assert cells.tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]

"""The tables of `evaluate training`, on made-up figures, and their place in a page."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from engine.errors import UserError
from engine.evaluation.training_experiment import CONSTANT, Judgement, constant_rows
from engine.evaluation.training_page import BEGIN, END, figures, rewritten
from engine.evaluation.training_results import Results

PICTURES = {name: f"training/{name}.png" for name in ("labels", "widths", "steps", "data")}


def row(**changes: Any) -> dict[str, Any]:
    fixed = {"experiment": "labels", "labels": "mixed", "hidden": 256, "smoothing": 0.0025, "seed": 1, "text": "all"}
    measured = {"samples": 4, "loss": 1.0, "roughness": 5.0, "overlap_0.25": 0.5, "overlap_0.125": 0.4}
    return {**fixed, "step": 10, "judged": "mixed", **measured, **changes}


def results(*rows: dict[str, Any]) -> Results:
    about = {"model": "tiny", "documents": {"training": 9, "held_out": 2}}
    return Results(about, {"steps": 10, "longest": 100, "seeds": [1, 2], "learning_rate": 0.002}, rows)


def line(page: str, begin: str) -> str:
    return next(line for line in page.splitlines() if line.startswith(begin))


def test_seeds_are_told_as_a_mean_and_its_ends() -> None:
    page = figures(results(row(loss=1.0), row(loss=2.0, seed=2), row(labels="answer", loss=7.0)), PICTURES)
    assert line(page, "| mixed |") == "| mixed |  |  |  | 1.500 (1.000 to 2.000) |"
    assert line(page, "| answer |") == "| answer |  |  |  | 7.000 |"


def test_the_floors_are_untrained_heads_and_each_heads_mean() -> None:
    floor = {"experiment": "labels", "labels": CONSTANT, "judged": "mixed", "samples": 4, "loss": 3.25}
    page = figures(results(row(), row(step=0, loss=9.0), floor), PICTURES)
    assert line(page, "| none: untrained heads |").endswith("| 9.000 |")
    assert line(page, f"| none: {CONSTANT} |").endswith("| 3.250 |")


def test_widths_steps_and_smoothing_have_rows_of_their_own() -> None:
    page = figures(
        results(row(), row(hidden=64, loss=1.25), row(smoothing=0.0, roughness=8.0), row(step=5, loss=2.5)), PICTURES
    )
    assert line(page, "| 64 |").startswith("| 64 | 1.250 | 50.0% | 40.0% |")
    assert line(page, "| 5 |").startswith("| 5 | 2.500 |")
    assert line(page, "| 0 | 1.000 |").endswith("| 8.000 |")
    assert "### Which text" not in page


def test_texts_are_told_by_what_they_are_judged_on() -> None:
    rows = [
        row(experiment="data", text=text, judged=judged, loss=loss)
        for text, judged, loss in (("novels", "all", 2.0), ("novels", "novels", 1.0), ("manuals", "novels", 4.0))
    ]
    page = figures(results(*rows), PICTURES)
    assert line(page, "| trained on |") == "| trained on | judged on all | judged on novels |"
    assert line(page, "| novels |") == "| novels | 2.000 | 1.000 |"
    assert line(page, "| manuals |") == "| manuals |  | 4.000 |"
    assert "(training/data.png)" in page


def test_the_constant_is_each_heads_mean_over_all_contexts() -> None:
    first = Judgement([torch.zeros(2, 3)], {"mixed": [torch.tensor([[0.0, 2.0], [5.0, 5.0]])]})
    second = Judgement([torch.zeros(2, 3)], {"mixed": [torch.tensor([[2.0, 4.0], [5.0, 5.0]])]})
    # The first head's mean is 2: |error| 2 and 0, then 0 and 2, SmoothL1 of 2 being 1.5; the second head has no error.
    (found,) = constant_rows("labels", [first, second])
    assert found == {"experiment": "labels", "labels": CONSTANT, "judged": "mixed", "samples": 2, "loss": 0.375}


def test_only_what_is_between_the_markers_changes() -> None:
    page = f"before\n{BEGIN}\nold\n{END}\nafter"
    assert rewritten(page, "new") == f"before\n{BEGIN}\nnew\n{END}\nafter"
    assert rewritten(rewritten(page, "new"), "newer") == rewritten(page, "newer")


@pytest.mark.parametrize("page", ["nothing", BEGIN, END, f"{END}\n{BEGIN}"])
def test_a_page_without_both_markers_in_order_is_refused(page: str) -> None:
    with pytest.raises(UserError, match="no place for figures"):
        rewritten(page, "new")

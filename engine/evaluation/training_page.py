"""The results of `evaluate training` as Markdown, and their place in a page: between two markers. It knows no model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from engine.errors import UserError
from engine.evaluation.training_experiment import CONSTANT
from engine.evaluation.training_results import Results, Spread
from engine.evaluation.training_variants import HIDDEN, JUDGED, KINDS
from engine.locret.training import OVERLAP_SHARES, SMOOTHING_WEIGHT

BEGIN, END = "<!-- figures begin -->", "<!-- figures end -->"
OVERLAPS = {f"overlap_{share:g}": f"overlap at {share:.1%}".replace(".0%", "%") for share in OVERLAP_SHARES}
TITLES = {"loss": "loss", **OVERLAPS}


def rewritten(page: str, figures: str) -> str:
    """The page with these figures between its markers, otherwise unchanged. Raises UserError without markers."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise UserError("bad_params", f"The page has no place for figures: a line {BEGIN} and after it a line {END}.")
    return f"{before}{BEGIN}\n{figures}\n{END}{after}"


def figures(results: Results, pictures: Mapping[str, str]) -> str:
    """All that was measured. pictures: by name how the page refers to each."""
    sections: list[str] = []
    if results.steps("labels"):
        sections += [
            _introduction(results),
            "### Which labels",
            *_labels(results),
            _picture(pictures, "labels", "What heads of each kind of label predict of each kind"),
            "### How wide the heads are",
            _widths(results),
            _picture(pictures, "widths", "Loss and overlap over d_R"),
            "### How many steps",
            _steps(results),
            _picture(pictures, "steps", "Loss and overlap over the steps"),
            "### The smoothing term",
            _smoothing(results),
        ]
    if results.steps("data"):
        sections += [
            "### Which text",
            *_texts(results),
            _picture(pictures, "data", "What heads of each kind of text predict of each kind"),
        ]
    return "\n\n".join(sections)


def _introduction(results: Results) -> str:
    steps, documents = results.steps("labels")[-1], results.about["documents"]
    samples = results.find(experiment="labels", step=steps)[0]["samples"]
    seeds = ", ".join(map(str, results.parameters["seeds"]))
    return (
        f"{results.about['model']}: {steps:,} of {results.parameters['steps']:,} steps, each of one context of at most "
        f"{results.parameters['longest']:,} tokens from {documents['training']:,} documents, judged by {samples} "
        f"contexts from {documents['held_out']:,} held-out documents. Learning rate "
        f"{results.parameters['learning_rate']:g}. In brackets the lowest and the highest of the seeds {seeds}."
    )


def _labels(results: Results) -> Iterable[str]:
    last = results.steps("labels")[-1]
    for measure, title in TITLES.items():
        rows = [
            [name, *(_cell(measure, _of_labels(results, measure, last, name, judged)) for judged in JUDGED)]
            for name in KINDS
        ]
        floor = [_cell(measure, _of_labels(results, measure, 0, "mixed", judged)) for judged in JUDGED]
        means = [
            _cell(measure, results.spread(measure, experiment="labels", labels=CONSTANT, judged=judged))
            for judged in JUDGED
        ]
        rows.append(["none: untrained heads", *floor])
        if measure == "loss":
            rows.append([f"none: {CONSTANT}", *means])
        yield f"The {title} on held-out text:"
        yield _table(["trained with", *(f"judged by {judged}" for judged in JUDGED)], rows)


def _of_labels(results: Results, measure: str, step: int, labels: str, judged: str) -> Spread | None:
    return results.spread(
        measure,
        experiment="labels",
        step=step,
        labels=labels,
        judged=judged,
        hidden=HIDDEN,
        smoothing=SMOOTHING_WEIGHT,
    )


def _widths(results: Results) -> str:
    wanted = {"experiment": "labels", "labels": "mixed", "smoothing": SMOOTHING_WEIGHT}
    last = results.steps("labels")[-1]
    return _measures_table(
        "d_R",
        sorted(results.values("hidden", **wanted)),
        lambda measure, judged, width: results.spread(measure, step=last, judged=judged, hidden=width, **wanted),
    )


def _steps(results: Results) -> str:
    return _measures_table(
        "step",
        results.steps("labels"),
        lambda measure, judged, step: _of_labels(results, measure, step, "mixed", judged),
    )


def _measures_table(first: str, values: Sequence[int], of: Callable[[str, str, int], Spread | None]) -> str:
    """Heads of mixed labels: loss and overlaps by the mixed labels, then the overlap by each kind alone."""
    share = next(iter(OVERLAPS))
    columns = [*((measure, "mixed", title) for measure, title in TITLES.items())]
    columns += [(share, judged, f"{OVERLAPS[share]}, {judged}") for judged in JUDGED if judged != "mixed"]
    rows = [
        [f"{value:,}", *(_cell(measure, of(measure, judged, value)) for measure, judged, _ in columns)]
        for value in values
    ]
    return _table([first, *(title for _, _, title in columns)], rows)


def _smoothing(results: Results) -> str:
    last = results.steps("labels")[-1]
    wanted = {"experiment": "labels", "labels": "mixed", "hidden": HIDDEN, "judged": "mixed", "step": last}
    titles = {**TITLES, "roughness": "squared difference of neighbours"}
    rows = [
        [f"{weight:g}", *(_cell(measure, results.spread(measure, smoothing=weight, **wanted)) for measure in titles)]
        for weight in results.values("smoothing", **wanted)
    ]
    return _table(["weight", *titles.values()], rows)


def _texts(results: Results) -> Iterable[str]:
    last = results.steps("data")[-1]
    wanted = {"experiment": "data", "step": last}
    judged_by = results.values("judged", **wanted)
    yield f"Heads of mixed labels after {last:,} steps, each on one context of the text that is named:"
    for measure, title in TITLES.items():
        rows = [
            [text, *(_cell(measure, results.spread(measure, text=text, judged=name, **wanted)) for name in judged_by)]
            for text in results.values("text", **wanted)
        ]
        yield f"The {title} on held-out text:"
        yield _table(["trained on", *(f"judged on {name}" for name in judged_by)], rows)


def _picture(pictures: Mapping[str, str], name: str, said: str) -> str:
    return f"![{said}]({pictures[name]})"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(measure: str, spread: Spread | None) -> str:
    if spread is None:
        return ""
    form = "{:.1%}" if measure.startswith("overlap") else "{:.3f}"
    told = form.format(spread.mean)
    if spread.seeds == 1:
        return told
    return f"{told} ({form.format(spread.low)} to {form.format(spread.high)})"

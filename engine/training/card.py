"""The model card of a head file: what it is, what it learnt from, how good it is by the run's own figures, its use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.locret.training import OVERLAP_SHARES
from engine.training.checks import best_check, quality
from engine.training.counted import counted


def card(
    name: str, metadata: Mapping[str, str], recipe: Mapping[str, Any], data: Sequence[str], rows: Sequence[Any]
) -> str:
    """Markdown. name: of the head file. metadata: as in the head file. recipe: the run's options, patience among them.
    rows: of the run's log.
    """
    checks = [row for row in rows if row["kind"] == "held-out"]
    lines = [
        f"# Retaining heads for {metadata['model']}",
        "",
        "Retaining heads (Locret, arXiv 2410.01805) predict how much a token's key and value will matter, so that a",
        "reader can keep the best of them. They belong to one model and are of no use to another.",
        "",
        *_table("", {"Model": metadata["model"], "Fingerprint (sha256)": metadata["model_sha256"]}),
        "",
        "## Recipe",
        "",
        *_table("Option", recipe),
        "",
        "## Data",
        "",
        *(f"- {line}" for line in data),
        "",
        "About an eighth of it was held out and not trained on. Where it comes from packages, another eighth is kept",
        "for `evaluate fidelity` and was not used at all.",
        "",
        "## Figures on the held-out documents",
        "",
        *_figures(checks),
        "",
        f"The same documents chose these weights ({_choice(recipe['patience'])}) and",
        "calibrate the scores, so the figures flatter them somewhat.",
        "",
        "Loss: SmoothL1 between predicted and labelled scores, in the label's own unit (attention logits). Overlap:",
        "the share of each head's highest labelled units that are among as many of the highest predicted.",
        "",
        "## Use",
        "",
        "Keepsake finds the file by itself in its data folder's `heads`. There it takes the place of the shipped ones",
        "for this model (of several the newest is used); remove it to go back. Or name it:",
        "",
        f'    keepsake-engine ask --model MODEL --heads {name} FILE "QUESTION"',
    ]
    return "\n".join(lines) + "\n"


def _choice(patience: int) -> str:
    """How checks choose: with no patience (0) a run takes all its steps."""
    if not patience:
        return "those that rank best"
    return f"those that rank best; the run stops after {counted(patience, 'check')} without better ones"


def _table(title: str, rows: Mapping[str, Any]) -> list[str]:
    return [f"| {title} | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]


def _figures(checks: Sequence[Mapping[str, Any]]) -> list[str]:
    if not checks:
        return ["None were taken."]
    best = best_check(checks)
    shares = " | ".join(f"overlap at {share:.1%}" for share in OVERLAP_SHARES)
    return [
        f"| step | loss | {shares} |",
        "|---|---|" + "---|" * len(OVERLAP_SHARES),
        *(_row(row, best) for row in checks),
        "",
        f"The weights are those of step {best['step']}. The mean of their overlaps is {quality(best):.1%}.",
    ]


def _row(row: Mapping[str, Any], best: Mapping[str, Any]) -> str:
    mark = "**" if row is best else ""
    values = [f"{row['loss']:.4f}", *(f"{row[f'overlap_{share:g}']:.1%}" for share in OVERLAP_SHARES)]
    return "| " + " | ".join(f"{mark}{value}{mark}" for value in [str(row["step"]), *values]) + " |"

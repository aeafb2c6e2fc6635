"""`keepsake-engine evaluate training`: the paper's questions about training, answered with tables and plots.

Widths of the heads, kinds of labels, the smoothing term, steps, kinds of text: training_variants has them all.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import torch

from engine.errors import UserError
from engine.evaluation.training_page import figures, rewritten
from engine.evaluation.training_plots import draw
from engine.evaluation.training_results import Results
from engine.runtimes import DEVICES, DTYPES, quiet
from engine.training.stopping import Stopping
from engine.training.train_command import LEARNING_RATE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `evaluate training`."""
    parser.add_argument("--model", type=Path, help="a GGUF file or a folder (default: the starter model)")
    parser.add_argument("--data", type=Path, nargs="+", default=[], help="as of train (default: its corpus)")
    parser.add_argument("--out", type=Path, required=True, help="the folder for figures.json and the plots")
    parser.add_argument("--page", type=Path, help="Markdown whose figures are replaced (default: OUT with .md)")
    parser.add_argument(
        "--draw", action="store_true", help="only tables and plots, from the figures.json that is there"
    )
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--data-steps", type=int, help="for the kinds of text (default: as --steps; 0: leave them out)")
    parser.add_argument("--longest", type=int, default=1000, help="tokens of the longest context")
    parser.add_argument(
        "--seeds", type=_seeds, default=[1, 2, 3], help="of the heads' first weights, with commas between"
    )
    parser.add_argument("--learning-rate", type=float, default=LEARNING_RATE)
    parser.add_argument("--checkpoint", type=Path, help="keep the state in this file, and go on from what is in it")
    parser.add_argument("--save-heads", type=Path, metavar="FOLDER", help="write the heads, too, for evaluate fidelity")
    parser.add_argument("--device", choices=DEVICES, default="auto")
    parser.add_argument("--dtype", choices=DTYPES, default="auto", help="the precision that the model computes in")
    parser.add_argument("--threads", type=int, default=2, help="of torch")


def run(options: argparse.Namespace) -> int:
    """Trains, measures, draws. Raises UserError when model, text or page are missing, or when it is told to stop."""
    _refuse_bad_input(options)
    if not options.draw:
        _measure(options)
    results = Results.read(options.out / "figures.json")
    pictures = {name: os.path.relpath(path, options.page.parent) for name, path in draw(results, options.out).items()}
    page = rewritten(options.page.read_text(encoding="utf-8"), figures(results, pictures))
    options.page.write_text(page, encoding="utf-8")
    return 0


def _measure(options: argparse.Namespace) -> None:
    from engine.evaluation.training_comparison import Comparison

    torch.set_num_threads(options.threads)
    quiet()
    with Stopping() as stopping:
        comparison = Comparison(options, stopping, _say)
        try:
            comparison.go()
            comparison.write_figures()
        finally:
            comparison.close()


def _refuse_bad_input(options: argparse.Namespace) -> None:
    """Before anything heavy is loaded. Raises UserError."""
    if options.data_steps is None:
        options.data_steps = options.steps
    if options.steps < 1 or options.data_steps < 0 or options.longest < 64 or options.threads < 1:
        raise UserError("bad_params", "--steps and --threads are at least 1, --longest 64, --data-steps 0.")
    if not options.learning_rate > 0:
        raise UserError("bad_params", "--learning-rate is above 0.")
    options.page = options.page or options.out.with_name(options.out.name + ".md")
    if not options.page.is_file():
        raise UserError("bad_params", f"There is no page {options.page} to write the figures to. Name one with --page.")
    rewritten(options.page.read_text(encoding="utf-8"), "")


def _seeds(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)

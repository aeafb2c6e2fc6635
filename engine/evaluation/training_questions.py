"""`keepsake-engine evaluate training`: the paper's questions about training, answered with tables and plots.

Widths of the heads, kinds of labels, the smoothing term, steps, kinds of text: training_variants has them all.
"""

from __future__ import annotations

import argparse
import os
import sys

import torch

from engine.errors import UserError
from engine.evaluation.training_page import figures, rewritten
from engine.evaluation.training_plots import draw
from engine.evaluation.training_results import Results
from engine.runtimes import quiet
from engine.training.stopping import Stopping
from engine.training.train_command import LEARNING_RATE


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
    if options.learning_rate is None:
        options.learning_rate = LEARNING_RATE
    options.page = options.page or options.out.with_name(options.out.name + ".md")
    if not options.page.is_file():
        raise UserError("bad_params", f"There is no page {options.page} to write the figures to. Name one with --page.")
    rewritten(options.page.read_text(encoding="utf-8"), "")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)

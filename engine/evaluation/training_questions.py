"""`keepsake-engine evaluate training`: the paper's questions about training, answered with tables and plots.

Widths of the heads, kinds of labels, the smoothing term, steps, kinds of text: training_variants has them all.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import torch

from engine.allocator import keep_freed_memory
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
    keep_freed_memory()
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
    rewritten(_writable_text(options.page), "")
    _refuse_unwritable(options.out, "--out")
    if options.save_heads is not None:
        _refuse_unwritable(options.save_heads, "--save-heads")
    if options.checkpoint is not None:
        folder = options.checkpoint.parent
        if options.checkpoint.is_dir():
            raise UserError("bad_params", f"{options.checkpoint} is a folder. Name a file with --checkpoint.")
        if not folder.is_dir():
            raise UserError(
                "bad_params", f"There is no folder {folder}. Make it, or name another file with --checkpoint."
            )
        _refuse_unwritable(folder, "--checkpoint")


def _writable_text(page: Path) -> str:
    """Raises UserError."""
    try:
        with page.open("r+", encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        message = f"{page} is no text that can be written to. Name another page with --page."
        raise UserError("bad_params", message) from error


def _refuse_unwritable(folder: Path, option: str) -> None:
    """Raises UserError where no file can be made in it, or in the folder that it would be made in."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    try:
        with tempfile.TemporaryDirectory(dir=there):
            pass
    except OSError as error:
        message = f"Nothing can be written to {there}: {error.strerror}. Choose another place with {option}."
        raise UserError("bad_params", message) from error


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)

"""`keepsake-engine evaluate training`: the paper's questions about training, answered with tables and plots.

Widths of the heads, kinds of labels, the smoothing term, steps, kinds of text: training_variants has them all.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import torch

from engine.allocator import keep_freed_memory
from engine.errors import UserError
from engine.evaluation.training_page import figures, rewritten
from engine.evaluation.training_plots import draw
from engine.evaluation.training_results import Results
from engine.training.stopping import Stopping
from engine.training.train_command import LEARNING_RATE
from engine.writable import writable


def run(options: argparse.Namespace) -> int:
    """Trains, measures, draws. Raises UserError when model, text or page are missing, or when it is told to stop."""
    _refuse_bad_input(options)
    with writable(*_folders(options), otherwise="Choose another place (--out, --save-heads, --checkpoint)."):
        if not options.draw:
            _measure(options)
        _write_page(options)
    return 0


def _write_page(options: argparse.Namespace) -> None:
    results = Results.read(options.out / "figures.json")
    pictures = {name: os.path.relpath(path, options.page.parent) for name, path in draw(results, options.out).items()}
    page = rewritten(options.page.read_text(encoding="utf-8"), figures(results, pictures))
    options.page.write_text(page, encoding="utf-8")


def _measure(options: argparse.Namespace) -> None:
    from engine.evaluation.training_comparison import Comparison

    torch.set_num_threads(options.threads)
    keep_freed_memory()
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
    if options.checkpoint is not None:
        folder = options.checkpoint.parent
        if options.checkpoint.is_dir():
            raise UserError("bad_params", f"{options.checkpoint} is a folder. Name a file with --checkpoint.")
        if not folder.is_dir():
            raise UserError(
                "bad_params", f"There is no folder {folder}. Make it, or name another file with --checkpoint."
            )


def _folders(options: argparse.Namespace) -> list[Path]:
    """All that are written to."""
    checkpoint = options.checkpoint.parent if options.checkpoint is not None else None
    return [folder for folder in (options.out, options.save_heads, checkpoint) if folder is not None]


def _writable_text(page: Path) -> str:
    """Raises UserError."""
    try:
        with page.open("r+", encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        message = f"{page} is no text that can be written to. Name another page with --page."
        raise UserError("bad_params", message) from error


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)

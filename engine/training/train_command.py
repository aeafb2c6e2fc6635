"""`keepsake-engine train`: trains retaining heads for a model and writes the head file, its card and the run's record.

It ties model, data and run together; the method itself is engine.locret.training.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path

import torch

from engine.allocator import keep_freed_memory
from engine.locret.training import SMOOTHING_WEIGHT
from engine.runtimes import DEVICES, DTYPES, WEIGHTS, quiet
from engine.training.sources.mixture import DEFAULT, GROUPS, SOURCES
from engine.training.stopping import Stopping
from engine.training.train_checks import refuse_bad_values

INTERRUPTED = 130
# Four times the authors': at 160 steps of one context each the held-out loss was 0.790 with it, 0.822 with theirs.
LEARNING_RATE = 2e-3


NUMBERS: tuple[tuple[str, float, str], ...] = (
    ("steps", 1500, "of training, a context each, at most"),
    ("longest", 2000, "tokens of the longest context"),
    ("hidden", 256, "the heads' inner width, d_R"),
    ("smoothing", SMOOTHING_WEIGHT, "weight of the loss's second term"),
    ("learning-rate", LEARNING_RATE, "the optimiser's, after the warm-up"),
    ("check-steps", 100, "steps between held-out checks"),
    ("patience", 5, "held-out checks without progress before the run stops; 0: all the steps"),
    ("seed", 1, "of the first weights and of what is asked"),
)
CHOICES: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    ("device", "auto", DEVICES, "where the model runs"),
    ("dtype", "auto", DTYPES, "the precision that the model computes in"),
    ("weights", "full", tuple(WEIGHTS), "how the model's weights are held"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `train`."""
    parser.add_argument("--model", help="a GGUF file, a folder or a hub id (default: the starter model)")
    parser.add_argument("--also-for", type=Path, nargs="*", default=[], help="other files with the same weights")
    parser.add_argument("--out", type=Path, required=True, help="the head file to write (.safetensors)")
    parser.add_argument(
        "--data",
        type=Path,
        nargs="+",
        default=[],
        help="text, PDF or JSON files (ShareGPT, LongAlpaca), or folders of them (default: a corpus, downloaded once)",
    )
    names, default = ", ".join([*GROUPS, *SOURCES]), f"{DEFAULT}, and answer=1 where the texts come with questions"
    asked = f"what is asked about a text, of {names}, and how often, from 0 to 1 (default: {default})"
    parser.add_argument("--labels", metavar="NAME=WEIGHT,...", help=asked)
    for name, number, about in NUMBERS:
        parser.add_argument(f"--{name}", type=type(number), default=number, help=f"{about} (default: %(default)s)")
    parser.add_argument("--run", type=Path, metavar="FOLDER", help="the run's record (default: beside the head file)")
    parser.add_argument("--resume", action="store_true", help="go on from the run's checkpoint, where there is one")
    parser.add_argument("--overwrite", action="store_true", help="replace heads or an unfinished run that are there")
    parser.add_argument("--trial", type=int, metavar="N", help="time N steps, write no heads, print one JSON object")
    for name, default, choices, about in CHOICES:
        parser.add_argument(f"--{name}", choices=choices, default=default, help=f"{about} (default: %(default)s)")
    parser.add_argument("--threads", type=int, help="of the processor (default: torch's own choice)")
    parser.add_argument("--data-dir", type=Path, help="where downloaded models and the corpus are kept")


def run(args: argparse.Namespace) -> int:
    """Trains; 0 when the heads are written or the run was paused, 130 when Ctrl+C paused it. Raises UserError."""
    refuse_bad_values(args)
    if args.threads:
        torch.set_num_threads(args.threads)
    quiet()
    keep_freed_memory()
    from engine.training.job import training_job

    with Stopping() as stopping, training_job(args, stopping, _say) as work:
        if args.trial:
            if took := work.trial():
                print(json.dumps(took))
            return 0
        ending = work.prepared().go()
        if ending == "done":
            work.finish()
        else:
            work.pause()
    return INTERRUPTED if ending == "paused" and stopping.signal == signal.SIGINT else 0


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)

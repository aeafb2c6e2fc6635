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

from engine.errors import UserError
from engine.locret.training import SMOOTHING_WEIGHT
from engine.runtimes import DEVICES, DTYPES, WEIGHTS, quiet
from engine.training.run_folder import CHECKPOINT, forget_old_pause
from engine.training.sources.mixture import DEFAULT, parse
from engine.training.stopping import Stopping

INTERRUPTED = 130
# Four times the authors': at 160 steps of one context each the held-out loss was 0.790 with it, 0.822 with theirs.
LEARNING_RATE = 2e-3


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
    parser.add_argument("--labels", default=DEFAULT, metavar="NAME=WEIGHT,...", help=f"default: {DEFAULT}")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--longest", type=int, default=2000, help="tokens of the longest context")
    parser.add_argument("--hidden", type=int, default=256, help="the heads' inner width, d_R")
    parser.add_argument("--smoothing", type=float, default=SMOOTHING_WEIGHT, help="weight of the loss's second term")
    parser.add_argument("--learning-rate", type=float, default=LEARNING_RATE)
    parser.add_argument("--check-steps", type=int, default=100, help="steps between held-out checks")
    parser.add_argument("--patience", type=int, default=5, help="held-out checks without progress; 0: all the steps")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--run", type=Path, metavar="FOLDER", help="the run's record (default: beside the head file)")
    parser.add_argument("--resume", action="store_true", help="go on from the run's checkpoint, where there is one")
    parser.add_argument("--overwrite", action="store_true", help="replace heads or an unfinished run that are there")
    parser.add_argument("--trial", type=int, metavar="N", help="time N steps, write no heads, print one JSON object")
    parser.add_argument("--device", choices=DEVICES, default="auto")
    parser.add_argument("--dtype", choices=DTYPES, default="auto", help="the precision that the model computes in")
    parser.add_argument("--weights", choices=tuple(WEIGHTS), default="full", help="how the model's weights are held")
    parser.add_argument("--threads", type=int, help="of the processor (default: torch's own choice)")
    parser.add_argument("--data-dir", type=Path, help="where downloaded models and the corpus are kept")


def run(args: argparse.Namespace) -> int:
    """Trains; 0 when the heads are written or the run was paused, 130 when Ctrl+C paused it. Raises UserError."""
    refuse_bad_input(args)
    if not args.trial:
        forget_old_pause(args.run)
    if args.threads:
        torch.set_num_threads(args.threads)
    quiet()
    from engine.training.job import TrainingJob

    with Stopping() as stopping:
        work = TrainingJob(args, stopping, _say)
        with work.told_when_it_fails():
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


def refuse_bad_input(args: argparse.Namespace) -> None:
    """Before anything heavy is loaded. Raises UserError."""
    if args.out.suffix != ".safetensors":
        raise UserError("bad_params", f"Heads are written to a .safetensors file, and {args.out.name} is none.")
    least = {"steps": 1, "hidden": 1, "longest": 64, "check_steps": 1, "patience": 0, "smoothing": 0, "seed": 0}
    for name, value in least.items():
        if getattr(args, name) < value:
            raise UserError("bad_params", f"--{name.replace('_', '-')} is at least {value}.")
    if not args.learning_rate > 0 or (args.trial is not None and args.trial < 1):
        raise UserError("bad_params", "--learning-rate and --trial are above 0.")
    args.mixture = parse(args.labels)
    if args.trial and not args.run:
        return
    args.run = args.run or args.out.with_name(args.out.name + ".run")
    checkpoint = args.run / CHECKPOINT
    if checkpoint.exists() and (args.trial or not (args.resume or args.overwrite)):
        message = f"There is an unfinished run in {args.run}. Go on with --resume, or begin anew with --overwrite."
        raise UserError("bad_params", message)
    if args.trial:
        return
    for file in (args.out, args.out.with_suffix(".md")):  # the heads and their card
        if file.exists() and not args.overwrite and not (args.resume and checkpoint.exists()):
            raise UserError("bad_params", f"{file} is there already. Choose another --out, or say --overwrite.")
    _refuse_unwritable(args.out.parent, args.run)


def _refuse_unwritable(*folders: Path) -> None:
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / ".keepsake").touch()
            (folder / ".keepsake").unlink(missing_ok=True)
        except OSError as error:
            message = f"Nothing can be written to {folder}: {error.strerror}. Choose another place (--out, --run)."
            raise UserError("bad_params", message) from error


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)

"""Stands in for `keepsake-engine train`: honours its options and its files, and learns nothing.

Standard library only. `--heads FILE` is what it writes when it is done, `--seconds` how long a step takes, `--dies-at`
a step at which it ends without a word, `--fails-at` one at which it fails, `--refuses` that it cannot begin.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from pathlib import Path

CHANGED = "The texts have changed. Bring the former ones back, or begin anew with --overwrite."


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--data", nargs="*", type=Path)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--longest", type=int)
    for name in ("--device", "--dtype", "--weights"):
        parser.add_argument(name)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--overwrite", action="store_true")
    parser.add_argument("--trial", type=int, default=0)
    parser.add_argument("--heads", type=Path)
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--dies-at", type=int, default=0)
    parser.add_argument("--fails-at", type=int, default=0)
    parser.add_argument("--refuses", action="store_true")
    options = parser.parse_args()
    if options.refuses:
        sys.stderr.write("There is too little text. Add some more.\n")
        return 1
    if options.trial:
        return trial(options)
    return train(options)


def tell(options: argparse.Namespace, state: str, step: int, message: str | None = None) -> None:
    told = {"state": state, "pid": os.getpid(), "step": step, "steps": options.steps, "message": message}
    told |= {"seconds_left": (options.steps - step) * options.seconds, "loss": 4.0 - step / 10, "overlap": None}
    told |= {"model": options.model, "fingerprint": "f" * 64, "out": str(options.out)}
    new = options.run / "progress.new"
    new.write_text(json.dumps(told))
    new.replace(options.run / "progress.json")
    with (options.run / "log.jsonl").open("a") as log:
        log.write(json.dumps({"step": step, "loss": told["loss"]}) + "\n")


def train(options: argparse.Namespace) -> int:
    options.run.mkdir(parents=True, exist_ok=True)
    pause, checkpoint = options.run / "pause", options.run / "checkpoint.pt"
    step = int(checkpoint.read_text()) if options.resume and checkpoint.exists() else 0
    sys.stdout.write(f"training on {[str(path) for path in options.data or []]} from step {step}\n")
    tell(options, "starting", step)
    while step < options.steps:
        time.sleep(options.seconds)
        step += 1
        if step == options.dies_at:
            os._exit(9)
        if step == options.fails_at:
            tell(options, "failed", step - 1, CHANGED)
            return 1
        checkpoint.write_text(str(step))
        if pause.exists():
            tell(options, "paused", step)
            return 0
        tell(options, "running", step)
    if options.heads:
        shutil.copy(options.heads, options.out)
    tell(options, "done", step)
    return 0


def trial(options: argparse.Namespace) -> int:
    options.steps = options.trial
    for step in range(1, options.trial + 1):
        time.sleep(options.seconds)
        tell(options, "running", step)
    sys.stdout.write(json.dumps({"seconds_per_step": 1.5, "seconds_at_end": 12.0, "steps": 1000}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

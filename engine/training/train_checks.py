"""What `train` refuses before anything heavy is loaded: values that cannot be, other models, what it would overwrite.

It knows options, files and the shapes of models.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import UserError
from engine.model_shape import ModelShape
from engine.training.run_folder import CHECKPOINT
from engine.training.sources.mixture import DEFAULT, parse

# The least and the most of each number. The paper's heads are 1,024 wide.
LIMITS: dict[str, tuple[float, float]] = {
    "steps": (1, 1_000_000),
    "longest": (64, 10_000_000),
    "hidden": (1, 16_384),
    "smoothing": (0, 1000),
    "check_steps": (1, 1_000_000),
    "patience": (0, 1_000_000),
    "seed": (0, 2**32 - 1),
    "trial": (1, 1_000_000),
    "threads": (1, 1024),
}
HIGHEST_RATE = 100


def refuse_bad_values(args: argparse.Namespace) -> None:
    """Sets `mixture`, and `run` where there is one. Raises UserError."""
    if args.out.suffix != ".safetensors":
        raise UserError("bad_params", f"Heads are written to a .safetensors file, and {args.out.name} is none.")
    for name, (least, most) in LIMITS.items():
        value = getattr(args, name)
        if value is not None and not least <= value <= most:
            _refuse_number(name, f"from {least:,} to {most:,}", value)
    if not 0 < args.learning_rate <= HIGHEST_RATE:
        _refuse_number("learning_rate", f"above 0 and at most {HIGHEST_RATE}", args.learning_rate)
    args.mixture = parse(DEFAULT if args.labels is None else args.labels)
    with _told():
        for path in args.also_for:
            if not path.exists():
                message = f"There is no model at {path}. Name another file with --also-for, or leave that option out."
                raise UserError("model_missing", message)
        for file in (args.out, _card(args.out)):
            if file.is_dir():
                raise UserError("bad_params", f"{file} is a folder. Choose another file for --out.")
    if not args.trial:
        args.run = args.run or args.out.with_name(args.out.name + ".run")


def refuse_to_overwrite(args: argparse.Namespace) -> None:
    """What an earlier run has left stays unless the person says otherwise. Raises UserError."""
    with _told():
        unfinished = args.run is not None and (args.run / CHECKPOINT).exists()
        if unfinished and args.trial:
            message = (
                f"There is an unfinished run in {args.run}. Choose another folder for the trial, or leave --run out."
            )
            raise UserError("bad_params", message)
        if args.trial or args.overwrite:
            return
        if args.resume and unfinished:
            _refuse_newer(args.out, args.run / CHECKPOINT)
            return
        if unfinished:
            message = f"There is an unfinished run in {args.run}. Go on with --resume, or begin anew with --overwrite."
            raise UserError("bad_params", message)
        if args.resume and (heads := _finished(args.run)):
            message = (
                f"The run in {args.run} is finished: its heads were written to {heads}. "
                "To train anew, choose another --out and --run, or say --overwrite."
            )
            raise UserError("bad_params", message)
        for file in (args.out, _card(args.out)):
            if file.exists():
                raise UserError("bad_params", f"{file} is there already. Choose another --out, or say --overwrite.")


def written(args: argparse.Namespace) -> list[tuple[int, int] | None]:
    """What lies where the heads and their card go, to know whether it is the same later: when each was written and its
    size, None where there is none.
    """
    return [_mark(file) for file in (args.out, _card(args.out))]


def refuse_changed(args: argparse.Namespace, before: list[tuple[int, int] | None]) -> None:
    """What another run has put there since `before` stays, too. Raises UserError."""
    if args.overwrite:
        return
    for file, was, now in zip((args.out, _card(args.out)), before, written(args), strict=True):
        if now not in (was, None):
            _refuse_written(file, args.run)


def _refuse_newer(heads: Path, checkpoint: Path) -> None:
    """Heads that were written after a run was paused are not the ones that it was allowed to replace."""
    if heads.exists() and heads.stat().st_mtime > checkpoint.stat().st_mtime:
        _refuse_written(heads, checkpoint.parent)


def _refuse_written(file: Path, run: Path) -> None:
    message = (
        f"{file} was written by another run meanwhile, and nothing of this one is lost. "
        f"Go on with --resume --run {run} and another --out, or with --resume --overwrite."
    )
    raise UserError("bad_params", message)


def _mark(file: Path) -> tuple[int, int] | None:
    try:
        about = file.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size


def refuse_other_shape(other: ModelShape, shape: ModelShape) -> None:
    """Heads fit only models with the same layers, KV heads and widths. Raises UserError."""
    for what, ours, theirs in (
        ("layers", shape.layers, other.layers),
        ("heads", shape.heads, other.heads),
        ("KV heads", shape.kv_heads, other.kv_heads),
        ("numbers a head", shape.head_dim, other.head_dim),
        ("numbers a token", shape.hidden, other.hidden),
    ):
        if ours != theirs:
            message = f"{other.path} is another model than {shape.name}: it has {theirs:,} {what} and not {ours:,}."
            advice = "Name a file with the same weights with --also-for, or leave that option out."
            raise UserError("bad_params", f"{message} {advice}")


def refuse_too_wide(hidden: int, weights: int, free: int) -> None:
    """weights: of the heads. free: bytes where they are trained. Raises UserError where they do not fit: each weight
    has a gradient and the optimiser's two moments, all float32.
    """
    needed = 16 * weights
    if needed > free:
        most = max(1, math.floor(hidden * free / needed))
        message = (
            f"Training heads of --hidden {hidden:,} takes {needed / 1e9:,.1f} GB, and {free / 1e9:,.1f} GB are free. "
            f"Say --hidden {most} or less."
        )
        raise UserError("bad_params", message)


def _refuse_number(name: str, wanted: str, value: float) -> None:
    raise UserError("bad_params", f"--{name.replace('_', '-')} is {wanted}, and not {value}.")


def _card(out: Path) -> Path:
    return out.with_suffix(".md")


def _finished(run: Path) -> str | None:
    """Where the heads of a finished run were written. A trial has no log."""
    try:
        told = json.loads((run / "progress.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    done = isinstance(told, dict) and told.get("state") == "done" and (run / "log.jsonl").exists()
    return str(told.get("out")) if done else None


@contextmanager
def _told() -> Iterator[None]:
    """Turns a path that the system takes for none into a sentence."""
    try:
        yield
    except OSError as error:
        message = f"{error.filename} cannot be used: {error.strerror}. Choose another place."
        raise UserError("bad_params", message) from error

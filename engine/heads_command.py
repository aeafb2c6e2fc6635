"""`keepsake-engine heads SOURCE --model MODEL`: makes the retaining heads of a checkpoint usable with a model.

It finds the source, on this machine or on a hub, and says what came of it; the work is engine.checkpoint_heads.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from engine import paths
from engine.checkpoint_heads import convert_to, converted
from engine.errors import UserError
from engine.loaded_model import file_sha256
from engine.locret.heads import HeadFileError, RetainingHeads, load_heads
from engine.model_shape import read_shape
from engine.model_source import fetch, fingerprint
from engine.writable import writable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source", metavar="SOURCE", help="a checkpoint with retaining heads: a file, a folder, a hub id"
    )
    parser.add_argument("--model", help="their model: a GGUF file, a folder or a hub id (default: the starter model)")
    parser.add_argument("--out", type=Path, help="the head file to write (default: where readings find it)")
    parser.add_argument("--data-dir", type=Path, help="where conversations are kept")


def run(options: argparse.Namespace) -> int:
    """Prints what it found and the file it wrote. Raises UserError."""
    _refuse_out(options.out)
    data_dir = options.data_dir or paths.data_dir()
    model = _model(options.model, data_dir)
    shape = read_shape(model)
    source = _source(options.source, data_dir)
    known = fingerprint(model, file_sha256)
    try:
        if options.out:
            file = options.out
            with writable(file.parent, otherwise="Choose another place for --out."):
                convert_to(file, source, shape, known)
        else:
            file = converted(source, shape, known, data_dir / "heads")
            file.touch()  # of several heads for a model readings use the newest
        print(f"{source.name}: {_described(load_heads(file))}")
    except HeadFileError as error:
        raise UserError("heads_unusable", f"{error}.") from error
    except OSError as error:
        reason = f"{error.strerror or error}".rstrip(".")
        message = (
            f"The head file cannot be written: {reason}. Make room on the disk, or choose another place for --out."
        )
        raise UserError("heads_unusable", message) from error
    print(f"For {model.name}: {file}")
    return 0


def _refuse_out(out: Path | None) -> None:
    """Before anything is loaded. Raises UserError."""
    try:
        there = out is not None and out.exists()
    except OSError as error:
        raise UserError("bad_params", f"{out} cannot be used: {error.strerror}. Choose another --out.") from error
    if out is not None and (there or out.suffix != ".safetensors"):
        what = "is there already" if there else "does not end in .safetensors"
        raise UserError("bad_params", f"{out} {what}. Choose another file for --out.")


def _model(text: str | None, data_dir: Path) -> Path:
    """text None: the starter model. Raises UserError."""
    if text is not None:
        return fetch(text, data_dir / "models", _tell, lambda: False)
    starter = paths.starter_model()
    if starter is None:
        raise UserError("model_missing", "The starter model is not installed. Name a model with --model.")
    return starter


def _described(heads: RetainingHeads) -> str:
    return f"{heads.layers} layers, d_R {heads.hidden}, {heads.kv_heads} KV heads, {heads.activation}"


def _source(text: str, data_dir: Path) -> Path:
    """What is there under this name goes before a hub's. Raises UserError."""
    path = fetch(text, data_dir / "models", _tell, lambda: False, heads=True)
    if not path.exists():
        raise UserError("no_such_file", f"There is no file {text}.")
    return path


def _tell(_event: str, data: dict[str, Any]) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{data['message']}", end="", file=sys.stderr, flush=True)

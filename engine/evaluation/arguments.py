"""The options of each benchmark, without anything heavy: they are read, and `--help` shows them, before torch is there.

What is no number, policy or share raises UserError with a sentence while it is read.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from engine.errors import UserError
from engine.evaluation.methods import DEFAULT_METHODS, METHODS, method_of
from engine.runtime_arguments import add_runtime_arguments
from engine.runtimes import DEVICES, DTYPES
from engine.selection_options import split_policies

LEAST_TOKENS = 256  # of a document of `evaluate fidelity`
LEAST_UNITS = 64
MOST_THREADS = 1024
_MOST = 10**9
_MODEL = "a GGUF file or a folder (default: the starter model)"
_GGUF = "a GGUF file (default: the starter model)"
_CORPUS = "the folder of the corpus (default: where train downloads it to)"
_JSON = "print one JSON object"
_DEFAULT = "default: %(default)s"


def reading(parser: argparse.ArgumentParser) -> None:
    """The options of `evaluate reading`."""
    parser.add_argument("--tokens", type=_whole("tokens", 1), default=16384, help=f"that are read ({_DEFAULT})")
    parser.add_argument("--units", type=_whole("units", 1), default=1024, help=f"budget of each KV head ({_DEFAULT})")
    parser.add_argument("--chunk", type=_whole("chunk", 1), default=512, help=f"tokens between evictions ({_DEFAULT})")
    parser.add_argument("--model", type=Path, help=_GGUF)
    parser.add_argument("--seed", type=_whole("seed", 0), default=0, help=f"of the tokens ({_DEFAULT})")
    parser.add_argument("--json", action="store_true", help=_JSON)
    parser.add_argument("--side", choices=("locret", "full"), help=argparse.SUPPRESS)


def fidelity(parser: argparse.ArgumentParser) -> None:
    """The options of `evaluate fidelity`."""
    parser.add_argument("--model", type=Path, help=_MODEL)
    parser.add_argument(
        "--heads", help="a head file, or random for heads that were never trained (default: those for the model)"
    )
    parser.add_argument("--data", type=Path, help=_CORPUS)
    parser.add_argument(
        "--part",
        choices=("test", "validation"),
        default="test",
        help=f"its documents that are read: by validation defaults are chosen, by test they are judged ({_DEFAULT})",
    )
    parser.add_argument(
        "--tokens", type=_whole("tokens", LEAST_TOKENS), default=2048, help=f"length of each document ({_DEFAULT})"
    )
    parser.add_argument(
        "--kept", type=_shares, default=[0.25, 0.125], help="shares kept, with commas between (default: 0.25,0.125)"
    )
    parser.add_argument(
        "--policies",
        type=_policies,
        default=list(DEFAULT_METHODS),
        help=f"with commas between: {', '.join(METHODS)} (default: all but locret-q and the allocations)",
    )
    parser.add_argument("--samples", type=_whole("samples", 1), default=60, help=f"documents ({_DEFAULT})")
    parser.add_argument(
        "--continuation",
        type=_whole("continuation", 1),
        default=64,
        help=f"tokens of the text after it to predict ({_DEFAULT})",
    )
    parser.add_argument("--seed", type=_whole("seed", 0), default=1, help=f"of the cases ({_DEFAULT})")
    parser.add_argument(
        "--threads", type=_whole("threads", 1, MOST_THREADS), default=2, help=f"of the processor ({_DEFAULT})"
    )
    parser.add_argument(
        "--checkpoint",
        type=Path,
        help="keep what is measured in this file, row by row, and measure only what is not in it",
    )
    parser.add_argument("--json", action="store_true", help=_JSON)
    add_runtime_arguments(parser, allocation=False)


def agreement(parser: argparse.ArgumentParser) -> None:
    """The options of `evaluate agreement`."""
    parser.add_argument("--model", type=Path, help=_GGUF)
    parser.add_argument("--data", type=Path, help=_CORPUS)
    parser.add_argument("--tokens", type=_whole("tokens", 1), default=8192, help=f"that are read ({_DEFAULT})")
    parser.add_argument("--units", type=_whole("units", LEAST_UNITS), default=1024, help=f"the budget ({_DEFAULT})")
    parser.add_argument(
        "--document",
        type=_whole("document", 0),
        default=0,
        help=f"which of the held-out documents comes first ({_DEFAULT})",
    )
    parser.add_argument(
        "--dtype", choices=DTYPES, default="float32", help=f"the precision that torch computes in ({_DEFAULT})"
    )
    parser.add_argument("--json", action="store_true", help=_JSON)


def training(parser: argparse.ArgumentParser) -> None:
    """The options of `evaluate training`."""
    parser.add_argument("--model", type=Path, help=_MODEL)
    parser.add_argument("--data", type=Path, nargs="+", default=[], help="as of train (default: its corpus)")
    parser.add_argument("--out", type=Path, required=True, help="the folder for figures.json and the plots")
    parser.add_argument("--page", type=Path, help="Markdown whose figures are replaced (default: OUT with .md)")
    parser.add_argument(
        "--draw", action="store_true", help="only tables and plots, from the figures.json that is there"
    )
    parser.add_argument("--steps", type=_whole("steps", 1), default=600, help=_DEFAULT)
    parser.add_argument(
        "--data-steps",
        type=_whole("data-steps", 0),
        help="for the kinds of text (default: as --steps; 0: leave them out)",
    )
    parser.add_argument(
        "--longest", type=_whole("longest", 64), default=1000, help=f"tokens of the longest context ({_DEFAULT})"
    )
    parser.add_argument(
        "--seeds",
        type=_seeds,
        default=[1, 2, 3],
        help="of the heads' first weights, with commas between (default: 1,2,3)",
    )
    parser.add_argument("--learning-rate", type=_learning_rate, help="default: that of train")
    parser.add_argument("--checkpoint", type=Path, help="keep the state in this file, and go on from what is in it")
    parser.add_argument("--save-heads", type=Path, metavar="FOLDER", help="write the heads, too, for evaluate fidelity")
    parser.add_argument("--device", choices=DEVICES, default="auto")
    parser.add_argument("--dtype", choices=DTYPES, default="auto", help="the precision that the model computes in")
    parser.add_argument("--threads", type=_whole("threads", 1, MOST_THREADS), default=2, help=f"of torch ({_DEFAULT})")


def _whole(option: str, least: int, most: int = _MOST) -> Callable[[str], int]:
    """Reads whole numbers from `least` to `most`."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise UserError("bad_params", f"--{option} is a whole number from {least} to {most:,}.")
        return value

    return read


def _shares(text: str) -> list[float]:
    try:
        shares = [float(part) for part in text.split(",")]
    except ValueError:
        shares = []
    if not shares or not all(0 < share < 1 for share in shares):
        raise UserError("bad_params", "--kept takes shares between 0 and 1, with commas between. Write 0.25,0.125.")
    return shares


def _policies(text: str) -> list[str]:
    """The full cache always among them: the others are measured against it."""
    names = list(dict.fromkeys(["full", *split_policies(text)]))
    for name in names:
        method_of(name)
    return names


def _seeds(text: str) -> list[int]:
    try:
        seeds = list(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError:
        seeds = []
    if not seeds or not all(0 <= seed <= _MOST for seed in seeds):
        raise UserError(
            "bad_params", f"--seeds takes whole numbers from 0 to {_MOST:,}, with commas between. Write 1,2,3."
        )
    return seeds


def _learning_rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not 0 < rate < 1:
        raise UserError("bad_params", "--learning-rate is a number above 0 and below 1. Write 0.002, or so.")
    return rate

"""`keepsake-engine evaluate reading | fidelity | agreement | training`: picks the benchmark and nothing else."""

from __future__ import annotations

import argparse

from engine.evaluation import agreement, fidelity, reading, training_questions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", required=True)
    for name, module in (
        ("reading", reading),
        ("fidelity", fidelity),
        ("agreement", agreement),
        ("training", training_questions),
    ):
        kind = kinds.add_parser(name, help=(module.__doc__ or "").splitlines()[0])
        module.add_arguments(kind)
        kind.set_defaults(run=module.run)


def run(options: argparse.Namespace) -> int:
    return int(options.run(options))

"""`keepsake-engine evaluate reading | fidelity | agreement | training`: picks the benchmark and nothing else.

A benchmark's own file, which needs torch, is imported when it runs: its options are read without it.
"""

from __future__ import annotations

import argparse
import importlib

from engine.evaluation import arguments
from engine.runtimes import quiet

KINDS = {
    "reading": ("engine.evaluation.reading", arguments.reading, "how fast a long document is read"),
    "fidelity": ("engine.evaluation.fidelity", arguments.fidelity, "what a reading still finds of what it read"),
    "agreement": ("engine.evaluation.agreement", arguments.agreement, "how far llama.cpp and torch keep the same"),
    "training": ("engine.evaluation.training_questions", arguments.training, "how heads are best trained"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", required=True)
    for name, (_, add_options, about) in KINDS.items():
        add_options(kinds.add_parser(name, help=about, description=about))


def run(options: argparse.Namespace) -> int:
    """Raises UserError as the benchmark does."""
    quiet()
    return int(importlib.import_module(KINDS[options.kind][0]).run(options))

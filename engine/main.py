"""The command `keepsake-engine`: with a command it does one thing, without one it serves on stdin and stdout.

It knows argument parsing and nothing else; each command has a file of its own, imported when it is called.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from pathlib import Path
from typing import Any

# ggml's and torch's OpenMP threads would otherwise spin while they wait for each other.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# transformers draws bars while it loads; what happens is told by our own words.
os.environ.setdefault("TQDM_DISABLE", "1")

INTERRUPTED = 130
COMMANDS = {
    "ask": ("engine.ask_command", "answer a question about files, without a window"),
    "read": ("engine.read_command", "read files into a conversation, for later questions"),
    "train": ("engine.training.train_command", "train retaining heads for a model"),
    "heads": ("engine.heads_command", "use the retaining heads of a published checkpoint with a model"),
    "evaluate": ("engine.evaluation.command", "measure speed and fidelity"),
}


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit status: 0, 1 for what the person can mend, 2 for wrong arguments, 130 when interrupted."""
    words = sys.argv[1:] if arguments is None else arguments
    if words and words[0] in COMMANDS:
        return _run(words[0], words[1:])
    if words and not words[0].startswith("-"):
        print(f"There is no command {words[0]}. There are: {', '.join(COMMANDS)}.", file=sys.stderr)
        return 2
    parser = argparse.ArgumentParser(prog="keepsake-engine", description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, help="where conversations are kept")
    parser.epilog = "commands: " + "; ".join(f"{name}: {text}" for name, (_, text) in COMMANDS.items())
    options = parser.parse_args(words)
    from engine.server import serve

    return serve(options.data_dir)


def _run(name: str, words: list[str]) -> int:
    from engine.errors import UserError

    if isinstance(sys.stdout, io.TextIOWrapper):  # a letter that the terminal has no sign for ends nothing
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        module = importlib.import_module(COMMANDS[name][0])
        return int(module.run(_parsed(name, module, words)))
    except ModuleNotFoundError as error:
        print(
            f"{name} needs the package {error.name}. Install what is missing: python3 -m installer run",
            file=sys.stderr,
        )
        return 1
    except UserError as error:
        print(error.message, file=sys.stderr)
        return INTERRUPTED if error.code == "cancelled" else 1
    except KeyboardInterrupt:
        print("Stopped. What was read is kept.", file=sys.stderr)
        return INTERRUPTED


def _parsed(name: str, module: Any, words: list[str]) -> argparse.Namespace:
    """Raises UserError for values that cannot be, and SystemExit for wrong options."""
    parser = argparse.ArgumentParser(prog=f"keepsake-engine {name}", description=COMMANDS[name][1])
    module.add_arguments(parser)
    intermixed = name == "ask" and "--" not in words
    return parser.parse_intermixed_args(words) if intermixed else parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())

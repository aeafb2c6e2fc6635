"""`evaluate --help` and its options need neither torch nor time, and the benchmark runs that was named."""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys

import pytest

from engine.evaluation import command
from engine.main import main

HEAVY = ("torch", "transformers", "numpy", "llama_cpp", "matplotlib", "safetensors")


@pytest.mark.parametrize("words", [(), *((name,) for name in command.KINDS)])
def test_help_is_silent_and_imports_nothing_heavy(words: tuple[str, ...]) -> None:
    program = (
        "import sys\nfrom engine.main import main\n"
        "try:\n    main(['evaluate', *sys.argv[1:], '--help'])\n"
        f"finally:\n    print('imported:', [name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.startswith(f"usage: keepsake-engine {' '.join(['evaluate', *words])} ")
    assert done.stdout.endswith("imported: []\n")


@pytest.mark.parametrize(
    ("name", "module"), [("reading", "reading"), ("fidelity", "fidelity"), ("training", "training_questions")]
)
def test_every_kind_runs_its_own_file(name: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[argparse.Namespace] = []

    def run(options: argparse.Namespace) -> int:
        ran.append(options)
        return 7

    monkeypatch.setattr(f"engine.evaluation.{module}.run", run)
    assert main(["evaluate", name, *(["--out", "figures"] if name == "training" else [])]) == 7
    assert ran[0].kind == name


def test_a_package_that_is_missing_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(command.KINDS, "reading", ("no_such_package", *command.KINDS["reading"][1:]))
    assert main(["evaluate", "reading"]) == 1
    assert "evaluate needs the package no_such_package. Install what is missing" in capsys.readouterr().err


def test_every_files_command_is_there() -> None:
    for module, _, _ in command.KINDS.values():
        assert callable(importlib.import_module(module).run)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["reading", "--chunk", "0"], "--chunk is a whole number from 1 to 1,000,000,000."),
        (["reading", "--seed", "1" * 30], "--seed is a whole number from 0 to"),
        (["agreement", "--units", "3"], "--units is a whole number from 64 to 1,000,000,000."),
        (["agreement", "--tokens", "0"], "--tokens is a whole number from 1 to 1,000,000,000."),
        (["agreement", "--document", "-1"], "--document is a whole number from 0 to 1,000,000,000."),
    ],
)
def test_numbers_that_cannot_be_are_a_sentence(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", *words]) == 1
    assert capsys.readouterr().err.startswith(sentence)

"""How many of the case pack's questions a model answers: each by `keepsake-engine ask`, on the files as they are.

`python -m tests.benchmarks.case_questions [--longest TOKENS] [-- OPTIONS OF ask]`: documents of more tokens than that
(default: 30,000) are left out and named. An answer is right if what the pack expects stands in it, and not what it must
not be; whether the page that it should stand on is cited is counted beside that. KEEPSAKE_CASES=FOLDER asks another
pack's.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.documents.bounded import pool
from engine.documents.extract import extract
from tests.engine.documents.cases import CASES, FOLDER, Case, maker
from tests.engine.documents.judging import normalised

ROOT = Path(__file__).resolve().parents[2]
CHARACTERS_A_TOKEN = 4.0


@dataclass(frozen=True)
class Asked:
    """A question of a case and what came of it. report: what `ask --json` printed."""

    case: Case
    question: dict[str, Any]
    report: dict[str, Any]

    @property
    def is_right(self) -> bool:
        """Whether the answer says what it should, and not what it must not."""
        said, expect = self.report["answer"], {"normalise": ["whitespace", "nfkc"]}
        wanted, unwanted = self.question["answer"], self.question.get("not")
        said, wanted = (normalised(text, expect).casefold() for text in (said, wanted))
        return wanted in said and (unwanted is None or unwanted.casefold() not in said)

    @property
    def cites_the_page(self) -> bool:
        """Whether the page that the answer stands on is among those cited; so for a document without pages."""
        page = self.question.get("page")
        return page is None or page in [cited["page"] for cited in self.report["citations"]]


def ask_cases(folder: Path, longest: int, options: Sequence[str]) -> Iterator[Asked | str]:
    """Each question's outcome, or a sentence about a document that is left out. folder: for what is made meanwhile."""
    for case in CASES:
        questions = case["expect"].get("ask", [])
        if not questions:
            continue
        path = _file_of(case, folder)
        tokens = round(sum(len(page.text) for page in extract(path).pages) / CHARACTERS_A_TOKEN)
        pool.end_all()
        if tokens > longest:
            yield f"{case['id']}: left out, about {tokens:,} tokens"
            continue
        for question in questions:
            yield Asked(case, question, _ask(path, question["question"], folder / case["id"], options))


def _file_of(case: Case, folder: Path) -> Path:
    if case["files"]:
        return FOLDER / case["files"][0]
    path = folder / case["make"]["file"]
    getattr(maker(), case["make"]["function"])(path, **case["make"]["args"])
    return path


def _ask(path: Path, question: str, data: Path, options: Sequence[str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "engine.main", "ask", str(path), question, "--json", "--data-dir", str(data)]
    done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def main() -> int:
    """Prints a line a question and the share."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.case_questions")
    parser.add_argument("--longest", type=int, default=30_000, metavar="TOKENS")
    parser.add_argument("options", nargs="*", help="of ask, after --")
    given = parser.parse_args()
    asked: list[Asked] = []
    with tempfile.TemporaryDirectory() as name:
        for each in ask_cases(Path(name), given.longest, given.options):
            if isinstance(each, str):
                print(each, flush=True)
                continue
            asked.append(each)
            outcome = "right" if each.is_right else "wrong"
            cited = "" if each.cites_the_page else ", another page cited"
            print(f"{each.case['id']}: {outcome}{cited}. {each.question['question']}", flush=True)
            print(f"    wanted {each.question['answer']!r}, said {each.report['answer']!r}", flush=True)
    right, cited = (sum(getattr(each, name) for each in asked) for name in ("is_right", "cites_the_page"))
    print(f"{right} of {len(asked)} answered right, {cited} of {len(asked)} with the page")
    return 0


if __name__ == "__main__":
    sys.exit(main())

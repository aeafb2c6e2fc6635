"""Every case of the pack comes out as its manifest says. `KEEPSAKE_CASES=FOLDER` runs them over another pack."""

from __future__ import annotations

import hashlib
import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.answer_job import LOST, is_beside, left_out
from engine.documents.extract import Extracted, extract
from engine.engine import Engine
from engine.reading_job import ReadingJob
from engine.store import Document
from tests.engine.documents.cases import ALONE, CASES, COPY, DROPS, FOLDER, MADE, Case, ids, maker, unjudged
from tests.engine.documents.judging import Came, judge, of_one, right_for, wishes

IN_A_CHILD = """
import json, resource, sys, time
from pathlib import Path
from engine.documents.bounded import pool
from engine.documents.extract import extract
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.monotonic()
extracted = extract(Path(sys.argv[1]))
seconds = time.monotonic() - start
pool.end_all()
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
reading = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
unit = 2**20 if sys.platform == "darwin" else 2**10
outcome = [extracted.outcome, extracted.reason]
print(json.dumps({"seconds": seconds, "mb": (grown + reading) / unit, "outcome": outcome}))
"""
# What cases that lead out of themselves would write.
ESCAPED = "keepsake_escape_*"


def named(cases: list[Case]) -> Any:
    return pytest.mark.parametrize("case", cases, ids=ids(cases))


@cache
def extracted_from(file: str) -> Extracted:
    return extract(FOLDER / file)


@pytest.fixture(autouse=True)
def nothing_escapes(tmp_path: Path) -> Iterator[None]:
    """Nothing is written beside the places where something may be."""
    yield
    near = {Path.cwd(), FOLDER.resolve(), Path(tempfile.gettempdir()).resolve(), tmp_path.resolve(), Path.home()}
    places = {place for each in near for place in (each, *each.parents)}
    assert [path for place in places for path in place.glob(ESCAPED)] == []
    assert list(tmp_path.rglob(ESCAPED)) == []


def test_every_field_of_every_case_is_judged() -> None:
    assert len(ALONE) + len(DROPS) + len(MADE) == len(CASES) > 0
    assert {case["id"]: unjudged(case) for case in CASES if unjudged(case)} == {}


@named([case for case in CASES if case["files"]])
def test_the_files_are_the_packs(case: Case) -> None:
    assert {file: hashlib.sha256((FOLDER / file).read_bytes()).hexdigest() for file in case["files"]} == case["sha256"]


@named(ALONE)
def test_a_file(case: Case) -> None:
    (file,) = case["files"]
    extracted = extracted_from(file)
    came = of_one(extracted, file)
    judge(came, case["expect"])
    assert (extracted.message is None) == (extracted.outcome == "read")
    assert extracted.sha256 in (None, case["sha256"][file])
    if case["kind"] == "path traversal":
        assert socket.gethostname() not in came.text()


@named([case for case in ALONE if {"should_contain", "should_not_contain"} & case["expect"].keys()])
def test_what_is_good_to_have(case: Case) -> None:
    (file,) = case["files"]
    wished = wishes(of_one(extracted_from(file), file), case["expect"])
    if wished and FOLDER != COPY:
        pytest.xfail(f"good to have: {wished}")
    assert wished == []


@named([case for case in ALONE if "with_password" in case["expect"]])
def test_a_password_opens_the_file_and_a_wrong_one_does_not(case: Case) -> None:
    (file,) = case["files"]
    if extracted_from(file).outcome != "needs_password":
        pytest.skip("refused for another reason that is right too")
    given = case["expect"]["with_password"]
    wrong = extract(FOLDER / file, password=given["wrong"])
    assert (wrong.outcome, wrong.reason, wrong.pages) == ("needs_password", "wrong_password", ())
    judge(of_one(extract(FOLDER / file, password=given["password"]), file), given["expect"])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not count what a child held")
@named([case for case in CASES if "limits" in case["expect"]])
def test_a_hostile_file_costs_neither_time_nor_memory(case: Case) -> None:
    expect = case["expect"]
    for file in case["files"]:
        command = [sys.executable, "-c", IN_A_CHILD, str(FOLDER / file)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
        spent, limits = json.loads(printed), expect["limits"]
        right = [expect, *expect.get("also_acceptable", [])]
        assert spent["outcome"] in [[other["outcome"], other["reason"]] for other in right]
        # The process that reads was not there before: all that it holds counts.
        assert spent["seconds"] < limits["seconds"] and spent["mb"] < limits["rss_growth_mb"]


# --- several files at once -------------------------------------------------------------------------------------------


class Taken:
    """Documents that were dropped together, taken in as the engine does. names: of the files, in its order."""

    def __init__(self, data: Path, paths: list[Path]) -> None:
        engine = Engine(data, {"recognition": "off"})
        try:
            job = ReadingJob(engine, engine.store.create_conversation().id, lambda *_: None)
            job.add([str(path) for path in paths])
            job.extract_all()
            self.documents = job.found()
            self.pages = {
                document.path: engine.store.pages(document.sha256, document.recipe) if document.sha256 else []
                for document in self.documents
            }
        finally:
            engine.close()

    def outcome_of(self, document: Document) -> tuple[str, str | None]:
        """A second copy of a file that is read is read too: its text is there."""
        return (
            ("read", None)
            if document.reason == "duplicate" and document.sha256
            else (document.outcome, document.reason)
        )

    def came(self, names: dict[str, str]) -> Came:
        """All of it together. names: path -> what the case calls the file."""
        outcomes = [self.outcome_of(document)[0] for document in self.documents]
        whole = all(outcome == "read" for outcome in outcomes)
        some = any(outcome in ("read", "partial") for outcome in outcomes)
        outcome, reason = ("read", None) if whole else ("partial" if some else "refused", "some_files_skipped")
        return Came(outcome, reason, None, {names.get(path, path): pages for path, pages in self.pages.items()})

    def check_what_is_said(self) -> None:
        """Each file that is not read has its sentence, and the answer says how many there are."""
        for document in self.documents:
            assert bool(document.message) == (self.outcome_of(document)[0] != "read" or document.reason == "duplicate")
        lost = [document for document in self.documents if document.outcome in LOST and not is_beside(document)]
        said = left_out(self.documents) or ""
        assert said.startswith(f"{len(lost)} of ") if lost else "could not be read" not in said


@named(DROPS)
def test_a_drop_of_several_files(case: Case, tmp_path: Path) -> None:
    expect = case["expect"]
    for order in (case["files"], case["files"][::-1]):
        taken = Taken(tmp_path / order[0], [FOLDER / file for file in order])
        assert [Path(document.path).name for document in taken.documents] == order
        taken.check_what_is_said()
        judge(taken.came({str(FOLDER / file): file for file in order}), expect)
        for document in taken.documents:
            right = right_for(document.kind, *expect["per_file"][Path(document.path).name])
            assert taken.outcome_of(document) == right, document.path


@named(MADE)
def test_what_git_cannot_hold(case: Case, tmp_path: Path) -> None:
    """It is made by the pack's own program."""
    module, target = maker(), tmp_path / case["make"]["file"]
    made = getattr(module, case["make"]["function"])(target, **case["make"]["args"])
    if target.is_file():
        judge(of_one(extract(target), target.name), case["expect"])
        return
    try:
        taken = Taken(tmp_path / "data", [made["drop"]])
    finally:
        module.remove_folder_case(target)
    taken.check_what_is_said()
    judge(taken.came({}), case["expect"])
    check_folder(taken, made)


def check_folder(taken: Taken, made: dict[str, Any]) -> None:
    """Each file the maker names is read or refused as it says, or left out itself or with the folder it is in."""
    found = {Path(document.path).relative_to(made["drop"]): document for document in taken.documents}
    for name, expected in made["files"].items():
        path = Path(name)
        (place,) = [place for place in (path, *path.parents) if place in found]
        outcome, also = taken.outcome_of(found[place]), expected["also_acceptable"]
        right = (expected["outcome"], expected["reason"])
        # What the walk leaves out is refused, as other files are.
        said = ("skipped", outcome[1]) if outcome[0] == "refused" and right[0] == "skipped" else outcome
        assert said == right or outcome[0] in also or outcome[1] in also, name
        text = "\n".join(page.text for page in taken.pages[str(made["drop"] / place)])
        for sentence in expected["must_contain"]:
            assert sentence in text, name
    for sentence in made["must_not_contain"]:
        assert all(sentence not in page.text for pages in taken.pages.values() for page in pages)

"""Every case of the pack comes out as its manifest says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.documents.extract import Extracted, extract
from engine.documents.find import find_files
from tests.engine.documents.cases import CASES, FOLDER, NOW_READ, all_text, check, maker

ALONE = [case for case in CASES if len(case["files"]) == 1]
DROPS = [case for case in CASES if len(case["files"]) > 1]
MADE = [case for case in CASES if not case["files"]]
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
print(json.dumps({"seconds": seconds, "mb": (grown + reading) / 1024, "outcome": extracted.outcome}))
"""


def named(cases: list[dict[str, Any]]) -> Any:
    return pytest.mark.parametrize("case", cases, ids=[case["id"] for case in cases])


def test_every_case_is_judged() -> None:
    assert len(ALONE) + len(DROPS) + len(MADE) == len(CASES) > 0


@named(ALONE + MADE)
def test_a_case(case: dict[str, Any], tmp_path: Path) -> None:
    if case["files"]:
        (file,) = case["files"]
        check(extract(FOLDER / file), case["expect"], file)
    else:
        check_made(case, tmp_path / case["make"]["file"])


@named([case for case in ALONE if "with_password" in case["expect"]])
def test_a_password_opens_the_file_and_a_wrong_one_does_not(case: dict[str, Any]) -> None:
    (file,) = case["files"]
    given = case["expect"]["with_password"]
    wrong = extract(FOLDER / file, password=given["wrong"])
    assert (wrong.outcome, wrong.reason, wrong.pages) == ("needs_password", "wrong_password", ())
    check(extract(FOLDER / file, password=given["password"]), given["expect"], file)


@named([case for case in CASES if "limits" in case["expect"]])
def test_a_hostile_file_costs_neither_time_nor_memory(case: dict[str, Any]) -> None:
    (file,) = case["files"]
    command = [sys.executable, "-c", IN_A_CHILD, str(FOLDER / file)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    spent, limits = json.loads(printed), case["expect"]["limits"]
    right = [case["expect"], *case["expect"].get("also_acceptable", [])]
    assert spent["outcome"] in [expected["outcome"] for expected in right]
    # The process that reads was not there before: all that it holds counts.
    assert spent["seconds"] < limits["seconds"] and spent["mb"] < limits["rss_growth_mb"]


@named(DROPS)
def test_a_drop_of_several_files(case: dict[str, Any]) -> None:
    found = list(find_files(FOLDER / file for file in case["files"]))
    assert [item.path.name for item in found] == case["files"]
    for item in found:
        extracted = extract(item.path)
        outcome, reason = NOW_READ.get(item.path.name) or case["expect"]["per_file"][item.path.name]
        own = {**case["expect"], "outcome": outcome, "reason": reason}
        check(extracted, own, item.path.name)


def check_made(case: dict[str, Any], target: Path) -> None:
    """What git cannot hold is made by the pack's own program; the copy kept here has none of it."""
    module = maker()
    made = getattr(module, case["make"]["function"])(target, **case["make"]["args"])
    if target.is_file():
        check(extract(target), case["expect"], target.name)
        return
    try:
        check_folder(made)
    finally:
        module.remove_folder_case(target)


def check_folder(made: dict[str, Any]) -> None:
    """Each file the maker names is read or refused as it says, or left out itself or with the folder it is in."""
    drop: Path = made["drop"]
    outcomes: dict[Path, tuple[str, str | None]] = {}
    texts: dict[Path, str] = {}
    for found in find_files([drop]):
        path = found.path.relative_to(drop)
        extracted = Extracted("unknown", None, "skipped", found.skipped) if found.skipped else extract(found.path)
        outcomes[path], texts[path] = (extracted.outcome, extracted.reason), all_text(extracted)
    for name, expected in made["files"].items():
        path = Path(name)
        (outcome,) = [outcomes[place] for place in (path, *path.parents) if place in outcomes]
        also = expected["also_acceptable"]
        assert outcome == (expected["outcome"], expected["reason"]) or outcome[0] in also or outcome[1] in also, name
        for text in expected["must_contain"]:
            assert text in texts[path], name
    for text in made["must_not_contain"]:
        assert all(text not in found for found in texts.values())

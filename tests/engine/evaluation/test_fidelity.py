"""`evaluate fidelity` from end to end on a tiny random model: every policy, the JSON, and going on from a file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.evaluation import fidelity
from engine.evaluation.methods import DEFAULT_METHODS, METHODS, as_the_authors
from engine.locret.selection import Selection
from engine.main import main
from tests.engine.backends import tiny_folder, tiny_gguf
from tests.engine.evaluation import made_up_corpus

TOKENS = 600  # a token is a byte
UNEVEN = ("locret-pyramid", "locret-layer", "locret-model")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_folder.write(tmp_path_factory.mktemp("models") / "tiny", max_position_embeddings=4096)


@pytest.fixture(autouse=True)
def made_up_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fidelity, "held_out_documents", lambda *_: made_up_corpus.documents())
    monkeypatch.setattr(fidelity, "read_questions", lambda _: made_up_corpus.facts())


def evaluate(model: Path, *words: object) -> int:
    """With heads that were never trained, and float32, unless the words say otherwise."""
    fixed: list[object] = ["--model", model, "--tokens", TOKENS, "--threads", 1]
    if "--policies" not in words or any("locret" in str(word) for word in words):
        fixed += ["--heads", "random"]
    if model.is_dir():
        fixed += ["--dtype", "float32"]
    return main(["evaluate", "fidelity", *map(str, [*fixed, *words])])


def report(capsys: pytest.CaptureFixture[str], model: Path, *words: object) -> dict[str, Any]:
    assert evaluate(model, "--json", *words) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_every_policy_runs_and_the_json_has_its_fields(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--samples", 2, "--kept", "0.4,0.2", "--policies", ",".join(METHODS)]
    found = report(capsys, model, *words, "--checkpoint", tmp_path / "samples.jsonl")
    assert set(found) == {"tokens", "seed", "model", "heads", "runtime", "rows"}
    assert (found["tokens"], found["heads"], found["runtime"]) == (TOKENS, "random", "torch float32")
    assert all(set(row) == {"task", "policy", "kept", "score", "low", "high", "samples"} for row in found["rows"])
    needles = [(row["policy"], row["kept"]) for row in found["rows"] if row["task"] == "needle"]
    evicting = [(name, kept) for name in METHODS if name != "full" for kept in (0.4, 0.2)]
    assert needles == [("no context", 0.0), ("full", 1.0), *evicting]
    assert {row["samples"] for row in found["rows"]} == {2}
    # A random model may gain nothing by context, and then the table has no such rows: the figures are in the file.
    lines = [json.loads(line) for line in (tmp_path / "samples.jsonl").read_text().splitlines()[1:]]
    likelihoods: dict[str, set[tuple[int, str, float]]] = {"continuation": set(), "needle-likelihood": set()}
    for line in lines:
        for task, policy, kept, nll in line["figures"]:
            if task in likelihoods and nll > 0:
                likelihoods[task].add((line["sample"], policy, kept))
    measured = {(sample, policy, kept) for sample in range(2) for policy, kept in needles}
    assert likelihoods["needle-likelihood"] == measured
    assert likelihoods["continuation"] == {row for row in measured if row[1] != "locret-q"}


def test_a_run_that_was_stopped_ends_with_the_same_rows(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--kept", "0.3", "--policies", "sirllm,keydiff,locret"]
    at_once = report(capsys, model, *words, "--samples", 3)
    checkpoint = ["--checkpoint", tmp_path / "samples.jsonl"]
    report(capsys, model, *words, "--samples", 1, *checkpoint)
    assert report(capsys, model, *words, "--samples", 3, *checkpoint) == at_once
    before = (tmp_path / "samples.jsonl").read_bytes()
    assert report(capsys, model, *words, "--samples", 3, *checkpoint) == at_once
    assert (tmp_path / "samples.jsonl").read_bytes() == before
    assert evaluate(model, *words, "--samples", 3, *checkpoint, "--seed", 7) == 1
    assert "other values of: seed." in capsys.readouterr().err


def test_a_policy_takes_options_and_is_another_measurement_with_them(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--kept", "0.3", "--samples", 1]
    found = report(capsys, model, *words, "--policies", "keydiff:newest=0.5,sinks=2,newest")
    assert {row["policy"] for row in found["rows"]} >= {"full", "keydiff:newest=0.5,sinks=2", "newest"}
    checkpoint = ["--checkpoint", tmp_path / "samples.jsonl", "--policies", "newest,keydiff"]
    report(capsys, model, *words, *checkpoint)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.budget.SINKS", 2)
        report(capsys, model, *words, *checkpoint)
    lines = [json.loads(line) for line in (tmp_path / "samples.jsonl").read_text().splitlines()[1:]]
    measured = [(line["row"]["policy"], line["row"].get("selection", {}).get("sinks")) for line in lines]
    evicting = [("newest", 4), ("keydiff", 4), ("newest", 2), ("keydiff", 2)]
    assert measured == [("no context", None), ("full", None), *evicting], "the full cache is not measured again"


def test_progress_and_the_table(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(model, "--samples", 2, "--kept", "0.3", "--policies", "newest") == 0
    said = capsys.readouterr()
    assert said.err.count("sample ") == 2 and "sample 2 of 2" in said.err and "0 min 0 s left" in said.err
    assert said.out.startswith("| policy | kept | needle | needle-of-two | fact")
    assert "| newest | 30.0% |" in said.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--policies", "oldest"], "no policy oldest. There are full"),
        (["--kept", "2"], "--kept takes shares between 0 and 1, with commas between. Write 0.25,0.125."),
        (["--kept", "some"], "--kept takes shares between 0 and 1"),
        (["--kept", "0.25,"], "--kept takes shares between 0 and 1"),
        (["--kept", "0.001"], "0.001 of 600 tokens are fewer than 16 units. Keep more (--kept)"),
        (["--tokens", "20"], "--tokens is a whole number from 256 to 1,000,000,000."),
        (["--tokens", "2817"], "tiny sees 4,096 tokens at once, and --tokens 2817 takes more"),
        (["--tokens", "100000000"], "Say --tokens 2816 or less."),
        (["--continuation", "4000"], "Say a smaller --continuation, or name another model with --model."),
        (["--samples", "0"], "--samples is a whole number from 1 to 1,000,000,000."),
        (["--threads", "0"], "--threads is a whole number from 1 to 1,024."),
        (["--threads", "-1"], "--threads is a whole number from 1 to 1,024."),
        (["--seed", "-1"], "--seed is a whole number from 0"),
        (["--seed", "9" * 5000], "--seed is a whole number from 0"),
        (["--policies", "newest,keydiff", "--heads", "random"], "None of these policies has a use for --heads."),
    ],
)
def test_what_cannot_be_measured_is_refused(
    model: Path, words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate(model, *words) == 1
    assert sentence in capsys.readouterr().err


def test_facts_are_not_asked_where_their_documents_are_not(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    others = [replace(document, name=f"django/{document.name}") for document in made_up_corpus.documents()]
    monkeypatch.setattr(fidelity, "held_out_documents", lambda *_: others)
    assert evaluate(model, "--json", "--samples", 2, "--kept", "0.3", "--policies", "newest") == 0
    said = capsys.readouterr()
    tasks = {row["task"] for row in json.loads(said.out)["rows"]}
    assert {"needle", "needle-of-two"} <= tasks and not any(task.startswith("fact") for task in tasks)
    assert "of the manuals of Debian 12, which are not in this corpus" in said.err


def test_options_of_torch_are_refused_with_llama_cpp(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tiny_gguf.write(tmp_path / "tiny.gguf", "llama").path
    for option in (["--dtype", "float32"], ["--device", "cpu"]):
        assert evaluate(path, "--policies", "newest", *option) == 1
        assert "--device and --dtype are torch's. Add --runtime torch" in capsys.readouterr().err


def test_a_model_that_cannot_be_scored_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tiny_folder.write(tmp_path / "tiny", "qwen3", max_position_embeddings=4096)
    assert evaluate(path, "--policies", "newest,expected-attention") == 1
    assert "normalise" in capsys.readouterr().err


def test_uneven_shares_are_of_torch_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tiny_gguf.write(tmp_path / "tiny.gguf", "llama").path
    assert evaluate(path, "--runtime", "llama.cpp", "--policies", "locret,locret-layer,locret-model") == 1
    assert "locret-layer and locret-model need the runtime torch" in capsys.readouterr().err


def test_a_policys_allocation_is_its_own() -> None:
    usual = Selection(256, 512, 64, 4, 32)
    for name, method in METHODS.items():
        changed = method.selection(usual)
        assert changed.allocation == (name.removeprefix("locret-") if name in UNEVEN else "uniform")
        if name != "locret-authors":
            assert replace(changed, allocation="uniform") == usual


def test_the_default_is_all_that_read_with_the_question_hidden_on_any_runtime() -> None:
    assert set(METHODS) - set(DEFAULT_METHODS) == {"locret-q", "locret-pyramid", "locret-layer", "locret-model"}
    assert DEFAULT_METHODS[0] == "full"


def test_the_authors_selection_has_the_papers_share_of_stabilizers() -> None:
    assert as_the_authors(Selection(6000, 3072, 768, 4, 384)) == Selection(6000, 3072, 2500)
    assert as_the_authors(Selection(256, 512, 64, 4, 32)) == Selection(256, 512, 106)

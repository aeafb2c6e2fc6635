"""`keepsake-engine evaluate training` on a tiny model and corpus: figures, going on, drawing, heads, refusals."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest
import torch

from engine.errors import UserError
from engine.evaluation import arguments, training_comparison, training_questions, training_variants
from engine.evaluation.training_experiment import Experiment, judgement
from engine.evaluation.training_page import BEGIN, END
from engine.evaluation.training_questions import run
from engine.evaluation.training_variants import KINDS, Variant, label_variants
from engine.locret.heads import load_heads
from engine.locret.training import SMOOTHING_WEIGHT
from engine.training import corpus
from engine.training.corpus import Document, Source
from engine.training.samples import LayerLabels
from engine.training.stopping import Stopping
from tests.engine.backends import tiny_folder

PAGE = f"# Training\n\nWhat was asked.\n\n{BEGIN}\nold figures\n{END}\n\nWhat it means.\n"
WIDTHS = (4, 8)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_folder.write(tmp_path_factory.mktemp("models") / "tiny", max_position_embeddings=2048)


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of three packages, a kind of text each; an eighth of each is held out."""
    folder = tmp_path_factory.mktemp("corpus")
    for package in ("anarchism", "debian-faq", "r-cran-janeaustenr"):
        (folder / package).mkdir()
        parts: dict[str, list[int]] = {}
        for number in range(200):
            parts.setdefault(Document(f"{package}/{number}.txt", "").part, []).append(number)
        for number in parts["validation"][:1] + parts["training"][:7]:
            said = (
                f"In {1800 + part} the keeper of {package} {number} wrote letter {part} to Anna Vogt about the mill."
                for part in range(60)
            )
            (folder / package / f"{number}.txt").write_text("\n\n".join(said))
    return folder


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    packages = ("anarchism", "debian-faq", "r-cran-janeaustenr")
    monkeypatch.setattr(corpus, "SOURCES", tuple(Source(name, "1", "free", "*.txt") for name in packages))
    monkeypatch.setattr(corpus, "SHORTEST_DOCUMENT", 2000)
    monkeypatch.setattr(training_variants, "WIDTHS", WIDTHS)
    for name, value in (("CHECKS", 2), ("CHECKPOINT_STEPS", 1), ("HELD_OUT_CONTEXTS", 2), ("HELD_OUT_OF_A_KIND", 1)):
        monkeypatch.setattr(training_comparison, name, value)


def options(model: Path, texts: Path, out: Path, *more: object) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    arguments.training(parser)
    page = out.with_name(out.name + ".md")
    if not page.exists():
        page.write_text(PAGE)
    fixed = ["--steps", 4, "--longest", 500, "--seeds", "1,2", "--device", "cpu", "--dtype", "float32", "--threads", 1]
    return parser.parse_args([*map(str, ["--model", model, "--data", texts, "--out", out, *fixed, *more])])


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures take longer than all the rest."""
    names = ("labels", "widths", "steps", "data")
    monkeypatch.setattr(training_questions, "draw", lambda _, out: {name: out / f"{name}.png" for name in names})


def figures(out: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads((out / "figures.json").read_text())
    return held


def test_every_question_is_measured_drawn_and_told_and_drawn_again(
    model: Path, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, heads = tmp_path / "training", tmp_path / "heads"
    assert run(options(model, texts, out, "--data-steps", 2, "--save-heads", heads)) == 0
    rows = figures(out)["rows"]
    labels = [row for row in rows if row["experiment"] == "labels" and "step" in row]
    assert {row["step"] for row in labels} == {0, 2, 4}
    assert {row["labels"] for row in labels} == set(KINDS)
    mixed = {(row["smoothing"], row["seed"]) for row in labels if row["labels"] == "mixed"}
    assert mixed == {(weight, seed) for weight in (0, SMOOTHING_WEIGHT) for seed in (1, 2)}
    assert {row["hidden"] for row in labels} == {*WIDTHS, 256}
    assert {row["judged"] for row in labels} == {"answer", "repeat", "continue", "mixed"}
    data = [row for row in rows if row["experiment"] == "data" and "step" in row]
    assert {row["text"] for row in data} == {"novels", "essays", "manuals", "all in turn"}
    assert {row["judged"] for row in data} == {"all", "novels", "essays", "manuals"}
    assert {row["step"] for row in data} == {0, 1, 2}
    assert all(0 <= row["overlap_0.125"] <= 1 and row["loss"] > 0 for row in labels + data)
    for name in ("labels", "widths", "steps", "data"):
        assert (out / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "training.md").read_text()
    assert page.startswith("# Training\n\nWhat was asked.\n\n" + BEGIN)
    assert page.endswith(END + "\n\nWhat it means.\n")
    assert "old figures" not in page
    assert "![" in page
    assert "(training/steps.png)" in page
    saved = load_heads(heads / "mixed-256-seed2.safetensors")
    assert saved.calibration is not None
    assert {path.stem for path in heads.iterdir()} >= {variant.key for variant in label_variants([1, 2])}
    (tmp_path / "training.md").write_text(PAGE)
    (out / "labels.png").unlink()
    monkeypatch.setattr(Experiment, "advance", lambda _: pytest.fail("drawing again trains"))
    assert run(options(model, texts, out, "--draw")) == 0
    assert (tmp_path / "training.md").read_text() == page
    assert (out / "labels.png").exists()


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("after", [("labels", 3), ("data", 1)])
def test_what_was_stopped_goes_on_as_if_nothing_had_happened(
    after: tuple[str, int], model: Path, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, out, kept = tmp_path / "whole", tmp_path / "stopped", tmp_path / "state.pt"
    words = ("--data-steps", 2, "--seeds", 1)
    assert run(options(model, texts, whole, *words)) == 0
    advance, stopping = Experiment.advance, []
    entered = Stopping.__enter__

    def remembered(self: Stopping) -> Stopping:
        stopping.append(self)
        return entered(self)

    def interrupted(self: Experiment) -> None:
        advance(self)
        if (self.name, self.step) == after:
            stopping[-1].signal = 15

    with monkeypatch.context() as patch:
        patch.setattr(Stopping, "__enter__", remembered)
        patch.setattr(Experiment, "advance", interrupted)
        with pytest.raises(UserError, match="The same command goes on") as stopped:
            run(options(model, texts, out, *words, "--checkpoint", kept))
    assert stopped.value.code == "cancelled"
    assert run(options(model, texts, out, *words, "--checkpoint", kept)) == 0
    assert figures(out) == figures(whole)


@pytest.mark.usefixtures("undrawn")
def test_a_checkpoint_of_other_options_is_refused(model: Path, texts: Path, tmp_path: Path) -> None:
    kept = tmp_path / "state.pt"
    run(options(model, texts, tmp_path / "out", "--data-steps", 0, "--steps", 1, "--checkpoint", kept))
    with pytest.raises(UserError, match="other values of: seeds, variants"):
        run(
            options(model, texts, tmp_path / "out", "--data-steps", 0, "--steps", 1, "--checkpoint", kept, "--seeds", 1)
        )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--steps", 0), "--steps is a whole number from 1 to 1,000,000,000."),
        (("--threads", 0), "--threads is a whole number from 1 to"),
        (("--threads", "x"), "--threads is a whole number from 1 to"),
        (("--seeds", "1,x"), "--seeds takes whole numbers from 0 to 1,000,000,000"),
        (("--seeds", "-1"), "--seeds takes whole numbers from 0 to 1,000,000,000"),
        (("--learning-rate", 0), "--learning-rate is a number above 0"),
        (("--learning-rate", "inf"), "--learning-rate is a number above 0 and below 1"),
        (
            ("--out", __file__, "--page", "training.md"),
            r"questions\.py: there is a file of that name. Choose another place \(--out,",
        ),
        (("--save-heads", __file__), r"questions\.py: there is a file of that name. Choose another place"),
        (("--checkpoint", "."), "is a folder. Name a file with --checkpoint"),
        (("--checkpoint", "nowhere/state.pt"), "There is no folder nowhere. Make it"),
        (("--page", "nowhere.md"), "no page nowhere.md"),
        (("--draw",), "no figures in"),
        (("--longest", 5000), "--longest 1536 or less"),
        (("--data", "nowhere.txt"), "no text at"),
    ],
)
def test_what_cannot_be_is_a_sentence(
    words: tuple[object, ...], said: str, model: Path, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=said):
        run(options(model, texts, tmp_path / "training", *words))
    assert [path.name for path in tmp_path.iterdir()] == ["training.md"], "nothing else is left"


def test_a_page_that_is_no_text_is_refused(model: Path, texts: Path, tmp_path: Path) -> None:
    page = tmp_path / "training.md"
    page.write_bytes(b"\xff\xfe\x00" * 9)
    with pytest.raises(UserError, match="is no text that can be written to"):
        run(options(model, texts, tmp_path / "training"))
    assert page.read_bytes() == b"\xff\xfe\x00" * 9


def test_what_is_no_checkpoint_is_refused_and_left_alone(model: Path, texts: Path, tmp_path: Path) -> None:
    kept = tmp_path / "notes.txt"
    kept.write_text("my notes")
    with pytest.raises(UserError, match=r"no checkpoint that can be read\. Name another file") as refused:
        run(options(model, texts, tmp_path / "training", "--checkpoint", kept))
    assert "Delete" not in refused.value.message
    assert kept.read_text() == "my notes"
    torch.save({"step": 3}, kept)
    with pytest.raises(UserError, match="checkpoint of something else"):
        run(options(model, texts, tmp_path / "training", "--checkpoint", kept))


@pytest.mark.usefixtures("undrawn")
def test_texts_of_one_kind_are_not_compared(
    model: Path, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(training_variants, "TEXTS", {})
    monkeypatch.setattr(training_comparison, "TEXTS", {})
    assert run(options(model, texts, tmp_path / "out", "--steps", 1, "--seeds", 1)) == 0
    assert {row["experiment"] for row in figures(tmp_path / "out")["rows"]} == {"labels"}
    assert "The text is of one kind, so kinds of text are not compared." in capsys.readouterr().err


def test_a_page_without_a_place_for_figures_is_refused_before_training(
    model: Path, texts: Path, tmp_path: Path
) -> None:
    (tmp_path / "training.md").write_text("# Training\n")
    with pytest.raises(UserError, match="no place for figures"):
        run(options(model, texts, tmp_path / "training"))


# --- what is compared ------------------------------------------------------------------------------------------------


def labelled(**labels: float) -> list[LayerLabels]:
    """One layer of two KV heads and three tokens; every label of a source is the same number."""
    return [LayerLabels(torch.ones(3, 4), {name: torch.full((2, 3), value) for name, value in labels.items()})]


def test_a_variant_learns_from_the_maximum_over_its_own_sources() -> None:
    contexts = {"all": labelled(planted=1.0, text=2.0, repeat=9.0, **{"continue": 3.0})}
    found = {kind: Variant(kind).sample(contexts, 0)[0].labels[0, 0].item() for kind in KINDS}
    assert found == {"answer": 2, "repeat": 9, "continue": 3, "mixed": 3, "answer+repeat": 9, "all": 9}


def test_all_texts_in_turn_are_as_many_steps_as_one_alone() -> None:
    contexts = {"novels": labelled(text=1.0), "manuals": labelled(text=2.0)}
    in_turn = Variant(text=training_variants.IN_TURN)
    assert [in_turn.sample(contexts, step)[0].labels[0, 0].item() for step in range(4)] == [1, 2, 1, 2]
    assert Variant(text="manuals").sample(contexts, 0)[0].labels[0, 0] == 2


def test_a_judgement_keeps_the_kinds_apart() -> None:
    one = judgement(labelled(text=1.0, repeat=2.0), {"answer": KINDS["answer"], "all": KINDS["all"]})
    assert one.labels["answer"][0].flatten().tolist() == [1.0] * 6
    assert one.labels["all"][0].flatten().tolist() == [2.0] * 6

"""Two processes train one set of heads: gradients are averaged, figures shared, and one of them writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import torch

from engine.locret.heads import RetainingHeads, load_heads
from engine.locret.training import Loss, Sample, head_loss, predict
from engine.model_shape import read_shape
from engine.target import Target
from engine.training import job
from engine.training.checks import best_check
from engine.training.data import read_data
from engine.training.held_out import split
from engine.training.job import open_backbone, optimisation
from engine.training.samples import Recipe
from engine.training.session import TrainingSession
from engine.training.train_command import LEARNING_RATE
from engine.training.training_run import HELD_OUT_SAMPLES
from tests.engine.backends import tiny_folder
from tests.engine.training.test_data import prose

STEPS, LONGEST, HIDDEN, SEED = 2, 80, 8, 1


@pytest.mark.skipif(sys.platform == "win32", reason="torch has no gloo there")
def test_two_processes_write_one_head_file(tmp_path: Path) -> None:
    model = tiny_folder.write(tmp_path / "tiny", max_position_embeddings=1024)
    text, out = tmp_path / "text.txt", tmp_path / "heads.safetensors"
    text.write_text(prose(1, 500))
    words = ["--model", model, "--data", text, "--out", out, "--steps", STEPS, "--longest", LONGEST, "--seed", SEED]
    more = ["--hidden", HIDDEN, "--check-steps", 1, "--device", "cpu", "--dtype", "float32", "--threads", 1]
    # With --cpu it starts one process alone. The port is a free one, and nobody's own settings take part.
    launcher = [sys.executable, "-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2"]
    fixed = ["--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no", "--main_process_port", "0"]
    command = [*launcher, *fixed, "-m", "engine.main", "train", *map(str, [*words, *more])]
    environment = {**os.environ, "ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1", "HF_HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("Wrote") == 1
    record = tmp_path / "heads.safetensors.run"
    assert json.loads((record / "progress.json").read_text())["state"] == "done"
    rows = [json.loads(line) for line in (record / "log.jsonl").read_text().splitlines()]
    checks = [row for row in rows if row["kind"] == "held-out"]
    assert [row["step"] for row in checks] == [1, 2]
    assert "| processes | 2 |" in out.with_suffix(".md").read_text()

    written, best = load_heads(out), best_check(checks)["step"]
    assert written.calibration is not None
    session = own_session(model, text)
    assert apart(written, stepped(session, [[0, 1], [2, 3]][:best])) < LEARNING_RATE / 100
    assert apart(written, stepped(session, [[0], [2]][:best])) > LEARNING_RATE / 10, "as if each trained alone"

    first, second = stepped(session, []), stepped(session, [[0, 1]])
    (train,) = [row for row in rows if row["kind"] == "train"]
    trained_on = [missed((first, first, second, second)[number], session.sample(number)) for number in range(4)]
    assert train["loss"] == pytest.approx(fmean(trained_on), abs=1e-4)
    assert train["loss"] != pytest.approx(fmean(trained_on[::2]), abs=1e-3), "as if the first told of itself alone"
    held_out = [missed(second, sample) for sample in session.held_out_samples(range(HELD_OUT_SAMPLES))]
    assert checks[0]["loss"] == pytest.approx(fmean(held_out), abs=1e-4)
    assert checks[0]["loss"] != pytest.approx(fmean(held_out[::2]), abs=1e-3)


@pytest.mark.parametrize(
    ("device", "has_bfloat16", "told"),
    [
        ("auto", True, {"cpu": False, "mixed_precision": "bf16"}),
        ("cuda", False, {"cpu": False, "mixed_precision": "no"}),
        ("cpu", True, {"cpu": True, "mixed_precision": "no"}),
    ],
)
def test_heads_are_trained_in_mixed_precision_on_cuda_with_bfloat16_alone(
    device: str, has_bfloat16: bool, told: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accelerate.Accelerator", dict)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: has_bfloat16)
    assert job._accelerator(device) == told


def own_session(model: Path, text: Path) -> TrainingSession:
    backbone = open_backbone(read_shape(model), Target("torch", "cpu", "float32"), LONGEST)
    data = read_data([text], Path("nowhere"), lambda _: None)
    parts = split(data.documents)
    return TrainingSession(backbone, parts.training, parts.validation, Recipe(LONGEST), SEED)


def stepped(session: TrainingSession, steps: Sequence[Sequence[int]]) -> RetainingHeads:
    """Heads after a step on the mean gradient of each of these groups of samples, with torch's optimiser alone."""
    torch.manual_seed(SEED)
    backbone, numbers = session.backbone, optimisation(STEPS, LEARNING_RATE, 0.0025)
    heads = RetainingHeads(backbone.layers, backbone.feature_width, HIDDEN, backbone.kv_heads)
    optimiser = torch.optim.AdamW(heads.requires_grad_(True).parameters(), betas=(numbers.beta_1, numbers.beta_2))
    for step, samples in enumerate(steps):
        optimiser.param_groups[0]["lr"] = numbers.rate(step)
        optimiser.zero_grad()
        torch.stack([loss(heads, session.sample(number)).total for number in samples]).mean().backward()
        torch.nn.utils.clip_grad_value_(heads.parameters(), numbers.clip_value)
        optimiser.step()
    return heads.requires_grad_(False)


def loss(heads: RetainingHeads, sample: Sample) -> Loss:
    return head_loss(predict(heads, sample), [part.labels for part in sample])


def missed(heads: RetainingHeads, sample: Sample) -> float:
    """The loss as the log tells it."""
    return loss(heads, sample).regression.item()


def apart(one: RetainingHeads, other: RetainingHeads) -> float:
    """The mean difference of two weights."""
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    return torch.cat([(a - b).abs().flatten() for a, b in pairs]).mean().item()

"""Labels of several answers, the optimiser loop, resume, and calibration, on random tensors."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from engine.locret import training
from engine.locret.heads import RetainingHeads, load_heads, save_heads
from engine.locret.training import (
    LayerSample,
    Optimisation,
    Sample,
    Trainer,
    attention_labels,
    calibrate,
    overlap,
    predict,
)

LAYERS, WIDTH, HIDDEN, KV_HEADS = 2, 24, 16, 2


def make_sample(seed: int, tokens: int = 40) -> Sample:
    """Labels that are a fixed linear function of the features, so that they can be learnt."""
    truth = torch.randn(LAYERS, KV_HEADS, WIDTH, generator=torch.Generator().manual_seed(99)) * 0.3
    features = torch.randn(LAYERS, tokens, WIDTH, generator=torch.Generator().manual_seed(seed))
    return [LayerSample(features[layer], truth[layer] @ features[layer].T) for layer in range(LAYERS)]


def make_trainer(steps: int = 60) -> Trainer:
    torch.manual_seed(0)
    optimisation = Optimisation(steps=steps, warm_up=5, learning_rate=5e-3, final_rate=1e-3)
    return Trainer(RetainingHeads(LAYERS, WIDTH, HIDDEN, KV_HEADS), optimisation)


def test_labels_of_several_answers_are_the_maximum_of_each() -> None:
    queries, keys = torch.randn(6, 9, 8), torch.randn(2, 20, 8)
    together = attention_labels(queries, keys)
    apart = torch.stack([attention_labels(queries[:, begin : begin + 3], keys) for begin in (0, 3, 6)])
    torch.testing.assert_close(together, apart.amax(dim=0))


def test_a_label_is_the_strongest_logit_of_the_heads_group() -> None:
    queries, keys = torch.randn(6, 9, 8), torch.randn(2, 20, 8)
    expected = max(float(queries[head, p] @ keys[1, 7]) for head in (3, 4, 5) for p in range(9)) / 8**0.5
    assert attention_labels(queries, keys)[1, 7].item() == pytest.approx(expected, abs=1e-5)


def test_labels_are_exact_in_low_precision_and_over_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    queries, keys = (30 * torch.randn(heads, count, 64) for heads, count in ((6, 50), (2, 33)))
    for dtype in (torch.float16, torch.bfloat16):
        low = queries.to(dtype), keys.to(dtype)
        whole = attention_labels(*low)
        exact = low[0].double().reshape(2, -1, 64) @ low[1].double().transpose(1, 2) / 8
        torch.testing.assert_close(whole, exact.amax(dim=1).float())
        with monkeypatch.context() as patch:
            patch.setattr(training, "LOGITS", 500)
            torch.testing.assert_close(attention_labels(*low), whole)
    large = torch.full((2, 3, 64), 100.0, dtype=torch.float16)
    assert attention_labels(large, large).max() == 100 * 100 * 8


def test_training_lowers_the_held_out_loss() -> None:
    trainer = make_trainer()
    held_out = [make_sample(seed) for seed in (1000, 1001)]
    before = [trainer.check(sample) for sample in held_out]
    for step in range(60):
        trainer.train_on(make_sample(step))
    for sample, first in zip(held_out, before, strict=True):
        found = trainer.check(sample)
        assert found.loss.regression < first.loss.regression / 2
        assert all(found.overlap[share] > first.overlap[share] for share in (0.25, 0.125))


def test_the_overlap_is_the_share_of_the_best_units_that_are_found() -> None:
    labels = torch.arange(16.0)[None]
    assert overlap([labels * 2], [labels], 0.25) == 1
    assert overlap([-labels], [labels], 0.25) == 0
    assert overlap([torch.where(labels == 15, -1.0, labels)], [labels], 0.25) == 0.75


def test_without_smoothing_the_loss_is_the_regression_alone() -> None:
    trainer = make_trainer()
    trainer.optimisation = replace(trainer.optimisation, smoothing=0.0)
    loss = trainer.check(make_sample(3)).loss
    assert loss.total == loss.regression
    assert loss.smoothing > 0


def test_a_resumed_run_ends_with_the_same_weights(tmp_path: Path) -> None:
    uninterrupted = make_trainer()
    for step in range(12):
        uninterrupted.train_on(make_sample(step))

    first = make_trainer()
    for step in range(7):
        first.train_on(make_sample(step))
    torch.save(first.state(), tmp_path / "checkpoint")
    second = make_trainer()
    second.resume(torch.load(tmp_path / "checkpoint", weights_only=True))
    while second.step < 12:
        second.train_on(make_sample(second.step))

    for name, weight in uninterrupted.heads.state_dict().items():
        assert torch.equal(weight, second.heads.state_dict()[name]), name


def test_the_rate_warms_up_and_then_falls() -> None:
    optimisation = Optimisation(steps=100, warm_up=10, learning_rate=1.0, final_rate=0.1)
    rates = [optimisation.rate(step) for step in range(100)]
    assert rates[:10] == pytest.approx([0.1 * step for step in range(1, 11)])
    assert rates[10] == pytest.approx(1.0)
    assert rates[99] == pytest.approx(0.11)


def test_gradients_are_clipped_by_value() -> None:
    trainer = make_trainer()
    sample = [LayerSample(part.features * 100, part.labels * 1000) for part in make_sample(0)]
    trainer.train_on(sample)
    gradients = [weight.grad.abs().max() for weight in trainer.heads.parameters() if weight.grad is not None]
    assert max(gradients).item() == trainer.optimisation.clip_value


def test_calibration_makes_scores_standard_and_survives_the_file(tmp_path: Path) -> None:
    heads = make_trainer().heads
    samples = [make_sample(seed) for seed in range(3)]
    heads.calibration = calibrate(heads, samples)
    cis = torch.cat([torch.stack(predict(heads, sample)) for sample in samples], dim=-1).detach()
    standard = (cis - heads.calibration.mean[..., None]) / heads.calibration.std[..., None]
    torch.testing.assert_close(standard.mean(dim=-1), torch.zeros(LAYERS, KV_HEADS), atol=1e-5, rtol=0)
    torch.testing.assert_close(standard.std(dim=-1), torch.ones(LAYERS, KV_HEADS))
    average = standard.mean(dim=(0, 1))
    assert heads.calibration.consensus_std == pytest.approx(average.std().item(), rel=1e-4)

    save_heads(heads, tmp_path / "heads.safetensors", {"steps": "0"})
    loaded = load_heads(tmp_path / "heads.safetensors").calibration
    assert loaded is not None
    torch.testing.assert_close(loaded.mean, heads.calibration.mean)
    assert loaded.consensus_std == pytest.approx(heads.calibration.consensus_std)


@pytest.mark.skipif(os.name == "nt", reason="POSIX limits")
def test_heads_that_cannot_be_written_tell_the_systems_reason_and_leave_nothing(tmp_path: Path) -> None:
    import resource

    heads, (soft, hard) = make_trainer().heads, resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OSError) as failed:
            save_heads(heads, tmp_path / "heads.safetensors", {})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert failed.value.errno == errno.EFBIG
    assert not any(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_heads_are_as_open_to_others_as_any_file(tmp_path: Path) -> None:
    save_heads(make_trainer().heads, tmp_path / "heads.safetensors", {})
    (tmp_path / "usual").touch()
    assert (tmp_path / "heads.safetensors").stat().st_mode == (tmp_path / "usual").stat().st_mode

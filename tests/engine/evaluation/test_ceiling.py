"""The labels as a policy: looked up by position, and ranked as Locret's scores are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from engine.chat_format import ChatFormat
from engine.evaluation.ceiling import Ceiling, LabelPolicy, calibration_of
from engine.evaluation.fidelity_cases import Question
from engine.locret.policies import Locret, LocretConsensus
from engine.training.backbone import Backbone
from tests.engine.backends import tiny_folder
from tests.engine.backends.tiny_folder import KV_HEADS, LAYERS
from tests.engine.fake_runtime import FakeRuntime

LABELS = torch.randn(2, 2, 50, generator=torch.Generator().manual_seed(1))


def test_labels_are_looked_up_by_position() -> None:
    positions = torch.tensor([[[3, 4], [3, 4]], [[3, 4], [3, 4]]], dtype=torch.int32)
    given = torch.zeros(2, 2, 2)

    class AsGiven(Locret):
        def score(self, cis: torch.Tensor | None, positions: torch.Tensor) -> torch.Tensor:
            assert cis is not None
            given.copy_(cis)
            return cis

    LabelPolicy(LABELS, AsGiven()).score(None, positions)
    assert torch.equal(given, LABELS[:, :, 3:5])


def test_the_calibration_makes_z_scores() -> None:
    calibration = calibration_of(LABELS)
    own = (LABELS - calibration.mean[..., None]) / calibration.std[..., None]
    torch.testing.assert_close(own.mean(dim=-1), torch.zeros(2, 2), atol=1e-5, rtol=0)
    torch.testing.assert_close(own.std(dim=-1), torch.ones(2, 2))


def test_the_labels_of_questions_and_what_follows_are_the_maximum_of_each(tmp_path: Path) -> None:
    runtime, chat = FakeRuntime(), ChatFormat("", "!", "")
    ceiling = Ceiling(Backbone(tiny_folder.write(tmp_path / "tiny")))
    context = runtime.tokenize("the mill has 101 wheels and the barge 102", special=False)
    questions = [Question("needle", "How many wheels?", ("101",)), Question("fact", "And the barge?", ("102",))]
    positions = torch.arange(len(context)).expand(LAYERS, KV_HEADS, -1)

    def labels(asked: list[Question], following: Sequence[int] = ()) -> torch.Tensor:
        policy = ceiling.policy(runtime, chat, context, asked, following)
        assert isinstance(policy, LabelPolicy) and isinstance(policy._ranking, LocretConsensus)
        assert policy.score(None, positions).shape == (LAYERS, KV_HEADS, len(context))
        return policy._labels

    one, other, both = labels(questions[:1]), labels(questions[1:]), labels(questions)
    following = runtime.tokenize("and the lock 103", special=False)
    continued, everything = labels([], following), labels(questions, following)
    ceiling.close()
    assert not torch.allclose(one, other) and not torch.allclose(continued, torch.maximum(both, continued))
    torch.testing.assert_close(both, torch.maximum(one, other))
    torch.testing.assert_close(everything, torch.maximum(both, continued))

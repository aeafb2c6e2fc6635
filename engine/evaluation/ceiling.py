"""The labels themselves as a policy: what heads that predicted them without error would keep.

It asks the training's backbone for them and knows no runtime.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from engine.backends.base import Runtime
from engine.backends.torch_model import Placement
from engine.chat_format import ChatFormat
from engine.evaluation.answers import question_tokens
from engine.evaluation.fidelity_cases import Question
from engine.locret.heads import Calibration
from engine.locret.policies import LocretConsensus, Policy
from engine.target import Target
from engine.training.backbone import Backbone
from engine.training.samples import TokenPrompt, label_prompt

_ANSWERS = "answer"


class LabelPolicy:
    """Ranks labels, looked up by original position, as another policy ranks the CIS that are trained to be them."""

    name = "labels"

    def __init__(self, labels: Tensor, ranking: Policy) -> None:
        """labels: float32 (layers, kv_heads, n), of a stream's first n tokens."""
        self._labels, self._ranking = labels, ranking

    def score(self, cis: Tensor | None, positions: Tensor) -> Tensor:  # noqa: ARG002
        return self._ranking.score(self._labels.gather(-1, positions.long()), positions)


class Ceiling:
    """The labels of a document: for every unit the strongest attention logit, over a full cache, that a token of any
    answer pays to it (paper section 3.3), over all that this benchmark asks of the document, the text that follows
    among it, as heads are taught by questions and what follows. So it knows what comes, which no policy may.
    """

    def __init__(self, backbone: Backbone) -> None:
        self._backbone = backbone

    def close(self) -> None:
        """Frees the weights."""
        self._backbone.close()

    def policy(
        self,
        runtime: Runtime,
        chat: ChatFormat,
        context: Sequence[int],
        questions: Sequence[Question],
        following: Sequence[int] = (),
    ) -> Policy:
        """Ranked as Locret's CIS are, calibrated by these labels' own mean and deviation. context: the stream that is
        read; following: the tokens that come after it in the document.
        """
        prompt = _prompt(runtime, chat, context, questions, following)
        labels = torch.stack([layer.labels[_ANSWERS] for layer in label_prompt(self._backbone, prompt)])
        labels = labels.float().cpu()
        return LabelPolicy(labels, LocretConsensus(calibration_of(labels)))


def open_ceiling(model: Path, target: Target) -> Ceiling:
    """Loads the model a second time, by torch, for the labels. Raises UserError("model_broken")."""
    on_torch = Placement(target.device, target.dtype, target.weight_bits)
    return Ceiling(Backbone(model, on_torch if target.runtime == "torch" else Placement("cpu", "bfloat16")))


def calibration_of(scores: Tensor) -> Calibration:
    """scores: (layers, kv_heads, n)."""
    mean, std = scores.mean(dim=-1), scores.std(dim=-1)
    average = ((scores - mean[..., None]) / std[..., None]).mean(dim=(0, 1))
    return Calibration(mean, std, float(average.mean()), float(average.std()))


def _prompt(
    runtime: Runtime, chat: ChatFormat, context: Sequence[int], questions: Sequence[Question], following: Sequence[int]
) -> TokenPrompt:
    """Each question with the first of its accepted answers as a branch; the queries are the answers' tokens, from the
    one that predicts the first of them on. What follows is a branch of its own, all of it queries.
    """
    branches: list[list[int]] = []
    queries: list[int] = []
    length = 0
    for question in questions:
        asked = question_tokens(runtime, chat, question.text)
        branch = asked + runtime.tokenize(question.accepted[0], special=False)
        queries += range(length + len(asked) - 1, length + len(branch))
        length += len(branch)
        branches.append(branch)
    if following:
        branches.append(list(following))
        queries += range(length, length + len(following))
    return TokenPrompt(list(context), branches, {_ANSWERS: queries})

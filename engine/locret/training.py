"""Training of retaining heads: labels, loss and the optimiser loop (paper section 3.3).

It knows features, keys and queries as tensors; where they come from, and of what text, is the caller's affair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from engine.locret.heads import Calibration, RetainingHeads

SMOOTHING_WEIGHT = 0.0025


class LayerSample(NamedTuple):
    """One layer's share of a training sample.

    features: (n, width), concat(Q, K, V) of the context before RoPE. labels: float32 (kv_heads, n).
    """

    features: Tensor
    labels: Tensor


Sample = Sequence[LayerSample]


class Loss(NamedTuple):
    """The authors' loss: total = regression + SMOOTHING_WEIGHT * smoothing."""

    regression: Tensor
    smoothing: Tensor
    total: Tensor


@dataclass(frozen=True)
class Optimisation:
    """The optimiser's numbers; the defaults are the authors' but for the length."""

    steps: int = 600
    warm_up: int = 60
    learning_rate: float = 5e-4
    final_rate: float = 5e-4
    beta_1: float = 0.9
    beta_2: float = 0.95
    clip_value: float = 0.5

    def rate(self, step: int) -> float:
        """Learning rate of a step: a linear warm-up, then linear from learning_rate to final_rate."""
        if step < self.warm_up:
            return self.learning_rate * (step + 1) / self.warm_up
        done = (step - self.warm_up) / max(1, self.steps - self.warm_up)
        return self.learning_rate + done * (self.final_rate - self.learning_rate)


def attention_labels(queries: Tensor, keys: Tensor) -> Tensor:
    """The strongest attention logit of each key: the maximum of q_p k / sqrt(d) over queries p and a group's heads.

    queries: (heads, m, head_dim), keys: (kv_heads, n, head_dim), both after RoPE; KV head h serves query heads
    h * group to (h + 1) * group - 1.
    Returns float32 (kv_heads, n). Labels of several answers together are the maximum of the labels of each.
    """
    kv_heads, _, head_dim = keys.shape
    grouped = queries.reshape(kv_heads, -1, head_dim)
    logits = grouped @ keys.transpose(1, 2)
    strongest: Tensor = logits.amax(dim=1).float() / head_dim**0.5
    return strongest


def head_loss(predictions: Sequence[Tensor], labels: Sequence[Tensor]) -> Loss:
    """SmoothL1 averaged over layers, heads and tokens; squared difference of neighbouring CIS, summed over layers.

    predictions, labels: one (kv_heads, n) a layer.
    """
    pairs = list(zip(predictions, labels, strict=True))
    regression = torch.stack([F.smooth_l1_loss(predicted, label) for predicted, label in pairs]).mean()
    smoothing = torch.stack([predicted.diff(dim=-1).square().mean() for predicted in predictions]).sum()
    return Loss(regression, smoothing, regression + SMOOTHING_WEIGHT * smoothing)


class Trainer:
    """Heads and their optimiser (AdamW, gradients clipped by value), one sample a step. The backbone is not here."""

    def __init__(self, heads: RetainingHeads, optimisation: Optimisation) -> None:
        self.heads, self.optimisation = heads.requires_grad_(True), optimisation
        self.step = 0
        betas = (optimisation.beta_1, optimisation.beta_2)
        self.optimiser = torch.optim.AdamW(heads.parameters(), lr=optimisation.learning_rate, betas=betas)

    def train_on(self, sample: Sample) -> Loss:
        """One step on one sample. Returns its loss before the step."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.optimisation.rate(self.step)
        self.optimiser.zero_grad()
        loss = sample_loss(self.heads, sample)
        torch.autograd.backward(loss.total)
        torch.nn.utils.clip_grad_value_(self.heads.parameters(), self.optimisation.clip_value)
        self.optimiser.step()
        self.step += 1
        return Loss(*(part.detach() for part in loss))

    def save(self, path: Path) -> None:
        """Writes a checkpoint from which `resume` goes on exactly as if nothing had happened."""
        state = {"step": self.step, "heads": self.heads.state_dict(), "optimiser": self.optimiser.state_dict()}
        partial = path.with_name(path.name + ".partial")
        torch.save(state, partial)
        partial.replace(path)

    def resume(self, path: Path) -> None:
        """Goes on from a checkpoint of heads of the same shape."""
        state = torch.load(path, weights_only=True)
        self.heads.load_state_dict(state["heads"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.step = state["step"]


def predict(heads: RetainingHeads, sample: Sample) -> list[Tensor]:
    """The CIS of a sample's context, one (kv_heads, n) a layer."""
    return [heads.score(layer, part.features.float()) for layer, part in enumerate(sample)]


def sample_loss(heads: RetainingHeads, sample: Sample) -> Loss:
    """The loss of one sample."""
    return head_loss(predict(heads, sample), [part.labels for part in sample])


@torch.no_grad()
def held_out_loss(heads: RetainingHeads, samples: Sequence[Sample]) -> Loss:
    """The mean loss over samples that are not trained on."""
    losses = [torch.stack(list(sample_loss(heads, sample))) for sample in samples]
    return Loss(*torch.stack(losses).mean(dim=0))


@torch.no_grad()
def calibrate(heads: RetainingHeads, samples: Sequence[Sample]) -> Calibration:
    """Means and deviations of the CIS by layer and head, and of the z-score averaged over all heads."""
    cis = torch.cat([torch.stack(predict(heads, sample)) for sample in samples], dim=-1)
    mean, std = cis.mean(dim=-1), cis.std(dim=-1)
    average = ((cis - mean[..., None]) / std[..., None]).mean(dim=(0, 1))
    return Calibration(mean, std, average.mean().item(), average.std().item())

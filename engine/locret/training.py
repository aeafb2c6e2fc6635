"""Training of retaining heads: labels, loss and the optimiser loop (paper section 3.3).

It knows features, keys and queries as tensors; where they come from, and of what text, is the caller's affair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.locret.heads import Calibration, RetainingHeads

SMOOTHING_WEIGHT = 0.0025
# How many attention logits are held at once while labels are computed.
LOGITS = 1 << 24
# The shares of the units at which predictions and labels are compared.
OVERLAP_SHARES = (0.25, 0.125)


class LayerSample(NamedTuple):
    """One layer's share of a training sample.

    features: (n, width), concat(Q, K, V) of the context before RoPE. labels: float32 (kv_heads, n).
    """

    features: Tensor
    labels: Tensor


Sample = Sequence[LayerSample]


class Loss(NamedTuple):
    """The authors' loss: total = regression + weight * smoothing, their weight being SMOOTHING_WEIGHT."""

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
    smoothing: float = SMOOTHING_WEIGHT

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
    Returns float32 (kv_heads, n), computed in float32 whatever the model computes in, over blocks of queries. Labels of
    several answers together are the maximum of the labels of each.
    """
    kv_heads, count, head_dim = keys.shape
    exact = keys.float().transpose(1, 2)
    blocks = torch.split(queries.reshape(kv_heads, -1, head_dim), max(1, LOGITS // (kv_heads * count)), dim=1)
    strongest: Tensor = reduce(torch.maximum, ((block.float() @ exact).amax(dim=1) for block in blocks)) / head_dim**0.5
    return strongest


def head_loss(predictions: Sequence[Tensor], labels: Sequence[Tensor], weight: float = SMOOTHING_WEIGHT) -> Loss:
    """SmoothL1 averaged over layers, heads and tokens; squared difference of neighbouring CIS, summed over layers.

    predictions, labels: one (kv_heads, n) a layer. weight: of the second.
    """
    pairs = list(zip(predictions, labels, strict=True))
    regression = torch.stack([F.smooth_l1_loss(predicted.float(), label) for predicted, label in pairs]).mean()
    smoothing = torch.stack([predicted.float().diff(dim=-1).square().mean() for predicted in predictions]).sum()
    return Loss(regression, smoothing, regression + weight * smoothing)


def overlap(predictions: Sequence[Tensor], labels: Sequence[Tensor], share: float) -> Tensor:
    """How many of each head's highest labelled units are among as many of the highest predicted, from 0 to 1.

    predictions, labels: one (kv_heads, n) a layer. share: of the n units. The mean over layers and heads.
    """
    shares = []
    for predicted, label in zip(predictions, labels, strict=True):
        count = max(1, int(share * label.shape[-1]))
        chosen = torch.zeros_like(label, dtype=torch.bool).scatter(1, predicted.topk(count, dim=-1).indices, True)
        shares.append(chosen.gather(1, label.topk(count, dim=-1).indices).float().mean())
    return torch.stack(shares).mean()


class Accelerator(Protocol):
    """What spreads training over processes and devices; Hugging Face's accelerate is one."""

    def prepare(self, *parts: Any) -> Any:
        """The heads and their optimiser, wrapped."""

    def backward(self, loss: Tensor) -> None: ...


class Figures(NamedTuple):
    """What a step or a check tells: its loss, and the overlap with the labels by share of units."""

    loss: Loss
    overlap: Mapping[float, Tensor]


class Trainer:
    """Heads and their optimiser (AdamW, gradients clipped by value), one sample a step. The backbone is not here.

    accelerator: with one, each process steps on its own samples, and the gradients are averaged.
    """

    def __init__(
        self, heads: RetainingHeads, optimisation: Optimisation, accelerator: Accelerator | None = None
    ) -> None:
        self.heads, self.optimisation = heads.requires_grad_(True), optimisation
        self.step = 0
        betas = (optimisation.beta_1, optimisation.beta_2)
        self.optimiser: Any = torch.optim.AdamW(heads.parameters(), lr=optimisation.learning_rate, betas=betas)
        self._wrapped: nn.Module = heads
        self._backward: Callable[[Tensor], object] = torch.autograd.backward
        if accelerator is not None:
            self._wrapped, self.optimiser = accelerator.prepare(heads, self.optimiser)
            self._backward = accelerator.backward

    def train_on(self, sample: Sample) -> Figures:
        """One step on one sample. Returns its figures before the step."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.optimisation.rate(self.step)
        self.optimiser.zero_grad()
        predictions = predict(self._wrapped, sample)
        figures = self._figures(predictions, sample)
        self._backward(figures.loss.total)
        torch.nn.utils.clip_grad_value_(self.heads.parameters(), self.optimisation.clip_value)
        self.optimiser.step()
        self.step += 1
        return Figures(Loss(*(part.detach() for part in figures.loss)), figures.overlap)

    @torch.no_grad()
    def check(self, sample: Sample) -> Figures:
        """The figures of a sample that is not trained on."""
        return self._figures(predict(self.heads, sample), sample)

    def state(self) -> dict[str, Any]:
        """All that `resume` needs to go on exactly as if nothing had happened."""
        return {"step": self.step, "heads": self.heads.state_dict(), "optimiser": self.optimiser.state_dict()}

    def resume(self, state: Mapping[str, Any]) -> None:
        """Goes on from the state of heads of the same shape."""
        self.heads.load_state_dict(state["heads"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.step = state["step"]

    def _figures(self, predictions: Sequence[Tensor], sample: Sample) -> Figures:
        labels = [part.labels for part in sample]
        found = [predicted.detach() for predicted in predictions]
        return Figures(
            head_loss(predictions, labels, self.optimisation.smoothing),
            {share: overlap(found, labels, share) for share in OVERLAP_SHARES},
        )


def predict(heads: nn.Module, sample: Sample) -> list[Tensor]:
    """The CIS of a sample's context, one (kv_heads, n) a layer. heads: RetainingHeads, wrapped or not."""
    predictions: list[Tensor] = heads([part.features for part in sample])
    return predictions


@torch.no_grad()
def calibrate(heads: RetainingHeads, samples: Iterable[Sample]) -> Calibration:
    """Means and deviations of the CIS by layer and head, and of the z-score averaged over all heads."""
    cis = torch.cat([torch.stack(predict(heads, sample)) for sample in samples], dim=-1).float().cpu()
    mean, std = cis.mean(dim=-1), cis.std(dim=-1)
    average = ((cis - mean[..., None]) / std[..., None]).mean(dim=(0, 1))
    return Calibration(mean, std, average.mean().item(), average.std().item())

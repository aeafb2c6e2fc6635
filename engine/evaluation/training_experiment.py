"""Many heads trained side by side on the same passes of the backbone, and judged by the same held-out contexts.

A pass costs most, so each step's is shared: a comparison differs by what is compared and by nothing else. It knows no
text and no file.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from engine.evaluation.training_variants import Kinds, Variant
from engine.locret.heads import RetainingHeads
from engine.locret.training import OVERLAP_SHARES, LayerSample, Sample, Trainer, head_loss, overlap, predict
from engine.training.backbone import Backbone
from engine.training.job import optimisation
from engine.training.samples import LayerLabels, combined

Row = dict[str, Any]
"""A measurement: the variant's fields, step, judged, samples, loss, roughness (the smoothing term), overlap_<share>."""
Draw = Callable[[int], Mapping[str, Sequence[LayerLabels]]]
"""The labelled contexts of a step, by the kind of text."""
MEASURES = ("loss", "roughness", *(f"overlap_{share:g}" for share in OVERLAP_SHARES))
CONSTANT = "each head's mean"


@dataclass(frozen=True)
class Judgement:
    """A held-out context: each layer's features, (n, width), and by what is judged each layer's labels."""

    features: Sequence[Tensor]
    labels: Mapping[str, Sequence[Tensor]]

    @property
    def sample(self) -> Sample:
        """As a sample, whose labels are any of them."""
        labels = next(iter(self.labels.values()))
        return [LayerSample(*part) for part in zip(self.features, labels, strict=True)]


def judgement(labelled: Sequence[LayerLabels], kinds: Kinds) -> Judgement:
    """kinds: for each name that is judged the sources whose labels it means."""
    labels = {name: [part.labels for part in combined(labelled, sources)] for name, sources in kinds.items()}
    return Judgement([layer.features for layer in labelled], labels)


class Experiment:
    """name: of the rows it makes. held_out: what every variant is judged by."""

    def __init__(
        self,
        name: str,
        variants: Sequence[Variant],
        backbone: Backbone,
        draw: Draw,
        held_out: Sequence[Judgement],
        steps: int,
        learning_rate: float,
    ) -> None:
        self.name, self.steps, self.step = name, steps, 0
        self.held_out = held_out
        self.trainers = {variant: _trainer(variant, backbone, steps, learning_rate) for variant in variants}
        self._draw = draw

    def advance(self) -> None:
        """One step of every variant."""
        labelled = self._draw(self.step)
        for variant, trainer in self.trainers.items():
            trainer.train_on(variant.sample(labelled, self.step))
        self.step += 1

    def judge(self) -> list[Row]:
        """The rows of all variants at this step, means over the held-out contexts."""
        rows = []
        for variant, trainer in self.trainers.items():
            figures: dict[str, list[list[float]]] = {}
            for one in self.held_out:
                predictions = _predict(trainer.heads, one)
                for judged, labels in one.labels.items():
                    figures.setdefault(judged, []).append(_figures(predictions, labels))
            rows += [
                {"experiment": self.name, **asdict(variant), "step": self.step, "judged": judged, **_means(found)}
                for judged, found in figures.items()
            ]
        return rows

    def state(self) -> dict[str, Any]:
        """All that `resume` needs to go on exactly as if nothing had happened."""
        return {
            "step": self.step,
            "trainers": {variant.key: trainer.state() for variant, trainer in self.trainers.items()},
        }

    def resume(self, state: Mapping[str, Any]) -> None:
        self.step = state["step"]
        for variant, trainer in self.trainers.items():
            trainer.resume(state["trainers"][variant.key])


def constant_rows(name: str, held_out: Sequence[Judgement]) -> list[Row]:
    """The loss of a prediction that says the same of every token: each head's mean label, of these very contexts.

    It ranks nothing, so its overlap is left to chance.
    """
    rows = []
    for judged in dict.fromkeys(judged for one in held_out for judged in one.labels):
        labels = [one.labels[judged] for one in held_out if judged in one.labels]
        means = [torch.cat(parts, dim=-1).mean(dim=-1, keepdim=True) for parts in zip(*labels, strict=True)]
        losses = [
            head_loss([mean.expand_as(part) for mean, part in zip(means, parts, strict=True)], parts).regression.item()
            for parts in labels
        ]
        loss = round(statistics.fmean(losses), 4)
        rows.append({"experiment": name, "labels": CONSTANT, "judged": judged, "samples": len(losses), "loss": loss})
    return rows


def _trainer(variant: Variant, backbone: Backbone, steps: int, learning_rate: float) -> Trainer:
    torch.manual_seed(variant.seed)
    heads = RetainingHeads(backbone.layers, backbone.feature_width, variant.hidden, backbone.kv_heads)
    return Trainer(heads.to(backbone.device), optimisation(steps, learning_rate, variant.smoothing))


@torch.no_grad()
def _predict(heads: RetainingHeads, one: Judgement) -> list[Tensor]:
    return predict(heads, one.sample)


def _figures(predictions: Sequence[Tensor], labels: Sequence[Tensor]) -> list[float]:
    """In the order of MEASURES."""
    loss = head_loss(predictions, labels)
    overlaps = [overlap(predictions, labels, share).item() for share in OVERLAP_SHARES]
    return [loss.regression.item(), loss.smoothing.item(), *overlaps]


def _means(found: Sequence[Sequence[float]]) -> dict[str, Any]:
    means = [round(statistics.fmean(column), 4) for column in zip(*found, strict=True)]
    return {"samples": len(found), **dict(zip(MEASURES, means, strict=True))}

"""Which heads the questions of training need: one table. It knows names, and nothing of steps or models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.locret.training import SMOOTHING_WEIGHT, Sample
from engine.training.samples import LayerLabels, combined

Kinds = Mapping[str, frozenset[str]]
"""For each kind of label the sources whose maximum it is."""

KINDS: Kinds = {
    "answer": frozenset({"planted", "text"}),
    "repeat": frozenset({"repeat"}),
    "continue": frozenset({"continue"}),
    "mixed": frozenset({"planted", "text", "continue"}),
    "answer+repeat": frozenset({"planted", "text", "repeat"}),
    "all": frozenset({"planted", "text", "continue", "repeat"}),
}
# What every step asks, so that each kind has its labels from the same pass.
ASKED = "planted=1,text=1,repeat=1,continue=1"
ASKED_FOR_TEXTS = "planted=1,text=1,continue=1"
# What the heads are judged by on held-out text.
JUDGED: Kinds = {kind: KINDS[kind] for kind in ("answer", "repeat", "continue", "mixed")}
HIDDEN = 256
WIDTHS = (64, 128, 256, 512, 1024)
# Labels and widths that could be the default instead.
NEAR_DEFAULTS = frozenset({"answer", "continue", "all", 128, 512})

# The corpus' packages by the kind of text; all the others are manuals.
TEXTS: Mapping[str, frozenset[str]] = {
    "novels": frozenset({"r-cran-janeaustenr"}),
    "essays": frozenset({"anarchism", "jargon-text"}),
}
MANUALS = "manuals"
IN_TURN = "all in turn"
EVERYTHING = "all"


@dataclass(frozen=True)
class Variant:
    """Heads to train. labels: one of KINDS. text: the kind of text that they learn from; IN_TURN: each in its turn."""

    labels: str = "mixed"
    hidden: int = HIDDEN
    smoothing: float = SMOOTHING_WEIGHT
    seed: int = 1
    text: str = EVERYTHING

    @property
    def key(self) -> str:
        """Its name, fit for a file."""
        text = "" if self.text == EVERYTHING else self.text.replace(" ", "-")
        smoothing = "" if self.smoothing else "unsmoothed"
        return "-".join(filter(None, (text, self.labels, str(self.hidden), smoothing, f"seed{self.seed}")))

    def sample(self, labelled: Mapping[str, Sequence[LayerLabels]], step: int) -> Sample:
        """What it learns from in a step. labelled: a context of each kind of text."""
        kinds = list(labelled)
        text = kinds[step % len(kinds)] if self.text == IN_TURN else self.text
        return combined(labelled[text], KINDS[self.labels])


def label_variants(seeds: Sequence[int]) -> list[Variant]:
    """All that learn from the whole corpus: with two seeds what could be the default instead, with every seed what may
    differ as little as by chance.
    """
    return [
        *(Variant(hidden=hidden, seed=seed) for hidden in WIDTHS if hidden != HIDDEN for seed in _seeds(hidden, seeds)),
        *(Variant(labels, seed=seed) for labels in KINDS if labels != "mixed" for seed in _seeds(labels, seeds)),
        *(Variant(smoothing=smoothing, seed=seed) for smoothing in (SMOOTHING_WEIGHT, 0.0) for seed in seeds),
    ]


def _seeds(compared: str | int, seeds: Sequence[int]) -> Sequence[int]:
    return seeds[:2] if compared in NEAR_DEFAULTS else seeds[:1]


def text_variants(texts: Sequence[str], seed: int) -> list[Variant]:
    """Heads for each kind of text alone and for all of them together."""
    return [Variant(text=text, seed=seed) for text in (*texts, IN_TURN)]


def text_of(name: str) -> str:
    """The kind of text of a document of the corpus, by its name (package/file)."""
    package = name.partition("/")[0]
    return next((text for text, packages in TEXTS.items() if package in packages), MANUALS)


def lacking(labelled: Sequence[LayerLabels], kinds: Kinds) -> list[str]:
    """The kinds that a context has no label of: text that ends with its document has no next words."""
    return [kind for kind, sources in kinds.items() if not sources & labelled[0].labels.keys()]

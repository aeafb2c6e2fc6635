"""A training session: a backbone, documents and sources of labels, from which it draws labelled samples.

It knows no optimiser and no file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.locret.training import Sample
from engine.training.backbone import Backbone
from engine.training.corpus import Document
from engine.training.long_contexts import shortened
from engine.training.prompts import Prompt, room
from engine.training.samples import (
    LayerLabels,
    Recipe,
    characters_per_token,
    combined,
    draw_prompt,
    label_prompt,
    tokenize_prompt,
    words_of,
)

HELD_OUT_SEED = 900_001


class TrainingSession:
    """Draws labelled samples: step by step from the training documents, or from the held-out ones."""

    def __init__(
        self,
        backbone: Backbone,
        training: Sequence[Document],
        held_out: Sequence[Document],
        recipe: Recipe,
        seed: int,
    ) -> None:
        self.backbone, self.recipe, self.seed = backbone, recipe, seed
        self.words = words_of(backbone.vocabulary)
        self.per_token = characters_per_token(training, self.words)
        space = room(recipe.mixture.sources, int(recipe.longest * self.per_token))
        self.shortened = [shortened(documents, space) for documents in (training, held_out)]
        self.training, self.held_out = (part.documents for part in self.shortened)

    def sample(self, step: int) -> Sample:
        """A step's sample, a function of seed and step alone: a resumed run sees what an uninterrupted one sees."""
        return combined(self.labelled(step))

    def labelled(self, step: int) -> list[LayerLabels]:
        """The same with each source's labels on their own."""
        return self._label(self.training, self.seed, step)

    def held_out_samples(self, numbers: range) -> Iterator[Sample]:
        """Samples of documents that are never trained on, the same for every seed."""
        return (combined(self.held_out_labelled(number)) for number in numbers)

    def held_out_labelled(self, number: int) -> list[LayerLabels]:
        """One of them with each source's labels on their own."""
        return self._label(self.held_out, HELD_OUT_SEED, number)

    def refuse_what_asks_nothing(self) -> None:
        """By the first prompt of either part. Raises UserError("no_data")."""
        for documents, seed in ((self.training, self.seed), (self.held_out, HELD_OUT_SEED)):
            self._prompt(documents, seed, 0)

    def _label(self, documents: Sequence[Document], seed: int, step: int) -> list[LayerLabels]:
        return label_prompt(self.backbone, tokenize_prompt(self._prompt(documents, seed, step), self.words))

    def _prompt(self, documents: Sequence[Document], seed: int, step: int) -> Prompt:
        return draw_prompt(documents, self.recipe, seed, step, self.words.tokenize, self.per_token)

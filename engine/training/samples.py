"""Training samples: prompts as tokens, run through the frozen backbone, labelled by layer and by source."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

import torch
from torch import Tensor

from engine.backends.vocabulary import Vocabulary
from engine.chat_format import chat_format
from engine.errors import UserError
from engine.locret.training import LayerSample, attention_labels
from engine.training.backbone import Backbone, LayerFeatures
from engine.training.corpus import Document
from engine.training.prompts import Prompt, fitted, make_prompt
from engine.training.sources.base import Tokenize, Words
from engine.training.sources.mixture import DEFAULT, Mixture, parse

# Characters per token are measured on pieces of this many characters, from about this many documents.
_MEASURED_CHARACTERS, _MEASURED_DOCUMENTS = 1000, 50
_TRIES = 50
# The branches' tokens that one pass of the backbone holds beside the context: more of them take several passes.
TOKENS_OF_A_PASS = 4096


@dataclass(frozen=True)
class Recipe:
    """What a training prompt is made of.

    longest: tokens of the longest context; most are a fifth to a half of it, `long_share` of them longer.
    """

    longest: int = 2000
    long_share: float = 0.2
    mixture: Mixture = field(default_factory=lambda: parse(DEFAULT))

    def context_tokens(self, rng: Random) -> int:
        """Draws the length of a context."""
        half = self.longest // 2
        return (
            rng.randint(half, self.longest) if rng.random() < self.long_share else rng.randint(self.longest // 5, half)
        )


@dataclass(frozen=True)
class TokenPrompt:
    """context: what the heads score. branches: what comes after it, each on its own. queries: for each source the
    places of its labels' queries in all branches' tokens, one branch after the other.
    """

    context: list[int]
    branches: list[list[int]]
    queries: Mapping[str, list[int]]


@dataclass(frozen=True)
class LayerLabels:
    """One layer's features, (n, width), and by source the labels, float32 (kv_heads, n)."""

    features: Tensor
    labels: Mapping[str, Tensor]

    def joined(self, labels: Mapping[str, Tensor]) -> LayerLabels:
        """With what else was asked about the same context."""
        both = {name: torch.maximum(self.labels[name], labels[name]) for name in self.labels.keys() & labels.keys()}
        return LayerLabels(self.features, {**self.labels, **labels, **both})


def words_of(vocabulary: Vocabulary) -> Words:
    """The chat's control tokens by the model's own template. What ends an answer is what its turn ends with."""
    special = vocabulary.template_words
    chat = chat_format(vocabulary.chat_template, special["bos_token"], special["eos_token"])
    opening, closing, following = (vocabulary.tokenize(text, True) for text in (chat.opening, chat.closing, chat.next))
    ends = [place for place, token in enumerate(following) if token in vocabulary.end_tokens]
    end = following[: ends[0] + 1] if ends else vocabulary.tokenize(special["eos_token"], True)
    return Words(vocabulary.tokenize, opening, closing, end)


def characters_per_token(documents: Sequence[Document], words: Words) -> float:
    """Of pieces from the middle of these documents, one in so many of them, rounded."""
    measured = documents[:: -(-len(documents) // _MEASURED_DOCUMENTS) or 1]
    middles = ((document.text, len(document.text) // 2) for document in measured)
    text = "".join(text[middle : middle + _MEASURED_CHARACTERS] for text, middle in middles)
    return round(len(text) / max(1, len(words.tokenize(text, False))), 1) or 1.0


def draw_prompt(
    documents: Sequence[Document], recipe: Recipe, seed: int, step: int, tokenize: Tokenize, per_token: float = 4.3
) -> Prompt:
    """The prompt of a step, a function of its arguments alone, with at most the recipe's tokens.

    per_token: how many characters of a text are likely to be a token.

    Raises UserError("no_data") where the sources have nothing to ask about these documents.
    """
    rng = Random(f"{seed}:{step}")
    for _ in range(_TRIES):
        sources = recipe.mixture.draw(rng)
        suited = [document for document in documents if any(source.suits(document) for source in sources)]
        length = int(recipe.context_tokens(rng) * per_token)
        drawn = make_prompt(rng.choice(suited or documents), sources, rng, length, int(recipe.longest * per_token))
        prompt = fitted(drawn, tokenize, recipe.longest)
        if prompt.asked:
            return prompt
    message = f"Nothing can be asked about this text with --labels {recipe.mixture}. {recipe.mixture.wants}"
    raise UserError("no_data", message)


def tokenize_prompt(prompt: Prompt, words: Words) -> TokenPrompt:
    """Document and questions as in the product's stream."""
    document = words.tokenize(prompt.document, False)
    branches: list[list[int]] = []
    queries: dict[str, list[int]] = {}
    length = 0
    for name, requests in prompt.asked.items():
        for branch in (branch for request in requests for branch in request.branches(document, words)):
            queries.setdefault(name, []).extend(length + place for place in branch.queries)
            branches.append(branch.tokens)
            length += len(branch.tokens)
    return TokenPrompt([*words.opening, *document], branches, queries)


def label_prompt(backbone: Backbone, prompt: TokenPrompt) -> list[LayerLabels]:
    """Runs the backbone over the context and its branches, all in one pass if they are few; each source's labels on
    their own.
    """
    labelled: dict[int, LayerLabels] = {}
    for branches, queries in _passes(prompt):
        places = {name: torch.tensor(asked, device=backbone.device) for name, asked in queries.items()}

        def receive(layer: int, computed: LayerFeatures, places: Mapping[str, Tensor] = places) -> None:
            labels = {
                name: attention_labels(computed.queries[:, asked], computed.keys) for name, asked in places.items()
            }
            before = labelled.get(layer)
            labelled[layer] = before.joined(labels) if before else LayerLabels(computed.features, labels)

        backbone.run(prompt.context, branches, receive)
    return [labelled[layer] for layer in range(backbone.layers)]


def _passes(prompt: TokenPrompt) -> Iterator[tuple[list[list[int]], dict[str, list[int]]]]:
    """Branches that are run together, and by source the places of the queries in their tokens."""
    first, last = 0, 0
    together: list[list[int]] = []
    for number, branch in enumerate(prompt.branches, 1):
        together.append(branch)
        last += len(branch)
        following = prompt.branches[number : number + 1]
        if not following or last - first + len(following[0]) > TOKENS_OF_A_PASS:
            places = {
                name: [at - first for at in asked if first <= at < last] for name, asked in prompt.queries.items()
            }
            yield together, {name: asked for name, asked in places.items() if asked}
            first, together = last, []


def combined(labelled: Sequence[LayerLabels], sources: Collection[str] | None = None) -> list[LayerSample]:
    """A unit's label is the maximum over the sources, or over those named of them."""
    sample = []
    for layer in labelled:
        chosen = [labels for name, labels in layer.labels.items() if sources is None or name in sources]
        sample.append(LayerSample(layer.features, torch.stack(chosen).amax(dim=0)))
    return sample

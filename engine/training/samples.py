"""Training samples: prompts as tokens, run through the frozen backbone, labelled layer by layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import torch

from engine.locret.training import LayerSample, attention_labels
from engine.training.backbone import Backbone
from engine.training.corpus import Document
from engine.training.prompts import Prompt, make_prompt

OPENING = (
    "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
    "<|im_start|>user\n"
)
CLOSING = "<|im_end|>\n<|im_start|>assistant\n"

Tokenize = Callable[[str, bool], list[int]]
"""Text to tokens; the second argument says whether control tokens in the text are obeyed."""


@dataclass(frozen=True)
class Recipe:
    """What a training prompt is made of. Tokens are those of the context; counts are ranges, both ends included.

    continue_share: the share of prompts whose labels also come from the next `continue_tokens` tokens of the document.
    """

    tokens: tuple[int, int] = (400, 1000)
    long_tokens: tuple[int, int] = (1000, 2000)
    long_share: float = 0.1
    facts: tuple[int, int] = (3, 8)
    text_questions: tuple[int, int] = (0, 2)
    continue_share: float = 0.5
    continue_tokens: int = 48


@dataclass(frozen=True)
class TokenPrompt:
    """context: what the heads score. branches: what comes after it, each on its own. queries: the places of the labels'
    queries in all branches' tokens, one branch after the other.
    """

    context: list[int]
    branches: list[list[int]]
    queries: list[int]


def draw_prompt(documents: Sequence[Document], recipe: Recipe, seed: int, step: int) -> tuple[Prompt, bool]:
    """The prompt of a step, and whether its continuation is asked too: a function of seed and step alone."""
    rng = Random(f"{seed}:{step}")
    tokens = rng.randint(*(recipe.long_tokens if rng.random() < recipe.long_share else recipe.tokens))
    prompt = make_prompt(documents, rng, tokens, rng.randint(*recipe.facts), rng.randint(*recipe.text_questions))
    return prompt, rng.random() < recipe.continue_share


def tokenize_prompt(prompt: Prompt, tokenize: Tokenize, continue_tokens: int) -> TokenPrompt:
    """Document and questions as in the product's stream. An answer's queries begin at the token that predicts it."""
    branches: list[list[int]] = []
    queries: list[int] = []
    length = 0
    for question, answer in prompt.answers:
        asked = tokenize(f"\n\n{question}", False) + tokenize(CLOSING, True)
        branch = asked + tokenize(answer, False) + tokenize("<|im_end|>", True)
        queries += range(length + len(asked) - 1, length + len(branch))
        length += len(branch)
        branches.append(branch)
    if continue_tokens:
        branch = tokenize(prompt.continuation, False)[:continue_tokens]
        queries += range(length, length + len(branch))
        branches.append(branch)
    return TokenPrompt(tokenize(OPENING, True) + tokenize(prompt.document, False), branches, queries)


def label_prompt(backbone: Backbone, prompt: TokenPrompt) -> list[LayerSample]:
    """Runs the backbone once over the context and all its branches."""
    queries = torch.tensor(prompt.queries)
    return [
        LayerSample(layer.features, attention_labels(layer.queries[:, queries], layer.keys))
        for layer in backbone.layers(prompt.context, prompt.branches)
    ]

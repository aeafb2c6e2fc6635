"""Labels by source from one pass of a tiny model, in the words of its own chat template."""

from __future__ import annotations

import pytest
import torch

from engine.errors import UserError
from engine.training import samples
from engine.training.backbone import Backbone, LayerFeatures, Receiver
from engine.training.corpus import Document
from engine.training.samples import (
    Recipe,
    characters_per_token,
    combined,
    draw_prompt,
    label_prompt,
    tokenize_prompt,
    words_of,
)
from engine.training.sources.base import Words
from engine.training.sources.mixture import parse
from tests.engine.backends import tiny_folder
from tests.engine.training.test_prompts import DOCUMENTS
from tests.engine.training.text import letters

RECIPE = Recipe(longest=500, mixture=parse("facts,continue,repeat"))


@pytest.fixture(scope="module")
def backbone(tmp_path_factory: pytest.TempPathFactory) -> Backbone:
    return Backbone(tiny_folder.write(tmp_path_factory.mktemp("models") / "llama"))


@pytest.fixture(scope="module")
def words(backbone: Backbone) -> Words:
    return words_of(backbone.vocabulary)


def test_the_chat_is_the_models_own(backbone: Backbone, words: Words) -> None:
    control = {text: backbone.vocabulary.tokenize(text, True) for text in ("<s>", "<|user|>", "<|assistant|>")}
    assert words.opening == control["<s>"] + control["<|user|>"]
    assert words.closing[-1:] == control["<|assistant|>"]


def test_each_source_is_labelled_as_if_it_alone_were_asked(backbone: Backbone, words: Words) -> None:
    prompt = tokenize_prompt(draw_prompt(DOCUMENTS, RECIPE, 1, 2, words.tokenize, 1.0), words)
    assert set(prompt.queries) >= {"planted", "continue", "repeat"}
    labelled = label_prompt(backbone, prompt)
    received: dict[int, LayerFeatures] = {}
    backbone.run(prompt.context, prompt.branches, received.__setitem__)
    for layer, part in enumerate(labelled):
        queries, keys = received[layer].queries[:, prompt.queries["continue"]], received[layer].keys
        grouped = queries.reshape(keys.shape[0], -1, keys.shape[-1])
        expected = (grouped @ keys.transpose(1, 2)).amax(dim=1) / keys.shape[-1] ** 0.5
        torch.testing.assert_close(part.labels["continue"], expected)
        assert part.features.shape == (len(prompt.context), backbone.feature_width)


def test_many_branches_take_several_passes_and_give_the_same_labels(
    backbone: Backbone, words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompt = tokenize_prompt(draw_prompt(DOCUMENTS, RECIPE, 1, 2, words.tokenize, 1.0), words)
    whole = label_prompt(backbone, prompt)
    run, passes = Backbone.run, []

    def counted(self: Backbone, context: list[int], branches: list[list[int]], receive: Receiver) -> torch.Tensor:
        passes.append(sum(map(len, branches)))
        return run(self, context, branches, receive)

    monkeypatch.setattr(Backbone, "run", counted)
    monkeypatch.setattr(samples, "TOKENS_OF_A_PASS", 200)
    for one, other in zip(whole, label_prompt(backbone, prompt), strict=True):
        assert one.labels.keys() == other.labels.keys()
        for name, labels in one.labels.items():
            torch.testing.assert_close(other.labels[name], labels)
    assert len(passes) > 2
    assert sum(passes) == sum(map(len, prompt.branches))
    assert max(passes) <= max(200, *map(len, prompt.branches))


def test_a_units_label_is_the_highest_of_all_that_was_asked(backbone: Backbone, words: Words) -> None:
    labelled = label_prompt(backbone, tokenize_prompt(draw_prompt(DOCUMENTS, RECIPE, 1, 3, words.tokenize, 1.0), words))
    both, facts = combined(labelled), combined(labelled, ["planted", "text"])
    for layer, part in enumerate(labelled):
        assert torch.equal(both[layer].labels, torch.stack([*part.labels.values()]).amax(0))
        assert (facts[layer].labels <= both[layer].labels).all()
        assert not torch.equal(facts[layer].labels, both[layer].labels)


def test_the_context_is_no_longer_than_the_recipe_says(words: Words) -> None:
    for step in range(5):
        prompt = tokenize_prompt(draw_prompt(DOCUMENTS, RECIPE, 1, step, words.tokenize, 4.3), words)
        assert len(prompt.context) <= RECIPE.longest + len(words.opening)


def test_characters_per_token_are_those_of_all_documents() -> None:
    words = Words(lambda text, _: [0] * (len(text) // 2 if "a" in text else len(text) // 4), [], [], [])
    documents = [Document(str(number), ("b" if number % 10 else "a") * 4000) for number in range(200)]
    alike = [Document(str(number), "b" * 4000) for number in range(200)]
    assert characters_per_token(alike, words) == 4.0
    one = Words(lambda text, _: [0] * (text.count("a") + text.count("b") // 4), [], [], [])
    assert characters_per_token(documents, one) < 3.5


def test_nothing_to_ask_is_a_sentence() -> None:
    with pytest.raises(UserError, match="Nothing can be asked"):
        draw_prompt([Document("a", "words")], Recipe(mixture=parse("answer")), 1, 1, letters)

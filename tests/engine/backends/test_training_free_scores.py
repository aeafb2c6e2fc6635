"""KeyDiff and Expected Attention: by hand, beside a plain reading of the papers, and the same on both runtimes."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from torch import Tensor

from engine.backends.expected_attention import FUTURE_POSITIONS, ExpectedAttentionScorer
from engine.backends.feature_layout import FeatureLayout, interleaved_columns
from engine.backends.keydiff import KeyDiffScorer
from engine.backends.llama_cpp import LlamaCppBackend
from engine.backends.scoring import TRAINING_FREE, TrainingFree, scorer_for, scoring_refusal
from engine.backends.torch_backend import TorchBackend
from engine.backends.torch_model import Placement
from engine.settings import POLICIES
from tests.engine.backends import tiny_folder, tiny_gguf
from tests.engine.backends.samples import some_tokens
from tests.engine.backends.tiny_gguf import KV_HEADS, LAYERS


def layout(
    heads: int, kv_heads: int, width: int, frequencies: list[float], layers: int = 1, interleaved: bool = False
) -> FeatureLayout:
    return FeatureLayout(
        layers=layers,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=width,
        columns=interleaved_columns(heads, kv_heads, width) if interleaved else None,
        frequencies=torch.tensor(frequencies),
        magnitude=1.0,
        rotated=[True] * layers,
        device=torch.device("cpu"),
        dtype=torch.float32,
    )


def features(queries: list[list[float]], keys: list[list[float]], values: list[list[float]]) -> Tensor:
    return torch.tensor([q + k + v for q, k, v in zip(queries, keys, values, strict=True)])


def test_keydiff_of_three_keys() -> None:
    scorer = KeyDiffScorer(layout(1, 1, 2, [0.0]))
    scorer.take(0, features([[9, 9]] * 3, [[2, 0], [0, 1], [5, 0]], [[9, 9]] * 3))
    near, far = 2 / 5**0.5, 1 / 5**0.5
    mean = (2 * near + far) / 3
    torch.testing.assert_close(scorer.finish(), torch.tensor([[[mean - near, mean - far, mean - near]]]))


def test_keydiff_compares_keys_after_rope() -> None:
    """A quarter turn a position: the second key is turned onto the first, the third is not."""
    scorer = KeyDiffScorer(layout(1, 1, 2, [math.pi / 2]))
    scorer.take(0, features([[0, 0]] * 3, [[1, 0], [0, -1], [1, 0]], [[0, 0]] * 3))
    first, second, third = scorer.finish()[0, 0].tolist()
    assert first == pytest.approx(second, abs=1e-6)
    assert third > first


def test_expected_attention_of_queries_that_are_all_alike() -> None:
    """Logits log 3 and 0, so 3/4 and 1/4 of the attention; times two units, times the values' lengths 2 and 4."""
    scorer = ExpectedAttentionScorer(layout(1, 1, 2, [0.0]))
    scorer.take(0, features([[1, 0]] * 2, [[2**0.5 * math.log(3), 0], [0, 0]], [[2, 0], [0, 4]]))
    torch.testing.assert_close(scorer.finish(), torch.tensor([[[3.0, 2.0]]]))


def test_expected_attention_as_the_paper_has_it() -> None:
    heads, kv_heads, width, tokens = 4, 2, 6, 20
    shape = layout(heads, kv_heads, width, [1.0, 0.3, 0.01])
    rows = torch.randn(tokens, (heads + 2 * kv_heads) * width, generator=torch.Generator().manual_seed(1))
    scorer = ExpectedAttentionScorer(shape)
    scorer.take(0, rows)
    torch.testing.assert_close(scorer.finish()[0], _expected_attention(rows, shape), rtol=1e-4, atol=1e-5)


def _expected_attention(rows: Tensor, shape: FeatureLayout) -> Tensor:
    """Head by head and key by key, with whole rotation matrices."""
    tokens, width = len(rows), shape.head_dim
    queries, keys, values = rows.view(tokens, -1, width).split([shape.heads, shape.kv_heads, shape.kv_heads], dim=1)
    average = torch.stack([_turn(shape, tokens + ahead) for ahead in range(FUTURE_POSITIONS)]).mean(dim=0)
    scores = torch.zeros(shape.kv_heads, tokens)
    group = shape.heads // shape.kv_heads
    for head in range(shape.heads):
        mean = average @ queries[:, head].mean(dim=0)
        covariance = average @ queries[:, head].T.cov(correction=0) @ average.T
        turned = [_turn(shape, place) @ keys[place, head // group] for place in range(tokens)]
        logits = [key @ mean / width**0.5 + key @ covariance @ key / (2 * width) for key in turned]
        scores[head // group] += torch.stack(logits).softmax(dim=0) * tokens / group
    return scores * values.norm(dim=-1).T


def _turn(shape: FeatureLayout, position: int) -> Tensor:
    half = shape.head_dim // 2
    matrix = torch.zeros(shape.head_dim, shape.head_dim)
    for pair, frequency in enumerate(shape.frequencies.tolist()):
        cos, sin = math.cos(position * frequency), math.sin(position * frequency)
        matrix[pair, pair], matrix[pair, pair + half] = cos, -sin
        matrix[pair + half, pair], matrix[pair + half, pair + half] = sin, cos
    return matrix


@pytest.mark.parametrize("scoring", TRAINING_FREE)
def test_the_order_of_a_runtimes_rows_changes_nothing(scoring: TrainingFree) -> None:
    rows = torch.randn(12, 8 * 6, generator=torch.Generator().manual_seed(2))
    found = []
    for interleaved in (False, True):
        shape = layout(4, 2, 6, [1.0, 0.3, 0.01], interleaved=interleaved)
        scorer = scorer_for(scoring, shape)
        scorer.take(0, rows if shape.columns is None else rows[:, shape.columns])
        found.append(scorer.finish())
    torch.testing.assert_close(found[0], found[1])


@pytest.mark.parametrize("scoring", TRAINING_FREE)
def test_a_token_read_alone_is_worth_what_others_are_on_average(scoring: TrainingFree) -> None:
    """Of values of one length: so an answer's tokens, read one by one, neither push all else out nor go first."""
    rows = torch.randn(200, 8 * 6, generator=torch.Generator().manual_seed(3))
    rows[:, -12:] = 1.0
    scorer = scorer_for(scoring, layout(4, 2, 6, [1.0, 0.3, 0.01]))
    scorer.take(0, rows)
    many = scorer.finish()
    scorer.take(0, rows[:1])
    torch.testing.assert_close(many.mean(dim=-1, keepdim=True), scorer.finish(), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("scoring", TRAINING_FREE)
def test_what_was_dropped_is_forgotten(scoring: TrainingFree) -> None:
    rows = torch.randn(9, 8 * 6, generator=torch.Generator().manual_seed(4))
    scorer = scorer_for(scoring, layout(4, 2, 6, [1.0, 0.3, 0.01], layers=2))
    scorer.take(0, rows)
    scorer.drop()
    for layer in range(2):
        scorer.take(layer, rows[layer:])
    with pytest.raises(RuntimeError):
        scorer.finish()  # 9 and 8 tokens: two layers, and nothing of what was dropped
    scorer.drop()
    for layer in range(2):
        scorer.take(layer, rows)
    assert scorer.finish().shape == (2, 2, 9)


@pytest.mark.parametrize("scoring", TRAINING_FREE)
@pytest.mark.parametrize(("architecture", "rope"), [("llama", "factors"), ("qwen2", "plain"), ("phi3", "factors")])
def test_both_runtimes_give_the_same_scores(
    scoring: TrainingFree, architecture: str, rope: str, tmp_path: Path
) -> None:
    path = tiny_gguf.write(tmp_path / "tiny.gguf", architecture, context=512, rope=rope).path
    ours = TorchBackend(path, n_ctx=512, heads=scoring, placement=Placement("cpu", "float32"))
    theirs = LlamaCppBackend(path, n_ctx=512, heads=scoring, threads=1)
    scores = [backend.forward(some_tokens(150)) for backend in (ours, theirs)]
    alone = [backend.forward([5]) for backend in (ours, theirs)]
    for backend in (ours, theirs):
        backend.close()
    for one, other in (scores, alone):
        assert one is not None and other is not None
        assert one.shape[:2] == (LAYERS, KV_HEADS)
        torch.testing.assert_close(one, other, atol=0.02 * float(scores[0].std()), rtol=0.02)  # type: ignore[union-attr]


def test_the_starter_model_scores_alike_on_both_runtimes(starter_model: Path) -> None:
    """One quantises activations, the other does not: the order of units is nearly the same."""
    ours = TorchBackend(starter_model, n_ctx=256, heads="keydiff", placement=Placement("cpu", "float32"))
    theirs = LlamaCppBackend(starter_model, n_ctx=256, heads="keydiff", threads=1)
    tokens = theirs.tokenize("The keeper of the lighthouse wrote down the weather twice a day, for 31 years.", False)
    for scoring in TRAINING_FREE:
        pair = []
        for backend in (ours, theirs):
            backend.clear()
            backend.score_with(scoring)
            pair.append(backend.forward(tokens))
        flat = torch.stack([scores.flatten(0, 1) for scores in pair if scores is not None])
        centred = flat - flat.mean(dim=-1, keepdim=True)
        alike = torch.nn.functional.cosine_similarity(centred[0], centred[1], dim=-1)
        assert alike.median() > 0.99
        assert alike.min() > 0.8
    ours.close()
    theirs.close()


def test_a_runtime_changes_what_it_scores_with(tmp_path: Path) -> None:
    backend = TorchBackend(tiny_folder.write(tmp_path / "tiny"), n_ctx=256)
    assert backend.forward([5, 6, 7]) is None
    backend.score_with("keydiff")
    one = backend.forward([5, 6, 7])
    backend.score_with("expected-attention")
    other = backend.forward([5, 6, 7])
    backend.score_with(None)
    assert backend.forward([5, 6, 7]) is None
    backend.close()
    assert one is not None and other is not None and (other > 0).all() and not (one > 0).all()


def test_the_settings_know_every_score() -> None:
    assert set(TRAINING_FREE) <= set(POLICIES)


def test_normalised_queries_are_refused_by_expected_attention_alone() -> None:
    assert "qwen3" in (scoring_refusal("expected-attention", "qwen3") or "")
    assert scoring_refusal("keydiff", "qwen3") is None
    assert scoring_refusal("expected-attention", "llama") is None

"""The logits of every token of a forward are those of single steps, and so are SirLLM's surprisals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from engine.backends.base import Runtime
from engine.backends.llama_cpp import LlamaCppBackend
from engine.backends.torch_backend import TorchBackend
from engine.evaluation.surprisal import SurprisalBackend, mean_surprisal
from tests.engine.backends import tiny_gguf
from tests.engine.backends.samples import some_tokens

TOKENS = some_tokens(40)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_gguf.write(tmp_path_factory.mktemp("models") / "tiny.gguf", "llama").path


@pytest.fixture(params=["torch", "llama.cpp"])
def runtime(request: pytest.FixtureRequest, path: Path) -> Iterator[Runtime]:
    """A forward is at most 16 tokens, so that 40 of them are three."""
    kind = TorchBackend if request.param == "torch" else LlamaCppBackend
    opened: Runtime = kind(path, n_ctx=256, n_batch=16, heads="keydiff")
    yield opened
    opened.close()


def stepped(runtime: Runtime) -> torch.Tensor:
    runtime.clear()
    rows = []
    for token in TOKENS:
        runtime.forward([token])
        rows.append(runtime.logits())
    return torch.stack(rows)


def test_every_logits_are_those_of_single_steps(runtime: Runtime) -> None:
    steps = stepped(runtime)
    runtime.clear()
    every = runtime.every_logits(TOKENS)
    assert every.dtype == torch.float32
    torch.testing.assert_close(every, steps, atol=0.02 * float(steps.std()), rtol=0.02)
    torch.testing.assert_close(runtime.logits(), every[-1])
    assert runtime.length == len(TOKENS)


def test_what_is_read_for_logits_is_read_like_anything_else(runtime: Runtime) -> None:
    runtime.clear()
    scores = runtime.forward(TOKENS)
    after = runtime.logits()
    runtime.clear()
    runtime.every_logits(TOKENS[:30])
    again = runtime.forward(TOKENS[30:])
    assert again is not None and scores is not None
    assert again.shape[-1] == 10, "the scores of what was read for its logits are gone"
    torch.testing.assert_close(runtime.logits(), after, atol=0.02 * float(after.std()), rtol=0.02)


def test_surprisals_go_on_from_one_forward_to_the_next(runtime: Runtime) -> None:
    steps = stepped(runtime)
    expected = -steps[:-1].log_softmax(dim=-1).gather(1, torch.tensor(TOKENS[1:])[:, None])[:, 0]
    backend = SurprisalBackend(runtime)
    backend.clear()
    parts = [backend.forward(TOKENS[:7]), backend.forward(TOKENS[7:8]), backend.forward(TOKENS[8:])]
    found = torch.cat(parts, dim=-1)
    assert found.shape == (runtime.layers, runtime.kv_heads, len(TOKENS))
    assert (found == found[:1, :1]).all()
    assert found[0, 0, 0] == 0
    torch.testing.assert_close(found[0, 0, 1:], expected, atol=0.05, rtol=0.02)
    assert mean_surprisal(steps[:-1], TOKENS[1:]) == pytest.approx(float(expected.mean()), abs=1e-4)
    assert backend.length == len(TOKENS)
    backend.clear()
    assert backend.forward(TOKENS[:2])[0, 0, 0] == 0


def test_a_failed_forward_leaves_no_unit(runtime: Runtime) -> None:
    runtime.clear()
    with pytest.raises(ValueError, match="do not fit"):
        runtime.every_logits([5] * 300)
    with pytest.raises(ValueError, match="no tokens"):
        runtime.every_logits([])
    assert runtime.length == 0

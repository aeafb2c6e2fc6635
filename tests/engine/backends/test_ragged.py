"""Heads that keep different numbers of units: as if masked, in less memory, and the same bits after a restart."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

import engine.session
from engine.backends.base import AbortedError
from engine.backends.torch_backend import TorchBackend
from engine.backends.torch_model import Placement
from engine.backends.torch_ragged import RaggedCache
from engine.budget import selection_for
from engine.errors import UserError
from engine.loaded_model import LoadedModel
from engine.locret.heads import RetainingHeads, from_state_dict
from engine.locret.policies import Locret
from engine.locret.reading import Reader
from engine.locret.selection import Allocation, Selection
from engine.model_shape import read_shape
from engine.runtimes import target_for
from engine.session import Session
from engine.store import Store
from engine.stream import Segment
from engine.target import LLAMA_CPP, Dtype
from tests.engine.backends import tiny_folder
from tests.engine.backends.buffers import bytes_held
from tests.engine.backends.reference_folder import write_folder
from tests.engine.backends.test_original_positions import TOKENS, MaskedLlama
from tests.engine.backends.tiny_folder import HEAD_DIM, KV_HEADS, LAYERS, VOCABULARY, WIDTH
from tests.engine.fake_runtime import fake_model
from tests.engine.locret.test_reading_reference import FOLDER

UNEVEN: tuple[Allocation, ...] = ("pyramid", "layer", "model")
SELECTION = Selection(64, 40, 10, sinks=2, tail=5, turn=40, local=8, rope="original", allocation="model")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_folder.write(tmp_path_factory.mktemp("models") / "smollm", "smollm3")


def some_tokens(count: int, seed: int = 7) -> list[int]:
    return torch.randint(3, VOCABULARY, (count,), generator=torch.Generator().manual_seed(seed)).tolist()


def lopsided_heads() -> RetainingHeads:
    """Random heads whose scores differ by layer and head in size, so that no two keep the same number of units."""
    torch.manual_seed(1)
    heads = RetainingHeads(LAYERS, WIDTH, 8, KV_HEADS)
    for layer, second in enumerate(heads.second):
        second.data *= 1 + 3 * torch.arange(1 + layer, 1 + layer + KV_HEADS)[:, None]
    return heads.requires_grad_(False)


def opened(folder: Path, dtype: Dtype = "float32", **options: Any) -> TorchBackend:
    return TorchBackend(
        folder,
        **{
            "n_ctx": SELECTION.capacity,
            "heads": lopsided_heads(),
            "placement": Placement("cpu", dtype),
            "ragged": True,
            **options,
        },
    )


@pytest.mark.parametrize("allocation", UNEVEN)
def test_what_is_evicted_is_as_if_masked_in_one_pass_of_the_full_cache(tmp_path: Path, allocation: Allocation) -> None:
    description = json.loads((FOLDER / "public_a.json").read_text())
    weights = load_file(FOLDER / "public_a.model.safetensors")
    tokens = torch.randint(3, 300, (TOKENS,), generator=torch.Generator().manual_seed(3)).tolist()
    backend = TorchBackend(
        write_folder(tmp_path, description["model"], weights),
        n_ctx=SELECTION.capacity,
        heads=from_state_dict(weights),
        placement=Placement("cpu", "float32"),
        ragged=True,
    )
    reader = Reader(backend, Locret(), replace(SELECTION, allocation=allocation))
    one_pass = MaskedLlama(weights, description["model"])
    visible = torch.ones(TOKENS, TOKENS, dtype=torch.bool).tril().repeat(one_pass.layers, one_pass.kv_heads, 1, 1)
    for done in reader.read(tokens[:-1]):
        positions = reader.units.positions.long()
        kept = torch.zeros(one_pass.layers, one_pass.kv_heads, done + 1, dtype=torch.bool)
        kept.scatter_(-1, torch.where(positions < 0, done, positions), value=True)
        visible[..., done:, :done] &= kept[:, :, None, :done]
    reader.append(tokens[-1:])
    lengths = (reader.units.positions >= 0).sum(dim=-1)
    assert lengths.unique().numel() > 1 and int(lengths.sum()) == lengths.numel() * backend.length
    one_pass.visible = visible
    one_pass.forward(tokens)
    torch.testing.assert_close(backend.logits(), one_pass.last_logits, atol=1e-3, rtol=0)


def cache_of(backend: TorchBackend) -> RaggedCache:
    assert isinstance(backend._cache, RaggedCache)
    return backend._cache


@pytest.mark.parametrize("allocation", UNEVEN)
def test_a_head_that_keeps_less_takes_less_memory(folder: Path, allocation: Allocation) -> None:
    backend, even = opened(folder), opened(folder, ragged=False)
    for runtime, chosen in ((backend, allocation), (even, "uniform")):
        reader = Reader(runtime, Locret(), replace(SELECTION, allocation=chosen))
        for _ in reader.read(some_tokens(300)):
            assert runtime.length <= SELECTION.capacity
    spare = SELECTION.capacity - SELECTION.budget
    cells = {head.cells for layer in cache_of(backend).units for head in layer.heads}
    assert len(cells) > 1 and min(cells) < SELECTION.capacity < max(cells)
    for layer in cache_of(backend).units:
        for head in layer.heads:
            assert head.keys.untyped_storage().nbytes() == (head.length + spare) * HEAD_DIM * 4
            assert not head.keys[head.length :].any()
    if allocation == "layer":
        assert bytes_held(backend) == bytes_held(even)
    copies = [3 if rotated else 2 for rotated in backend._model.rotated_layers]
    kept = sum(layer.total * copy for layer, copy in zip(cache_of(backend).units, copies, strict=True))
    assert backend.cache_bytes == kept * HEAD_DIM * 4
    assert bytes_held(backend) == (kept + sum(copies) * KV_HEADS * spare) * HEAD_DIM * 4


def read_through(backend: TorchBackend, limit: int, interrupted: TorchBackend | None = None) -> tuple[Reader, Tensor]:
    """Reads 400 tokens, from 200 on with the other backend's state in the place of the first's."""
    tokens = some_tokens(400)
    reader = Reader(backend, Locret(), SELECTION)
    backend.position_limit = limit
    done = 0
    for done in reader.read(tokens):
        if interrupted is not None and done >= 200:
            break
    if interrupted is not None:
        interrupted.position_limit = limit
        state = list(backend.export_state())
        second = Reader(interrupted, Locret(), SELECTION)
        interrupted.import_state(iter(state))
        second.units, second.tokens_read = reader.units, reader.tokens_read
        for _ in second.read(tokens, start=done):
            pass
        reader = second
    for token in some_tokens(5, seed=2):
        reader.append([token])
    return reader, reader.backend.logits()  # type: ignore[attr-defined]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("limit", [1024, 290, 150])
def test_a_reading_is_the_same_however_it_was_interrupted(folder: Path, dtype: Dtype, limit: int) -> None:
    """Original positions to the end, until after the interruption, and until before it."""
    whole, logits = read_through(opened(folder, dtype), limit)
    gone_on, again = read_through(opened(folder, dtype), limit, opened(folder, dtype))
    assert torch.equal(whole.units.positions, gone_on.units.positions) and torch.equal(logits, again)
    assert (whole.backend.position == 405) == (limit == 1024)
    assert whole.units.positions.shape[-1] <= limit


def test_compacted_units_stand_at_the_end_of_the_longest_row(folder: Path) -> None:
    reader, _ = read_through(opened(folder), 150)
    backend = reader.backend
    assert isinstance(backend, TorchBackend)
    width = reader.units.positions.shape[-1]
    assert backend.position == width
    frequencies = backend._model.frequencies.double()
    layer = cache_of(backend).units[0]
    assert layer.rotation is not None and len({head.length for head in layer.heads}) > 1
    for head in layer.heads:
        keys = head.keys[: head.length].double()
        pairs = torch.complex(keys[:, : HEAD_DIM // 2], keys[:, HEAD_DIM // 2 :])
        angles = torch.arange(width - head.length, width).double().outer(frequencies)
        turned = pairs * torch.polar(torch.ones_like(angles), angles)
        expected = torch.cat([turned.real, turned.imag], dim=-1).float()
        torch.testing.assert_close(head.turned[: head.length], expected, atol=1e-5, rtol=0)


def test_a_stopped_forward_leaves_the_cache_as_it_was(folder: Path) -> None:
    left = [10**9]

    def abort() -> bool:
        left[0] -= 1
        return left[0] < 0

    backend = opened(folder, abort=abort, n_batch=20)
    reader = Reader(backend, Locret(), SELECTION)
    for _ in reader.read(some_tokens(200)):
        pass
    before = [(layer.keys.copy(), layer.positions) for layer in backend.export_state()]
    for allowed in (0, 1, LAYERS + 1):
        left[0] = allowed
        with pytest.raises(AbortedError):
            backend.forward(some_tokens(40))
        assert (backend.length, backend.position) == (64, 200)
        for (keys, positions), layer in zip(before, backend.export_state(), strict=True):
            assert np.array_equal(keys, layer.keys) and np.array_equal(positions, layer.positions)


def model_of(folder: Path) -> LoadedModel:
    loaded = fake_model(selection=SELECTION)
    return replace(loaded, runtime=opened(folder), policy=Locret(), shape=read_shape(folder))


def test_a_stored_reading_is_gone_on_from_bit_for_bit(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine.session, "ANSWER_ROOM", 20)
    monkeypatch.setattr(engine.session, "WORTH_STORING_SECONDS", -1.0)
    stream = [Segment("turn", (5, 6)), Segment("document", tuple(some_tokens(300)), "d"), Segment("turn", (7, 8, 9))]

    def answered(session: Session) -> list[int]:
        session.advance(stream, lambda _progress: None)
        return list(session.answer(lambda logits: int(logits[3:].argmax()) + 3, 12))

    with Store(tmp_path / "one" / "keepsake.sqlite3") as store:
        first = Session(model_of(folder), store)
        whole = answered(first)
        row = store._database.rows("SELECT bytes FROM readings")[0]
        second = Session(model_of(folder), store)
        assert answered(second) == whole
        assert torch.equal(first.model.runtime.logits(), second.model.runtime.logits())
        assert torch.equal(first.reader.units.positions, second.reader.units.positions)
        noted = 8 * first.reader.units.scores.numel()
        assert row["bytes"] <= 64 * LAYERS * KV_HEADS * HEAD_DIM * 4 * 2 + noted


def test_impossible_slots_are_refused(folder: Path) -> None:
    backend = opened(folder)
    reader = Reader(backend, Locret(), SELECTION)
    for _ in reader.read(some_tokens(200)):
        pass
    good = reader.units.slots
    shortest = (good >= 0).sum(dim=-1).flatten().argmin()
    beyond, gap, none = good.clone(), good.clone(), good.clone()
    beyond.flatten(0, 1)[shortest] = torch.arange(good.shape[-1])
    gap[..., -2] = -1
    none[0, 0] = -1
    for slots in (beyond, gap, none, good[:1], good + 1):
        with pytest.raises(ValueError, match="slots"):
            backend.keep(slots)
    assert backend.length == 64


def test_llama_cpp_refuses_it_with_a_sentence(folder: Path) -> None:
    shape = read_shape(folder)
    assert selection_for(256, target_for(shape, device="cpu", allocation="layer")).allocation == "layer"
    with pytest.raises(UserError, match="as many units in each head"):
        target_for(replace(shape, path=Path("model.gguf")), allocation="layer")
    with pytest.raises(ValueError, match="as many units"):
        replace(LLAMA_CPP, allocation="model")

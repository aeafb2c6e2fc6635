"""Weights in 8 and 4 bits, and what is said where they, a device or an operation are not to be had."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.backends import torch_model
from engine.backends.torch_backend import TorchBackend
from engine.backends.torch_devices import device_for, dtype_for
from engine.backends.torch_errors import in_sentences
from engine.backends.torch_model import Placement, _device_map
from engine.errors import UserError
from engine.model_shape import read_shape
from engine.runtimes import target_for
from engine.target import WeightBits
from tests.engine.backends import tiny_folder, tiny_gguf
from tests.engine.backends.tiny_folder import VOCABULARY

# One layer: a product is about 10 % off in 4 bits and 1 % in 8, and random layers on top of one another add that up.
SIZES = {"hidden_size": 128, "intermediate_size": 128, "head_dim": 32, "num_hidden_layers": 1}
TOKENS = torch.randint(3, VOCABULARY, (40,), generator=torch.Generator().manual_seed(1)).tolist()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_folder.write(tmp_path_factory.mktemp("models") / "llama", **SIZES)


def logits(folder: Path, bits: WeightBits) -> torch.Tensor:
    backend = TorchBackend(folder, n_ctx=64, placement=Placement("cpu", "bfloat16", bits))
    backend.forward(TOKENS)
    found = backend.logits()
    backend.close()
    return found


PACKED = """
import sys, torch
from pathlib import Path
from tests.engine.backends.test_torch_weights import logits
folder, bits = Path(sys.argv[1]), int(sys.argv[2])
print(float(torch.nn.functional.cosine_similarity(logits(folder, 16), logits(folder, bits), dim=0)))
"""


@pytest.mark.parametrize(("bits", "closeness"), [(8, 0.999), (4, 0.95)])
def test_packed_weights_say_nearly_the_same(folder: Path, bits: WeightBits, closeness: float) -> None:
    """By torchao and by bitsandbytes, in a process of its own: they warn of what they cast, and of their own future."""
    command = [sys.executable, "-c", PACKED, str(folder), str(bits)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3])
    assert done.returncode == 0, done.stderr
    assert closeness < float(done.stdout.split()[-1]) < 0.999999


@pytest.mark.parametrize(("bits", "package"), [(8, "torchao"), (4, "bitsandbytes")])
def test_a_missing_package_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, bits: WeightBits, package: str
) -> None:
    monkeypatch.setattr(torch_model, "find_spec", lambda _: None)
    with pytest.raises(UserError, match=package):
        logits(folder, bits)


def test_a_gguf_file_is_packed_already(tmp_path: Path) -> None:
    path = tiny_gguf.write(tmp_path / "tiny.gguf", "llama").path
    with pytest.raises(UserError, match="packed already"):
        target_for(read_shape(path), "torch", "cpu", weights="8bit")


def test_a_device_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    for device in ("cuda", "mps"):
        with pytest.raises(UserError, match=device.upper()):
            device_for(device)
    assert device_for("auto") == "cpu"
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert (device_for("auto"), dtype_for("auto", "mps")) == ("mps", "float16")


@pytest.mark.parametrize(("capability", "dtype"), [("amx_bf16", "bfloat16"), ("avx2", "float32")])
def test_a_processor_computes_in_bfloat16_where_it_can(
    monkeypatch: pytest.MonkeyPatch, capability: str, dtype: str
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {capability: True})
    assert dtype_for("auto", "cpu") == dtype
    assert dtype_for("float16", "cpu") == "float16"


def test_a_missing_operation_is_a_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = TorchBackend(folder, n_ctx=64)

    def missing(*_: object, **__: object) -> None:
        raise NotImplementedError("The operator 'aten::nothing' is not implemented for the MPS device.\nMore.")

    monkeypatch.setattr(backend._model.blocks[0], "forward", missing)
    monkeypatch.setattr(backend._model, "device", torch.device("mps"))
    with pytest.raises(UserError, match=r"MPS yet.*aten::nothing.*Choose the CPU"):
        backend.forward(TOKENS)
    assert backend.length == 0


@pytest.mark.parametrize(
    ("device", "raised", "said"),
    [
        ("cuda", torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 1 GiB"), "no memory left"),
        ("mps", TypeError("Cannot convert a MPS Tensor to float64 dtype"), "float64"),
    ],
)
def test_what_a_device_cannot_do_is_a_sentence(device: str, raised: Exception, said: str) -> None:
    with pytest.raises(UserError, match=said), in_sentences(torch.device(device)):
        raise raised


def test_other_errors_stay_what_they_are() -> None:
    with pytest.raises(RuntimeError, match="a bug"), in_sentences(torch.device("mps")):
        raise RuntimeError("a bug of ours")


def test_layers_beyond_the_card_wait_on_the_processor() -> None:
    from transformers import LlamaConfig

    config, card = LlamaConfig(num_hidden_layers=4), torch.device("cuda")
    assert _device_map(config, Placement("cuda", "bfloat16"), card) == {"": "cuda"}
    places = _device_map(config, Placement("cuda", "bfloat16", 16, 1), card)
    assert [places[f"model.layers.{layer}"] for layer in range(4)] == ["cuda", "cpu", "cpu", "cpu"]
    assert places["model.embed_tokens"] == places["lm_head"] == places["model.norm"] == "cuda"
    assert _device_map(config, Placement("cpu", "bfloat16", 16, 1), torch.device("cpu")) == {"": "cpu"}


def test_numbers_that_do_not_fit_the_precision_are_told(tmp_path: Path) -> None:
    """An answer of nothing would be the alternative."""
    path = tiny_folder.write(tmp_path / "m", **SIZES)
    weights = load_file(path / "model.safetensors")
    weights["model.layers.0.mlp.down_proj.weight"] *= 1e6
    save_file(weights, path / "model.safetensors", {"format": "pt"})
    with pytest.raises(UserError, match="do not fit float16"):
        TorchBackend(path, n_ctx=64, placement=Placement("cpu", "float16"))
    TorchBackend(path, n_ctx=64, placement=Placement("cpu", "bfloat16")).close()

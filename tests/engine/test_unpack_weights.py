"""Q4_1 weights unpacked to Q8_0: the same model, the same bytes each time, and never half a file."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
import pytest
from gguf import GGMLQuantizationType as Kind

from engine import unpack_weights
from engine.unpack_weights import unpack

WEIGHTS = np.random.default_rng(1).standard_normal((8, 64)).astype(np.float32)


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    path = tmp_path / "packed.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_string("general.name", "Tiny")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_1)
    writer.add_array("tokenizer.ggml.tokens", ["a", "b\u00e9"])
    writer.add_array("tokenizer.ggml.token_type", [1, 3])
    writer.add_tensor("blk.0.attn_q.weight", gguf.quantize(WEIGHTS, Kind.Q4_1), raw_dtype=Kind.Q4_1)
    writer.add_tensor("token_embd.weight", gguf.quantize(WEIGHTS, Kind.Q8_0), raw_dtype=Kind.Q8_0)
    writer.add_tensor("output_norm.weight", WEIGHTS[0])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_weights_stay_within_a_fraction_of_their_own_step(packed: Path, tmp_path: Path) -> None:
    unpack(packed, tmp_path / "new" / "unpacked.gguf")
    before = {tensor.name: tensor for tensor in gguf.GGUFReader(packed).tensors}
    after = {tensor.name: tensor for tensor in gguf.GGUFReader(tmp_path / "new" / "unpacked.gguf").tensors}
    assert after["blk.0.attn_q.weight"].tensor_type == Kind.Q8_0
    old = gguf.dequantize(before["blk.0.attn_q.weight"].data, Kind.Q4_1)
    new = gguf.dequantize(after["blk.0.attn_q.weight"].data, Kind.Q8_0)
    largest = np.abs(old).reshape(-1, 32).max(axis=1).repeat(32).reshape(old.shape)
    # half a step, the step itself rounded to float16
    assert (np.abs(new - old) <= largest * (0.5 / 127 + 2**-11) + 1e-7).all()
    for name in ("token_embd.weight", "output_norm.weight"):
        assert after[name].tensor_type == before[name].tensor_type
        assert (after[name].data == before[name].data).all()


def test_everything_else_is_carried_over(packed: Path, tmp_path: Path) -> None:
    unpack(packed, tmp_path / "unpacked.gguf")
    before, after = gguf.GGUFReader(packed).fields, gguf.GGUFReader(tmp_path / "unpacked.gguf").fields
    for name, field in before.items():
        if name != "general.file_type" and not name.startswith("GGUF."):
            assert after[name].contents() == field.contents()
            assert after[name].types == field.types
    assert after["general.file_type"].contents() == gguf.LlamaFileType.MOSTLY_Q8_0


def test_the_same_bytes_each_time(packed: Path, tmp_path: Path) -> None:
    for name in ("one.gguf", "two.gguf"):
        unpack(packed, tmp_path / name)
    assert (tmp_path / "one.gguf").read_bytes() == (tmp_path / "two.gguf").read_bytes()


def test_an_interruption_leaves_no_half_model(packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(unpack_weights.GGUFWriter, "write_tensors_to_file", full_disk)
    with pytest.raises(OSError, match="No space left"):
        unpack(packed, tmp_path / "unpacked.gguf")
    assert not (tmp_path / "unpacked.gguf").exists()

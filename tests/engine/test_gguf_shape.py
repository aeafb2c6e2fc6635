"""The shape of a GGUF file, compared with what the gguf package reads of the same file."""

from __future__ import annotations

from pathlib import Path

import gguf
import pytest

from engine import paths
from engine.errors import UserError
from engine.model_shape import read_shape
from tests.engine.backends import tiny_gguf


def test_the_starter_models_shape_is_what_its_file_says() -> None:
    path = paths.packaged_model()
    assert path is not None
    shape, reader = read_shape(path), gguf.GGUFReader(path)

    def field(name: str) -> int:
        return int(reader.fields[f"llama.{name}"].contents())

    assert (shape.name, shape.architecture) == ("SmolLM2-135M-Instruct.Q4_1", "llama")
    assert (shape.layers, shape.context) == (field("block_count"), field("context_length"))
    assert (shape.heads, shape.kv_heads) == (field("attention.head_count"), field("attention.head_count_kv"))
    assert (shape.hidden, shape.feed_forward) == (field("embedding_length"), field("feed_forward_length"))
    assert shape.head_dim == shape.hidden // shape.heads == 64
    assert shape.vocabulary == field("vocab_size") == len(reader.fields["tokenizer.ggml.tokens"].data)
    assert shape.parameters == sum(int(tensor.n_elements) for tensor in reader.tensors)
    assert shape.tied == ("output.weight" not in {tensor.name for tensor in reader.tensors})
    assert (shape.file_bytes, shape.window) == (path.stat().st_size, None)


def test_without_a_vocabulary_size_the_tokens_are_counted(tmp_path: Path) -> None:
    for tokens in (300, 5000):
        writer = gguf.GGUFWriter(tmp_path / "model.gguf", "llama")
        writer.add_context_length(64)
        writer.add_embedding_length(24)
        writer.add_block_count(2)
        writer.add_head_count(3)
        writer.add_feed_forward_length([40, 48])  # type: ignore[arg-type]  # some models give one for each layer
        writer.add_token_list([f"token {number}" for number in range(tokens)])
        writer.add_token_types([1] * tokens)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        shape = read_shape(tmp_path / "model.gguf")
        assert (shape.vocabulary, shape.feed_forward, shape.kv_heads, shape.parameters) == (tokens, 48, 3, 0)


def test_an_unembedding_of_its_own_is_seen(tmp_path: Path) -> None:
    model = tiny_gguf.write(tmp_path / "tiny.gguf", "llama")
    shape = read_shape(model.path)
    assert not shape.tied and shape.parameters == sum(tensor.size for tensor in model.tensors.values())
    assert read_shape(tiny_gguf.write(tmp_path / "tied.gguf", "gemma2").path).tied


@pytest.mark.parametrize("kept", [0, 3, 20, 60, 700])
def test_a_file_that_was_cut_off_is_not_whole(tmp_path: Path, kept: int) -> None:
    path = tiny_gguf.write(tmp_path / "tiny.gguf", "llama").path
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(UserError, match="is not a whole GGUF model") as caught:
        read_shape(path)
    assert caught.value.code == "model_broken"


def test_a_file_of_no_language_model_is_refused(tmp_path: Path) -> None:
    writer = gguf.GGUFWriter(tmp_path / "model.gguf", "clip")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(UserError, match="not of a language model"):
        read_shape(tmp_path / "model.gguf")

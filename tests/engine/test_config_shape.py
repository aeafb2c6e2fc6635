"""The shape of a Hugging Face folder: from its config, its weight files' headers and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from engine.errors import UserError
from engine.model_shape import ModelShape, read_shape

CONFIG = {
    "model_type": "llama",
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "num_key_value_heads": 1,
    "max_position_embeddings": 4096,
    "vocab_size": 50,
    "tie_word_embeddings": False,
}
LAYER = 24 * 24 + 2 * 24 * 8 + 24 * 24 + 3 * 24 * 40 + 2 * 24
PARAMETERS = 2 * 50 * 24 + 2 * LAYER + 24


def tensors(tied: bool = False) -> dict[str, np.ndarray]:
    shapes = {"model.embed_tokens.weight": (50, 24), "model.norm.weight": (24,)}
    if not tied:
        shapes["lm_head.weight"] = (50, 24)
    for layer in range(2):
        prefix = f"model.layers.{layer}"
        shapes |= {f"{prefix}.self_attn.{name}_proj.weight": (24, 24) for name in "qo"}
        shapes |= {f"{prefix}.self_attn.{name}_proj.weight": (8, 24) for name in "kv"}
        shapes |= {f"{prefix}.mlp.{name}_proj.weight": (40, 24) for name in ("gate", "up")}
        shapes |= {f"{prefix}.mlp.down_proj.weight": (24, 40)}
        shapes |= {f"{prefix}.{name}.weight": (24,) for name in ("input_layernorm", "post_attention_layernorm")}
    return {name: np.zeros(shape, np.float16) for name, shape in shapes.items()}


def folder(path: Path, config: dict[str, Any] | None = None, **changes: Any) -> Path:
    path.mkdir(exist_ok=True)
    (path / "tokenizer.json").write_text("{}")
    (path / "config.json").write_text(json.dumps({**(CONFIG if config is None else config), **changes}))
    return path


def whole(path: Path, **changes: Any) -> Path:
    save_file(tensors(), folder(path, **changes) / "model.safetensors", {"format": "pt"})
    return path


def shards(path: Path) -> tuple[Path, Path]:
    """Two files and their index."""
    everything = list(tensors().items())
    files = path / "model-00001-of-00002.safetensors", path / "model-00002-of-00002.safetensors"
    for file, part in zip(files, (everything[:5], everything[5:]), strict=True):
        save_file(dict(part), file)
    parts = {name: files[index >= 5].name for index, (name, _) in enumerate(everything)}
    (path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": parts}))
    return files


def refused(path: Path) -> UserError:
    with pytest.raises(UserError) as caught:
        read_shape(path)
    return caught.value


def test_a_folder_tells_its_whole_shape(tmp_path: Path) -> None:
    path = whole(tmp_path / "Tiny-0.5B")
    assert read_shape(path) == ModelShape(
        path=path,
        name="Tiny-0.5B",
        architecture="llama",
        layers=2,
        heads=3,
        kv_heads=1,
        head_dim=8,
        context=4096,
        file_bytes=(path / "model.safetensors").stat().st_size,
        hidden=24,
        feed_forward=40,
        vocabulary=50,
        parameters=PARAMETERS,
        stored="float16",
    )


def test_heads_may_be_wider_than_the_hidden_state_and_as_many_as_the_queries(tmp_path: Path) -> None:
    config = {name: value for name, value in CONFIG.items() if name != "num_key_value_heads"}
    save_file(tensors(), folder(tmp_path, config, head_dim=16) / "model.safetensors")
    shape = read_shape(tmp_path)
    assert (shape.head_dim, shape.kv_heads, shape.feature_width) == (16, 3, 144)


@pytest.mark.parametrize(
    ("changes", "window", "context"),
    [
        ({"model_type": "mistral", "sliding_window": 2048}, 2048, 2048),
        ({"model_type": "mistral", "sliding_window": None}, None, 4096),
        ({"model_type": "phi3", "sliding_window": 262144}, 262144, 4096),
        ({"model_type": "qwen2", "sliding_window": 2048, "use_sliding_window": False}, None, 4096),
        ({"model_type": "qwen2", "sliding_window": 2048, "use_sliding_window": True}, 2048, 2048),
        ({"model_type": "qwen2", "sliding_window": 2048}, None, 4096),
        ({"sliding_window": 2048, "layer_types": ["full_attention"] * 2}, None, 4096),
        ({"sliding_window": 2048, "layer_types": ["full_attention", "sliding_attention"]}, 2048, 2048),
    ],
)
def test_a_sliding_window_in_use_bounds_the_context(
    tmp_path: Path, changes: dict[str, Any], window: int | None, context: int
) -> None:
    shape = read_shape(whole(tmp_path, **changes))
    assert (shape.window, shape.context) == (window, context)


def test_shards_are_counted_together_and_other_files_not_at_all(tmp_path: Path) -> None:
    files = shards(folder(tmp_path))
    save_file(tensors(), tmp_path / "consolidated.safetensors")
    shape = read_shape(tmp_path)
    assert shape.parameters == PARAMETERS
    assert shape.file_bytes == sum(file.stat().st_size for file in files)


@pytest.mark.parametrize("stored", [True, False])
def test_a_tied_unembedding_counts_once_whether_it_is_stored_or_not(tmp_path: Path, stored: bool) -> None:
    config = {**CONFIG, "tie_word_embeddings": True}
    save_file(tensors(tied=not stored), folder(tmp_path, config) / "model.safetensors")
    shape = read_shape(tmp_path)
    assert shape.tied and shape.parameters == PARAMETERS - 50 * 24


@pytest.mark.parametrize(("kind", "tied"), [("llama", False), ("qwen2", False), ("smollm3", True)])
def test_a_silent_configuration_ties_as_transformers_does(tmp_path: Path, kind: str, tied: bool) -> None:
    config = {name: value for name, value in CONFIG.items() if name != "tie_word_embeddings"}
    assert read_shape(whole(tmp_path, config={**config, "model_type": kind})).tied == tied


def test_parameters_that_the_files_hide_are_estimated(tmp_path: Path) -> None:
    (folder(tmp_path) / "pytorch_model.bin").write_bytes(b"0" * 77)
    shape = read_shape(tmp_path)
    assert (shape.parameters, shape.file_bytes) == (PARAMETERS, 77)
    packed = {"model.layers.0.mlp.up_proj.weight": np.zeros((40, 12), np.uint8)}
    save_file(packed, folder(tmp_path, quantization_config={"bits": 4}) / "model.safetensors")
    assert read_shape(tmp_path).parameters == PARAMETERS


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    assert refused(tmp_path / "nowhere").code == "model_missing"
    assert "config.json" in refused(tmp_path).message
    assert "no weights" in refused(folder(tmp_path)).message
    _, second = shards(tmp_path)
    second.unlink()
    error = refused(tmp_path)
    assert (error.code, second.name in error.details["cause"]) == ("model_broken", True)
    assert "is not whole. Download it again" in error.message


@pytest.mark.parametrize("kind", ["mamba", "gemma3_text", "qwen3_next", "jamba"])
def test_a_kind_that_torch_does_not_run_here_is_refused_by_its_name(tmp_path: Path, kind: str) -> None:
    (folder(tmp_path) / "config.json").write_text(json.dumps({"model_type": kind}))
    assert kind in refused(tmp_path).message


@pytest.mark.parametrize("config", [{"hidden_size": 24}, {}, {**CONFIG, "num_attention_heads": 0}])
def test_a_config_of_no_language_model_is_refused(tmp_path: Path, config: dict[str, Any]) -> None:
    save_file(tensors(), folder(tmp_path, config) / "model.safetensors")
    assert "no language model" in refused(tmp_path).message


def test_a_config_that_is_no_object_is_refused(tmp_path: Path) -> None:
    whole(tmp_path)
    (tmp_path / "config.json").write_text("[1]")
    assert "no language model" in refused(tmp_path).message


@pytest.mark.parametrize("kept", [0, 5, 60, -1])
def test_weights_that_were_cut_off_are_not_whole(tmp_path: Path, kept: int) -> None:
    file = whole(tmp_path) / "model.safetensors"
    file.write_bytes(file.read_bytes()[:kept])
    assert "is not whole. Download it again" in refused(tmp_path).message


@pytest.mark.parametrize("index", ["", "[]", "{}", '{"weight_map": {}}', '{"weight_map": []}'])
def test_an_index_that_is_broken_is_not_whole(tmp_path: Path, index: str) -> None:
    (folder(tmp_path) / "model.safetensors.index.json").write_text(index)
    assert "is not whole" in refused(tmp_path).message


def test_a_config_that_was_cut_off_is_not_whole(tmp_path: Path) -> None:
    (folder(tmp_path) / "config.json").write_text('{"model_type": "lla')
    assert "is not whole" in refused(tmp_path).message


def test_nothing_heavy_is_imported(tmp_path: Path) -> None:
    whole(tmp_path)
    program = (
        "import sys, pathlib; from engine.model_shape import read_shape; read_shape(pathlib.Path(sys.argv[1]));"
        "sys.exit(', '.join({'torch', 'numpy', 'safetensors', 'transformers', 'gguf'} & sys.modules.keys()) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=Path(__file__).parents[2], check=False)
    assert done.returncode == 0


def test_a_folder_without_a_tokenizer_is_not_whole(tmp_path: Path) -> None:
    (whole(tmp_path / "m") / "tokenizer.json").unlink()
    assert "not whole" in refused(tmp_path / "m").message


@pytest.mark.parametrize("name", ["num_hidden_layers", "hidden_size", "vocab_size", "intermediate_size"])
def test_sizes_below_one_are_refused(tmp_path: Path, name: str) -> None:
    assert "no language model" in refused(whole(tmp_path / "m", **{name: 0})).message

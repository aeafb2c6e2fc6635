"""A transformers model as the torch runtime needs it: loaded where it belongs, its attention made ours, its rotary
frequencies.

It knows folders of safetensors and GGUF files, which architectures we can evict, and no cache or head.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn

from engine.backends import torch_attention
from engine.backends.gguf_once import parsed_once
from engine.backends.heap import give_back
from engine.backends.torch_devices import TORCH_DTYPES, device_for
from engine.backends.torch_errors import first_line, in_sentences
from engine.backends.vocabulary import Vocabulary, folder_vocabulary, gguf_vocabulary
from engine.config_shape import CONFIG, refuse_unknown
from engine.errors import UserError
from engine.gguf_shape import read_header
from engine.model_shape import model_name, read_shape
from engine.target import Device, Dtype, WeightBits

if TYPE_CHECKING:
    from engine.backends.torch_cache import UnitCache
    from engine.backends.torch_ragged import RaggedCache


@dataclass(frozen=True)
class Placement:
    """Where a model runs and how its weights are held.

    layers_on_device: how many layers CUDA holds; those beyond are brought from the CPU for each forward. None: all.
    """

    device: Device = "cpu"
    dtype: Dtype = "float32"
    weight_bits: WeightBits = 16
    layers_on_device: int | None = None


class Rotary(NamedTuple):
    """frequencies: (dimensions/2,), radians a position. magnitude: what a rotated vector's length is multiplied by."""

    frequencies: Tensor
    magnitude: float


class TorchModel:
    """Weights, vocabulary and shape. Raises UserError("model_missing" or "model_broken").

    attention: the name of the attention, registered with transformers, that every layer calls.
    """

    def __init__(self, path: Path, placement: Placement, attention: str = torch_attention.NAME) -> None:
        self.device, self.dtype = torch.device(device_for(placement.device)), TORCH_DTYPES[placement.dtype]
        with parsed_once() if path.is_file() else nullcontext():
            config = _config(path)
            self._model = _load(path, config, placement, self.device, self.dtype, attention)
        base: Any = self._model.model
        self.architecture: str = config.model_type
        self.blocks: Sequence[nn.Module] = list(base.layers)
        self.attentions: Sequence[nn.Module] = [block.self_attn for block in base.layers]
        self.rotary: nn.Module = base.rotary_emb
        self.layers, self.heads = len(self.blocks), int(config.num_attention_heads)
        self.kv_heads = int(config.num_key_value_heads or config.num_attention_heads)
        self.head_dim = int(getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads)
        self.window = _window(path, config)
        self.context_length = min(int(config.max_position_embeddings), self.window or sys.maxsize)
        self.model_bytes = sum(parameter.nbytes for parameter in self._model.parameters())
        self.rotated_layers = [bool(getattr(attention, "use_rope", True)) for attention in self.attentions]
        self.frequencies, self.magnitude = _rotary(path, config, self.rotary)
        self.vocabulary: Vocabulary = gguf_vocabulary(path) if path.is_file() else folder_vocabulary(path, config)

    def run(self, tokens: Sequence[int], cache: UnitCache | RaggedCache, attention: torch_attention.Pass) -> Tensor:
        """Runs tokens over the cache, which takes their units up. Returns every token's hidden state, (n, hidden)."""
        device = self._model.model.embed_tokens.weight.device
        first = cache.position
        output = self._model.model(
            input_ids=torch.tensor([list(tokens)], device=device),
            position_ids=torch.arange(first, first + len(tokens), device=device)[None],
            cache=cache,
            use_cache=True,
            keepsake_pass=attention,
        )
        return output.last_hidden_state[0]  # type: ignore[no-any-return]

    def run_at(self, tokens: Sequence[int], positions: Tensor, **attention: Any) -> Tensor:
        """Runs tokens at these positions, int64 (n,), without a cache; `attention` is what the attention is handed.

        Returns all hidden states, (n, hidden).
        """
        device = self._model.model.embed_tokens.weight.device
        output = self._model.model(
            input_ids=torch.tensor([list(tokens)], device=device),
            position_ids=positions.to(device)[None],
            use_cache=False,
            **attention,
        )
        return output.last_hidden_state[0]  # type: ignore[no-any-return]

    def unembed(self, hidden: Tensor) -> Tensor:
        """hidden: (..., hidden). Returns the logits, (..., vocabulary)."""
        return self._model.lm_head(hidden)  # type: ignore[no-any-return]

    def close(self) -> None:
        """Frees the weights."""
        self.vocabulary.close()
        self._model = self.rotary = None  # type: ignore[assignment]
        self.blocks, self.attentions = [], []
        give_back()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()


def _config(path: Path) -> Any:
    """The model's configuration, with the reason why it cannot be run where that is so."""
    from transformers import AutoConfig

    _quiet()
    if not path.exists():
        message = f"There is no model at {path}. Choose a file or a folder in the settings, or with --model."
        raise UserError("model_missing", message)
    folder, extra = (path.parent, {"gguf_file": path.name}) if path.is_file() else (path, {})
    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False, **extra)
    except Exception as error:
        message = f"{model_name(path)} is no model that torch can run: {first_line(error)}"
        raise UserError("model_broken", message, cause=str(error)) from error
    refuse_unknown(config.model_type)
    if path.is_file():
        _complete(config, path)
    return config


def _complete(config: Any, path: Path) -> None:
    """What transformers leaves at its defaults though the GGUF file says otherwise."""
    shape = read_shape(path)
    config.head_dim = shape.head_dim
    if (config.pad_token_id or 0) >= config.vocab_size:
        config.pad_token_id = None


def _window(path: Path, config: Any) -> int | None:
    """Tokens of the sliding window where one is in use. Slots that never pass it are never cut by it.

    Of a GGUF file it is in the header, which transformers does not read for it.
    """
    if path.is_file():
        fields = read_header(path).fields
        return int(fields.get(f"{fields['general.architecture']}.attention.sliding_window", 0)) or None
    window = getattr(config, "sliding_window", None)
    kinds = getattr(config, "layer_types", None) or ["sliding_attention"]
    return int(window) if window and "sliding_attention" in kinds else None


def _load(
    path: Path, config: Any, placement: Placement, device: torch.device, dtype: torch.dtype, attention: str
) -> Any:
    from transformers import AutoModelForCausalLM

    folder: Path
    extra: dict[str, Any]
    folder, extra = (path.parent, {"gguf_file": path.name}) if path.is_file() else (path, {})
    if placement.weight_bits != 16:
        extra["quantization_config"] = _quantisation(placement.weight_bits, device, dtype)
    try:
        with in_sentences(device):
            loaded: Any = AutoModelForCausalLM.from_pretrained(
                folder,
                config=config,
                dtype=dtype,
                attn_implementation=attention,
                device_map=_device_map(config, placement, device),
                local_files_only=True,
                trust_remote_code=False,
                output_loading_info=True,
                **extra,
            )
    except UserError:
        raise
    except Exception as error:
        message = (
            f"{model_name(path)} could not be loaded: {first_line(error)} "
            "Download it again, or choose another model in the settings, or with --model."
        )
        raise UserError("model_broken", message, cause=str(error)) from error
    model, loading = loaded
    _refuse_other_weights(path, loading)
    give_back()
    return model.eval().requires_grad_(False)


def _refuse_other_weights(path: Path, loading: Mapping[str, Any]) -> None:
    """transformers fills what a file lacks with random numbers, and passes over what a configuration has no place for.

    Retaining heads may lie among the weights, and old files hold rotary tables.
    """
    spare = [name for name in loading["unexpected_keys"] if not re.search(r"\.fc[12]\.weight$|rotary_emb", name)]
    wrong = [*loading["missing_keys"], *(name for name in spare if name.startswith("model.layers."))]
    if wrong:
        message = f"{model_name(path)} is not whole, or its {CONFIG} is another model's. Download it again."
        raise UserError("model_broken", message, cause=", ".join(sorted(map(str, wrong))[:20]))


def _device_map(config: Any, placement: Placement, device: torch.device) -> dict[str, str]:
    on_device = placement.layers_on_device
    if on_device is None or on_device >= config.num_hidden_layers or device.type != "cuda":
        return {"": str(device)}
    places = {name: str(device) for name in ("model.embed_tokens", "model.norm", "model.rotary_emb", "lm_head")}
    for layer in range(config.num_hidden_layers):
        places[f"model.layers.{layer}"] = str(device) if layer < on_device else "cpu"
    return places


def _quantisation(bits: int, device: torch.device, dtype: torch.dtype) -> Any:
    """The settings of the library that does it here. Raises UserError where it is not installed.

    8 bits on a processor are torchao's: bitsandbytes took a third more memory there and three times as long.
    """
    from transformers import BitsAndBytesConfig, TorchAoConfig

    if find_spec("bitsandbytes") and (device.type == "cuda" or (device.type == "cpu" and bits == 4)):
        if bits == 8:
            return BitsAndBytesConfig(load_in_8bit=True)
        return BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=dtype)
    if find_spec("torchao") and bits == 8:
        from torchao.quantization import Int8WeightOnlyConfig

        return TorchAoConfig(Int8WeightOnlyConfig())
    if device.type == "mps" and bits == 4:
        raise UserError("bad_params", "4-bit weights cannot be had on MPS yet. Choose 8-bit or full weights.")
    package = "torchao" if bits == 8 else "bitsandbytes"
    message = (
        f"{bits}-bit weights need the package {package}. Install it ({sys.executable} -m pip install {package}), or "
        "choose full weights."
    )
    raise UserError("model_broken", message)


def _rotary(path: Path, config: Any, module: Any) -> Rotary:
    """What the model's keys are turned by. longrope: always the long factors, as the authors do."""
    if path.is_file():
        from engine.backends.gguf_rope import gguf_rope

        rope = gguf_rope(path)
        return Rotary(rope.frequencies().float(), rope.magnitude)
    if module.rope_type == "longrope":
        from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

        original = config.rope_parameters["original_max_position_embeddings"]
        frequencies, magnitude = ROPE_INIT_FUNCTIONS["longrope"](config, torch.device("cpu"), seq_len=original + 1)
        return Rotary(frequencies, float(magnitude))
    return Rotary(module.inv_freq.float().cpu(), float(module.attention_scaling))


def _quiet() -> None:
    """transformers' own bars and advice belong in no log of ours."""
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()

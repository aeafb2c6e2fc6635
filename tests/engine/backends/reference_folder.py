"""The authors' reference models as Hugging Face folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from safetensors.torch import save_file
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM

from tests.engine.backends import tiny_folder


def write_folder(path: Path, config: dict[str, Any], weights: dict[str, Tensor]) -> Path:
    """The whole checkpoint as transformers has it: the heads stay among its weights and are passed over."""
    model = LlamaForCausalLM(LlamaConfig(**config))
    model.load_state_dict({name: tensor for name, tensor in weights.items() if ".fc" not in name})
    model.save_pretrained(path)
    save_file(weights, path / "model.safetensors", {"format": "pt"})
    tiny_folder.tokenizer().save_pretrained(path)
    return path

"""The rotary parameters of a GGUF file, from its header and its tables of factors: for runtimes other than llama.cpp.

llama.cpp's own are read from its graph (rope_probe); transformers drops what a GGUF file says of Llama 3's, longrope's
and YaRN's scaling.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFReader

from engine.backends.rope import Rope

_BETA_FAST, _BETA_SLOW = 32.0, 1.0
_FACTORS = ("rope_factors_long.weight", "rope_freqs.weight")


def gguf_rope(path: Path) -> Rope:
    """longrope: the long factors, as the authors do. The pairs are half-split, as transformers loads every file."""
    reader = GGUFReader(path)
    architecture = reader.fields["general.architecture"].contents()

    def field(name: str, default: Any) -> Any:
        found = reader.fields.get(f"{architecture}.{name}")
        return default if found is None else found.contents()

    tables = {t.name: tuple(np.asarray(t.data, np.float64).ravel().tolist()) for t in reader.tensors if _is_table(t)}
    head_dim = field("attention.key_length", None) or field("embedding_length", 0) // field("attention.head_count", 1)
    kind, factor = field("rope.scaling.type", "none"), float(field("rope.scaling.factor", 1.0) or 1.0)
    context = field("context_length", 0)
    return Rope(
        dimensions=int(field("rope.dimension_count", head_dim)),
        interleaved=False,
        original_context=int(field("rope.scaling.original_context_length", context)),
        base=float(field("rope.freq_base", 10000.0)),
        scale=1 / factor if kind in ("linear", "yarn") else 1.0,
        extrapolation=1.0 if kind == "yarn" else 0.0,
        attention=float(field("rope.scaling.attn_factor", 1.0)),
        beta_fast=_BETA_FAST,
        beta_slow=_BETA_SLOW,
        factors=next((tables[name] for name in _FACTORS if name in tables), ()),
    )


def _is_table(tensor: Any) -> bool:
    return tensor.name in _FACTORS

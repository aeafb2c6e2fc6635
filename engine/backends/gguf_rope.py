"""The rotary parameters of a GGUF file, from its header and its tables of factors: for runtimes other than llama.cpp.

llama.cpp's own are read from its graph (rope_probe); transformers drops what a GGUF file says of Llama 3's, longrope's
and YaRN's scaling.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.backends.rope import Rope
from engine.gguf_shape import read_floats, read_header

_BETA_FAST, _BETA_SLOW = 32.0, 1.0
_FACTORS = ("rope_factors_long.weight", "rope_freqs.weight")


def gguf_rope(path: Path) -> Rope:
    """longrope: the long factors, as the authors do. The pairs are half-split, as transformers loads every file."""
    header = read_header(path)
    architecture = header.fields["general.architecture"]

    def field(name: str, default: Any) -> Any:
        return header.fields.get(f"{architecture}.{name}", default)

    table = next((name for name in _FACTORS if name in header.tensors), None)
    head_dim = field("attention.key_length", None) or field("embedding_length", 0) // field("attention.head_count", 1)
    kind, factor = field("rope.scaling.type", "none"), float(field("rope.scaling.factor", 1.0) or 1.0)
    return Rope(
        dimensions=int(field("rope.dimension_count", head_dim)),
        interleaved=False,
        original_context=int(field("rope.scaling.original_context_length", field("context_length", 0))),
        base=float(field("rope.freq_base", 10000.0)),
        scale=1 / factor if kind in ("linear", "yarn") else 1.0,
        extrapolation=1.0 if kind == "yarn" else 0.0,
        attention=float(field("rope.scaling.attn_factor", 1.0)),
        beta_fast=_BETA_FAST,
        beta_slow=_BETA_SLOW,
        factors=read_floats(path, header, table) if table else (),
    )

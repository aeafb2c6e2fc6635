"""`keepsake-engine evaluate agreement`: how far llama.cpp and torch keep the same units of one document, by chunk.

Both read the same tokens of one GGUF file with the same heads and parameters. They differ in arithmetic alone, and what
one of them keeps decides what it computes next, so differences add up.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engine.budget import selection_for
from engine.evaluation.setup import held_out_documents, open_target
from engine.locret.reading import Reader
from engine.locret.selection import Selection
from engine.model_shape import ModelShape, read_shape
from engine.paths import starter_model
from engine.runtimes import target_for


def run(options: argparse.Namespace) -> int:
    """Prints the shares. Raises UserError when model, heads or text are missing."""
    shape = read_shape(options.model or starter_model() or Path())
    selection = selection_for(options.units)
    text = _text(options.data, options.document)
    tokens: list[int] = []
    kept: dict[str, list[Tensor]] = {}
    for runtime in ("llama.cpp", "torch"):
        tokens, kept[runtime] = _read(shape, runtime, options.dtype, selection, text, options.tokens)
    shares = [same_share(*chunk) for chunk in zip(kept["llama.cpp"], kept["torch"], strict=True)]
    ends = [min(selection.chunk * chunk, len(tokens)) for chunk in range(1, len(shares) + 1)]
    report = {"tokens": len(tokens), "units": options.units, "dtype": options.dtype, "same": shares, "ends": ends}
    print(json.dumps(report) if options.json else table(report))
    return 0


def same_share(first: Tensor, second: Tensor) -> float:
    """first, second: (layers, kv_heads, n), original positions, ascending. Returns the mean share in both."""
    heads = zip(first.flatten(0, 1), second.flatten(0, 1), strict=True)
    shares = [torch.isin(one, other).float().mean() for one, other in heads]
    return round(torch.stack(shares).mean().item(), 4)


def table(report: dict[str, Any]) -> str:
    rows = ["| tokens read | the same units kept |", "|---|---|"]
    rows += [f"| {end:,} | {share:.1%} |" for end, share in zip(report["ends"], report["same"], strict=True)]
    return "\n".join(rows)


def _text(data: Path | None, first: int) -> str:
    documents = [document.text for document in held_out_documents(data)]
    return "\n\n".join(documents[first:] + documents[:first])


def _read(
    shape: ModelShape, runtime: str, dtype: str, selection: Selection, text: str, most: int
) -> tuple[list[int], list[Tensor]]:
    """The tokens, and the original positions kept after each chunk."""
    target = target_for(shape, runtime, "cpu", dtype)
    backend, policy = open_target(shape, target, selection.capacity, "locret")
    tokens = backend.tokenize(text[: 8 * most], special=False)[:most]
    reader = Reader(backend, policy, selection)
    kept = [reader.units.positions.clone() for _ in reader.read(tokens)]
    backend.close()
    return tokens, kept

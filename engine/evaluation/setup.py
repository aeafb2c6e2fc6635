"""A runtime and a policy for a benchmark, without store or conversations."""

from __future__ import annotations

from pathlib import Path

from engine import paths
from engine.backends.base import Runtime
from engine.errors import UserError
from engine.loaded_model import file_sha256, find_heads, policy_for
from engine.locret.heads import load_heads
from engine.locret.policies import Policy
from engine.model_shape import read_shape
from engine.settings import PolicyName


def open_model(path: Path | None, cells: int, policy: PolicyName) -> tuple[Runtime, Policy]:
    """The model with a cache of that many cells. Raises UserError where Locret is asked for and has no heads."""
    from engine.backends.llama_cpp import LlamaCppBackend

    shape = read_shape(path or paths.starter_model() or Path())
    file = find_heads(file_sha256(shape.path), [paths.heads_dir()]) if policy == "locret" else None
    if policy == "locret" and file is None:
        raise UserError("no_heads", f"{shape.name} has no retaining heads. Train them first: keepsake-engine train.")
    heads = load_heads(file) if file else None
    return LlamaCppBackend(shape.path, n_ctx=cells, heads=heads), policy_for(policy, heads)

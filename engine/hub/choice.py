"""Which files of a repository a model needs: its configuration, its tokenizer and one set of weights, never code.

Knows names only. A name comes from the server: one that is not plain is never chosen, so nothing leaves the folder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from pathlib import Path

from engine.errors import UserError

SMALL = frozenset(
    {
        "added_tokens.json",
        "chat_template.jinja",
        "chat_template.json",
        "config.json",
        "generation_config.json",
        "merges.txt",
        "special_tokens_map.json",
        "tokenizer.json",
        "tokenizer.model",
        "tokenizer_config.json",
        "vocab.json",
    }
)
# In transformers' order: one file, or those that an index lists, or those named so. Adapters are no model, and
# "consolidated" files hold the same weights again under names that transformers does not know.
_SETS = (
    ("model.safetensors", re.compile(r"model[\w.-]*\.safetensors", re.ASCII)),
    (None, re.compile(r"(?!adapter|consolidated)\w[\w.-]*\.safetensors", re.ASCII)),
    ("pytorch_model.bin", re.compile(r"pytorch_model[\w.-]*\.bin", re.ASCII)),
)
# Retaining heads alone, under a name of their authors' choosing; what training leaves behind is none.
_HEADS = re.compile(
    r"(?!model|pytorch_model|adapter|consolidated|training_args|optimizer|scheduler|rng_state)"
    r"\w[\w.-]*\.(?:safetensors|bin|pt|pth)",
    re.ASCII,
)
_INDEX = ".index.json"
_PLAIN = re.compile(r"\w[\w.-]*", re.ASCII)


def needed(names: Collection[str], read_index: Callable[[str], Path], heads: bool = False) -> list[str]:
    """The names to download, sorted. `read_index` downloads an index and says where it is.

    heads: of retaining heads, which lie in files of their own or, where there are none, among a model's weights.

    Raises UserError("no_such_model") where there are no weights, UserError("download_failed") for a broken index.
    """
    alone = {name for name in names if heads and _HEADS.fullmatch(name)}
    return sorted(SMALL.intersection(names) | (alone or _weights(names, read_index)))


def belongs_to_a_model(name: str) -> bool:
    """Whether a program that loads the folder could take a file of this name for a part of the model."""
    weights = name.removesuffix(_INDEX)
    return (
        name in SMALL
        or bool(_HEADS.fullmatch(name))
        or any(weights == single or pattern.fullmatch(weights) for single, pattern in _SETS)
    )


def _weights(names: Collection[str], read_index: Callable[[str], Path]) -> set[str]:
    for single, pattern in _SETS:
        if single is not None and single in names:
            return {single}
        if single is not None and single + _INDEX in names:
            return {single + _INDEX} | _listed(read_index(single + _INDEX), names, Path(single).suffix)
        if found := {name for name in names if pattern.fullmatch(name)}:
            return found
    message = "It has no weights that Keepsake can read (.safetensors or pytorch_model.bin). Choose another model."
    raise UserError("no_such_model", message)


def _listed(index: Path, names: Collection[str], suffix: str) -> set[str]:
    try:
        listed = {str(name) for name in json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()}
    except (ValueError, TypeError, KeyError, AttributeError):
        listed = set()
    if not listed or not all(name in names and _PLAIN.fullmatch(name) and name.endswith(suffix) for name in listed):
        message = "The list of its weights names files that it does not have. Choose another model or revision."
        raise UserError("download_failed", message)
    return listed

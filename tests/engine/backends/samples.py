"""Tokens and kept sets for the tests, the same at every run."""

from __future__ import annotations

import torch
from torch import Tensor

from engine.backends.llama_cpp import LlamaCppBackend
from tests.engine.backends.tiny_gguf import VOCABULARY

PASSAGE = (
    "The harbour of the old town lies where the river meets the sea. Every morning the boats come in with the tide, "
    "and the market fills with people who buy fish, bread and flowers. In 1874 a lighthouse was built on the western "
    "pier; it is forty metres high and its lamp can be seen from twenty miles away. The keeper, whose name was Martin "
    "Alder, wrote down the weather twice a day for thirty-one years; his notebooks lie in the library on the hill. "
    "They tell of storms that tore the roofs from the warehouses, of winters when the harbour froze, and of one summer "
    "so dry that the wells had to be closed. Scholars come to read them, since no other record of that coast goes back "
    "as far. The library opens at nine and closes at six, and visitors are asked to leave their bags at the door. "
)


def passage_tokens(backend: LlamaCppBackend, count: int) -> list[int]:
    tokens = backend.tokenize(PASSAGE, special=False)
    return (tokens * (count // len(tokens) + 1))[:count]


def some_tokens(count: int, seed: int = 7) -> list[int]:
    """Token ids of a tiny model."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(VOCABULARY, (count,), generator=generator).tolist()


def random_slots(layers: int, kv_heads: int, length: int, kept: int, seed: int = 0) -> Tensor:
    """Another kept set in every layer and head: int64 (layers, kv_heads, kept), ascending."""
    generator = torch.Generator().manual_seed(seed)
    sets = [torch.randperm(length, generator=generator)[:kept].sort().values for _ in range(layers * kv_heads)]
    return torch.stack(sets).view(layers, kv_heads, kept)

"""A local hub with one small model."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from tests.engine.hub.local_hub import LocalHub, running


@pytest.fixture
def hub(believe: Callable[[str], None]) -> Iterator[LocalHub]:
    content = {
        "config.json": b'{"model_type": "llama"}',
        "tokenizer.json": b"{}",
        "model.safetensors": random.Random(1).randbytes(2_000_000),
        "README.md": b"read me",
    }
    with running(LocalHub(content)) as hub:
        believe(hub.url)
        yield hub

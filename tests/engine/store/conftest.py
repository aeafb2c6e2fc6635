from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.store import Store
from engine.store.store import FILE_NAME


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / FILE_NAME


@pytest.fixture
def store(file: Path) -> Iterator[Store]:
    with Store(file) as opened:
        yield opened

"""huggingface_hub told to take a server of this machine for its hub, with no token of the user's and no waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import huggingface_hub
import pytest
from huggingface_hub import constants

from engine.hub import patience


@pytest.fixture
def believe(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Makes huggingface_hub take an address for its hub."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_IMPLICIT_TOKEN", True)
    monkeypatch.setattr(patience, "WAITS_SECONDS", (0.01, 0.01))

    def at(url: str) -> None:
        monkeypatch.setattr(constants, "ENDPOINT", url)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", url + "/{repo_id}/resolve/{revision}/{filename}")

    huggingface_hub.close_session()
    yield at
    huggingface_hub.close_session()

from __future__ import annotations

import weakref
from collections.abc import Iterator

import numpy as np
import pytest

from engine.store import Layer, Reading, Store

LAYERS = [Layer(bytes([number]) * 400, b"v" * 400, b"s" * 40, b"p" * 40) for number in range(3)]
SIZE = 3 * 880


def reading(key: str, parent: str | None = None) -> Reading:
    return Reading(key, parent, "model", "heads", {"budget": 1024, "name": "locret"}, "partial", 512, 100)


def test_a_reading_comes_back_with_its_layers_in_order(store: Store) -> None:
    saved = store.save_reading(reading("one", parent="zero"), LAYERS)
    loaded = store.load_reading("one")
    assert loaded is not None
    found, layers = loaded
    assert list(layers) == LAYERS
    assert (found.parent, found.policy, found.state, found.tokens_read, found.units, found.bytes) == (
        "zero",
        {"budget": 1024, "name": "locret"},
        "partial",
        512,
        100,
        SIZE,
    )
    assert saved.created == found.created > 0
    assert store.has_reading("one") and not store.has_reading("two")
    assert store.load_reading("two") is None and store.reading("two") is None


def test_checkpoints_do_not_pile_up(store: Store) -> None:
    for number in range(4):
        store.save_reading(reading(f"at {number}"), LAYERS, previous_key=f"at {number - 1}")
    assert [store.has_reading(f"at {number}") for number in range(4)] == [False, False, False, True]
    store.save_reading(reading("at 3"), LAYERS[:1])
    assert store.total_reading_bytes() == SIZE / 3


def test_a_reading_that_fails_half_way_leaves_the_earlier_one(store: Store) -> None:
    store.save_reading(reading("one"), LAYERS)

    def failing() -> Iterator[Layer]:
        yield LAYERS[0]
        raise MemoryError

    with pytest.raises(MemoryError):
        store.save_reading(reading("two"), failing(), previous_key="one")
    assert not store.has_reading("two")
    loaded = store.load_reading("one")
    assert loaded is not None and list(loaded[1]) == LAYERS


def test_the_quota_takes_the_least_recently_used_and_never_the_protected(store: Store) -> None:
    for key in ("a", "b", "c", "d"):
        store.save_reading(reading(key), LAYERS)
    store.touch("a")
    assert store.load_reading("b") is not None
    assert store.enforce_quota(4 * SIZE) == []
    assert store.enforce_quota(3 * SIZE, protect={"c"}) == ["d"]
    assert store.enforce_quota(SIZE + 1, protect={"c"}) == ["a", "b"]
    assert store.enforce_quota(0, protect={"c"}) == []
    assert store.total_reading_bytes() == SIZE
    assert store.enforce_quota(0) == ["c"]
    assert store.total_reading_bytes() == 0


def test_layers_may_be_left_half_way(store: Store) -> None:
    store.save_reading(reading("one"), LAYERS)
    loaded = store.load_reading("one")
    assert loaded is not None
    layers = loaded[1]
    assert next(layers) == LAYERS[0]
    del loaded, layers
    assert store.enforce_quota(0) == ["one"]


def test_a_layer_is_let_go_before_the_next_is_asked_for(store: Store) -> None:
    held: list[weakref.ref[np.ndarray]] = []

    def layers() -> Iterator[Layer]:
        for layer in LAYERS:
            assert all(earlier() is None for earlier in held)
            keys = np.frombuffer(layer.keys, np.uint8)
            held.append(weakref.ref(keys))
            yield layer._replace(keys=keys)  # type: ignore[arg-type]
            del keys

    store.save_reading(reading("one"), layers())
    assert len(held) == len(LAYERS)

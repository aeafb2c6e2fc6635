"""Writes messages and checkpoints of a reading without end, saying on stdout what was committed, until it is killed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from engine.store import Layer, Reading, Store

LAYERS = 6
LAYER_BYTES = 60_000


def layers(checkpoint: int) -> Iterator[Layer]:
    """What the layers of this checkpoint hold: a pattern that another checkpoint's layers do not have."""
    for layer in range(LAYERS):
        pattern = f"{checkpoint}/{layer};".encode()
        part = pattern * (LAYER_BYTES // len(pattern))
        yield Layer(part, part[::-1], part[:1000], pattern)


def report(*words: object) -> None:
    """One line, handed to the system at once."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def main(file: Path, start: int) -> None:
    """Goes on after checkpoint `start`, which is stored unless it is 0."""
    with Store(file, wait_seconds=30) as store:
        known = store.conversations()
        conversation = known[0].id if known else store.create_conversation().id
        for number in count(start + 1):
            message = store.add_message(conversation, store.leaf(conversation), "user", f"message {number}")
            report("message", message.id, number)
            reading = Reading(f"at-{number}", None, "model", "heads", {}, "partial", number, 1)
            store.save_reading(reading, layers(number), previous_key=f"at-{number - 1}")
            report("reading", reading.key, number)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))

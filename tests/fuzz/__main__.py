"""python -m tests.fuzz KIND [--seconds N]: random documents of a kind until something breaks or the time is over.

Needs the extra "fuzz". What breaks a reader is written to tests/data/fuzz/KIND and is replayed by the test suite then.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["engine.documents", "email", "csv", "zipfile"]):
    from engine.documents.readers import READERS, reader_of
    from tests.fuzz.target import KINDS, try_bytes

    for kind in READERS:
        reader_of(kind)  # imported here, so that its branches are counted

from tests.fuzz.seeds import FOUND, LARGEST, seeds
from tests.fuzz.zip_parts import parts_of, with_part

SLOWEST = 20
"""Seconds for one document."""


def mutated(data: bytes, most: int, seed: int) -> bytes:
    """Of a package, one part is changed; of anything else, the bytes."""
    parts = parts_of(data)
    if not parts:
        return bytes(atheris.Mutate(data, most))
    name = random.Random(seed).choice(sorted(parts))
    return with_part(data, name, bytes(atheris.Mutate(parts[name], most)))[:most]


def main() -> None:
    """Never returns: the fuzzer ends the process."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--seconds", type=int, default=600)
    arguments = parser.parse_args()
    found = FOUND / arguments.kind
    found.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as corpus:
        for name, data in seeds(arguments.kind):
            (Path(corpus) / name).write_bytes(data)
        options = (
            f"-max_total_time={arguments.seconds}",
            f"-timeout={SLOWEST}",
            f"-max_len={LARGEST}",
            "-rss_limit_mb=2048",
        )
        atheris.Setup(
            [sys.argv[0], *options, f"-artifact_prefix={found}/", corpus],
            lambda data: try_bytes(arguments.kind, data),
            custom_mutator=mutated,
        )
        atheris.Fuzz()


if __name__ == "__main__":
    main()

"""Figures of a long measurement, kept in a file of JSON lines as they come, so that it can go on where it stopped.

The first line holds what all its rows share; each other one a sample's number, what made the row, and its figures. So
rows can be added to a table without measuring the others anew, and the lines of two files of the same first line can be
put together.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import UserError


class SampleFile:
    """The figures that the file holds, by `get`, and `add` for further ones. path None: nothing is kept on the disk.

    parameters: what all rows share. Raises UserError for a file of others, which it leaves as it is, or one that cannot
    be read or written.
    """

    def __init__(self, path: Path | None, parameters: Mapping[str, Any]) -> None:
        self._figures: dict[tuple[int, str], list[list[Any]]] = {}
        self._path = path
        if path is None:
            return
        try:
            self._open(path, json.dumps({"parameters": parameters}))
        except OSError as error:
            raise UserError("bad_params", f"{path} cannot be used: {error.strerror}. Choose another file.") from error

    def _open(self, path: Path, header: str) -> None:
        data = path.read_bytes() if path.exists() else b""
        first, *rows = data.split(b"\n")
        if not rows and header.encode().startswith(first):  # new, or cut off while its first line was written
            with path.open("a", encoding="utf-8") as file:
                file.write(header[len(first) :] + "\n")
            return
        _refuse_others(path, first, json.loads(header)["parameters"])
        if rows.pop():
            os.truncate(path, data.rfind(b"\n") + 1)  # cut off, when the machine stopped
        for number, line in enumerate(rows, start=2):
            try:
                sample, row, figures = _read(line)
            except (ValueError, RecursionError):
                what = f"Line {number} of {path} is damaged and left out."
                print(f"{what} What is not in another line is measured anew.", file=sys.stderr, flush=True)
            else:
                self._figures[sample, _key(row)] = figures

    def get(self, sample: int, row: Mapping[str, Any]) -> list[list[Any]] | None:
        """The figures of a row, given by all that made it; None where they are not measured yet."""
        return self._figures.get((sample, _key(row)))

    def add(self, sample: int, row: Mapping[str, Any], figures: list[list[Any]]) -> None:
        """Keeps a sample's figures of a row; they are on the disk when this returns."""
        self._figures[sample, _key(row)] = figures
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"sample": sample, "row": row, "figures": figures}) + "\n")
                file.flush()
                os.fsync(file.fileno())


def _key(row: Mapping[str, Any]) -> str:
    return json.dumps(row, sort_keys=True)


def _read(line: bytes) -> tuple[int, dict[str, Any], list[list[Any]]]:
    """A line's sample, row and figures (task, policy, share kept, value). Raises ValueError, or RecursionError."""
    match json.loads(line):
        case {"sample": int(sample), "row": dict(row), "figures": list(figures)} if all(map(_is_figure, figures)):
            return sample, row, figures
    raise ValueError("no figures of a sample")


def _is_figure(found: Any) -> bool:
    match found:
        case [str(), str(), int() | float(), int() | float()]:
            return True
    return False


def _refuse_others(path: Path, first: bytes, parameters: Mapping[str, Any]) -> None:
    try:
        line = json.loads(first)
    except (ValueError, RecursionError):
        line = None
    there = line.get("parameters") if isinstance(line, dict) else None
    if not isinstance(there, dict):
        raise UserError("bad_params", f"{path} holds no samples. Choose another file.")
    other = sorted(name for name in {*there, *parameters} if there.get(name) != parameters.get(name))
    if other:
        message = f"{path} was made with other values of: {', '.join(other)}."
        raise UserError("bad_params", f"{message} Use the same ones, or name another file with --checkpoint.")

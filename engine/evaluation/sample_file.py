"""Figures of a long measurement, kept in a file of JSON lines as they come, so that it can go on where it stopped.

The first line holds what all its rows share; each other one a sample's number, what made the row, and its figures. So
rows can be added to a table without measuring the others anew, and the lines of two files of the same first line can be
put together.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import UserError


class SampleFile:
    """The figures that the file holds, by `get`, and `add` for further ones. path None: nothing is kept on the disk.

    parameters: what all rows share. Raises UserError for a file of others, or one that cannot be read or written.
    """

    def __init__(self, path: Path | None, parameters: Mapping[str, Any]) -> None:
        self._figures: dict[tuple[int, str], list[list[Any]]] = {}
        self._path = path
        if path is None:
            return
        try:
            self._open(path, json.loads(json.dumps(parameters)))
        except OSError as error:
            raise UserError("bad_params", f"{path} cannot be used: {error.strerror}. Choose another file.") from error

    def _open(self, path: Path, parameters: dict[str, Any]) -> None:
        lines = _whole_lines(path)
        if not lines:
            path.write_text(json.dumps({"parameters": parameters}) + "\n", encoding="utf-8")
            return
        _refuse_others(path, lines[0], parameters)
        try:
            self._figures = {(line["sample"], _key(line["row"])): line["figures"] for line in lines[1:]}
        except (KeyError, TypeError) as error:
            raise UserError("bad_params", f"{path} holds no samples. Choose another file.") from error

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


def _whole_lines(path: Path) -> list[Any]:
    """What the file holds. A last line that was cut off, when the machine stopped, is taken away."""
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        path.write_bytes(whole)
    try:
        return [json.loads(line) for line in whole.splitlines()]
    except ValueError as error:
        raise UserError("bad_params", f"{path} holds no samples. Choose another file.") from error


def _refuse_others(path: Path, first: Any, parameters: Mapping[str, Any]) -> None:
    there = first.get("parameters") if isinstance(first, dict) else None
    if not isinstance(there, dict):
        raise UserError("bad_params", f"{path} holds no samples. Choose another file.")
    other = sorted(name for name in {*there, *parameters} if there.get(name) != parameters.get(name))
    if other:
        message = f"{path} was made with other values of: {', '.join(other)}."
        raise UserError("bad_params", f"{message} Use the same ones, or name another file with --checkpoint.")

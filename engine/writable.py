"""Folders that are about to be written to: made and tried before the work begins. It knows no file that goes there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile

from engine.errors import UserError


@contextmanager
def writable(*folders: Path, otherwise: str) -> Iterator[None]:
    """Makes the folders that are not there and tries each. When what follows fails, those that it made and that are
    empty are removed again.

    otherwise: what to do where nothing can be written, as a sentence. Raises UserError("bad_params").
    """
    made: list[Path] = []
    try:
        for folder in folders:
            try:
                made += _missing(folder)
                folder.mkdir(parents=True, exist_ok=True)
                with TemporaryFile(dir=folder):
                    pass
            except OSError as error:
                message = f"Nothing can be written to {folder}: {_reason(error)}. {otherwise}"
                raise UserError("bad_params", message) from error
        yield
    except BaseException:
        for folder in reversed(made):
            with suppress(OSError):
                folder.rmdir()
        raise


def _missing(folder: Path) -> list[Path]:
    """Of the folder and those that it lies in, the outermost first. Raises OSError."""
    return [path for path in (*reversed(folder.parents), folder) if not path.exists()]


def _reason(error: OSError) -> str:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return "there is a file of that name"
    if isinstance(error, FileNotFoundError):
        return "the system makes no files or folders there"
    return error.strerror or str(error)

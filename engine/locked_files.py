"""Passwords of locked files on the command line: where they come from, and that they are tried.

A password is kept nowhere: it is in no file of the data folder, in no log and in no report.
"""

from __future__ import annotations

import argparse
import getpass
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import CANCELLED, UserError

if TYPE_CHECKING:
    from engine.ask_command import Work
    from engine.reading_job import ReadingJob
    from engine.store import Document

NAMES = 3


def add_password_arguments(parser: argparse.ArgumentParser) -> None:
    """For commands that read files."""
    given = parser.add_mutually_exclusive_group()
    given.add_argument(
        "--password",
        help="tried on every locked file, and kept nowhere. While this runs, others who use this computer can see it: "
        "better leave it out, and you are asked for it where a file is locked",
    )
    given.add_argument(
        "--password-file", metavar="FILE", help="the same, from the first line of a file, or of standard input (-)"
    )


def read_password(options: argparse.Namespace) -> None:
    """Puts what --password-file holds into options.password. Raises UserError."""
    if options.password_file is not None:
        options.password = _first_line(options.password_file)
    if options.password == "":
        raise UserError("bad_params", "The password is empty. Leave it out, or give the one that opens the files.")


def _first_line(file: str) -> str:
    try:
        text = sys.stdin.readline() if file == "-" else Path(file).expanduser().read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        message = f"The password could not be read from {file}. Check that it is there and a text file."
        raise UserError("bad_params", message) from error
    return text.split("\n")[0].rstrip("\r")


def open_locked(work: Work, reading: ReadingJob, options: argparse.Namespace) -> None:
    """Takes the text out of what arrived, with the password that was given, or with those that the person types.
    Raises UserError("cancelled").
    """
    reading.extract_all()
    if options.password:
        reading.extraction.unlock(options.password)
        return
    work.end_line()
    asks = not options.json and sys.stdin.isatty() and sys.stderr.isatty()
    while asks and (locked := reading.extraction.locked()):
        password = _asked(locked)
        if not password:
            return
        if not reading.extraction.unlock(password):
            work.say("That password opens none of them.")


def hint(reading: ReadingJob, options: argparse.Namespace) -> str | None:
    """What is still locked, and what can be done about it; None where nothing is."""
    locked = reading.extraction.locked()
    if not locked:
        return None
    if options.password:
        return f"The password does not open {_names(locked)}."
    needs = "needs" if len(locked) == 1 else "need"
    return (
        f"{_names(locked)} {needs} a password: --password-file FILE gives it, and in a terminal you are asked for it."
    )


def _asked(locked: Sequence[Document]) -> str:
    """What the person types, unseen; "" to leave them locked. Ctrl+C cancels, as elsewhere."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return getpass.getpass(f"Password of {_names(locked)} (Enter alone leaves it locked): ")
    except EOFError:
        return ""
    except KeyboardInterrupt:
        raise CANCELLED from None
    finally:
        signal.signal(signal.SIGINT, before)


def _names(locked: Sequence[Document]) -> str:
    names = ", ".join(document.name for document in locked[:NAMES])
    return f"{names} and {len(locked) - NAMES} more" if len(locked) > NAMES else names

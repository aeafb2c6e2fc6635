"""`keepsake-engine read FILE...`: reads files into a conversation, so that later questions are answered at once."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from engine.ask_command import add_store_arguments, open_engine, print_json, print_notes, refuse_bad_input
from engine.locked_files import hint, open_locked


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="files and folders to read")
    add_store_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Prints what became of each file. Raises UserError."""
    from engine.answer_job import left_out
    from engine.documents.find import absolute
    from engine.documents.names import display_name
    from engine.reading_job import ReadingJob

    refuse_bad_input(options)
    with open_engine(options) as work:
        began = time.monotonic()
        work.load(options)
        conversation = work.conversation(options.conversation, display_name(Path(options.files[0]).name))
        reading = ReadingJob(work.engine, conversation, work.emit)
        reading.add([str(absolute(Path(file))) for file in options.files])
        open_locked(work, reading, options)
        reused = reading.read_all()
        report = {
            "conversation": conversation,
            **work.engine.measures(),
            "reused": reused,
            "seconds_reading": round(time.monotonic() - began, 3),
            "documents": reading.documents(),
        }
        if options.json:
            print_json(report)
            return 0
        for document in work.engine.store.documents(conversation):
            print(f"{display_name(document.path)}: {document.message or document.outcome}")
        missing = left_out(work.engine.store.documents(conversation))
        print_notes([work.engine.store.notice, work.engine.notice(), missing, hint(reading, options)], conversation)
    return 0

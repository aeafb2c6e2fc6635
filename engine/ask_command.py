"""`keepsake-engine ask [FILE...] QUESTION`: the main job without a window."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import UserError
from engine.locked_files import add_password_arguments, hint, open_locked, read_password
from engine.runtime_arguments import OF_TORCH_ALONE, add_runtime_arguments
from engine.selection_options import UNCHANGED, ranking_of, selection_of
from engine.settings import POLICIES, SETTINGS, checked, checked_seed

SECONDS_BETWEEN_LINES = 20.0

if TYPE_CHECKING:
    from engine.store import Document, Message


def add_store_arguments(parser: argparse.ArgumentParser) -> None:
    """What `ask` and `read` have in common."""
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--budget-units", type=int, metavar="N", help="units that each KV head keeps, at least 64")
    budget.add_argument("--budget-mb", type=float, metavar="MB", help="memory for the model and its cache")
    parser.add_argument(
        "--policy", choices=POLICIES, help="how the units that stay are chosen (default: locret; full keeps all)"
    )
    parser.add_argument("--model", help="a GGUF file, a folder or a hub id (default: the starter model)")
    parser.add_argument("--heads", help="retaining heads: a file, a folder or a hub id (default: those for the model)")
    add_runtime_arguments(parser)
    parser.add_argument("--rank", metavar="OPTIONS", help="how locret ranks, like consensus=1,own=3,neighbours=7")
    parser.add_argument(
        "--select", metavar="OPTIONS", help="what is kept, like newest=0.25,sinks=4 (all options: docs/selection.md)"
    )
    add_password_arguments(parser)
    parser.add_argument("--recognition", choices=("auto", "off"), help="whether text in pictures is recognised")
    parser.add_argument("--data-dir", type=Path, help="where conversations are kept")
    parser.add_argument("--conversation", metavar="ID", help="go on with this conversation")
    parser.add_argument("--seed", type=int, default=0, help="of the random policy and of answers above temperature 0")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help="files and folders to read first")
    parser.add_argument("question", metavar="QUESTION")
    add_store_arguments(parser)
    parser.add_argument(
        "--query-aware", action="store_true", help="read the documents in sight of the question, for this answer alone"
    )
    parser.add_argument("--max-tokens", type=int, default=256, help="the longest answer (default: 256)")
    parser.add_argument("--temperature", type=float, default=0.0, help="0 gives the same answer each time (default: 0)")


def run(options: argparse.Namespace) -> int:
    """Prints the answer. Raises UserError."""
    refuse_bad_input(options)
    with open_engine(options) as work:
        return _ask(work, options)


def refuse_bad_input(options: argparse.Namespace) -> None:
    """Before anything heavy is loaded. Raises UserError."""
    for file in options.files:
        if not file.strip() or not _exists(file):
            raise UserError("no_such_file", f"There is no file {file or 'without a name'}. Nothing was read.")
    checked_seed(options.seed)
    if (options.device or options.dtype) and options.runtime != "torch" and _is_gguf(options.model):
        raise UserError("bad_params", OF_TORCH_ALONE)
    if options.budget_units is not None and options.budget_units < 64:
        raise UserError("bad_params", "A budget has at least 64 units.")
    _read_selection(options)
    read_password(options)
    if "question" not in options:
        return
    options.question = options.question.encode("utf-8", "replace").decode()
    if not options.question.strip():
        raise UserError("bad_params", "There is no question in it.")
    if not options.conversation and _exists(options.question):
        raise UserError("bad_params", f"The question is missing: {options.question}, the last argument, is a file.")
    if options.query_aware and not (options.files or options.conversation):
        raise UserError("nothing_to_read", "There is no document to read for this question. Name a file.")
    checked({"max_tokens": options.max_tokens, "temperature": options.temperature})


def _read_selection(options: argparse.Namespace) -> None:
    """Puts what --rank and --select say into options.ranking and options.change, an allocation where it belongs."""
    options.ranking = None if options.rank is None else ranking_of(options.rank)
    options.change, allocation = (UNCHANGED, None) if options.select is None else selection_of(options.select)
    if allocation and options.allocation not in (None, allocation):
        raise UserError("bad_params", "--select and --allocation say different things. Leave one allocation out.")
    options.allocation = allocation or options.allocation


def _refuse_without_effect(options: argparse.Namespace, policy: str) -> None:
    """policy: the one that reads, from the options or the settings."""
    if policy == "full" and (options.select is not None or options.allocation):
        given = "--allocation" if options.select is None else "--select"
        message = (
            f"The policy full keeps everything, so {given} changes nothing. Leave it out, or choose another policy."
        )
        raise UserError("bad_params", message)
    if policy != "locret" and options.heads:
        message = f"The policy {policy} has no use for --heads. Leave them out, or add --policy locret."
        raise UserError("bad_params", message)


def _is_gguf(model: str | None) -> bool:
    """Whether llama.cpp would run it by itself: the starter model, or a file."""
    return model is None or Path(model).expanduser().is_file()


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # too long for a name, or not one at all
        return False


class Work:
    """An engine for one command: Ctrl+C cancels, progress goes to stderr."""

    def __init__(self, options: argparse.Namespace) -> None:
        import signal

        from engine.engine import Engine

        of_runtime = ("runtime", "device", "dtype", "weights", "allocation")
        names = ("budget_mb", "policy", "model", "heads", "recognition", *of_runtime)
        overrides = {name: getattr(options, name) for name in names}
        self.engine = Engine(options.data_dir, {k: v for k, v in overrides.items() if v is not None})
        self.engine.units, self.engine.seed = options.budget_units, options.seed
        self.engine.change, self.engine.ranking = options.change, options.ranking
        self.quiet, self.terminal = options.json, sys.stderr.isatty()
        self.stream = not options.json
        self._line, self._said = False, time.monotonic()
        self.begun: str | None = None
        signal.signal(signal.SIGINT, lambda *_: self.engine.cancelled.set())

    def __enter__(self) -> Work:
        return self

    def __exit__(self, _kind: object, error: object, _trace: object) -> None:
        self.engine.close()
        if self.begun and isinstance(error, UserError) and error.code == "cancelled":
            print_notes([], self.begun)

    def emit(self, event: str, data: dict[str, Any]) -> None:
        if event == "token" and self.stream:
            self._progress("")
            print(data["text"], end="", flush=True)
        elif event == "loading":
            self._progress(data["message"])
        elif event in ("document", "documents"):
            for document in data.get("documents") or [data["document"]]:
                if document["doing"] == "recognising":
                    self._progress(f"Recognising: {_where(document)}{document['name']}")
        elif event == "reading" and data["tokens_total"]:
            left = data["seconds_left"]
            about = f", about {_duration(left)} left" if left else ""
            share = 100 * data["tokens_read"] // data["tokens_total"]
            self._progress(f"Reading: {_where(data)}{share} %{about}")

    def _progress(self, text: str) -> None:
        if self.quiet:
            return
        if not self.terminal:
            self._say_now_and_then(text)
        elif text or self._line:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
            self._line = bool(text)

    def _say_now_and_then(self, text: str) -> None:
        """A line of its own where none can be written over, so that a log shows that work goes on."""
        now = time.monotonic()
        if text and now - self._said >= SECONDS_BETWEEN_LINES:
            self._said = now
            print(text, file=sys.stderr, flush=True)

    def end_line(self) -> None:
        """What is printed next begins a line."""
        self._progress("")

    def say(self, sentence: str) -> None:
        """To the person, in the middle of the work."""
        print(sentence, file=sys.stderr, flush=True)

    def load(self, options: argparse.Namespace) -> None:
        """The model, before there is a conversation for nothing. Raises UserError for settings that cannot be or have
        no effect, and for a conversation that is not there.
        """
        if options.conversation:
            self.engine.store.conversation(options.conversation)
        _refuse_without_effect(options, self.engine.settings()["policy"])
        self.engine.loaded(self.emit)

    def conversation(self, id: str | None, title: str) -> str:
        store = self.engine.store
        self.begun = store.conversation(id).id if id else store.create_conversation(title).id
        return self.begun


def open_engine(options: argparse.Namespace) -> Work:
    return Work(options)


def _ask(work: Work, options: argparse.Namespace) -> int:
    from engine.answer_job import hidden_parts, left_out, title_from, why_left_out
    from engine.documents.find import absolute
    from engine.reading_job import ReadingJob
    from engine.reread_cost import NOTHING_TO_GAIN

    engine, began = work.engine, time.monotonic()
    work.load(options)
    if options.query_aware and engine.keeps_everything():
        raise NOTHING_TO_GAIN
    conversation = work.conversation(options.conversation, title_from(options.question))
    reading = ReadingJob(engine, conversation, work.emit)
    reused, nothing = False, None
    if options.files:
        reading.add([str(absolute(Path(file))) for file in options.files])
    if options.files or options.password:
        open_locked(work, reading, options)
        reused = False if options.query_aware else reading.read_all()
    if options.files:
        nothing = nothing_read(reading.found(), reading.extraction.locked(), hint(reading, options))
    seconds_reading = time.monotonic() - began
    report = {"answer": nothing or "", "conversation": conversation, **engine.measures(), "reused": reused}
    report |= {"seconds_reading": round(seconds_reading, 3), "seconds_answering": 0.0}
    stats: dict[str, Any] = {}
    if nothing is None:
        answer, measures = (_in_sight if options.query_aware else _as_read)(work, conversation, options)
        stats = dict(answer.stats)
        report |= {
            "answer": answer.text,
            **measures,
            "reused": reused if options.files else bool(stats.get("reused")),
            "seconds_reading": round(seconds_reading + stats.get("seconds_reading", 0.0), 3),
            "seconds_answering": round(stats.get("seconds_answering", 0.0), 3),
        }
    cited = [{"document": c["name"], "page": c["page"], "place": c["place"]} for c in stats.get("citations", ())]
    report |= {"documents": reading.documents(), "citations": cited, "query_aware": "query_aware" in stats}
    lacks = left_out(reading.found()) if nothing else stats.get("left_out")
    report |= {"left_out": lacks, "stopped": stats.get("stopped"), "heads": engine.heads_name()}
    if options.json:
        print_json(report)
        return 0 if nothing is None else 1
    if nothing is not None:
        raise UserError("nothing_to_read", nothing)
    print()
    places = "; ".join(", ".join(filter(None, (c["document"], c["place"]))) for c in cited)
    see = f"See {places}." if places else None
    about = [engine.notice(), _why_ended(stats, options.max_tokens), stats.get("left_out")]
    locked = {document.id for document in reading.extraction.locked()}
    why = [*why_left_out([d for d in reading.found() if d.id not in locked]), hint(reading, options)]
    print_notes([engine.store.notice, see, *about, *why, *hidden_parts(reading.found())], conversation)
    return 0


def _why_ended(stats: Mapping[str, Any], max_tokens: int) -> str | None:
    note: str | None = stats.get("note")
    if note and stats.get("stopped") == "length" and max_tokens < SETTINGS["max_tokens"].most:
        return f"{note} --max-tokens allows more."
    return note


def _as_read(work: Work, conversation: str, options: argparse.Namespace) -> tuple[Message, dict[str, Any]]:
    """The answer from the reading that knows no question, and what the cache then holds."""
    from engine.answer_job import AnswerJob

    leaf = work.engine.store.leaf(conversation)
    answer = AnswerJob(work.engine, conversation, work.emit).ask(options.question, leaf, _sampling(options))
    return answer, work.engine.measures()


def _in_sight(work: Work, conversation: str, options: argparse.Namespace) -> tuple[Message, dict[str, Any]]:
    """The answer from a reading in sight of the question, and what the cache held of that."""
    from engine.reread_job import RereadJob

    job = RereadJob(work.engine, conversation, work.emit)
    leaf = work.engine.store.leaf(conversation)
    cost = job.cost_of_asking(leaf)
    about = "" if cost.seconds is None else f": about {_duration(cost.seconds)}"
    print(f"Reading {cost.tokens:,} tokens for this question alone{about}.", file=sys.stderr)
    question = job.answering.commit_question(options.question, leaf)
    answer = job.reread(question.id, _sampling(options))
    return answer, {**work.engine.measures(), **job.measures}


def _sampling(options: argparse.Namespace) -> dict[str, Any]:
    return {"max_tokens": options.max_tokens, "temperature": options.temperature, "seed": options.seed}


def nothing_read(documents: Sequence[Document], locked: Sequence[Document], of_locked: str | None) -> str | None:
    """What is wrong with each file, when none could be read: an answer would be made up. None when one was. of_locked:
    what is said of those that a password may open.
    """
    if any(document.outcome in ("read", "partial") for document in documents):
        return None
    others = [document for document in documents if document.id not in {found.id for found in locked}]
    why = [*(f"{d.name}: {d.message}" for d in others if d.message), of_locked]
    return " ".join(filter(None, ["None of it could be read.", *why]))


def print_json(report: Mapping[str, Any]) -> None:
    """One line. Letters stand as they are where the output can hold them all; a file's name may be no valid Unicode,
    and is then given so that a program gets back the name that the file system has.
    """
    line = json.dumps(report, ensure_ascii=False)
    try:
        line.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        line = json.dumps(report)
    print(line)


def print_notes(notes: Sequence[str | None], conversation: str) -> None:
    for note in filter(None, notes):
        print(note, file=sys.stderr)
    print(f"Go on with: --conversation {conversation}", file=sys.stderr)


def _where(told: Mapping[str, Any]) -> str:
    """ "page 3 of 12, ", and nothing of a document of one piece."""
    return f"{told.get('part') or 'page'} {told['page']} of {told['pages']}, " if told["pages"] else ""


def _duration(seconds: float) -> str:
    return f"{round(seconds)} s" if seconds < 90 else f"{round(seconds / 60)} min"

"""An engine that reads and answers nothing, but speaks the protocol: a real process for the tests of the window.

What it does is decided by the names of the files it is given and by the words of the question. A file named `locked`,
`scan` or `broken` is trouble, `mixed` is read in part; a question with "die" ends the process in mid-answer, "refuse"
is a user error, "fault" a bug. A `locked` file opens with the password "otter", unless it is locked `twice`; a file
that is `recognised` is so page by page. A folder with "changed" in its name has two files that are others than before;
an `endless` one is looked through until that is cancelled. Reading again, a question with "whole" has nothing to gain,
with "unknown rate" no time, and with "too long" is refused
once it runs. A model called "broken" cannot be read, a "big" one needs 5,000 MB, a "headless" one has no retaining
heads: they can be trained, unless it is called "stubborn", too; a "failing" one's training fails. A file that holds a
number has as many pages. Its state is a JSON file, so that a new process finds everything again. Knows
`engine.protocol`; nothing else of ours.
"""

from __future__ import annotations

import argparse
import base64
import itertools
import json
import os
import queue
import struct
import sys
import threading
import time
import zlib
from pathlib import Path
from typing import Any

from engine.protocol import (
    ASIDE_METHODS,
    JOB_METHODS,
    PROTOCOL_VERSION,
    VIEW_METHODS,
    Event,
    Failure,
    Request,
    Result,
    decode_request,
    encode,
)

ANSWER = """The lease runs for **five years**, from 1 March 2024, and renews by itself unless one side gives notice.

## What matters most

- The rent is **2,450 EUR** a month and rises with the consumer price index, at most 3 % a year.
- Repairs above `500 EUR` are the landlord's.
- Subletting needs consent in writing.

| Date | What | Page |
|---|---|---|
| 1 March 2024 | The lease begins | 2 |
| 31 August 2028 | Last day to give notice | 12 |

```python
def rent(year: int) -> float:
    return 2450 * 1.03 ** (year - 2024)
```

Keep an eye on the notice period: it is *six months*, not three.
"""


STARTER = "/models/SmolLM2-135M-Instruct.Q8_0.gguf"
CONTEXT = 8192


class StopError(Exception):
    """The running call was cancelled."""


class RefusalError(Exception):
    """A user error: code and sentence."""


class FakeEngine:
    """Immediate methods answer at once, jobs one after another on their own thread."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.file = Path(options.state)
        self.lock = threading.RLock()
        self.jobs: queue.Queue[Request | None] = queue.Queue()
        self.aside: queue.Queue[Request | None] = queue.Queue()
        self.views: queue.Queue[Request | None] = queue.Queue()
        self.cancelled: set[int] = set()
        self.queued: set[int] = set()
        self.state = self.load()
        self.ids = itertools.count(self.state["last"] + 1)

    def load(self) -> dict[str, Any]:
        if self.file.exists():
            return json.loads(self.file.read_text())
        settings = {"budget_mb": 1024, "policy": "locret", "model": STARTER, "temperature": 0.0, "max_tokens": 512}
        settings |= {
            "heads": None,
            "runtime": "auto",
            "device": "auto",
            "recognition": "auto",
            "recognition_languages": "",
        }
        return {"last": 0, "conversations": {}, "messages": {}, "documents": {}, "leaves": {}, "settings": settings}

    def save(self) -> None:
        with self.lock:
            written = self.file.with_suffix(".new")
            written.write_text(json.dumps(self.state))
            written.replace(self.file)

    def new_id(self, letter: str) -> str:
        self.state["last"] = next(self.ids)
        return f"{letter}{self.state['last']}"

    def send(self, message: Event | Failure | Result) -> None:
        with self.lock:
            sys.stdout.buffer.write(encode(message))
            sys.stdout.buffer.flush()

    def serve(self) -> None:
        self.send(Event("hello", {"protocol": self.options.protocol, "version": "0", "pid": os.getpid()}))
        lanes = (self.jobs, self.aside, self.views)
        workers = [threading.Thread(target=self.work, args=(calls,), daemon=True) for calls in lanes]
        for worker in workers:
            worker.start()
        for line in sys.stdin.buffer:
            request = decode_request(line)
            self.record(request)
            if request.method in JOB_METHODS:
                self.queued.add(request.id)
                self.jobs.put(request)
            elif request.method in ASIDE_METHODS:
                self.aside.put(request)
            elif request.method in VIEW_METHODS:
                self.views.put(request)
            else:
                self.answer(request)
        for calls, worker in zip(lanes, workers, strict=True):
            calls.put(None)
            worker.join(2)

    def record(self, request: Request) -> None:
        with self.lock, Path(self.options.log).open("a") as log:
            log.write(json.dumps({"id": request.id, "method": request.method, "params": request.params}) + "\n")

    def work(self, calls: queue.Queue[Request | None]) -> None:
        while (request := calls.get()) is not None:
            if calls is self.jobs and request.id not in self.queued:
                continue
            self.queued.discard(request.id)
            self.answer(request)

    def answer(self, request: Request) -> None:
        if request.method == "ping" and self.options.deaf:
            return
        try:
            self.check(request.id)
            result = getattr(self, request.method)(request, **request.params)
            self.save()
            self.send(Result(request.id, result))
        except StopError:
            self.send(Failure(request.id, "user", "cancelled", "Cancelled."))
        except RefusalError as refusal:
            self.send(Failure(request.id, "user", refusal.args[0], refusal.args[1]))
        except Exception as error:
            self.send(Failure(request.id, "bug", "bug", str(error), {"traceback": "Traceback: a line of it"}))

    def check(self, id: int) -> None:
        if id in self.cancelled:
            raise StopError

    # Immediate

    def ping(self, request: Request) -> dict[str, Any]:
        return {}

    def cancel(self, request: Request, target: int) -> dict[str, Any]:
        self.cancelled.add(target)
        if target in self.queued:
            self.queued.discard(target)
            self.send(Failure(target, "user", "cancelled", "Stopped."))
        return {"cancelled": True}

    def status(self, request: Request) -> dict[str, Any]:
        path = self.state["settings"]["model"]
        headless = self.headless()
        message = "This model has no retaining heads; the newest that was read is kept." if headless else None
        model = {"name": Path(path).stem, "path": path, "ready": True, "eviction": True, "message": message}
        heads = None if headless else {"name": "heads"}
        told = {"settings": self.state["settings"], "recognition_languages": self.options.languages.split()}
        return {**told, "model": model, "heads": heads, "busy": None, "version": "0"}

    def make_plan(self, budget_mb: float, model: str) -> dict[str, Any]:
        if "broken" in model:
            raise RefusalError("model_broken", "This file is no model that Keepsake can read. Choose another.")
        if model.startswith("later/"):
            raise RefusalError("not_downloaded", f"{model} is downloaded when it is first used.")
        least = 5000 if "big" in model else 320
        ok = budget_mb >= least
        units = max(0, int((budget_mb - least + 64) * 8))
        return {
            "budget_mb": budget_mb,
            "units": units,
            "chunk": units // 2,
            "stabilizers": units // 4,
            "cache_mb": max(0, budget_mb - least + 96),
            "model_mb": least - 222,
            "other_mb": 96,
            "total_mb": budget_mb,
            "ok": ok,
            "message": None if ok else f"The model alone needs {least:,} MB. Choose at least that.",
            "minimum_mb": least,
            "maximum_mb": 8192,
        }

    def plan(self, request: Request, budget_mb: float, model: str | None = None, **_: str) -> dict[str, Any]:
        chosen = self.state["settings"]["model"] if model is None else model
        return {"plan": self.make_plan(budget_mb, chosen or STARTER)}

    def settings_get(self, request: Request) -> dict[str, Any]:
        settings = self.state["settings"]
        try:
            plan = self.make_plan(settings["budget_mb"], settings["model"])
        except RefusalError as refusal:
            if refusal.args[0] != "not_downloaded":
                raise
            return {"settings": settings, "plan": None}
        return {"settings": settings, "plan": plan}

    def settings_set(self, request: Request, changes: dict[str, Any]) -> dict[str, Any]:
        self.state["settings"].update(changes)
        self.state["settings"]["turned_on"] = changes.get("recognition") == "auto"
        self.state["settings"]["model"] = self.state["settings"]["model"] or STARTER
        result = self.settings_get(request)
        self.send(Event("settings", result))
        return result

    def conversations_list(self, request: Request, search: str = "") -> dict[str, Any]:
        found = [c for c in self.state["conversations"].values() if not c["deleted"]]
        found = [c for c in found if search.casefold() in c["title"].casefold()]
        found.sort(key=lambda c: (not c["pinned"], -c["updated"]))
        return {"conversations": found}

    def conversation_create(self, request: Request, title: str = "") -> dict[str, Any]:
        id, now = self.new_id("c"), time.time()
        made = {"id": id, "title": title, "pinned": False, "created": now, "updated": now, "deleted": False}
        self.state["conversations"][id] = made
        return {"conversation": made}

    def of(self, kind: str, conversation: str) -> list[dict[str, Any]]:
        return [item for item in self.state[kind].values() if item["conversation"] == conversation]

    def conversation_open(self, request: Request, conversation: str) -> dict[str, Any]:
        if conversation not in self.state["conversations"]:
            raise RefusalError("unknown_conversation", "This conversation is not there any more.")
        return {
            "conversation": self.state["conversations"][conversation],
            "messages": self.of("messages", conversation),
            "leaf": self.state["leaves"].get(conversation),
            **self.listed(conversation),
            "memory": self.memory(conversation),
        }

    def change(self, conversation: str, **fields: Any) -> dict[str, Any]:
        self.state["conversations"][conversation].update(fields)
        return {"conversation": self.state["conversations"][conversation]}

    def conversation_rename(self, request: Request, conversation: str, title: str) -> dict[str, Any]:
        return self.change(conversation, title=title)

    def conversation_pin(self, request: Request, conversation: str, pinned: bool) -> dict[str, Any]:
        return self.change(conversation, pinned=pinned)

    def conversation_delete(self, request: Request, conversation: str) -> dict[str, Any]:
        return self.change(conversation, deleted=True)

    def conversation_restore(self, request: Request, conversation: str) -> dict[str, Any]:
        return self.change(conversation, deleted=False)

    def listed(self, conversation: str) -> dict[str, Any]:
        """As documents_list tells them: of each folder the first hundred, and what became of all."""
        documents, folders, listed = self.of("documents", conversation), {}, []
        for document in documents:
            origin = document["origin"]
            if origin is None:
                listed.append(document)
                continue
            new = {
                "origin": origin,
                "name": document["folder"],
                "files": 0,
                "outcomes": {},
                "left_out": {},
                "tokens": 0,
            }
            folder = folders.setdefault(origin, new)
            if folder["files"] < 100:
                listed.append(document)
            folder["files"] += 1
            counts, name = folder["outcomes"], document["outcome"]
            if document["reason"] == "hidden":
                counts, name = folder["left_out"], "hidden"
            counts[name] = counts.get(name, 0) + 1
        return {"documents": listed, "folders": list(folders.values())}

    def documents_list(self, request: Request, conversation: str) -> dict[str, Any]:
        return self.listed(conversation)

    def folder_files(
        self, request: Request, conversation: str, folder: str, count: int, **place: int
    ) -> dict[str, Any]:
        files = [document for document in self.of("documents", conversation) if document["origin"] == folder]
        return {"documents": files[place["from"] : place["from"] + count]}

    def document_text(self, request: Request, document: str, count: int, **place: int) -> dict[str, Any]:
        about = self.state["documents"][document]
        last = (about["pages"] or 0) if about["outcome"] in ("read", "partial") else 0
        text = "Landlord and tenant agree as follows. " * 12
        skipped = {page["page"]: page for page in about["pages_skipped"]}
        pages = [
            {
                "page": page,
                "outcome": "needs_ocr" if page in skipped else "read",
                "reason": skipped[page]["reason"] if page in skipped else None,
                "message": skipped[page]["message"] if page in skipped else None,
                "text": "" if page in skipped else f"[{about['name']}, page {page}]\nSection {page}. {text}",
                "label": None,
                "section": f"Part {(page - 1) // 5 + 1}",
                "source": "ocr" if "recognised" in about["name"] else "text",
            }
            | self.piece(about, page, place.get("offset", 0))
            for page in range(place.get("from", 1), min(last, place.get("from", 1) + count - 1) + 1)
        ]
        outline = [{"page": page, "name": f"Part {(page - 1) // 5 + 1}"} for page in range(1, last + 1, 5)]
        return {"document": about, "pages": pages, "last": last, "outline": outline}

    def piece(self, about: dict[str, Any], page: int, offset: int) -> dict[str, Any]:
        """Of a document that is `wordy`, a hundred characters at a time."""
        if "wordy" not in about["name"]:
            return {"characters": 0}
        text = "".join(f"{number:09} " for number in range(25))
        return {"text": text[offset : offset + 100], "characters": len(text)}

    # Views

    def page_image(self, request: Request, document: str, page: int, width: int) -> dict[str, Any]:
        if "gone" in self.state["documents"][document]["name"]:
            raise RefusalError("no_picture", "The file is no longer there, so there is no picture of this page.")
        return {"png": base64.b64encode(_page_png(page)).decode()}

    def documents_changed(self, request: Request, conversation: str, folder: str) -> dict[str, Any]:
        return {"new": 1, "changed": 1, "gone": 0} if "changed" in folder else {"new": 0, "changed": 0, "gone": 0}

    def memory(self, conversation: str) -> dict[str, Any]:
        tokens = sum(document["tokens_read"] for document in self.of("documents", conversation))
        return {
            "units": min(4096, tokens),
            "budget": 4096,
            "tokens_read": tokens,
            "cache_bytes": min(4096, tokens) * 46_080,
            "eviction": True,
            "policy": "locret",
        }

    def question_of(self, message: str) -> dict[str, Any]:
        found = self.state["messages"][message]
        return found if found["role"] == "user" else self.state["messages"][found["parent"]]

    def reread_cost(self, request: Request, conversation: str, message: str) -> dict[str, Any]:
        text = self.question_of(message)["text"]
        documents = [document for document in self.of("documents", conversation) if document["pages_read"]]
        if not documents:
            raise RefusalError("nothing_to_read", "No document was read for this question.")
        if "whole" in text:
            raise RefusalError("nothing_to_gain", "The documents are in memory whole. Nothing is to be gained.")
        tokens = sum(document["tokens"] for document in documents)
        seconds = None if "unknown rate" in text else tokens / 170
        return {"documents": len(documents), "tokens": tokens, "seconds": seconds}

    # Training

    def headless(self) -> bool:
        path = self.state["settings"]["model"]
        return "headless" in path and path not in self.state.get("trained", [])

    def run(self) -> dict[str, Any] | None:
        """The run as far as it has come by now: a step takes `training_seconds`, whether this process runs or not."""
        run = self.state.get("run")
        if run and run["state"] in ("running", "pausing"):
            walked = int((time.time() - run["since"]) / self.options.training_seconds)
            run["step"] = min(run["steps"], run["from"] + walked)
            run["losses"] = [4 / (1 + step / 100) for step in range(0, run["step"], 10)]
            run["loss"] = (run["losses"] or [None])[-1]
            run["seconds_left"] = (run["steps"] - run["step"]) * 1.5
            if "failing" in run["name"] and run["step"] > 3:
                run.update(state="failed", message="The disk is full. Make room, and try again.")
            elif run["state"] == "pausing" and walked:
                run.update(state="paused", seconds_left=None)
            elif run["step"] == run["steps"]:
                run.update(state="done", seconds_left=None)
                self.state.setdefault("trained", []).append(run["model"])
                settings = self.state["settings"]
                if settings["model"] == run["model"] and settings["policy"] == "keydiff":
                    settings["policy"] = "locret"
        return run

    def training_status(self, request: Request) -> dict[str, Any]:
        run = self.run()
        return {"run": run and {**run, "for_model": run["model"] == self.state["settings"]["model"]}}

    def training_texts(self, request: Request) -> dict[str, Any]:
        known = [document for document in self.state["documents"].values() if document["pages"]]
        characters = sum(document["tokens"] for document in known) * 4
        return {"documents": len(known), "characters": characters, "least": 200_000, "standard": self.options.standard}

    def training_log(self, request: Request) -> dict[str, Any]:
        return {"text": "step 1 of 1,500: loss 4.00\nThe disk is full.\n", "path": "/data/training/run/log.txt"}

    def training_pause(self, request: Request) -> dict[str, Any]:
        run = self.run()
        run.update(state="pausing", since=time.time(), **{"from": run["step"]})
        return self.training_status(request)

    def training_resume(self, request: Request) -> dict[str, Any]:
        run = self.run()
        run.update(state="running", message=None, since=time.time(), name=run["name"].replace("failing", "mended"))
        run["from"] = run["step"]
        return self.training_status(request)

    def training_discard(self, request: Request) -> dict[str, Any]:
        self.state["run"] = None
        return self.training_status(request)

    def heads_find(self, request: Request) -> dict[str, Any]:
        settings = self.state["settings"]
        if settings["model"].startswith("later/"):
            raise RefusalError("not_downloaded", "It is downloaded when it is first used.")
        heads = None if self.headless() else "heads"
        model = Path(settings["model"]).stem
        trainable = "strange" not in model
        told = {"model": model, "heads": heads, "policy": settings["policy"], "context": CONTEXT}
        return {**told, "trainable": trainable}

    def training_trial(self, request: Request, texts: str, folder: str = "") -> dict[str, Any]:
        if "stubborn" in self.state["settings"]["model"]:
            raise RefusalError("training_failed", "Models of this kind cannot be trained for. Choose another.")
        for step in range(21):
            self.check(request.id)
            self.send(Event("trial", {"step": step, "steps": 20}, request.id))
            time.sleep(self.options.trial_seconds)
        return {"seconds_per_step": 1.8, "seconds_at_end": 20.0, "disturbed": not self.jobs.empty()}

    def training_start(self, request: Request, texts: str, steps: int, folder: str = "") -> dict[str, Any]:
        model = self.state["settings"]["model"]
        run = {"state": "running", "model": model, "name": Path(model).stem, "step": 0, "steps": steps, "message": None}
        self.state["run"] = {**run, "from": 0, "since": time.time()}
        return self.training_status(request)

    # Jobs

    def warm(self, request: Request, conversation: str) -> dict[str, Any]:
        self.send(Event("loading", {"message": "Loading the model"}, request.id))
        time.sleep(0.05)
        return {"memory": self.memory(conversation)}

    def documents_add(self, request: Request, conversation: str, paths: list[str]) -> dict[str, Any]:
        for path in map(Path, paths):
            if not path.exists():
                raise RefusalError("no_such_file", f"{path.name} is not there any more.")
            for number in itertools.count(1) if "endless" in path.name else ():
                self.send(Event("loading", {"message": f"Looking for files: {number} so far"}, request.id))
                self.check(request.id)
                time.sleep(0.01)
            files = sorted(f for f in path.rglob("*") if f.is_file()) if path.is_dir() else [path]
            for file in files:
                self.add(request, conversation, file, path if path.is_dir() else None)
        for _ in range(self.options.folder_files):
            self.add(request, conversation, Path("/drop/large") / f"{self.state['last']}.txt", Path("/drop/large"))
        if self.options.folder_files:
            self.tell_of_many(request, conversation)
        return self.documents_read(request, conversation)

    def documents_unlock(self, request: Request, conversation: str, password: str) -> dict[str, Any]:
        locked = [d for d in self.of("documents", conversation) if d["outcome"] == "needs_password"]
        for document in locked:
            if password == "otter" and "twice" not in document["name"]:
                document.update(outcome="waiting", reason=None, message=None, unlocked=True, pages=self.options.pages)
            else:
                document.update(reason="wrong_password", message="That password does not open this file. Type another.")
            self.tell(request, document)
        opened = sum(document["outcome"] == "waiting" for document in locked)
        self.send(Event("unlocked", {"unlocked": opened}, request.id))
        return {**self.documents_read(request, conversation), "unlocked": opened}

    def documents_refresh(self, request: Request, conversation: str, folder: str) -> dict[str, Any]:
        self.add(request, conversation, Path(folder) / "new.txt", Path(folder))
        return {**self.documents_read(request, conversation), "new": 1, "changed": 1, "gone": 0}

    def add(self, request: Request, conversation: str, file: Path, folder: Path | None) -> None:
        kinds = {".pdf": "pdf", ".txt": "text", ".md": "markdown", ".docx": "docx", ".xlsx": "xlsx", ".pptx": "pptx"}
        kinds |= {".epub": "epub", ".eml": "email", ".html": "html", ".png": "picture"}
        parts = {"pdf": "page", "picture": "page", "pptx": "slide", "xlsx": "sheet", "epub": "chapter", "email": "part"}
        text = file.read_text() if file.exists() else ""
        pages = int(text) if text.isdigit() else self.options.pages
        document = {
            "id": self.new_id("d"),
            "conversation": conversation,
            "name": file.name,
            "path": str(file),
            "position": len(self.state["documents"]),
            "folder": folder and folder.name,
            "origin": folder and str(folder),
            "kind": kinds.get(file.suffix, "unknown"),
            "part": parts.get(kinds.get(file.suffix, "")),
            "outcome": "refused" if file.name.startswith(".") else "waiting",
            "reason": "hidden" if file.name.startswith(".") else None,
            "message": None,
            "pages": pages,
            "pages_read": 0,
            "pages_recognised": 0,
            "pages_skipped": [],
            "left_out": [],
            "doing": None,
            "tokens": pages * 400,
            "tokens_read": 0,
            "page": None,
            "seconds_left": None,
        }
        self.state["documents"][document["id"]] = document
        if not self.options.folder_files:
            self.tell(request, document)

    def tell(self, request: Request, document: dict[str, Any]) -> None:
        self.save()
        if document["origin"] is None:
            self.send(Event("document", {"document": document}, request.id))
        else:
            folders = self.listed(document["conversation"])["folders"]
            self.send(Event("documents", {"documents": [document], "folders": folders}, request.id))

    def tell_of_many(self, request: Request, conversation: str) -> None:
        self.save()
        self.send(Event("documents", self.listed(conversation), request.id))

    def documents_read(self, request: Request, conversation: str) -> dict[str, Any]:
        tokens = sum(document["tokens"] for document in self.of("documents", conversation))
        if self.headless() and self.state["settings"]["policy"] == "locret" and tokens > CONTEXT:
            raise RefusalError(
                "documents_too_long", "The documents do not fit. Drop fewer, or use the model without heads."
            )
        for document in self.of("documents", conversation):
            again = document["outcome"] == "needs_ocr" and self.recognises("scan")
            if document["outcome"] in ("waiting", "paused", "reading") or again:
                document["pages"] = document["pages"] or self.options.pages
                self.read(request, document)
        return self.listed(conversation)

    def read(self, request: Request, document: dict[str, Any]) -> None:
        troubles = {
            "locked": ("needs_password", "encrypted", "Needs a password."),
            "scan": ("needs_ocr", "no_text_layer", "Its pages are pictures without text. Run recognition on it."),
            "broken": ("failed", "damaged", "The file is damaged."),
        }
        for word, (outcome, reason, message) in troubles.items():
            if word in document["name"] and not document.get("unlocked") and not self.recognises(word):
                document.update(outcome=outcome, reason=reason, message=message, pages=None)
                return self.tell(request, document)
        if self.options.folder_files:
            document.update(outcome="read", pages_read=document["pages"], tokens_read=document["tokens"])
            return None
        if "recognised" in document["name"]:
            self.recognise(request, document)
        for page in range((document["page"] or 0) + 1, document["pages"] + 1):
            if request.id in self.cancelled:
                document["outcome"] = "paused"
                self.tell(request, document)
                raise StopError
            document.update(outcome="reading", page=page, tokens_read=page * 400)
            left = (document["pages"] - page) * self.options.page_seconds
            progress = {name: document[name] for name in ("page", "pages", "tokens_read")}
            if document["kind"] != "pdf":
                progress["pages"] = None
            units = self.memory(document["conversation"])["units"]
            progress |= {"document": document["id"], "tokens_total": document["tokens"], "units_kept": units}
            self.send(Event("reading", {**progress, "seconds_left": left}, request.id))
            time.sleep(self.options.page_seconds)
        document.update(outcome="read", pages_read=document["pages"], page=None)
        if "mixed" in document["name"]:
            skipped = [{"page": p, "reason": "no_text_layer", "message": "a scan without text"} for p in range(2, 8)]
            document.update(outcome="partial", pages_skipped=skipped, pages_read=document["pages"] - 6)
        return self.tell(request, document)

    def recognises(self, word: str) -> bool:
        """Whether what is no text to others is read: the person had it turned off and then on."""
        return word == "scan" and bool(self.state["settings"].get("turned_on"))

    def recognise(self, request: Request, document: dict[str, Any]) -> None:
        for page in range(1, document["pages"] + 1):
            live = {"page": page, "doing": "recognising", "outcome": "waiting"}
            self.send(Event("document", {"document": {**document, **live}}, request.id))
            self.check(request.id)
            time.sleep(self.options.page_seconds)
        document["pages_recognised"] = document["pages"]

    def message(self, conversation: str, role: str, parent: str | None, text: str, state: str) -> dict[str, Any]:
        made = {
            "id": self.new_id("m"),
            "conversation": conversation,
            "parent": parent,
            "role": role,
            "text": text,
            "state": state,
            "created": time.time(),
            "documents": [],
            "stats": {},
        }
        self.state["messages"][made["id"]] = made
        self.state["leaves"][conversation] = made["id"]
        return made

    def ask(self, request: Request, conversation: str, text: str, parent: str | None = None) -> dict[str, Any]:
        if "refuse" in text:
            raise RefusalError("question_too_long", "The question is longer than the model can take. Make it shorter.")
        question = self.message(conversation, "user", parent, text, "complete")
        if parent is None:
            question["documents"] = [document["id"] for document in self.of("documents", conversation)]
        about = self.state["conversations"][conversation]
        short = text if len(text) <= 60 else text[:60].rsplit(" ", 1)[0] + "\u2026"
        about.update(title=about["title"] or short, updated=time.time())
        self.save()
        self.send(Event("message", {"message": question}, request.id))
        if "fault" in text:
            raise RuntimeError("a fault in the fake engine")
        answer = self.message(conversation, "assistant", question["id"], "", "streaming")
        self.save()
        self.send(Event("message", {"message": answer}, request.id))
        self.write(request, answer, dies="die" in text)
        documents = [d for d in self.of("documents", conversation) if d["pages_read"]]
        if documents:
            answer["stats"] = {
                "tokens": 120,
                "seconds_answering": 2.0,
                "citations": [
                    {"document": d["id"], "name": d["name"], "page": 12, "place": d["part"] and f"{d['part']} 12"}
                    for d in documents[:3]
                ],
                "left_out": "",
            }
        answer["state"] = "complete"
        self.send(Event("message", {"message": answer}, request.id))
        return {"message": answer, "memory": self.memory(conversation)}

    def reread(self, request: Request, conversation: str, message: str) -> dict[str, Any]:
        question = self.question_of(message)
        self.send(Event("loading", {"message": "Loading the model"}, request.id))
        time.sleep(self.options.load_seconds)
        self.check(request.id)
        if "too long" in question["text"]:
            raise RefusalError("documents_too_long", "The documents are too long to be read again with this question.")
        answer = self.message(conversation, "assistant", question["id"], "", "streaming")
        self.save()
        self.send(Event("message", {"message": answer}, request.id))
        for document in self.of("documents", conversation):
            if document["pages_read"]:
                self.read_again(request, document, answer)
        self.write(request, answer, dies=False)
        answer.update(state="complete", stats={"tokens": 120, "query_aware": True})
        self.send(Event("message", {"message": answer}, request.id))
        return {"message": answer, "memory": self.memory(conversation)}

    def read_again(self, request: Request, document: dict[str, Any], answer: dict[str, Any]) -> None:
        for page in range(1, document["pages"] + 1):
            if request.id in self.cancelled:
                answer["state"] = "stopped"
                raise StopError
            progress = {"document": document["id"], "page": page, "pages": document["pages"], "tokens_read": page * 400}
            progress |= {"tokens_total": document["tokens"], "units_kept": 7, "reread": True}
            left = (document["pages"] - page) * self.options.page_seconds
            self.send(Event("reading", {**progress, "seconds_left": left}, request.id))
            time.sleep(self.options.page_seconds)

    def write(self, request: Request, answer: dict[str, Any], dies: bool) -> None:
        words = itertools.cycle(ANSWER.splitlines(keepends=True))
        tokens = itertools.chain.from_iterable(_tokens(line) for line in words)
        total = self.options.tokens or sum(len(_tokens(line)) for line in ANSWER.splitlines(keepends=True))
        began = time.monotonic()
        for place, token in enumerate(itertools.islice(tokens, total)):
            if request.id in self.cancelled:
                answer["state"] = "stopped"
                raise StopError
            if dies and place == 5:
                os._exit(3)
            answer["text"] += token
            self.send(Event("token", {"message": answer["id"], "text": token}, request.id))
            time.sleep(max(0.0, began + (place + 1) / self.options.rate - time.monotonic()))


def _page_png(page: int) -> bytes:
    """A small grey page; the number of the page is its shade."""
    width, height = 140, 198
    row = b"\0" + bytes([255 - page % 64]) * width

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = zlib.compress(row * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def _tokens(line: str) -> list[str]:
    """Pieces of about four characters, as a tokenizer would give them."""
    return [line[start : start + 4] for start in range(0, len(line), 4)]


def main() -> None:
    """Serves on stdin and stdout until stdin ends."""
    options = argparse.ArgumentParser()
    options.add_argument("--state", required=True)
    options.add_argument("--log", required=True)
    options.add_argument("--tokens", type=int, default=0)
    options.add_argument("--rate", type=float, default=2000.0)
    options.add_argument("--pages", type=int, default=20)
    options.add_argument("--page-seconds", type=float, default=0.002)
    options.add_argument("--load-seconds", type=float, default=0.02)
    options.add_argument("--trial-seconds", type=float, default=0.005)
    options.add_argument("--training-seconds", type=float, default=0.01)
    options.add_argument("--folder-files", type=int, default=0)
    options.add_argument("--languages", default="eng")
    options.add_argument("--standard", action="store_true")
    options.add_argument("--protocol", type=int, default=PROTOCOL_VERSION)
    options.add_argument("--deaf", action="store_true")
    options.add_argument("--dies", action="store_true")
    parsed = options.parse_args()
    if parsed.dies:
        sys.exit(4)
    FakeEngine(parsed).serve()


if __name__ == "__main__":
    main()

"""kill -9 at random moments of a reading and of an answer, on the real engine and the starter model, fifty times."""

from __future__ import annotations

import random
import sqlite3
import time
from pathlib import Path

from engine.protocol import Event, Failure, Result
from tests.engine.server.client import EngineClient

ROUNDS = 50
UNITS_MB = 605
ENGINE = "tests.end_to_end.engine_with_frequent_checkpoints"
WORDS = ("harbour", "tide", "pilot", "ledger", "anchor", "storm", "lantern", "cargo", "rope", "tower", "keeper")


def prose(seed: int, sentences: int) -> str:
    chance = random.Random(seed)
    return " ".join(f"The {' '.join(chance.choices(WORDS, k=9))} was noted on day {n}." for n in range(sentences))


class Ledger:
    """What the engine said was committed, across all its lives."""

    def __init__(self) -> None:
        self.messages: dict[str, str] = {}
        self.documents: set[str] = set()
        self.complete: dict[str, str] = {}
        self.checkpoints: list[int] = []

    def learn(self, client: EngineClient) -> None:
        for reply in client.replies:
            if not isinstance(reply, Event):
                continue
            if reply.event == "message":
                message = reply.data["message"]
                self.messages[message["id"]] = message["role"]
                if message["role"] == "user" or message["state"] == "complete":
                    self.complete[message["id"]] = message["text"]
            elif reply.event == "document":
                self.documents.add(reply.data["document"]["id"])

    def check(self, opened: dict) -> None:
        stored = {message["id"]: message for message in opened["messages"]}
        assert self.messages.keys() <= stored.keys()
        for id, text in self.complete.items():
            assert stored[id]["text"] == text
        assert self.documents <= {document["id"] for document in opened["documents"]}
        assert not [m for m in stored.values() if m["state"] == "streaming"]
        assert not [d for d in opened["documents"] if d["outcome"] == "reading"]


def run_until_killed(client: EngineClient, job: int, moment: float) -> None:
    """Kills the engine `moment` seconds after the job's first sign of life, or lets the job end before."""
    deadline = None
    while deadline is None or time.monotonic() < deadline:
        try:
            reply = client.next(0.02)
        except Exception:  # nothing said for a moment
            continue
        if isinstance(reply, Failure):
            raise AssertionError(f"{reply.message} {reply.details}")
        if isinstance(reply, Result) and reply.id == job:
            break
        if deadline is None and isinstance(reply, Event) and reply.id == job and reply.event in ("reading", "token"):
            deadline = time.monotonic() + moment
    client.process.kill()
    client.process.wait()


def test_fifty_kills_lose_nothing(tmp_path: Path) -> None:
    chance = random.Random(7)
    data, ledger = tmp_path / "data", Ledger()
    conversation, resumed, reread = "", 0, 0
    for round_ in range(ROUNDS):
        with EngineClient([ENGINE, str(data)]) as client:
            client.wait_for_event("hello")
            if not conversation:
                client.call("settings_set", changes={"budget_mb": UNITS_MB})
                conversation = client.call("conversation_create")["conversation"]["id"]
            opened = client.call("conversation_open", conversation=conversation)
            ledger.check(opened)
            unread = [d for d in opened["documents"] if d["outcome"] in ("waiting", "paused")]
            if round_ % 2 == 0 and not unread:
                path = tmp_path / f"log {round_}.txt"
                path.write_text(prose(round_, 40))
                job = client.send("documents_add", conversation=conversation, paths=[str(path)])
            elif round_ % 2 == 0:
                job = client.send("documents_read", conversation=conversation)
            else:
                job = client.send(
                    "ask", conversation=conversation, text=f"What was noted on day {round_}?", max_tokens=60
                )
            run_until_killed(client, job, chance.uniform(0, 2.5))
            while not client._incoming.empty():
                reply = client._incoming.get()
                if reply is not None:
                    client.replies.append(reply)
            ledger.learn(client)
            first = next((r.data for r in client.replies if isinstance(r, Event) and r.event == "reading"), None)
            if unread and unread[0]["outcome"] == "paused" and first is not None:
                resumed += first["tokens_read"] > 0
                reread += first["tokens_read"] == 0
    _whole(data, conversation, ledger)
    assert ledger.complete
    assert resumed > 0, "no reading was ever resumed from a checkpoint"
    assert resumed >= reread, f"{resumed} resumed, {reread} began again"


def _whole(data: Path, conversation: str, ledger: Ledger) -> None:
    with sqlite3.connect(data / "keepsake.sqlite3") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        torn = database.execute(
            "SELECT key FROM readings WHERE (SELECT count(*) FROM reading_layers WHERE reading = key) != 30"
        ).fetchall()
        assert torn == []
    database.close()
    with EngineClient([ENGINE, str(data)]) as client:
        client.wait_for_event("hello")
        client.call("documents_read", conversation=conversation)
        answer = client.call("ask", conversation=conversation, text="What was noted on day 1?", max_tokens=10)
        assert answer["message"]["state"] == "complete"
        ledger.check(client.call("conversation_open", conversation=conversation))

"""kill -9 at random moments of a reading and of an answer, on the real engine and the starter model, fifty times."""

from __future__ import annotations

import queue
import random
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from engine.protocol import Event, Failure, Reply, Result
from tests.engine.server.client import EngineClient

ROUNDS = 50
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


class Moment:
    """When an engine is killed: after so many signs of life of its job, and a little later."""

    def __init__(self, chance: random.Random, most: int) -> None:
        self._signs, self._seconds = chance.randint(1, most), chance.uniform(0, 0.5)

    def wait(self, client: EngineClient, job: int) -> str:
        """Returns at the moment, or when the job ends before it: what it was then doing, "reading", "token" or ""."""
        signs, deadline, doing = self._signs, None, ""
        while deadline is None or time.monotonic() < deadline:
            try:
                reply = client.next(0.02)
            except queue.Empty:
                continue
            if isinstance(reply, Failure):
                raise AssertionError(f"{reply.message} {reply.details}")
            if isinstance(reply, Result) and reply.id == job:
                return ""
            if isinstance(reply, Event) and reply.id == job and reply.event in ("reading", "token"):
                signs, doing = signs - 1, reply.event
                if signs == 0:
                    deadline = time.monotonic() + self._seconds
        return doing


class Checkpoints:
    """Where each document's reading stood at the least when its engine was killed.

    The engine stores a checkpoint after every chunk and before it tells of the next one, so the last chunk but one that
    it told of was stored.
    """

    def __init__(self) -> None:
        self._stored: dict[str, int] = {}
        self.resumed = 0

    def check(self, replies: Sequence[Reply]) -> None:
        """The replies of one engine's life: each document goes on where its last reading was stored."""
        told: dict[str, list[int]] = {}
        for reply in replies:
            if isinstance(reply, Event) and reply.event == "reading":
                told.setdefault(reply.data["document"], []).append(reply.data["tokens_read"])
        for document, places in told.items():
            stored = self._stored.get(document, 0)
            assert places[0] >= stored, f"stored at {stored}, began again at {places[0]}"
            self.resumed += places[0] > 0
            self._stored[document] = max([places[0], *places[:-1]])


def test_fifty_kills_lose_nothing(tmp_path: Path) -> None:
    chance = random.Random(7)
    data, ledger, checkpoints = tmp_path / "data", Ledger(), Checkpoints()
    conversation, killed = "", Counter[str]()
    for round_ in range(ROUNDS):
        with EngineClient([ENGINE, str(data)]) as client:
            client.wait_for_event("hello")
            if not conversation:
                smallest = client.call("settings_get")["plan"]["minimum_mb"]
                client.call("settings_set", changes={"budget_mb": smallest})
                conversation = client.call("conversation_create")["conversation"]["id"]
            opened = client.call("conversation_open", conversation=conversation)
            ledger.check(opened)
            unread = [d for d in opened["documents"] if d["outcome"] in ("waiting", "paused")]
            moment = Moment(chance, most=2)
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
                moment = Moment(chance, most=12)
            killed[moment.wait(client, job)] += 1
            client.kill()
            client.drain()
            ledger.learn(client)
            checkpoints.check(client.replies)
    _whole(data, conversation, ledger)
    assert ledger.complete
    assert checkpoints.resumed >= 5, f"{checkpoints.resumed} readings were resumed from a checkpoint"
    assert min(killed["reading"], killed["token"]) >= 8, killed


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

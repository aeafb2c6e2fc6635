"""The engine process: hello first, answers at once whatever the job does, cancels, tells its errors apart, ends with
stdin.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from engine.protocol import PROTOCOL_VERSION, Event, Failure, Result
from tests.engine.documents.locked_zip import locked_zip
from tests.engine.server.client import EngineClient

FAKE = "tests.engine.server.fake_model_engine"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def engine(data: Path, seconds_a_token: float = 0.0) -> EngineClient:
    client = EngineClient([FAKE, str(data), str(seconds_a_token)])
    client.wait_for_event("hello")
    return client


@pytest.fixture
def quick(data: Path) -> Iterator[EngineClient]:
    with engine(data) as client:
        yield client


@pytest.fixture
def slow(data: Path) -> Iterator[EngineClient]:
    with engine(data, 0.05) as client:
        yield client


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "lease.txt"
    path.write_text("The rent is due on the third of each month. " * 30)
    return path


def test_hello_comes_first(data: Path) -> None:
    with EngineClient([FAKE, str(data), "0"]) as client:
        first = client.next()
        assert isinstance(first, Event)
        assert first.event == "hello"
        assert first.data["protocol"] == PROTOCOL_VERSION
        assert first.data["pid"] == client.process.pid
        assert client.hang_up() == 0


def test_a_document_is_read_and_asked_about(quick: EngineClient, text: Path) -> None:
    id = quick.call("conversation_create")["conversation"]["id"]
    documents = quick.call("documents_add", conversation=id, paths=[str(text)])["documents"]
    assert [(d["name"], d["outcome"], d["pages_read"]) for d in documents] == [("lease.txt", "read", 1)]
    asked = quick.call("ask", conversation=id, text="When is the rent due?", max_tokens=20)
    assert asked["message"]["state"] == "complete"
    assert asked["message"]["text"]
    assert asked["message"]["stats"]["reused"] is True
    assert asked["memory"]["units"] > 0
    opened = quick.call("conversation_open", conversation=id)
    assert [m["role"] for m in opened["messages"]] == ["user", "assistant"]
    assert opened["messages"][0]["documents"] == [documents[0]["id"]]
    assert opened["leaf"] == asked["message"]["id"]
    assert opened["conversation"]["title"] == "When is the rent due?"
    tokens = [r for r in quick.replies if isinstance(r, Event) and r.event == "token"]
    assert "".join(event.data["text"] for event in tokens) == asked["message"]["text"]


def test_reopened_it_reads_nothing_again(data: Path, text: Path) -> None:
    with engine(data) as first:
        id = first.call("conversation_create")["conversation"]["id"]
        first.call("documents_add", conversation=id, paths=[str(text)])
        answer = first.call("ask", conversation=id, text="And then?")["message"]["text"]
        assert first.hang_up() == 0
    with engine(data) as second:
        second.call("warm", conversation=id)
        second.call("ask", conversation=id, text="And then?")
        assert not [r for r in second.replies if isinstance(r, Event) and r.event == "reading"]
        other = second.call("conversation_create")["conversation"]["id"]
        second.call("documents_add", conversation=other, paths=[str(text)])
        again = second.call("ask", conversation=other, text="And then?")["message"]
        assert again["text"] == answer, "the same stream gives the same answer in any conversation"
        assert not [
            r for r in second.replies if isinstance(r, Event) and r.event == "reading" and r.data["tokens_read"] == 16
        ]


def test_everything_is_answered_while_it_reads_and_reading_stops_at_once(slow: EngineClient, text: Path) -> None:
    id = slow.call("conversation_create")["conversation"]["id"]
    job = slow.send("documents_add", conversation=id, paths=[str(text)])
    slow.wait_for_event("reading", job)
    for method, params in (
        ("ping", {}),
        ("status", {}),
        ("conversations_list", {}),
        ("documents_list", {"conversation": id}),
        ("conversation_open", {"conversation": id}),
        ("settings_get", {}),
        ("plan", {"budget_mb": 800}),
    ):
        reply = slow.end_of(slow.send(method, **params))
        assert isinstance(reply, Result), reply
        assert not _ended(slow, job), f"{method} waited for the job"
    assert slow.call("status")["busy"] == job
    assert slow.call("cancel", target=job)["cancelled"] is True
    reply = slow.end_of(job) if not _ended(slow, job) else _ended(slow, job)
    assert isinstance(reply, Failure)
    assert (reply.kind, reply.code) == ("user", "cancelled")
    documents = slow.call("documents_list", conversation=id)["documents"]
    assert [d["outcome"] for d in documents] == ["paused"]


def _ended(client: EngineClient, id: int) -> Result | Failure | None:
    return next((r for r in client.replies if isinstance(r, Result | Failure) and r.id == id), None)


def test_a_stopped_answer_keeps_what_was_written(slow: EngineClient) -> None:
    id = slow.call("conversation_create")["conversation"]["id"]
    job = slow.send("ask", conversation=id, text="?", max_tokens=500)
    slow.wait_for_event("token", job)
    slow.call("cancel", target=job)
    reply = _ended(slow, job) or slow.end_of(job)
    assert isinstance(reply, Failure)
    assert reply.code == "cancelled"
    messages = slow.call("conversation_open", conversation=id)["messages"]
    assert messages[-1]["state"] == "stopped"
    assert messages[-1]["text"]


def test_a_question_is_read_again_for_at_a_cost_that_is_told_first(quick: EngineClient, text: Path) -> None:
    id = quick.call("conversation_create")["conversation"]["id"]
    (document,) = quick.call("documents_add", conversation=id, paths=[str(text)])["documents"]
    asked = quick.call("ask", conversation=id, text="When is the rent due?", max_tokens=20)
    first = asked["message"]
    for message in (first["id"], first["parent"]):
        cost = quick.call("reread_cost", conversation=id, message=message)
        assert (cost["documents"], cost["tokens"]) == (1, document["tokens"])
        assert cost["seconds"] > 0
    quick.replies.clear()
    done = quick.call("reread", conversation=id, message=first["id"], max_tokens=20)
    again, memory = done["message"], done["memory"]
    assert (again["parent"], again["state"], again["stats"]["query_aware"]) == (first["parent"], "complete", True)
    assert memory["tokens_read"] > 0
    events = [reply for reply in quick.replies if isinstance(reply, Event)]
    readings = [event.data for event in events if event.event == "reading"]
    assert all(data["reread"] is True and data["document"] == document["id"] for data in readings)
    assert readings[-1]["tokens_read"] == readings[-1]["tokens_total"] == document["tokens"]
    assert "".join(event.data["text"] for event in events if event.event == "token") == again["text"]
    assert not [event for event in events if event.event == "document"]
    opened = quick.call("conversation_open", conversation=id)
    assert (opened["leaf"], opened["documents"]) == (again["id"], [document])
    quick.replies.clear()
    quick.call("ask", conversation=id, text="And then?", max_tokens=5)
    assert not [r for r in quick.replies if isinstance(r, Event) and r.event == "reading"], "it was not lost"


def test_without_a_document_reading_again_is_refused_with_a_sentence(quick: EngineClient) -> None:
    id = quick.call("conversation_create")["conversation"]["id"]
    first = quick.call("ask", conversation=id, text="?", max_tokens=5)["message"]
    for method in ("reread_cost", "reread"):
        reply = quick.end_of(quick.send(method, conversation=id, message=first["id"]))
        assert isinstance(reply, Failure)
        assert (reply.kind, reply.code) == ("user", "nothing_to_read")
    assert len(quick.call("conversation_open", conversation=id)["messages"]) == 2


def test_reading_again_stops_at_once_and_the_first_answer_stays(slow: EngineClient, text: Path) -> None:
    id = slow.call("conversation_create")["conversation"]["id"]
    text.write_text("The rent is due on the third. " * 4)
    slow.call("documents_add", conversation=id, paths=[str(text)])
    first = slow.call("ask", conversation=id, text="?", max_tokens=3)["message"]
    job = slow.send("reread", conversation=id, message=first["id"])
    slow.wait_for_event("reading", job)
    slow.call("cancel", target=job)
    reply = _ended(slow, job) or slow.end_of(job)
    assert isinstance(reply, Failure)
    assert reply.code == "cancelled"
    opened = slow.call("conversation_open", conversation=id)
    assert (opened["messages"][-1]["state"], opened["leaf"]) == ("stopped", first["id"])
    assert [d["outcome"] for d in opened["documents"]] == ["read"]
    assert slow.call("documents_list", conversation=id)["documents"][0]["page"] is None


def test_a_waiting_job_can_be_cancelled(slow: EngineClient, text: Path) -> None:
    id = slow.call("conversation_create")["conversation"]["id"]
    running = slow.send("documents_add", conversation=id, paths=[str(text)])
    waiting = slow.send("ask", conversation=id, text="?")
    slow.wait_for_event("reading", running)
    assert slow.call("cancel", target=waiting)["cancelled"] is True
    reply = _ended(slow, waiting) or slow.end_of(waiting)
    assert isinstance(reply, Failure)
    assert reply.code == "cancelled"
    assert not _ended(slow, running), "it was told only once its turn had come"
    slow.call("cancel", target=running)
    slow.end_of(running)
    assert slow.call("conversation_open", conversation=id)["messages"] == []


def test_a_paused_reading_goes_on_with_the_question(data: Path, text: Path) -> None:
    with engine(data, 0.02) as client:
        id = client.call("conversation_create")["conversation"]["id"]
        job = client.send("documents_add", conversation=id, paths=[str(text)])
        for _ in range(4):
            client.wait_for_event("reading", job)
        client.call("cancel", target=job)
        client.call("ask", conversation=id, text="?", max_tokens=5)
        first = next(r for r in reversed(client.replies) if isinstance(r, Event) and r.event == "message")
        assert first.data["message"]["state"] == "complete"
        assert client.call("documents_list", conversation=id)["documents"][0]["outcome"] == "read"


def test_errors_are_of_two_kinds(quick: EngineClient) -> None:
    reply = quick.end_of(quick.send("conversation_open", conversation="nowhere"))
    assert isinstance(reply, Failure)
    assert (reply.kind, reply.code) == ("user", "unknown_conversation")
    reply = quick.end_of(quick.send("ask", conversation="nowhere", text="?"))
    assert isinstance(reply, Failure)
    assert (reply.kind, reply.code) == ("user", "unknown_conversation")
    assert quick.process.stdin is not None
    for line in (b"not json\n", b'{"id":1,"method":"fly"}\n', b'{"id":1,"method":"ping","more":2}\n', b"\xff\n"):
        quick.process.stdin.write(line)
        quick.process.stdin.flush()
        refused = quick.next()
        assert isinstance(refused, Failure)
        assert refused.kind == "bug"
    assert quick.call("ping") == {}


def test_settings_refuse_what_cannot_be(quick: EngineClient) -> None:
    for changes, code in (
        ({"budget_mb": 10}, "budget_too_small"),
        ({"budget_mb": "much"}, "bad_params"),
        ({"colour": "red"}, "bad_params"),
        ({"policy": "best"}, "bad_params"),
        ({"model": "/nowhere.gguf"}, "model_missing"),
    ):
        reply = quick.end_of(quick.send("settings_set", changes=changes))
        assert isinstance(reply, Failure), changes
        assert reply.code == code
    changed = quick.call("settings_set", changes={"budget_mb": 900})
    assert changed["settings"]["budget_mb"] == 900
    assert changed["plan"]["ok"] is True
    assert any(isinstance(r, Event) and r.event == "settings" for r in quick.replies)


def test_one_bad_file_leaves_the_rest_of_the_drop_read(quick: EngineClient, text: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.pdf").write_bytes(b"")
    (tmp_path / "copy.txt").write_bytes(text.read_bytes())
    id = quick.call("conversation_create")["conversation"]["id"]
    paths = [str(tmp_path / name) for name in ("empty.pdf", "gone.pdf", "lease.txt", "copy.txt")]
    found = quick.call("documents_add", conversation=id, paths=paths)["documents"]
    assert [(d["outcome"], d["reason"]) for d in found] == [
        ("refused", "empty_file"),
        ("refused", "no_such_file"),
        ("read", None),
        ("refused", "duplicate"),
    ]
    assert all(d["message"] for d in found if d["outcome"] == "refused")
    answer = quick.call("ask", conversation=id, text="?", max_tokens=5)["message"]
    assert answer["stats"]["left_out"] == "2 of 3 files could not be read: empty.pdf, gone.pdf."


def test_a_second_engine_on_the_same_data_says_why_it_cannot(data: Path) -> None:
    with engine(data), EngineClient([FAKE, str(data), "0"]) as second:
        second.wait_for_event("hello")
        reply = second.next()
        assert isinstance(reply, Failure)
        assert (reply.kind, reply.code) == ("user", "in_use")
        assert second.hang_up() == 1


def test_nothing_heavy_is_imported_for_lists_and_settings(data: Path) -> None:
    code = (
        "import sys, engine.server, engine.methods, engine.engine\n"
        f"e = engine.engine.Engine(__import__('pathlib').Path({str(data)!r}))\n"
        "engine.methods.settings_get(e, {}); engine.methods.conversations_list(e, {})\n"
        "import engine.reread_cost\n"
        "print(sorted({'torch', 'llama_cpp', 'pymupdf', 'transformers'} & set(sys.modules)))"
    )
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "line",
    [
        b'{"id":1,"method":[]}',
        b'{"id":1,"method":{}}',
        b"[" * 200_000,
        b"\xff\xfe",
        b'{"id":true,"method":"ping"}',
    ],
)
def test_a_line_that_is_no_call_is_answered_and_the_next_one_too(quick: EngineClient, line: bytes) -> None:
    assert quick.process.stdin is not None
    quick.process.stdin.write(line + b"\n")
    quick.process.stdin.flush()
    reply = quick.next()
    assert isinstance(reply, Failure)
    assert reply.code == "protocol"
    assert quick.call("ping") == {}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("plan", {"budget_mb": float("nan")}),
        ("plan", {"budget_mb": "much"}),
        ("settings_set", {"changes": {"budget_mb": float("inf")}}),
        ("settings_set", {"changes": {"budget_mb": 10**400}}),
        ("settings_set", {"changes": {"store_mb": float("inf")}}),
        ("conversations_list", {"search": 5}),
        ("conversation_create", {"title": {"a": 1}}),
        ("documents_add", {"paths": [""]}),
        ("ask", {"text": "?", "max_tokens": "x"}),
        ("ask", {"text": "?", "temperature": float("nan")}),
        ("ask", {"text": "?", "seed": "s"}),
        ("reread", {}),
        ("reread", {"message": "?", "temperature": 9}),
        ("reread_cost", {"message": 5}),
        ("documents_unlock", {"password": ""}),
        ("documents_refresh", {"folder": 5}),
        ("documents_changed", {}),
        ("folder_files", {"folder": "/drop", "from": -1}),
        ("folder_files", {"folder": "/drop", "count": "many"}),
    ],
)
def test_wrong_parameters_are_refused_before_anything_is_written(
    quick: EngineClient, method: str, params: dict[str, object]
) -> None:
    id = quick.call("conversation_create")["conversation"]["id"]
    reply = quick.end_of(quick.send(method, **{"conversation": id, **params}))
    assert isinstance(reply, Failure)
    assert (reply.kind, reply.code) == ("user", "bad_params")
    assert quick.call("conversation_open", conversation=id)["messages"] == []
    assert len(quick.call("conversations_list")["conversations"]) == 1


def test_cancelling_nonsense_cancels_nothing(quick: EngineClient) -> None:
    for target in ({}, [1], "1", None, 99, 1 << 80):
        assert quick.call("cancel", target=target) == {"cancelled": False}


def test_half_a_surrogate_pair_is_stored_as_a_question_mark(quick: EngineClient) -> None:
    made = quick.call("conversation_create", title="torn \ud800")["conversation"]
    assert made["title"] == "torn ?"


def test_a_path_too_long_for_a_name_is_no_such_file(quick: EngineClient) -> None:
    id = quick.call("conversation_create")["conversation"]["id"]
    (found,) = quick.call("documents_add", conversation=id, paths=["a" * 5000])["documents"]
    assert (found["outcome"], found["reason"]) == ("refused", "no_such_file")


def test_deleting_a_conversation_pauses_its_reading_and_restoring_finds_it_so(slow: EngineClient, text: Path) -> None:
    id = slow.call("conversation_create")["conversation"]["id"]
    job = slow.send("documents_add", conversation=id, paths=[str(text)])
    slow.wait_for_event("reading", job)
    slow.call("conversation_delete", conversation=id)
    reply = _ended(slow, job) or slow.end_of(job)
    assert isinstance(reply, Failure)
    assert reply.code == "cancelled"
    slow.call("conversation_restore", conversation=id)
    assert [d["outcome"] for d in slow.call("documents_list", conversation=id)["documents"]] == ["paused"]


def test_a_large_folder_is_told_of_in_parts(quick: EngineClient, tmp_path: Path) -> None:
    folder = tmp_path / "drop"
    folder.mkdir()
    for number in range(120):
        (folder / f"{number}.txt").write_text("" if number % 2 else f"Note {number}.")
    id = quick.call("conversation_create")["conversation"]["id"]
    result = quick.call("documents_add", conversation=id, paths=[str(folder)])
    assert [d["name"] for d in result["documents"]] == [f"{number}.txt" for number in range(100)]
    (about,) = result["folders"]
    assert (about["origin"], about["name"], about["files"]) == (str(folder), "drop", 120)
    assert about["outcomes"] == {"read": 60, "refused": 60}
    more = quick.call("folder_files", conversation=id, folder=str(folder), **{"from": 100, "count": 5})["documents"]
    assert [(d["name"], d["position"]) for d in more] == [(f"{number}.txt", number) for number in range(100, 105)]
    many = [r for r in quick.replies if isinstance(r, Event) and r.event == "documents"]
    assert len(many[0].data["documents"]) == 100, "the first event names what a list would name"
    (folder / "0.txt").write_text("Another note.")
    (folder / "new.txt").write_text("A new note.")
    changed = quick.call("documents_changed", conversation=id, folder=str(folder))
    assert changed == {"new": 1, "changed": 1, "gone": 0}
    refreshed = quick.call("documents_refresh", conversation=id, folder=str(folder))
    assert refreshed["folders"][0]["files"] == 122
    assert quick.call("documents_changed", conversation=id, folder=str(folder)) == {"new": 0, "changed": 0, "gone": 0}


def test_text_is_given_as_the_model_sees_it_some_pages_at_a_time(quick: EngineClient, tmp_path: Path) -> None:
    _, document = _pdf(quick, tmp_path / "lease.pdf", pages=9)
    whole = quick.call("document_text", document=document)
    assert (whole["last"], len(whole["pages"])) == (9, 9)
    assert whole["pages"][0]["text"].startswith("[lease.pdf, page 1]\nThe otter signs page 1.")
    part = quick.call("document_text", document=document, **{"from": 4, "count": 2})
    assert [page["page"] for page in part["pages"]] == [4, 5]
    assert part["pages"] == whole["pages"][3:5]


def test_a_part_of_many_characters_is_given_in_pieces(quick: EngineClient, tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("\n".join(f"line {number:06}" for number in range(12_000)))
    id = quick.call("conversation_create")["conversation"]["id"]
    job = quick.send("documents_add", conversation=id, paths=[str(log)])
    quick.wait_for_event("reading", job)
    quick.call("cancel", target=job)
    (document,) = quick.call("documents_list", conversation=id)["documents"]
    (first,) = quick.call("document_text", document=document["id"])["pages"]
    (second,) = quick.call("document_text", document=document["id"], offset=100_000)["pages"]
    assert len(first["text"]) == 100_000 and first["characters"] == second["characters"] > 140_000
    assert (first["text"] + second["text"]).count("line ") == 12_000


def test_a_page_is_drawn_while_documents_are_read(slow: EngineClient, text: Path, tmp_path: Path) -> None:
    id, document = _pdf(slow, tmp_path / "lease.pdf", pages=1)
    job = slow.send("documents_add", conversation=id, paths=[str(text)])
    slow.wait_for_event("reading", job)
    png = base64.b64decode(slow.call("page_image", document=document, page=1, width=300)["png"])
    assert png.startswith(b"\x89PNG") and int.from_bytes(png[16:20], "big") in range(290, 311)
    assert not _ended(slow, job), "it did not wait for the job"
    lease = tmp_path / "lease.pdf"
    os.utime(lease, (1, 1))
    assert slow.call("page_image", document=document, page=1, width=300)["png"], "it was only touched"
    lease.write_bytes(lease.read_bytes() + b" ")
    reply = slow.end_of(slow.send("page_image", document=document, page=1, width=300))
    assert isinstance(reply, Failure) and reply.message.startswith("The file has changed since it was read")
    lease.unlink()
    reply = slow.end_of(slow.send("page_image", document=document, page=1, width=300))
    assert isinstance(reply, Failure)
    assert (reply.kind, reply.code) == ("user", "no_picture")
    slow.call("cancel", target=job)


def test_a_password_opens_what_it_fits_and_is_in_no_event_and_no_log(data: Path, tmp_path: Path) -> None:
    with engine(data) as client:
        id, _ = _pdf(client, tmp_path / "locked.pdf", pages=1, password="heron-7")
        assert client.call("documents_list", conversation=id)["documents"][0]["outcome"] == "needs_password"
        assert client.call("documents_unlock", conversation=id, password="wrong")["unlocked"] == 0
        opened = client.call("documents_unlock", conversation=id, password="heron-7")
        assert (opened["unlocked"], opened["documents"][0]["outcome"]) == (1, "read")
        assert client.hang_up() == 0
        assert "heron-7" not in client.log and "heron-7" not in str(client.replies)
    assert not any(b"heron-7" in path.read_bytes() for path in data.rglob("*") if path.is_file())


def test_one_password_opens_several_files_and_is_in_no_file_of_the_data_folder(data: Path, tmp_path: Path) -> None:
    """Neither while the engine runs, with what SQLite has not yet put in its place, nor once it ended."""
    secret = "Zaunk\u00f6nig-7"
    (tmp_path / "papers.zip").write_bytes(locked_zip({"a.txt": b"The otter signs."}, secret.encode()))

    def found() -> list[str]:
        kept = {path.name: path.read_bytes() for path in data.rglob("*") if path.is_file()}
        assert any(name.endswith("-wal") for name in kept) == (client.process.poll() is None)
        return [name for name, content in kept.items() if b"nig-7" in content or "nig-7".encode("utf-16-le") in content]

    with engine(data) as client:
        id, _ = _pdf(client, tmp_path / "first.pdf", pages=2, password=secret)
        paths = [tmp_path / "second.pdf", tmp_path / "papers.zip"]
        _pdf(client, paths[0], pages=1, password=secret)
        client.call("documents_add", conversation=id, paths=[str(path) for path in paths])
        listed = client.call("documents_list", conversation=id)["documents"]
        assert [d["outcome"] for d in listed] == ["needs_password"] * 3
        opened = client.call("documents_unlock", conversation=id, password=secret)
        assert (opened["unlocked"], [d["outcome"] for d in opened["documents"]]) == (3, ["read"] * 3)
        assert found() == []
        assert client.hang_up() == 0
        assert "nig-7" not in client.log and "nig-7" not in str(client.replies)
        assert found() == []


def _pdf(client: EngineClient, path: Path, pages: int, password: str = "") -> tuple[str, str]:
    """A conversation with a PDF: their ids."""
    with pymupdf.open() as pdf:
        for number in range(1, pages + 1):
            pdf.new_page().insert_text((72, 72), f"The otter signs page {number}.")
        locks = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": password, "owner_pw": "owner"}
        pdf.save(path, **(locks if password else {}))
    id = client.call("conversation_create")["conversation"]["id"]
    (document,) = client.call("documents_add", conversation=id, paths=[str(path)])["documents"]
    return id, document["id"]

"""A hub on 127.0.0.1 with one model, and all the ways in which a hub or the way to it can misbehave."""

from __future__ import annotations

import gzip
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAME = "owner/tiny"
COMMIT = "c" * 40


@dataclass
class Asked:
    """A request for a file: its name, the byte from which it was wanted, the token that came with it."""

    file: str
    range: str | None
    token: str | None
    address: str


@dataclass
class LocalHub:
    """What it has and how it behaves. Files over 1,000 bytes are in large-file storage, at another address."""

    files: dict[str, bytes]
    commit: str = COMMIT
    revisions: tuple[str, ...] = ("main",)
    model_error: tuple[int, str] | None = None
    file_errors: list[tuple[int, str]] = field(default_factory=list)
    cut_after: list[int] = field(default_factory=list)  # of the next large files, how many bytes to send
    stall: bool = False
    ignores_range: bool = False
    packs: bool = False
    sends: dict[str, bytes] = field(default_factory=dict)  # in place of what it lists
    listing: bytes | None = None
    asked: list[Asked] = field(default_factory=list)
    bytes_sent: int = 0
    url: str = ""
    storage_url: str = ""
    closing: threading.Event = field(default_factory=threading.Event)

    def model_info(self) -> bytes:
        siblings = [self._sibling(name, content) for name, content in self.files.items()]
        return json.dumps({"id": NAME, "modelId": NAME, "sha": self.commit, "siblings": siblings}).encode()

    def _sibling(self, name: str, content: bytes) -> dict[str, object]:
        blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        found: dict[str, object] = {"rfilename": name, "size": len(content), "blobId": blob}
        if len(content) > 1000:
            sha256 = hashlib.sha256(content).hexdigest()
            found |= {"blobId": "0" * 40, "lfs": {"size": len(content), "sha256": sha256, "pointerSize": 130}}
        return found


@contextmanager
def running(hub: LocalHub) -> Iterator[LocalHub]:
    """Serves until the end of the block. Large files are redirected to another port, as the hub does."""
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), _handler(hub)) for _ in range(2)]
    threads = [threading.Thread(target=server.serve_forever, args=(0.01,)) for server in servers]
    hub.url, hub.storage_url = (f"http://127.0.0.1:{server.server_port}" for server in servers)
    for thread in threads:
        thread.start()
    try:
        yield hub
    finally:
        hub.closing.set()
        for server, thread in zip(servers, threads, strict=True):
            server.shutdown()
            thread.join()
            server.server_close()


def _handler(hub: LocalHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if path.startswith("/api/models/"):
                self.model(path)
            elif path.startswith("/storage/"):
                self.stored(path.removeprefix("/storage/"))
            else:
                self.resolve(path)

        def model(self, path: str) -> None:
            known = [f"/api/models/{NAME}"] + [f"/api/models/{NAME}/revision/{name}" for name in hub.revisions]
            if hub.model_error is not None:
                self.error(*hub.model_error)
            elif path in known:
                self.answer(200, hub.model_info() if hub.listing is None else hub.listing)
            else:
                self.error(404, "RevisionNotFound" if path.startswith(f"/api/models/{NAME}/") else "RepoNotFound")

        def resolve(self, path: str) -> None:
            name = path.removeprefix(f"/{NAME}/resolve/{hub.commit}/")
            if hub.file_errors:
                self.error(*hub.file_errors.pop(0))
            elif name not in hub.files:
                self.error(404, "EntryNotFound")
            elif len(hub.files[name]) > 1000:
                self.send_response(302)
                self.send_header("Location", f"{hub.storage_url}/storage/{name}")
                self.send_header("Content-Length", "0")
                self.end_headers()
            else:
                self.remember(name)
                content = hub.sends.get(name, hub.files[name])
                headers = {"Content-Encoding": "gzip"} if hub.packs else {}
                self.answer(200, gzip.compress(content) if hub.packs else content, headers=headers)

        def stored(self, name: str) -> None:
            self.remember(name)
            content = hub.sends.get(name, hub.files[name])
            wanted = self.headers["Range"]
            begin = 0 if wanted is None or hub.ignores_range else int(wanted[len("bytes=") : -1])
            headers = {}
            if begin >= len(content):
                self.error(416, "")
                return
            if begin:
                headers["Content-Range"] = f"bytes {begin}-{len(content) - 1}/{len(content)}"
            cut = hub.cut_after.pop(0) if hub.cut_after else None
            self.answer(206 if begin else 200, content[begin:], cut, headers)

        def remember(self, name: str) -> None:
            address = "http://{}:{}".format(*self.server.server_address[:2])
            hub.asked.append(Asked(name, self.headers["Range"], self.headers["Authorization"], address))

        def answer(
            self, status: int, body: bytes, cut: int | None = None, headers: dict[str, str] | None = None
        ) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body[:cut])
            self.wfile.flush()
            hub.bytes_sent += len(body[:cut])
            if hub.stall and cut is not None:
                hub.closing.wait()
            self.close_connection = True

        def error(self, status: int, code: str) -> None:
            self.answer(status, b"{}", headers={"X-Error-Code": code})

        def log_message(self, *arguments: object) -> None:
            pass

    return Handler

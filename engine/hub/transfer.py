"""One file over HTTP: on from the byte it had, again after a cut, checked against its hash.

The library's own download begins again after a stop (huggingface_hub 2.4 deletes its temporary file), so the bytes are
asked for here, with the library's session: its proxies, its tokens, its errors. What the file is for is not known.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from http.client import OK, PARTIAL_CONTENT
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import UserError
from engine.hub.patience import Abort, Patience, check, in_thread
from engine.hub.sentences import is_temporary

if TYPE_CHECKING:
    import httpx2

TIMEOUT_SECONDS = 10.0
PART = ".part"
_BLOCK = 2**20
_SHA256 = 64


@dataclass(frozen=True)
class RemoteFile:
    """A file of one commit (40 hexadecimal digits); size in bytes.

    digest: sha256 where it is in large-file storage, else git's sha1 of the blob; "" where the hub does not say.
    """

    name: str
    size: int
    digest: str
    commit: str

    def part(self, folder: Path) -> Path:
        """Where it is until it is checked. Another content of the same name has another part, so parts never mix."""
        return folder / f"{self.name}.{(self.digest or self.commit)[:16]}{PART}"


@dataclass(frozen=True)
class Request:
    """Where a file is and what to say there."""

    url: str
    headers: dict[str, str]


def fetch(file: RemoteFile, folder: Path, request: Request, on_bytes: Callable[[int], None], abort: Abort) -> Path:
    """Downloads what is missing of a file's part and checks it; returns the part.

    `on_bytes` gets the bytes that are there. Raises UserError("cancelled"), UserError("download_failed") for a file
    that is not what the hub says (which is deleted), OSError for the disk, and httpx2's and huggingface_hub's errors.
    """
    part = file.part(folder)
    part.touch()
    _complete(part, file, request, on_bytes, abort)
    if not matches(part, file, abort):
        part.unlink()
        message = f"{file.name} came damaged and was deleted. Start the download again; the other files are kept."
        raise UserError("download_failed", message, file=file.name)
    return part


def matches(path: Path, file: RemoteFile, abort: Abort) -> bool:
    """Whether this is the file, by size and hash. Raises OSError and UserError("cancelled")."""
    if not path.is_file() or path.stat().st_size != file.size:
        return False
    if not file.digest:
        return path == file.part(path.parent)
    git = b"blob %d\0" % file.size
    digest = hashlib.sha256() if len(file.digest) == _SHA256 else hashlib.sha1(git, usedforsecurity=False)
    with path.open("rb") as opened:
        while block := opened.read(_BLOCK):
            check(abort)
            digest.update(block)
    return digest.hexdigest() == file.digest


def _complete(part: Path, file: RemoteFile, request: Request, on_bytes: Callable[[int], None], abort: Abort) -> None:
    patience = Patience(abort)
    furthest = part.stat().st_size
    while part.stat().st_size < file.size:
        try:
            _receive(part, file.size, request, on_bytes, abort)
        except Exception as error:
            if not is_temporary(error):
                raise
            if (size := part.stat().st_size) > furthest:
                furthest = size
                patience.renew()
            patience.wait(error)


def _receive(part: Path, size: int, request: Request, on_bytes: Callable[[int], None], abort: Abort) -> None:
    import httpx2

    with part.open("r+b") as opened:
        had = opened.seek(0, os.SEEK_END)
        with closing(in_thread(_blocks(request, had, size), abort)) as blocks:
            for place, block in blocks:
                if place != opened.tell():
                    opened.seek(place)
                    opened.truncate()
                opened.write(block)
                on_bytes(opened.tell())
                if opened.tell() > size:  # an answer without end would fill the disk
                    break
        if opened.tell() < size:
            raise httpx2.RemoteProtocolError("the answer ends too early")
        opened.flush()
        os.fsync(opened.fileno())


def _blocks(request: Request, had: int, size: int) -> Generator[tuple[int, bytes], None, None]:
    """The file from byte `had` on, or from 0 where the server will not: blocks, each with its place."""
    from huggingface_hub.utils import get_session, hf_raise_for_status

    headers = {**request.headers, "Accept-Encoding": "identity"}
    if had:
        headers["Range"] = f"bytes={had}-"
    with get_session().stream("GET", request.url, headers=headers, timeout=TIMEOUT_SECONDS) as response:
        hf_raise_for_status(response)
        place = _begins_at(response, had, size)
        for block in response.iter_bytes():
            yield place, block
            place += len(block)


def _begins_at(response: httpx2.Response, had: int, size: int) -> int:
    """Raises httpx2.RemoteProtocolError for an answer that is not the file, such as a network's sign-in page."""
    import httpx2

    partial = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    if response.status_code == PARTIAL_CONTENT and partial is not None and int(partial[1]) == had:
        return had
    packed = "Content-Encoding" in response.headers  # though it was asked not to be; the length is then another
    if response.status_code == OK and (packed or response.headers.get("Content-Length", str(size)) == str(size)):
        return 0
    raise httpx2.RemoteProtocolError("the answer is not what was asked for")

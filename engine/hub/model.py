"""A model of the hub -> a folder with what it needs, whole or not there, and known again without the network.

What the hub has is `listing`, which files are needed is `choice`, how one comes is `transfer`. A model in use is not
disturbed: files take their names when all have come, and the marker, which says that all is there, is written last.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import UserError
from engine.hub import choice, sentences
from engine.hub.listing import Wanted, files_of, parse, request_of
from engine.hub.patience import Abort, check
from engine.hub.transfer import PART, RemoteFile, fetch, matches

MARKER = "download.json"
SPARE = 0.05
GB = 1_000_000_000
_PROGRESS_SECONDS = 0.1


@dataclass(frozen=True)
class Progress:
    """How far a download is: bytes that are there, bytes in all, and the file that is coming."""

    done: int
    total: int
    file: str


def is_hub_id(text: str) -> bool:
    """Whether it can be "owner/name" or "owner/name@revision" of a hub, and is no path that exists here."""
    return parse(text) is not None and not Path(text).exists()


def download(id: str, folder: Path, on_progress: Callable[[Progress], None], abort: Abort, heads: bool = False) -> Path:
    """Downloads what the model needs into its own folder in `folder`, and returns that. Goes on where it was stopped.

    heads: what its retaining heads need, which is less where they lie in files of their own.

    Where it is there already and the hub has nothing newer, nothing is downloaded. `on_progress` is called ten times a
    second. Raises UserError: "cancelled", "no_such_model" or "download_failed", with a sentence that says what to do.
    """
    wanted = parse(id, heads)
    if wanted is None:
        raise UserError("no_such_model", f"{id} is no model of a hub: its name would be owner/name.")
    here = folder / wanted.folder_name
    try:
        return _Download(wanted, here, on_progress, abort).run()
    except UserError:
        raise
    except Exception as error:
        # huggingface_hub's errors are also OSErrors: they are asked about first.
        sentence = sentences.of_the_hub(error, wanted.name, wanted.revision)
        if sentence is None and isinstance(error, OSError):
            sentence = sentences.of_the_disk(error, here)
        if sentence is None:
            raise
        raise sentence from error


def downloaded(id: str, folder: Path, heads: bool = False) -> Path | None:
    """The model's, or its heads', folder if all of it is there, else None. Asks no network; files are known by name and
    size.
    """
    wanted = parse(id, heads)
    if wanted is None:
        return None
    here = folder / wanted.folder_name
    return here if _marked_commit(wanted, here) is not None else None


def _marked_commit(wanted: Wanted, here: Path) -> str | None:
    """The commit of which all files are here, by the marker; None where there is none or something is missing."""
    try:
        marker = json.loads((here / MARKER).read_text(encoding="utf-8"))
        if (marker["id"], marker["revision"]) != (wanted.name, wanted.revision):
            return None
        whole = all((here / name).stat().st_size == file["size"] for name, file in marker["files"].items())
        return str(marker["commit"]) if whole else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


@dataclass
class _Download:
    """One run. bytes_here: of each file that is needed, how much is there."""

    wanted: Wanted
    here: Path
    on_progress: Callable[[Progress], None]
    abort: Abort
    bytes_here: dict[str, int] = field(default_factory=dict)
    total: int = 0
    told: float = 0.0

    def run(self) -> Path:
        commit, remote = files_of(self.wanted, self.abort)
        if _marked_commit(self.wanted, self.here) == commit:
            return self.here
        self.here.mkdir(parents=True, exist_ok=True)
        files = [remote[name] for name in self._names(remote)]
        self._remove(lambda name: name.endswith(PART) and name not in {file.part(self.here).name for file in files})
        missing = [file for file in files if not matches(self.here / file.name, file, self.abort)]
        self._measure(files, missing)
        for file in missing:
            self._fetch(file)
        check(self.abort)
        self._install(commit, files, missing)
        return self.here

    def _names(self, remote: dict[str, RemoteFile]) -> list[str]:
        return choice.needed(remote, lambda name: self._fetch(remote[name]), self.wanted.heads)

    def _measure(self, files: list[RemoteFile], missing: list[RemoteFile]) -> None:
        self.bytes_here = {file.name: file.size for file in files}
        self.bytes_here |= {file.name: _size(file.part(self.here)) for file in missing}
        self.total = sum(file.size for file in files)
        needed = self.total - sum(self.bytes_here.values()) + round(SPARE * self.total)
        free = shutil.disk_usage(self.here).free
        if missing and needed > free:
            message = (
                f"{self.wanted.name} needs {needed / GB:.2f} GB more, and the disk of {self.here} has "
                f"{free / GB:.2f} GB free. Free some space, or choose a smaller model."
            )
            raise UserError("download_failed", message, needed=needed, free=free)

    def _fetch(self, file: RemoteFile) -> Path:
        def on_bytes(count: int) -> None:
            self.bytes_here[file.name] = count
            self._tell(file.name)

        part = fetch(file, self.here, request_of(self.wanted, file), on_bytes, self.abort)
        self.told = 0.0  # the end of a file is always told
        on_bytes(file.size)
        return part

    def _tell(self, name: str) -> None:
        now = time.monotonic()
        if self.total and now - self.told >= _PROGRESS_SECONDS:
            self.told = now
            self.on_progress(Progress(sum(self.bytes_here.values()), self.total, name))

    def _install(self, commit: str, files: list[RemoteFile], missing: list[RemoteFile]) -> None:
        marker = self.here / MARKER
        marker.unlink(missing_ok=True)
        for file in missing:
            file.part(self.here).replace(self.here / file.name)
        kept = {file.name for file in files}
        self._remove(lambda name: name not in kept and (name.endswith(PART) or choice.belongs_to_a_model(name)))
        about = {
            "id": self.wanted.name,
            "revision": self.wanted.revision,
            "commit": commit,
            "files": {file.name: {"size": file.size, "digest": file.digest} for file in files},
        }
        written = self.here / (MARKER + PART)
        written.write_text(json.dumps(about, indent=1), encoding="utf-8")
        written.replace(marker)

    def _remove(self, unwanted: Callable[[str], bool]) -> None:
        for path in self.here.iterdir():
            if path.is_file() and unwanted(path.name):
                path.unlink()


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0

"""A hub id, the commit that it stands for, and the files of that commit with their sizes and hashes.

The answer is a stranger's: what becomes part of a path or an address is checked here or, for names, in `choice`.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.errors import UserError
from engine.hub import sentences
from engine.hub.patience import Abort, Patience, in_thread
from engine.hub.transfer import TIMEOUT_SECONDS, RemoteFile, Request

if TYPE_CHECKING:
    from huggingface_hub.hf_api import ModelInfo, RepoSibling

_WORD = r"\w(?:[\w.-]{0,94}\w)?"
_ID = re.compile(rf"(?P<name>{_WORD}/{_WORD})(?:@(?P<revision>\w(?:[\w./-]{{0,198}}\w)?))?", re.ASCII)
_COMMIT, _SHA256 = re.compile(r"[0-9a-f]{40}"), re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Wanted:
    """A model by its name, "owner/name", and the revision asked for, if any. heads: its retaining heads alone."""

    name: str
    revision: str | None
    heads: bool = False

    @property
    def folder_name(self) -> str:
        """Hub names contain no "--", so two models never share a folder; neither do two revisions that were named."""
        name = self.name if self.revision is None else f"{self.name}@{self.revision}"
        return name.replace("/", "--") + ("--heads" if self.heads else "")


def parse(text: str, heads: bool = False) -> Wanted | None:
    """From "owner/name" or "owner/name@revision"; None where it is neither, by the hub's rules for names."""
    found = _ID.fullmatch(text)
    if found is None or ".." in text or "--" in found["name"] or found["name"].endswith(".git"):
        return None
    return Wanted(found["name"], found["revision"], heads)


def files_of(wanted: Wanted, abort: Abort) -> tuple[str, dict[str, RemoteFile]]:
    """The commit that the revision stands for and its files. Raises UserError and the libraries' own errors."""
    patience = Patience(abort)
    while True:
        try:
            info = next(in_thread(_ask(wanted), abort))
            commit = _checked(_COMMIT, info.sha)
            return commit, {file.rfilename: _remote(file, commit) for file in info.siblings or ()}
        except (TypeError, KeyError, AttributeError, ValueError) as error:
            message = "The hub's answer is not understood. Open a web page: your network may want you to sign in first."
            raise UserError("download_failed", message) from error
        except Exception as error:
            if not sentences.is_temporary(error):
                raise
            patience.wait(error)


def _ask(wanted: Wanted) -> Generator[ModelInfo, None, None]:
    from huggingface_hub import HfApi, constants

    # It was read from the environment already if another part of the program has imported the library before.
    constants.HF_HUB_DISABLE_TELEMETRY = True
    yield HfApi().model_info(wanted.name, revision=wanted.revision, files_metadata=True, timeout=TIMEOUT_SECONDS)


def _remote(file: RepoSibling, commit: str) -> RemoteFile:
    if file.lfs is not None:
        return RemoteFile(file.rfilename, int(file.lfs.size), _checked(_SHA256, file.lfs.sha256), commit)
    if file.size is None:
        raise ValueError(file.rfilename)
    digest = "" if file.blob_id is None else _checked(_COMMIT, file.blob_id)
    return RemoteFile(file.rfilename, file.size, digest, commit)


def _checked(pattern: re.Pattern[str], value: Any) -> str:
    """The server's word, which becomes a part of a file name. Raises ValueError."""
    if not pattern.fullmatch(value):
        raise ValueError(value)
    return str(value)


def request_of(wanted: Wanted, file: RemoteFile) -> Request:
    """For the file as it is at its commit, with the user's token where there is one."""
    from huggingface_hub import hf_hub_url
    from huggingface_hub.utils import build_hf_headers

    return Request(hf_hub_url(wanted.name, file.name, revision=file.commit), build_hf_headers())

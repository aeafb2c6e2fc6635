"""What went wrong between here and the hub, as a sentence that says what to do. It tries nothing again itself."""

from __future__ import annotations

import errno
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from engine.errors import UserError

_TEMPORARY = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)
_REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_KEPT = "Try again: what has come so far is kept."


def is_temporary(error: Exception) -> bool:
    """Whether it may be gone in a second: a cut or slow connection, a server in trouble."""
    import httpx2

    status = _status(error)
    return isinstance(error, httpx2.TransportError) or status in _TEMPORARY or (status or 0) >= 500


def of_the_hub(error: Exception, name: str, revision: str | None) -> UserError | None:
    """The sentence for an error of httpx2 or huggingface_hub; None for another's."""
    import httpx2
    from huggingface_hub import constants, errors

    host = urlsplit(constants.ENDPOINT).netloc
    match error:
        case errors.OfflineModeIsEnabled():
            return _failed("Downloads are switched off by HF_HUB_OFFLINE. Unset it, then start the download again.")
        case errors.HfHubHTTPError():
            return _of_the_model(error, name, revision, host) or _of_the_status(error, name, host)
        case httpx2.HTTPError():
            return _failed(
                f"{name} could not be downloaded: {host} cannot be reached, or the connection was lost. Check your "
                f"network. {_KEPT}"
            )
    return None


def of_the_disk(error: OSError, folder: Path) -> UserError:
    """The sentence for a folder that cannot be written."""
    if error.errno == errno.ENOSPC:
        return _failed(f"The disk of {folder} is full. Free some space. {_KEPT}")
    why = error.strerror or str(error)
    return _failed(
        f"{folder} cannot be written: {why}. Choose another folder, or give yourself the right to write there."
    )


def _of_the_model(error: Exception, name: str, revision: str | None, host: str) -> UserError | None:
    from huggingface_hub import errors

    match error:
        case errors.GatedRepoError():
            return _refused(f"{name} needs you to accept its licence", name)
        case errors.RevisionNotFoundError():
            return UserError("no_such_model", f"{name} has no revision {revision}. Check the part after the @.")
        case errors.RemoteEntryNotFoundError():
            return _failed(f"{host} has lost a file of {name}. Start the download again, or choose another model.")
    if isinstance(error, errors.RepositoryNotFoundError) or _status(error) == HTTPStatus.NOT_FOUND:
        advice = "Check its name; if it is private, `hf auth login`, then start the download again."
        return UserError("no_such_model", f"There is no model {name} at {host}, or it is private. {advice}")
    return None


def _of_the_status(error: Exception, name: str, host: str) -> UserError:
    status = _status(error) or 0
    if status in _REFUSED:
        return _refused(f"{host} refuses {name}: it may be private, or need you to accept its licence", name)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return _failed(f"{host} has had too many requests from here. Wait some minutes. {_KEPT}")
    if status >= 500:
        return _failed(f"{host} is in trouble (error {status}). Try again later. {_KEPT}")
    return _failed(f"{host} gives no file of {name} (error {status}). Try again later, or choose another model.")


def _refused(what: str, name: str) -> UserError:
    from huggingface_hub import constants

    place = f"{constants.ENDPOINT.removeprefix('https://')}/{name}"
    return _failed(f"{what} at {place}, then `hf auth login`. After that, start the download again.")


def _failed(message: str) -> UserError:
    return UserError("download_failed", message)


def _status(error: Exception) -> int | None:
    from huggingface_hub.errors import HfHubHTTPError

    return error.response.status_code if isinstance(error, HfHubHTTPError) else None

"""What can go wrong in an installation, each as a sentence that says what to do.

Knows how pip, compilers and disks word their troubles; does not know how to mend them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

SPACE_NEEDED_GB = 3
LAST_LINES = 12

NO_SPACE = (
    "The disk is full. Keepsake needs about {gb} GB for itself and some more in the folder for temporary files "
    "(TMPDIR names another one). Make room, then run this again."
)
NO_NETWORK = (
    "The package index cannot be reached. Check the network, and the proxy if there is one (HTTPS_PROXY), "
    "then run this again: what is already there is kept."
)
BAD_CERTIFICATE = (
    "The package index was reached, but its certificate is not trusted here. Set PIP_CERT to the certificate that "
    "your network uses, then run this again."
)
OUT_OF_MEMORY = (
    "The compiler ran out of memory. Close other programs or set CMAKE_BUILD_PARALLEL_LEVEL=1, then run this again."
)
BUILD_FAILED = (
    "llama-cpp-python did not compile. {log} says where; a compiler older than GCC 9 or Clang 10 is the usual "
    "reason. Install a newer one, then run this again."
)
NO_BUILD = (
    "A library has no build for Python {python} on this system: {what}. Keepsake is tested with Python 3.11: "
    "delete .venv and start again with python3.11 -m installer run"
)
UNFORESEEN = "This step failed for a reason the installer does not know. The log, {log}, ends with:\n{tail}"

# In this order: pip reports a full disk or a broken build after lines about retries that did no harm.
SIGNS: tuple[tuple[str, str], ...] = (
    (r"No space left on device|Errno 28|Disk quota exceeded", NO_SPACE),
    (r"Killed signal terminated program|virtual memory exhausted|std::bad_alloc", OUT_OF_MEMORY),
    (r"CMake Error|ninja: build stopped|Failed building wheel|CMake configuration failed", BUILD_FAILED),
    (r"CERTIFICATE_VERIFY_FAILED|certificate verify failed", BAD_CERTIFICATE),
    (
        r"NewConnectionError|NameResolutionError|Temporary failure in name resolution|Max retries exceeded"
        r"|ConnectTimeoutError|ReadTimeoutError|Read timed out|ProxyError|Network is unreachable|Connection refused"
        r"|Connection reset by peer|Could not resolve|connection error",
        NO_NETWORK,
    ),
    (r"No matching distribution found for (?P<what>\S+)", NO_BUILD),
)


class SetupError(Exception):
    """Set-up cannot go on; the text says what happened and what to do."""


def explain(output: str, log: Path) -> SetupError:
    """The failure that a command's output tells of. `log` is where the whole output lies."""
    for pattern, sentence in SIGNS:
        found = re.search(pattern, output)
        if found:
            python = ".".join(str(part) for part in sys.version_info[:2])
            what = found.groupdict().get("what", "")
            return SetupError(sentence.format(gb=SPACE_NEEDED_GB, log=log, python=python, what=what))
    return SetupError(UNFORESEEN.format(log=log, tail=_indented(output.splitlines()[-LAST_LINES:])))


def is_network_trouble(output: str) -> bool:
    """Whether a command failed since the package index is out of reach or not trusted."""
    return any(re.search(pattern, output) for pattern, sentence in SIGNS if sentence in (NO_NETWORK, BAD_CERTIFICATE))


def _indented(lines: Iterable[str]) -> str:
    return "\n".join(f"    {line}" for line in lines)

"""How much the reading process lets itself have. Linux alone holds to it; elsewhere, and there too, the other side
watches.
"""

from __future__ import annotations

import sys
from pathlib import Path


def bound(more: int) -> None:
    """From now on this process gets at most `more` bytes beyond what it has: what asks for more gets a MemoryError, in
    C no memory. It counts addresses, those of mapped libraries too.
    """
    if sys.platform == "linux":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        wanted = pages * resource.getpagesize() + more
        resource.setrlimit(resource.RLIMIT_AS, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))


def leave_no_core() -> None:
    """What a process held that ended in C is not written to the disk: a person's documents are in it."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))

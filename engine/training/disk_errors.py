"""What the disk can refuse while a run writes, as sentences that say what to do before the run goes on."""

from __future__ import annotations

import errno

_SENTENCES = {
    errno.ENOSPC: "The disk is full. Make room on it, then go on.",
    errno.EDQUOT: "Your share of the disk is used up. Make room in it, then go on.",
    errno.EFBIG: "The disk takes no file of that size. Raise the limit on the size of files, then go on.",
    errno.EIO: "The disk failed while something was written or read. Check it and its connection, then go on.",
    errno.EROFS: "The disk takes nothing any more: it is read-only now. Check it, then go on.",
}


def sentence_for(error: OSError) -> str | None:
    """None for what is no trouble with a disk."""
    return None if error.errno is None else _SENTENCES.get(error.errno)

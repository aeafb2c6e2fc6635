"""How much a document may cost. Bounds that are looked at before something is unpacked come first, those that end a
process that went too far anyway come last. Bytes, seconds and counts.
"""

from __future__ import annotations

MIB = 2**20

LARGEST_TEXT = 64 * MIB
"""Of a file that is text, or text with marks in it: plain, Markdown, HTML, RTF, CSV, a message's own text."""
LARGEST_PART = 64 * MIB
"""Of one part of an archive or an Office file, unpacked."""
LARGEST_UNPACKED = 256 * MIB
"""Of all parts that are read of one file, together."""
LARGEST_DIRECTORY = 16 * MIB
"""Of an archive's list of what is in it."""
MOST_ENTRIES = 20_000
"""In an archive."""
MOST_RATIO, RATIO_FROM = 200, 10 * MIB
"""How many times its packed size a part may have, once it is larger than RATIO_FROM."""
DEEPEST_XML = 200
"""Elements within one another."""
DEEPEST_DOCUMENT = 2
"""Documents within one another: an attachment of a message, a message that is attached to it."""
MOST_ATTACHMENTS = 200
MOST_PIXELS = 100_000_000
"""Of a picture."""
MOST_PICTURES, MOST_PICTURES_OF_A_PART = 2000, 500
"""In a document of another kind that are looked at for text."""

PAGE_SECONDS, RECOGNITION_SECONDS, OPENING_SECONDS = 20.0, 300.0, 30.0
"""Of the reading process's own time: for a page, for the text in a picture while it is recognised, until the first
page. An A3 page full of small print takes over a minute, and may be looked at four ways up.
"""
PATIENCE = 5.0
"""How many times that may pass on the clock, on a machine that is busy with other things."""
MEMORY, RECOGNITION_MEMORY = 1024 * MIB, 2048 * MIB
"""Beyond what the reading process held before the file."""
PIECE_SECONDS = 60.0
"""As PAGE_SECONDS, for a document without pages, which comes in one piece or in chapters."""
PICTURES_SECONDS, PICTURES_FILE_SECONDS = 600.0, 5400.0
"""Once so much went into the pictures of such a piece, or of all of them, no other one is begun: the text around them
is not to be lost with them.
"""
PAGE_PICTURES_SECONDS = 100.0
"""As PICTURES_SECONDS, for a page with text, which may take RECOGNITION_SECONDS with them."""
FILE_SECONDS, RECOGNITION_FILE_SECONDS = 1800.0, 6 * 3600.0
"""As PAGE_SECONDS, for all of a file; with recognition."""
MOST_DEATHS = 3
"""How often the reading process may end on a file before the rest of it is given up."""
LARGEST_EXTRACTED = 128 * MIB
"""Characters of a document's text: pages may share what they show, and so hold more than the file."""
SMALL_TEXT = MIB
"""Of a file of plain text or Markdown that is decoded without a process of its own."""
LARGEST_MEMBER, LARGEST_ARCHIVE = 256 * MIB, 4096 * MIB
"""Of a file of a dropped archive, and of all of them, unpacked."""

"""The tokens of an RTF file, obeyed one after another -> its text (specification 1.9.1).

It holds what is open: groups, stories within stories, bytes that wait for their letter's second half.
"""

from __future__ import annotations

import re
from binascii import unhexlify
from dataclasses import dataclass, replace

from engine.documents.inner_pictures import InnerPictures
from engine.documents.office_names import BODY_TEXT
from engine.documents.reader import LeftOut, Unreadable
from engine.documents.rtf_fonts import DEFAULT, DEFAULTS, Font, code_page
from engine.documents.rtf_tables import TABLES, Tables
from engine.documents.rtf_text import Story, whole_characters
from engine.documents.rtf_tokens import BYTE, CLOSE, OPEN, RAW, SYMBOL, TEXT, WORD, Token, tokens
from engine.documents.rtf_words import BREAKS, CHARACTERS, ESCAPED, KNOWN, SKIPPED, STORIES
from engine.documents.scripts import LEVEL, LOWERED, RAISED, Look

_DEEPEST_GROUP = 1000
_LONGEST_NAME = 200
_DEEPEST_STORY = 4  # a box in a note in a box; beyond, what is said stands in the paragraph
_OBJECT = LeftOut("attachment", "", "unsupported_type")
_PICTURE = "pict"
_NO_DIGITS = re.compile(rb"[^0-9A-Fa-f]")


@dataclass
class _Group:
    """What holds until the group ends. destination: what kind of text it is, also of the groups in it; story: the kind
    of text with paragraphs of its own that begins with it, or None; picture: whether one begins with it; fallback: how
    many characters after one of Unicode stand for it in older programs; height: as in `scripts`.
    """

    destination: str = ""
    skipped: bool = False
    hidden: bool = False
    deleted: bool = False
    height: int = LEVEL
    struck: bool = False
    font: int = -1
    fallback: int = 1
    in_table: bool = False
    style: int = 0
    outline: int | None = None
    level: int = 0
    story: str | None = None
    picture: bool = False


class RtfReading:
    """body: the text, once `read` is done. left_out: added to."""

    def __init__(self, left_out: list[LeftOut], pictures: InnerPictures) -> None:
        self.body = Story()
        self._left_out, self._pictures = left_out, pictures
        self._stories = [self.body]
        self._group = _Group()
        self._outer: list[_Group] = []
        self._starred = self._endnote = False
        self._bytes = bytearray()
        self._to_pass = 0
        self._encoding, self._default_font = DEFAULT, 0
        self._tables = Tables()
        self._running: dict[tuple[str, str], None] = {}
        self._notes = {"Footnote": 0, "Endnote": 0}
        self._author = ""
        self._hidden_said = False
        self._hex, self._raw, self._met = bytearray(), bytearray(), 0

    def read(self, data: bytes) -> str | None:
        """Why the text is not whole, or None."""
        lost: str | None = "damaged"
        try:
            for token in tokens(data):
                self._read(token)
                if token.kind == CLOSE and not self._outer:
                    lost = None
                    break
            self._flush()
            while len(self._stories) > 1:
                self._end_story(self._stories.pop(), "")
            self.body.end()
            for kind, text in self._running:
                self.body.flow.note(kind, text)
        except Unreadable as unreadable:
            return unreadable.reason
        return lost

    def _read(self, token: Token) -> None:
        if self._group.destination == _PICTURE and token.kind == TEXT:
            self._hex += token.data
        elif token.kind == RAW:
            self._raw += token.data if self._group.destination == _PICTURE else b""
        elif token.kind == TEXT:
            passed = min(self._to_pass, len(token.data))
            self._to_pass -= passed
            self._bytes += token.data[passed:]
        elif token.kind == OPEN:
            self._open()
        elif token.kind == CLOSE:
            self._close()
        elif self._to_pass and (token.kind == BYTE or token.name in ESCAPED or token.name in CHARACTERS):
            self._to_pass -= 1
        elif token.kind == BYTE:
            self._bytes.append(token.number or 0)
        elif token.kind == SYMBOL and token.name in ESCAPED:
            self._bytes += token.name.encode()  # it may be the second byte of a letter
        elif token.kind == SYMBOL and token.name == "*":
            self._starred = True
        else:
            self._flush()
            self._obey(token)
            self._starred = False

    def _open(self) -> None:
        self._flush()
        self._to_pass = 0
        if len(self._outer) >= _DEEPEST_GROUP:
            raise Unreadable("damaged")
        self._outer.append(self._group)
        self._group = replace(self._group, story=None, picture=False)

    def _close(self) -> None:
        self._flush()
        self._to_pass = 0
        if self._group.picture:
            self._end_picture()
        if self._group.story is not None:
            self._end_story(self._stories.pop(), self._group.story)
        if self._outer:
            self._group = self._outer.pop()

    def _obey(self, token: Token) -> None:
        name, group = token.name, self._group
        if group.destination in TABLES and token.kind == WORD and name not in SKIPPED:
            group.style = self._tables.word(group.destination, name, token.number or 0, group.style)
            return
        if self._starred and name not in KNOWN:
            group.skipped, group.destination = True, name
        elif name in SKIPPED:
            self._skip(name)
        elif name == "ud" and group.destination == "upr":
            group.skipped = False
        elif group.skipped:
            return
        elif name in STORIES or name in KNOWN:
            self._begin(name)
        elif name in CHARACTERS:
            self._say(CHARACTERS[name])
        elif name in BREAKS:
            self._break()
        elif token.kind == WORD:
            self._set(name, token.number)

    def _skip(self, name: str) -> None:
        group = self._group
        if not group.skipped and name == _PICTURE:
            self._hex.clear()
            self._raw.clear()
            group.picture = not (group.hidden or group.deleted)
        elif not group.skipped and name == "object":
            self._left_out.append(_OBJECT)
        group.destination = name
        group.skipped = group.skipped or name != "object"

    def _begin(self, name: str) -> None:
        group = self._group
        group.destination = name
        if name in STORIES and group.story is None and len(self._stories) <= _DEEPEST_STORY:
            group.story, group.in_table, group.hidden = STORIES[name], False, False
            self._endnote = False
            self._stories.append(Story())

    def _break(self) -> None:
        group = self._group
        self._to_pass = 0
        if group.hidden or group.deleted:
            return
        outline = self._tables.outlines.get(group.style) if group.outline is None else group.outline
        self._stories[-1].paragraph(outline, group.level, group.in_table)

    def _set(self, name: str, number: int | None) -> None:
        group, is_on = self._group, number != 0
        match name:
            case "cell" | "nestcell":
                self._stories[-1].cell(name == "nestcell")
            case "row" | "nestrow":
                self._stories[-1].row(name == "nestrow")
            case "u":
                self._say(chr((number or 0) % 0x10000))
                self._to_pass = group.fallback
            case "uc":
                group.fallback = max(0, min(1 if number is None else number, 100))
            case "f":
                group.font = number or 0
            case "v":
                group.hidden = is_on
            case "deleted" | "mvf":
                group.deleted = is_on
            case "plain":
                group.hidden = group.deleted = group.struck = False
                group.font, group.height = -1, LEVEL
            case _:
                self._set_look(name, number)

    def _set_look(self, name: str, number: int | None) -> None:
        group, is_on = self._group, number != 0
        match name:
            case "super" | "up":
                group.height = RAISED if is_on else LEVEL
            case "sub" | "dn":
                group.height = LOWERED if is_on else LEVEL
            case "nosupersub":
                group.height = LEVEL
            case "strike" | "striked":
                group.struck = is_on
            case _:
                self._set_paragraph(name, number)

    def _set_paragraph(self, name: str, number: int | None) -> None:
        group = self._group
        match name:
            case "pard":
                group.in_table, group.style, group.outline, group.level = False, 0, None, 0
            case "intbl":
                group.in_table = number != 0
            case "s":
                group.style = number or 0
            case "outlinelevel":
                group.outline = number if number is not None and 0 <= number < BODY_TEXT else None
            case "ilvl":
                group.level = max(0, min(number or 0, 8))
            case _:
                self._set_document(name, number)

    def _set_document(self, name: str, number: int | None) -> None:
        match name:
            case "ftnalt":
                self._endnote = True
            case "ansicpg":
                self._encoding = code_page(number or 0) or self._encoding
            case "ansi" | "mac" | "pc" | "pca":
                self._encoding = DEFAULTS[name]
            case "deff":
                self._default_font = number or 0

    def _flush(self) -> None:
        """The bytes that came one after another are decoded together: a letter may take several."""
        if not self._bytes:
            return
        data, group = bytes(self._bytes), self._group
        self._bytes.clear()
        if group.skipped:
            self._name(data)
            return
        font = self._tables.fonts.get(group.font if group.font >= 0 else self._default_font, Font())
        self._say(font.decode(data, self._encoding))

    def _name(self, data: bytes) -> None:
        """Of a font or a style, or of the program that an object belongs to."""
        group = self._group
        if group.destination in TABLES:
            self._tables.text(group.destination, data, group.style)
        elif group.destination == "objclass" and self._left_out[-1:] == [_OBJECT]:
            self._left_out.pop()
            if not data.startswith(b"Equation"):
                program = data[:_LONGEST_NAME].decode("latin-1").strip()
                self._left_out.append(replace(_OBJECT, name=program))

    def _say(self, text: str) -> None:
        group = self._group
        if group.skipped or group.deleted:
            return
        if group.hidden:
            if text.strip() and not self._hidden_said:
                self._hidden_said = True
                self._left_out.append(LeftOut("hidden", "Hidden text"))
        elif group.destination in ("listtext", "pntext"):
            self._stories[-1].mark += text
        elif group.destination == "atnauthor":
            self._author = whole_characters(text).strip()
        else:
            self._stories[-1].say(text, Look(group.height, group.struck))

    def _end_picture(self) -> None:
        """In hexadecimal digits, or raw."""
        digits = _NO_DIGITS.sub(b"", self._hex)
        data = bytes(self._raw) or unhexlify(digits[: len(digits) // 2 * 2])
        self._met += 1
        part = str(self._met)
        self._stories[-1].afterwards(lambda flow: self._pictures.add(flow, "", part, lambda: data))

    def _end_story(self, story: Story, kind: str) -> None:
        text = story.end()
        parent = self._stories[-1]
        if kind in ("Header", "Footer"):
            if text:
                self._running.setdefault((kind, text))
        elif kind == "Footnote":
            kind = "Endnote" if self._endnote else kind
            self._endnote = False
            self._notes[kind] += bool(text)
            parent.later(f"{kind} {self._notes[kind]}", text)
        elif kind == "Comment":
            parent.later(f"Comment by {self._author}" if self._author else kind, text)
            self._author = ""
        else:
            parent.later("", text)

"""Markdown into what Qt can show: cut into sections that never change again, and styled documents.

Raw HTML is shown as text, pictures as their description, so nothing is ever loaded. Knows no widget.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFragment,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
    QTextTableFormat,
)

from app.theme import Theme

LONGEST_SECTION = 2500
FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
_FENCE = re.compile(r"^(`{3,}|~{3,})\s*([\w+#.-]*)")
_CONTINUES = re.compile(r"^(\s|[-*+>|]|\d+[.)]\s)")


@dataclass(frozen=True)
class Section:
    """A piece of Markdown that renders the same whatever follows it. `raw` is its source, `code` what a fence holds."""

    raw: str
    is_code: bool
    code: str = ""
    language: str = ""


def sections(markdown: str) -> list[Section]:
    """Cuts at code fences and, in long text, at blank lines outside lists and tables. The last one is still open."""
    found: list[Section] = []
    lines = markdown.splitlines(keepends=True)
    start = 0
    while start < len(lines):
        fence = _FENCE.match(lines[start])
        end = _fence_end(lines, start, fence.group(1)) if fence else _text_end(lines, start)
        raw = "".join(lines[start:end])
        if fence:
            found.append(Section(raw, True, _fence_body(lines[start:end], fence.group(1)), fence.group(2)))
        elif raw.strip():
            found.append(Section(raw, False))
        start = end
    return found


def fill(document: QTextDocument, markdown: str, theme: Theme) -> None:
    """Replaces the document's content by `markdown`, in the theme's type and colours, laid out once."""
    document.setDefaultFont(theme.font())
    document.setIndentWidth(theme.px(24))
    document.setMarkdown(markdown, FEATURES)
    whole = QTextCursor(document)
    whole.beginEditBlock()
    _describe_pictures(document)
    for block in _blocks(document):
        _style_block(block, theme)
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _style_table(frame, theme)
    _trim(document)
    whole.endEditBlock()


def _fence_end(lines: list[str], start: int, fence: str) -> int:
    for index in range(start + 1, len(lines)):
        if _closes(lines[index], fence):
            return index + 1
    return len(lines)


def _fence_body(lines: list[str], fence: str) -> str:
    closed = len(lines) > 1 and _closes(lines[-1], fence)
    return "".join(lines[1 : -1 if closed else None]).rstrip("\n")


def _closes(line: str, fence: str) -> bool:
    line = line.strip()
    return len(line) >= len(fence) and set(line) == {fence[0]}


def _text_end(lines: list[str], start: int) -> int:
    length = 0
    for index in range(start, len(lines)):
        line = lines[index]
        if index > start and _FENCE.match(line):
            return index
        if length > LONGEST_SECTION and not lines[index - 1].strip() and line.strip() and not _CONTINUES.match(line):
            return index
        length += len(line)
    return len(lines)


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _style_block(block: QTextBlock, theme: Theme) -> None:
    shape, level = block.blockFormat(), block.blockFormat().headingLevel()
    is_code = shape.hasProperty(QTextFormat.Property.BlockCodeFence) or shape.hasProperty(
        QTextFormat.Property.BlockCodeLanguage
    )
    inner = block.textList() is not None and block.next().textList() is not None
    shape.setLineHeight(theme.px(21 if level == 0 else 24), QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
    shape.setTopMargin(theme.px(12) if level else 0)
    shape.setBottomMargin(theme.px(2 if inner or is_code else 4 if level else 8))
    shape.setNonBreakableLines(False)
    cursor = QTextCursor(block)
    if shape.hasProperty(QTextFormat.Property.BlockQuoteLevel):
        shape.setLeftMargin(theme.px(16))
        _recolour(cursor, theme.colours.secondary)
    cursor.setBlockFormat(shape)
    _style_fragments(block, level, theme)


def _style_fragments(block: QTextBlock, level: int, theme: Theme) -> None:
    spans = [(each.position(), each.length(), each.charFormat()) for each in _fragments(block)]
    for position, length, shape in spans:
        if not level and not shape.fontFixedPitch():
            continue
        if level:
            _head(shape, level, theme)
        if shape.fontFixedPitch():
            shape.merge(_code(theme))
        cursor = QTextCursor(block)
        cursor.setPosition(position)
        cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
        cursor.setCharFormat(shape)


def _fragments(block: QTextBlock) -> Iterator[QTextFragment]:
    iterator = block.begin()
    while not iterator.atEnd():
        yield iterator.fragment()
        iterator += 1


def _head(shape: QTextCharFormat, level: int, theme: Theme) -> None:
    shape.clearProperty(QTextFormat.Property.FontSizeAdjustment)
    shape.setProperty(QTextFormat.Property.FontPixelSize, theme.px(16 if level <= 2 else 14))
    shape.setFontWeight(QFont.Weight.DemiBold)


def _code(theme: Theme) -> QTextCharFormat:
    shape = QTextCharFormat()
    shape.setFont(theme.code_font())
    shape.setBackground(QBrush(QColor(theme.colours.pane)))
    return shape


def _recolour(cursor: QTextCursor, colour: str) -> None:
    shape = QTextCharFormat()
    shape.setForeground(QBrush(QColor(colour)))
    _merge(cursor, shape)


def _merge(cursor: QTextCursor, shape: QTextCharFormat) -> None:
    cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
    cursor.mergeCharFormat(shape)


def _style_table(table: QTextTable, theme: Theme) -> None:
    shape = table.format()
    assert isinstance(shape, QTextTableFormat)
    line = QBrush(QColor(theme.colours.line))
    shape.setBorder(1)
    shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    shape.setBorderBrush(line)
    shape.setBorderCollapse(True)
    shape.setCellPadding(theme.px(6))
    shape.setCellSpacing(0)
    shape.setTopMargin(theme.px(12))
    shape.setBottomMargin(theme.px(4))
    shape.setWidth(QTextLength())
    table.setFormat(shape)
    for row in range(table.rows()):
        for column in range(table.columns()):
            _style_cell(table, row, column, theme)


def _style_cell(table: QTextTable, row: int, column: int, theme: Theme) -> None:
    cell = table.cellAt(row, column)
    cursor = cell.firstCursorPosition()
    shape = cursor.blockFormat()
    shape.setBottomMargin(0)
    cursor.setBlockFormat(shape)
    if row == 0:
        cell_shape = cell.format()
        cell_shape.setBackground(QBrush(QColor(theme.colours.pane)))
        cell.setFormat(cell_shape)


def _describe_pictures(document: QTextDocument) -> None:
    for position, description in _pictures(document):
        cursor = QTextCursor(document)
        cursor.setPosition(position)
        cursor.setPosition(position + 1, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(f"[{description}]", QTextCharFormat())


def _pictures(document: QTextDocument) -> list[tuple[int, str]]:
    """Where pictures stand, last first, so that replacing one moves none of those to come."""
    found = []
    for block in _blocks(document):
        for fragment in _fragments(block):
            shape = fragment.charFormat()
            if shape.isImageFormat():
                alt = shape.stringProperty(QTextFormat.Property.ImageAltText) or shape.toImageFormat().name()
                found += [(fragment.position() + offset, alt) for offset in range(fragment.length())]
    return found[::-1]


def _trim(document: QTextDocument) -> None:
    first, last = document.firstBlock(), document.lastBlock()
    _reshape(first, lambda shape: shape.setTopMargin(0))
    if last.textList() is None:
        _reshape(last, lambda shape: shape.setBottomMargin(0))
    if not last.text():
        _flatten(last)


def _flatten(block: QTextBlock) -> None:
    """Qt ends a document that ends with a table by an empty line, which nobody wrote."""
    cursor = QTextCursor(block)
    shape = QTextCharFormat()
    shape.setFontPointSize(1)
    cursor.setBlockCharFormat(shape)
    _reshape(block, lambda shape: shape.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value))


def _reshape(block: QTextBlock, change: Callable[[QTextBlockFormat], None]) -> None:
    shape = block.blockFormat()
    change(shape)
    QTextCursor(block).setBlockFormat(shape)

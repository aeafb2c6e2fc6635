"""Markdown cut into sections and shown without loading anything."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.markdown import LONGEST_SECTION, sections
from app.theme import Theme
from app.widgets.answer_text import AnswerText
from app.widgets.code_block import CodeBlock
from app.widgets.rich_text import RichText, open_link


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return Theme(qapp, "light")


def test_sections_lose_nothing() -> None:
    text = "One.\n\n```python\nx = 1\n```\n\nTwo.\n\n- a\n- b\n"
    assert "".join(section.raw for section in sections(text)).replace("\n", "") == text.replace("\n", "")


def test_a_fence_is_a_section_of_its_own() -> None:
    before, code, after = sections("Before.\n```python\nx = 1\n\ny = 2\n```\nAfter.\n")
    assert (before.is_code, code.is_code, after.is_code) == (False, True, False)
    assert (code.code, code.language) == ("x = 1\n\ny = 2", "python")


def test_an_open_fence_is_code_already() -> None:
    assert sections("```\nhalf of i")[-1].code == "half of i"


def test_a_fence_inside_a_longer_fence_is_text() -> None:
    (section,) = sections("````\n```\nx\n```\n````\n")
    assert section.code == "```\nx\n```"


def test_long_text_is_cut_at_blank_lines_but_not_inside_a_list() -> None:
    paragraph = "word " * (LONGEST_SECTION // 5 + 10) + "\n\n"
    first, second = sections(paragraph + "- item\n\n- item\n\nThe end of it.\n")
    assert first.raw.endswith("- item\n\n- item\n\n")
    assert second.raw == "The end of it.\n"


def test_html_is_shown_as_text(theme: Theme, qtbot: QtBot) -> None:
    view = RichText(theme)
    qtbot.addWidget(view)
    view.set_markdown("a <b>bold</b> <script>x</script>")
    assert "<b>bold</b>" in view.toPlainText()


def test_pictures_become_their_description(theme: Theme, qtbot: QtBot) -> None:
    view = RichText(theme)
    qtbot.addWidget(view)
    view.set_markdown("before ![a plan](file:///etc/passwd) after")
    assert "[a plan]" in view.toPlainText()
    block = view.document().firstBlock()
    iterator = block.begin()
    while not iterator.atEnd():
        assert not iterator.fragment().charFormat().isImageFormat()
        iterator += 1


def test_nothing_is_ever_loaded(theme: Theme, qtbot: QtBot) -> None:
    view = RichText(theme)
    qtbot.addWidget(view)
    assert view.loadResource(2, QUrl("file:///etc/passwd")) is None


def test_only_web_links_are_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    for link in ("https://example.org/a", "file:///etc/passwd", "javascript:alert(1)", "mailto:a@example.org"):
        open_link(QUrl(link))
    assert opened == ["https://example.org/a"]


def test_headings_are_no_larger_than_the_design_says(theme: Theme, qtbot: QtBot) -> None:
    view = RichText(theme)
    qtbot.addWidget(view)
    view.set_markdown("# Title\n\ntext")
    shape = view.document().firstBlock().begin().fragment().charFormat()
    assert shape.font().pixelSize() == 16


def test_a_streamed_answer_equals_one_set_at_once(theme: Theme, qtbot: QtBot) -> None:
    text = "One **two**.\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end.\n" * 30
    streamed, whole = AnswerText(theme), AnswerText(theme)
    for widget in (streamed, whole):
        qtbot.addWidget(widget)
        widget.resize(600, 400)
    for start in range(0, len(text), 7):
        streamed.add(text[start : start + 7])
        if start % 70 == 0:
            streamed._render()
    streamed.set_text(text)
    whole.set_text(text)
    assert shown(streamed) == shown(whole)
    assert streamed.text() == text


def shown(answer: AnswerText) -> list[str]:
    column = answer.layout()
    widgets = [column.itemAt(place).widget() for place in range(column.count())]
    return [w.code() if isinstance(w, CodeBlock) else w.toPlainText().strip() for w in widgets]

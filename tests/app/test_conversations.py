"""What the person does with conversations: new, open, search, rename, pin, delete, take back, go to."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.widgets.switcher import Switcher
from app.window import Window
from tests.app.conftest import WAIT_MS
from tests.app.window_rig import requests


@pytest.fixture
def three(window: Window, qtbot: QtBot) -> Window:
    """A window with three conversations, the newest first."""
    for title in ("Lease", "Annual report", "Letters"):
        window.client.call("conversation_create", {"title": title})
    window.library.refresh()
    qtbot.waitUntil(lambda: len(window.library.conversations) == 3, timeout=WAIT_MS)
    return window


def titles(window: Window) -> list[str]:
    return [conversation.title for conversation in window.library.conversations]


def open_by_title(window: Window, qtbot: QtBot, title: str) -> str:
    (found,) = [c for c in window.library.conversations if c.title == title]
    window.open_conversation(found.id)
    qtbot.waitUntil(lambda: window.session.now.id == found.id, timeout=WAIT_MS)
    return found.id


def test_a_click_opens(three: Window, qtbot: QtBot) -> None:
    place = three.list.view.visualRect(three.list.rows.index(1)).center()
    qtbot.mouseClick(three.list.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: three.page.title.text() == titles(three)[1], timeout=WAIT_MS)
    assert titles(three)[1] in three.windowTitle()


def test_new_is_empty_and_makes_nothing_until_something_is_put_in(three: Window, qtbot: QtBot, tmp_path: Path) -> None:
    open_by_title(three, qtbot, "Lease")
    before = len(requests(tmp_path, "conversation_create"))
    three.new_conversation()
    assert three.session.now.id is None
    assert three.page.empty.isVisible()
    assert len(requests(tmp_path, "conversation_create")) == before


def test_search_narrows_the_list(three: Window, qtbot: QtBot) -> None:
    qtbot.keyClicks(three.list.search, "annual")
    qtbot.waitUntil(lambda: titles(three) == ["Annual report"], timeout=WAIT_MS)
    three.list.search.clear()
    qtbot.waitUntil(lambda: len(titles(three)) == 3, timeout=WAIT_MS)


def test_a_search_without_a_hit_says_so(three: Window, qtbot: QtBot) -> None:
    qtbot.keyClicks(three.list.search, "zzz")
    qtbot.waitUntil(three.list.nothing.isVisible, timeout=WAIT_MS)
    assert three.list.nothing.text() == "Nothing found."


def test_rename_in_place(three: Window, qtbot: QtBot) -> None:
    open_by_title(three, qtbot, "Lease")
    three.rename()
    editor = three.list.view.findChild(QLineEdit)
    editor.setText("Flat in Vienna")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "Flat in Vienna" in titles(three), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: three.page.title.text() == "Flat in Vienna", timeout=WAIT_MS)


def test_an_empty_title_changes_nothing(three: Window, qtbot: QtBot, tmp_path: Path) -> None:
    three.library.rename("c1", "  ")
    assert requests(tmp_path, "conversation_rename") == []


def test_pin_holds_at_the_top(three: Window, qtbot: QtBot) -> None:
    open_by_title(three, qtbot, "Lease")
    three.list.pin_current()
    qtbot.waitUntil(lambda: titles(three)[0] == "Lease", timeout=WAIT_MS)
    assert three.library.conversations[0].pinned
    three.list.pin_current()
    qtbot.waitUntil(lambda: titles(three)[0] != "Lease", timeout=WAIT_MS)


def test_delete_can_be_taken_back(three: Window, qtbot: QtBot) -> None:
    open_by_title(three, qtbot, "Lease")
    qtbot.keyClick(three.list.view, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: "Lease" not in titles(three), timeout=WAIT_MS)
    assert three.session.now.id is None
    assert three.notice.text() == "Deleted \u201cLease\u201d."
    qtbot.mouseClick(three.notice.action, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Lease" in titles(three), timeout=WAIT_MS)
    assert not three.notice.isVisible()


def test_the_menu_offers_what_the_keys_do(three: Window, qtbot: QtBot) -> None:
    open_by_title(three, qtbot, "Lease")
    conversation = three.list.marked()
    assert conversation is not None
    words = [action.text().split("\t")[0] for action in three.list.menu(conversation).actions() if action.text()]
    assert words == ["Rename", "Pin", "Delete"]


def test_go_to_a_conversation_by_a_piece_of_its_title(three: Window, qtbot: QtBot) -> None:
    three.switch_conversation()
    switcher = three.findChild(Switcher)
    qtbot.keyClicks(switcher.input, "lett")
    qtbot.keyClick(switcher.input, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: three.page.title.text() == "Letters", timeout=WAIT_MS)


def test_the_switcher_moves_by_arrows(three: Window, qtbot: QtBot) -> None:
    three.switch_conversation()
    switcher = three.findChild(Switcher)
    qtbot.keyClick(switcher.input, Qt.Key.Key_Down)
    qtbot.keyClick(switcher.input, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: three.page.title.text() == titles(three)[1], timeout=WAIT_MS)

"""The window itself: keys, panes, start, settings, theme and leaving."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QLineEdit, QPlainTextEdit, QSlider, QTextEdit
from pytestqt.qtbot import QtBot

from app.shortcuts import SHORTCUTS
from app.theme import DARK, LIGHT
from app.widgets.settings_dialog import SettingsDialog
from app.widgets.shortcuts_dialog import ShortcutsDialog
from app.window import Window
from tests.app.conftest import WAIT_MS, MakeWindow
from tests.app.window_rig import requests


def settings_dialog(window: Window, qtbot: QtBot) -> SettingsDialog:
    window.show_settings()
    dialog = window.findChild(SettingsDialog)
    qtbot.waitUntil(lambda: dialog.budget.plan is not None, timeout=WAIT_MS)
    return dialog


def test_every_key_of_the_table_is_an_action(window: Window) -> None:
    keys = {action.shortcut().toString() for action in window.actions()}
    assert {QKeySequence(s.keys).toString() for s in SHORTCUTS if s.action} == keys


def test_no_two_actions_share_a_key() -> None:
    keys = [QKeySequence(shortcut.keys).toString() for shortcut in SHORTCUTS]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("key", "modifier", "effect"),
    [
        (Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier, lambda w: w.list.search.hasFocus()),
        (Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier, lambda w: not w.list.isVisible()),
        (Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier, lambda w: not w.documents.isVisible()),
        (Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier, lambda w: w.findChild(QFileDialog) is not None),
        (Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier, lambda w: w.findChild(SettingsDialog) is not None),
        (Qt.Key.Key_F1, Qt.KeyboardModifier.NoModifier, lambda w: w.findChild(ShortcutsDialog) is not None),
        (Qt.Key.Key_Minus, Qt.KeyboardModifier.ControlModifier, lambda w: w.theme.scale == 90),
    ],
)
def test_a_key_does_what_the_table_says(window: Window, qtbot: QtBot, key, modifier, effect) -> None:
    window.activateWindow()
    qtbot.waitActive(window)
    qtbot.keyClick(window, key, modifier)
    qtbot.waitUntil(lambda: effect(window), timeout=WAIT_MS)


def test_every_control_has_a_name_for_screen_readers(window: Window) -> None:
    controls = (QAbstractButton, QLineEdit, QPlainTextEdit, QTextEdit, QSlider)
    found = [child for kind in controls for child in window.findChildren(kind)]
    ours = [child for child in found if not isinstance(child.parent(), QLineEdit)]
    unnamed = [child for child in ours if not (child.accessibleName() or getattr(child, "text", str)())]
    assert [type(child).__name__ for child in unnamed if child.isVisibleTo(window)] == []


def test_reopened_the_window_shows_the_last_conversation_and_warms_it(
    open_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window = open_window()
    window.session.ask("When does the lease end?")
    qtbot.waitUntil(lambda: not window.session.asking, timeout=WAIT_MS)
    window.panes.toggle_left()
    window = open_window()
    qtbot.waitUntil(lambda: len(window.session.now.path) == 2, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bool(requests(tmp_path, "warm")), timeout=WAIT_MS)
    assert window.page.title.text() == "When does the lease end?"
    assert not window.panes.left_shown()


def test_a_last_conversation_that_is_gone_leaves_an_empty_window(open_window: MakeWindow, qtbot: QtBot) -> None:
    window = open_window()
    window.settings.set("window/conversation", "c99")
    window = open_window()
    qtbot.waitUntil(window.notice.isVisible, timeout=WAIT_MS)
    assert window.page.empty.isVisible()


def test_a_narrow_window_folds_the_documents_to_a_button(window: Window, qtbot: QtBot) -> None:
    window.resize(1280, 800)
    assert window.documents.isVisible()
    window.resize(900, 600)
    qtbot.waitUntil(lambda: not window.documents.isVisible(), timeout=WAIT_MS)
    qtbot.mouseClick(window.page.documents_button, Qt.MouseButton.LeftButton)
    assert window.documents.isVisible()
    assert window.documents.geometry().right() == window.panes.rect().right()
    window.escape()
    assert not window.documents.isVisible()
    window.resize(1280, 800)
    qtbot.waitUntil(window.documents.isVisible, timeout=WAIT_MS)


def test_the_window_never_gets_smaller_than_the_design(window: Window) -> None:
    window.resize(300, 200)
    assert (window.width(), window.height()) == (900, 600)


def test_the_slider_shows_what_a_budget_buys(window: Window, qtbot: QtBot) -> None:
    dialog = settings_dialog(window, qtbot)
    dialog.budget.slider.setValue(2048)
    qtbot.waitUntil(lambda: dialog.budget.plan.budget_mb == 2048, timeout=WAIT_MS)
    assert dialog.budget.facts() == ("14,336", "1.8 GB", "98 MB")
    assert dialog.save_button.isEnabled()


def test_a_budget_that_cannot_hold_the_model_is_refused(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    dialog = settings_dialog(window, qtbot)
    dialog.budget.slider.setValue(dialog.budget.slider.minimum())
    qtbot.waitUntil(lambda: not dialog.budget.plan.ok, timeout=WAIT_MS)
    assert dialog.budget.sentence.text() == "The model alone needs 320 MB. Choose at least that."
    assert not dialog.save_button.isEnabled()
    assert requests(tmp_path, "settings_set") == []


def test_nothing_can_be_saved_until_the_engine_has_said_what_it_buys(window: Window, qtbot: QtBot) -> None:
    dialog = settings_dialog(window, qtbot)
    dialog.budget.slider.setValue(900)
    assert not dialog.save_button.isEnabled()
    qtbot.waitUntil(dialog.save_button.isEnabled, timeout=WAIT_MS)


def test_saving_sends_the_budget(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    dialog = settings_dialog(window, qtbot)
    dialog.budget.slider.setValue(2048)
    qtbot.waitUntil(dialog.save_button.isEnabled, timeout=WAIT_MS)
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dialog.isVisible(), timeout=WAIT_MS)
    assert requests(tmp_path, "settings_set") == [{"changes": {"budget_mb": 2048}}]


def test_another_engine_command_starts_another_engine(window: Window, qtbot: QtBot) -> None:
    dialog = settings_dialog(window, qtbot)
    dialog.command.setText("false")
    with qtbot.waitSignal(window.client.gave_up, timeout=WAIT_MS):
        qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    assert window.settings.engine_command() == ["false"]


def test_the_theme_changes_while_the_window_is_open(window: Window, qtbot: QtBot) -> None:
    dialog = settings_dialog(window, qtbot)
    light = window.page.grab().toImage().pixelColor(5, 400)
    assert light.name().upper() == LIGHT.page
    dark_button = next(button for button in dialog.modes.buttons() if button.text() == "Dark")
    qtbot.mouseClick(dark_button, Qt.MouseButton.LeftButton)
    dark = window.page.grab().toImage().pixelColor(5, 400)
    assert dark.name().upper() == DARK.page
    assert window.settings.text("appearance/theme") == "dark"


def test_an_engine_that_cannot_be_kept_running_is_said_calmly(window: Window, qtbot: QtBot) -> None:
    command = window.settings.engine_command()
    with qtbot.waitSignal(window.client.gave_up, timeout=WAIT_MS):
        window.client.restart_with(["false"])
    assert window.page.notice.isVisible()
    assert window.client.log in window.page.notice.text()
    assert command
    window.client.process.set_command([sys.executable, "-c", "import time; time.sleep(9)"])
    qtbot.mouseClick(window.page.notice.again_button, Qt.MouseButton.LeftButton)
    assert not window.page.notice.isVisible()


@pytest.mark.parametrize("busy", ["answering", "reading"])
def test_leaving_in_the_middle_is_quick_and_ends_the_engine(
    open_window: MakeWindow, qtbot: QtBot, tmp_path: Path, busy: str
) -> None:
    window = open_window("--rate", "20", "--tokens", "1000", "--page-seconds", "0.05", "--pages", "500")
    file = tmp_path / "lease.pdf"
    file.write_text("text")
    if busy == "answering":
        window.session.ask("A long story")
    else:
        window.add_paths([str(file)])
    qtbot.waitUntil(lambda: bool(requests(tmp_path, "ask") or requests(tmp_path, "documents_add")), timeout=WAIT_MS)
    began = time.monotonic()
    window.close()
    assert time.monotonic() - began < 1.0
    assert not window.client.process.running
    assert requests(tmp_path, "cancel")


def test_nothing_heavy_is_imported_to_show_the_window() -> None:
    heavy = ["torch", "llama_cpp", "pymupdf", "sqlite3", "sqlite_utils", "numpy", "transformers", "engine.server"]
    code = f"import sys, app.main; print([m for m in {heavy!r} if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"

"""Questions and answers: sent, streamed, stopped, asked again, edited, refused, and cut off by a dying engine."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.widgets.buttons import IconButton
from app.widgets.conversation_view import SHOWN_AT_ONCE
from app.widgets.document_dialog import DocumentDialog
from app.widgets.message_view import AnswerView, QuestionView
from app.widgets.report_dialog import ReportDialog
from app.window import Window
from tests.app.conftest import WAIT_MS, MakeWindow
from tests.app.fake_engine import ANSWER
from tests.app.window_rig import requests


def ask(window: Window, qtbot: QtBot, text: str) -> None:
    """Types a question, sends it and waits for the whole answer."""
    qtbot.keyClicks(window.page.composer.input, text)
    qtbot.keyClick(window.page.composer.input, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not window.session.asking, timeout=WAIT_MS)


def answers(window: Window) -> list[AnswerView]:
    return [view for _, view in window.page.view.messages if isinstance(view, AnswerView)]


def button(parent: AnswerView | QuestionView, name: str) -> IconButton:
    (found,) = [each for each in parent.findChildren(IconButton) if each.accessibleName() == name]
    return found


def test_a_question_is_sent_and_its_answer_streams(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    pieces: list[str] = []
    window.session.token.connect(lambda _, text: pieces.append(text))
    ask(window, qtbot, "When does the lease end?")
    (sent,) = requests(tmp_path, "ask")
    assert (sent["text"], sent["parent"]) == ("When does the lease end?", None)
    assert "".join(pieces) == ANSWER
    assert answers(window)[0].text() == ANSWER
    assert window.page.composer.input.toPlainText() == ""


def test_the_question_is_on_screen_before_the_engine_has_it(window: Window, qtbot: QtBot) -> None:
    window.session.ask("Still on its way")
    assert window.page.view.isVisible()
    assert window.page.view.findChildren(QuestionView)


def test_shift_enter_begins_a_line(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    qtbot.keyClicks(window.page.composer.input, "one")
    qtbot.keyClick(window.page.composer.input, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    two_lines = window.page.composer.input.height()
    ask(window, qtbot, "two")
    assert requests(tmp_path, "ask")[0]["text"] == "one\ntwo"
    assert window.page.composer.input.height() < two_lines


def test_nothing_is_sent_when_nothing_is_written(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    assert not window.page.composer.send_button.isEnabled()
    qtbot.keyClicks(window.page.composer.input, "  ")
    qtbot.keyClick(window.page.composer.input, Qt.Key.Key_Return)
    assert not window.session.asking


def test_stop_cancels_the_call_and_keeps_what_is_written(open_window: MakeWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window("--rate", "100", "--tokens", "2000")
    window.session.ask("A long story")
    qtbot.waitUntil(lambda: bool(answers(window)) and len(answers(window)[0].text()) > 20, timeout=WAIT_MS)
    assert window.page.composer.send_button.accessibleName() == "Stop"
    qtbot.mouseClick(window.page.composer.send_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.session.asking, timeout=WAIT_MS)
    assert len(requests(tmp_path, "cancel")) == 1
    assert window.session.now.path[-1].state == "stopped"
    assert ANSWER.startswith(answers(window)[0].text()[:20])
    assert window.page.composer.send_button.accessibleName() == "Send"


def test_escape_stops(open_window: MakeWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window("--rate", "100", "--tokens", "2000")
    window.session.ask("A long story")
    qtbot.waitUntil(lambda: bool(answers(window)), timeout=WAIT_MS)
    window.escape()
    qtbot.waitUntil(lambda: not window.session.asking, timeout=WAIT_MS)
    assert len(requests(tmp_path, "cancel")) == 1


def test_the_next_question_follows_the_last_answer(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    ask(window, qtbot, "First")
    last = window.session.now.leaf
    ask(window, qtbot, "Second")
    assert requests(tmp_path, "ask")[1]["parent"] == last
    assert len(answers(window)) == 2


def test_copy_takes_the_markdown(window: Window, qtbot: QtBot) -> None:
    ask(window, qtbot, "First")
    qtbot.mouseClick(button(answers(window)[0], "Copy answer"), Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == ANSWER


def test_again_asks_the_same_from_the_same_place(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    ask(window, qtbot, "First")
    qtbot.mouseClick(button(answers(window)[0], "Answer again"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(requests(tmp_path, "ask")) == 2 and not window.session.asking, timeout=WAIT_MS)
    first, second = requests(tmp_path, "ask")
    assert (first["text"], first["parent"]) == (second["text"], second["parent"])
    assert len(answers(window)) == 1


def test_an_edit_makes_a_branch_and_both_can_be_seen(window: Window, qtbot: QtBot) -> None:
    ask(window, qtbot, "First")
    qtbot.mouseClick(button(answers(window)[0], "Edit the question"), Qt.MouseButton.LeftButton)
    assert window.page.composer.input.toPlainText() == "First"
    ask(window, qtbot, " thought of otherwise")
    assert [m.text for m in window.session.now.path if m.role == "user"] == ["First thought of otherwise"]
    question = window.page.view.messages[0][1]
    assert isinstance(question, QuestionView)
    qtbot.mouseClick(button(question, "Earlier version of this question"), Qt.MouseButton.LeftButton)
    assert [m.text for m in window.session.now.path if m.role == "user"] == ["First"]


def test_up_in_an_empty_composer_edits_the_last_question(window: Window, qtbot: QtBot) -> None:
    ask(window, qtbot, "First")
    qtbot.keyClick(window.page.composer.input, Qt.Key.Key_Up)
    assert window.page.composer.input.toPlainText() == "First"
    assert window.session.now.editing is not None
    window.escape()
    assert window.page.composer.input.toPlainText() == ""
    assert window.session.now.editing is None


def test_go_on_from_an_earlier_answer(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    ask(window, qtbot, "First")
    first = window.session.now.leaf
    ask(window, qtbot, "Second")
    qtbot.mouseClick(button(answers(window)[0], "Go on from here"), Qt.MouseButton.LeftButton)
    assert len(window.session.now.path) == 2
    ask(window, qtbot, "Third")
    assert requests(tmp_path, "ask")[2]["parent"] == first


def test_a_refused_question_says_why_in_its_place_and_comes_back(window: Window, qtbot: QtBot) -> None:
    ask(window, qtbot, "refuse this")
    assert window.page.refusal.isVisible()
    assert window.page.refusal.text().startswith("The question is longer")
    assert window.page.composer.input.toPlainText() == "refuse this"


def test_a_fault_of_ours_is_a_report(window: Window, qtbot: QtBot) -> None:
    ask(window, qtbot, "fault, please")
    report = window.findChild(ReportDialog)
    assert "a fault in the fake engine" in report.text.toPlainText()
    assert "Traceback" in report.text.toPlainText()


def test_an_engine_that_dies_in_mid_answer_loses_nothing(window: Window, qtbot: QtBot) -> None:
    ask(window, qtbot, "First")
    with qtbot.waitSignal(window.client.restarting, timeout=WAIT_MS):
        window.session.ask("die now")
    qtbot.waitUntil(lambda: [m.text for m in window.session.now.path][2:3] == ["die now"], timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.session.now.path[-1].state == "stopped", timeout=WAIT_MS)
    ask(window, qtbot, "Are you there?")
    assert answers(window)[-1].text() == ANSWER


def test_a_question_the_engine_never_took_comes_back(open_window: MakeWindow, qtbot: QtBot) -> None:
    window = open_window()
    window.client.restart_with(["false"])
    window.session.ask("Is anybody there?")
    qtbot.waitUntil(lambda: not window.session.asking, timeout=WAIT_MS)
    assert window.page.composer.input.toPlainText() == "Is anybody there?"
    assert window.page.notice.isVisible()


def test_a_citation_opens_the_document_at_its_page(window: Window, qtbot: QtBot, document) -> None:
    window.add_paths([document("lease.pdf")])
    ask(window, qtbot, "When does it end?")
    (chip,) = [b for b in answers(window)[0].findChildren(QPushButton) if "lease.pdf, p. 12" in b.text()]
    qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
    dialog = window.findChild(DocumentDialog)
    qtbot.waitUntil(lambda: dialog.page_shown() == 12, timeout=WAIT_MS)
    assert dialog.text().startswith("[lease.pdf, page 12]\nSection 12.")


def test_streaming_leaves_the_view_where_the_person_scrolled(open_window: MakeWindow, qtbot: QtBot) -> None:
    window = open_window("--rate", "400", "--tokens", "600")
    ask(window, qtbot, "First")
    window.session.ask("Second")
    bar = window.page.view.verticalScrollBar()
    qtbot.waitUntil(lambda: len(answers(window)) == 2, timeout=WAIT_MS)
    bar.setValue(10)
    before = bar.maximum()
    qtbot.waitUntil(lambda: not window.session.asking, timeout=WAIT_MS)
    assert bar.maximum() > before
    assert bar.value() == 10


def test_the_view_follows_while_it_is_at_the_end(open_window: MakeWindow, qtbot: QtBot) -> None:
    window = open_window("--rate", "2000", "--tokens", "600")
    ask(window, qtbot, "First")
    bar = window.page.view.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum(), timeout=WAIT_MS)


def test_a_long_conversation_shows_its_end_and_then_what_came_before(open_window: MakeWindow, qtbot: QtBot) -> None:
    window = open_window("--rate", "50000", "--tokens", "3")
    for number in range(SHOWN_AT_ONCE // 2 + 5):
        ask(window, qtbot, f"Q{number}")
    id = window.session.now.id
    assert id is not None
    window.session.open(id)
    view = window.page.view
    qtbot.waitUntil(lambda: len(view.messages) == SHOWN_AT_ONCE, timeout=WAIT_MS)
    qtbot.mouseClick(view.earlier, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(view.messages) == SHOWN_AT_ONCE + 10, timeout=WAIT_MS)
    assert not view.earlier.isVisible()


def test_an_answer_that_goes_on_while_another_conversation_is_open_is_whole(
    open_window: MakeWindow, qtbot: QtBot
) -> None:
    window = open_window("--rate", "300")
    window.session.ask("First")
    qtbot.waitUntil(lambda: bool(answers(window)), timeout=WAIT_MS)
    id = window.session.now.id
    assert id is not None
    window.new_conversation()
    assert not window.session.asking
    window.open_conversation(id)
    qtbot.waitUntil(lambda: window.session.now.id == id, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not window.session.asking, timeout=WAIT_MS)
    assert answers(window)[0].text() == ANSWER

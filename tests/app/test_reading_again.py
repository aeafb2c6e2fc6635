"""Reading the documents again for one question: its cost first, then a second answer beside the earlier one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from app.widgets.buttons import IconButton
from app.widgets.message_view import AnswerView
from app.widgets.reread_offer import RereadOffer
from app.window import Window
from tests.app.conftest import WAIT_MS, MakeWindow
from tests.app.fake_engine import ANSWER
from tests.app.window_rig import requests

READ_AGAIN = "Read again for this question"
COST = (
    "Reads 1 document (8,000 tokens) again with this question in view: about 50 s. What was read before stays as it is."
)
SLOW = ("--page-seconds", "0.05", "--pages", "200")
MakeDocument = Callable[..., str]


def answered(window: Window, qtbot: QtBot, path: str, question: str = "When does the lease end?") -> AnswerView:
    """Has a document read and a question answered; returns the answer."""
    window.add_paths([path])
    qtbot.waitUntil(lambda: bool(window.session.now.documents) and not window.session.reading, timeout=WAIT_MS)
    return asked(window, qtbot, question)


def asked(window: Window, qtbot: QtBot, question: str) -> AnswerView:
    window.session.ask(question)
    qtbot.waitUntil(lambda: not window.session.asking, timeout=WAIT_MS)
    return last_answer(window)


def last_answer(window: Window) -> AnswerView:
    return [view for _, view in window.page.view.messages if isinstance(view, AnswerView)][-1]


def button(view: AnswerView, name: str) -> IconButton:
    (found,) = [each for each in view.findChildren(IconButton) if each.accessibleName() == name]
    return found


def offered(window: Window, qtbot: QtBot, view: AnswerView) -> RereadOffer:
    """Presses the button of an answer and waits for what comes of it."""
    qtbot.mouseClick(button(view, READ_AGAIN), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: view.offer is not None, timeout=WAIT_MS)
    assert view.offer is not None
    return view.offer


def read_again(window: Window, qtbot: QtBot, view: AnswerView) -> None:
    """Reads again and waits until the new answer has taken the earlier one's place."""
    start = offered(window, qtbot, view).start_button
    qtbot.mouseClick(start, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.session.now.leaf != view.id, timeout=WAIT_MS)


def finish(window: Window, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.session.asking, timeout=WAIT_MS)


def test_what_it_takes_is_said_before_anything_starts(
    window: Window, qtbot: QtBot, document: MakeDocument, tmp_path: Path
) -> None:
    view = answered(window, qtbot, document("lease.pdf"))
    offer = offered(window, qtbot, view)
    assert offer.text() == COST
    assert requests(tmp_path, "reread_cost") == [{"conversation": window.session.now.id, "message": view.id}]
    assert requests(tmp_path, "reread") == []
    assert not window.session.asking


@pytest.mark.parametrize("way", ["button", "escape"])
def test_cancel_starts_nothing_and_gives_the_focus_back(
    window: Window, qtbot: QtBot, document: MakeDocument, tmp_path: Path, way: str
) -> None:
    view = answered(window, qtbot, document("lease.pdf"))
    offer = offered(window, qtbot, view)
    if way == "button":
        qtbot.mouseClick(offer.leave_button, Qt.MouseButton.LeftButton)
    else:
        window.escape()
    assert view.offer is None
    assert view.focusWidget() is button(view, READ_AGAIN)
    window.session.ask("And then?")
    finish(window, qtbot)
    assert requests(tmp_path, "reread") == []


def test_a_time_that_is_not_known_is_left_out(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    view = answered(window, qtbot, document("lease.pdf"), "At an unknown rate?")
    assert "in view; the time is not known yet. What" in offered(window, qtbot, view).text()


def test_a_second_answer_stands_beside_the_first(
    window: Window, qtbot: QtBot, document: MakeDocument, tmp_path: Path
) -> None:
    first = answered(window, qtbot, document("lease.pdf"))
    read_again(window, qtbot, first)
    finish(window, qtbot)
    assert requests(tmp_path, "reread") == [{"conversation": window.session.now.id, "message": first.id}]
    second = last_answer(window)
    assert (second.text(), second.footer()) == (ANSWER, "Read again for this question.")
    assert second.branches.text() == "2 of 2"
    qtbot.mouseClick(button(second, "Earlier answer"), Qt.MouseButton.LeftButton)
    earlier = last_answer(window)
    assert (earlier.id, earlier.branches.text()) == (first.id, "1 of 2")
    assert "Read again" not in earlier.footer()
    qtbot.mouseClick(button(earlier, "Later answer"), Qt.MouseButton.LeftButton)
    assert last_answer(window).id == second.id


def test_a_single_answer_has_no_arrows(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    assert not answered(window, qtbot, document("lease.pdf")).branches.isVisible()


def test_both_answers_are_there_after_a_restart(open_window: MakeWindow, qtbot: QtBot, document: MakeDocument) -> None:
    window = open_window()
    read_again(window, qtbot, answered(window, qtbot, document("lease.pdf")))
    finish(window, qtbot)
    window = open_window()
    qtbot.waitUntil(lambda: len(window.page.view.messages) == 2, timeout=WAIT_MS)
    assert last_answer(window).branches.text() == "2 of 2"


def test_while_it_runs_the_answer_says_where_and_the_cards_stay(
    open_window: MakeWindow, qtbot: QtBot, document: MakeDocument
) -> None:
    window = open_window("--page-seconds", "0.02", "--pages", "41")
    said: list[str] = []
    first = answered(window, qtbot, document("lease.pdf"))
    (card,) = window.documents.cards.values()
    window.session.status_changed.connect(said.append)
    memory, before = window.session.now.memory, card.accessibleName()
    changed: list[object] = []
    window.session.document_changed.connect(changed.append)
    read_again(window, qtbot, first)
    qtbot.waitUntil(lambda: last_answer(window).status().startswith("Reading again for this question: page"))
    assert (card.accessibleName(), window.session.now.memory) == (before, memory)
    finish(window, qtbot)
    assert "Reading again for this question: page 5 of 41, a few seconds left" in said
    assert changed == []
    assert card.accessibleName() == before


def test_stop_ends_it_and_the_earlier_answer_is_there(
    open_window: MakeWindow, qtbot: QtBot, document: MakeDocument, tmp_path: Path
) -> None:
    window = open_window(*SLOW)
    file = document("lease.pdf")
    Path(file).write_text("20")
    first = answered(window, qtbot, file)
    read_again(window, qtbot, first)
    qtbot.waitUntil(lambda: bool(last_answer(window).status()), timeout=WAIT_MS)
    assert window.page.composer.send_button.accessibleName() == "Stop"
    qtbot.mouseClick(window.page.composer.send_button, Qt.MouseButton.LeftButton)
    finish(window, qtbot)
    assert len(requests(tmp_path, "cancel")) == 1
    stopped = last_answer(window)
    assert (window.session.now.path[-1].state, stopped.status(), stopped.footer()) == ("stopped", "Stopped here.", "")
    qtbot.mouseClick(button(stopped, "Earlier answer"), Qt.MouseButton.LeftButton)
    assert last_answer(window).text() == ANSWER


def test_stopped_before_it_began_the_earlier_answer_stays(
    open_window: MakeWindow, qtbot: QtBot, document: MakeDocument
) -> None:
    window = open_window("--load-seconds", "0.3")
    first = answered(window, qtbot, document("lease.pdf"))
    offer = offered(window, qtbot, first)
    qtbot.mouseClick(offer.start_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: offer.text() == "Loading the model", timeout=WAIT_MS)
    assert not offer.start_button.isVisible()
    assert window.focusWidget() is window.page.composer.input
    window.escape()
    finish(window, qtbot)
    assert last_answer(window) is first
    assert first.offer is None
    assert len(window.session.now.path) == 2


@pytest.mark.parametrize(
    ("question", "sentence"),
    [("Is it whole?", "The documents are in memory whole."), ("Is it too long?", "The documents are too long")],
)
def test_a_refusal_is_said_under_the_answer(
    window: Window, qtbot: QtBot, document: MakeDocument, question: str, sentence: str
) -> None:
    view = answered(window, qtbot, document("lease.pdf"), question)
    offer = offered(window, qtbot, view)
    if offer.start_button.isVisible():
        qtbot.mouseClick(offer.start_button, Qt.MouseButton.LeftButton)
        finish(window, qtbot)
    assert view.offer is not None
    assert view.offer.text().startswith(sentence)
    assert not view.offer.start_button.isVisible()
    assert not window.page.refusal.isVisible()
    qtbot.mouseClick(view.offer.leave_button, Qt.MouseButton.LeftButton)
    assert view.offer is None


def test_without_documents_there_is_no_such_button(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    view = asked(window, qtbot, "Is anybody there?")
    assert not button(view, READ_AGAIN).isVisible()


def test_while_an_answer_is_written_nothing_is_read_again(
    open_window: MakeWindow, qtbot: QtBot, document: MakeDocument, tmp_path: Path
) -> None:
    window = open_window("--rate", "300")
    first = answered(window, qtbot, document("lease.pdf"))
    window.session.ask("And then?")
    assert offered(window, qtbot, first).text().startswith("An answer is on its way.")
    finish(window, qtbot)
    assert requests(tmp_path, "reread_cost") == []


def test_a_question_closes_the_offer(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    view = answered(window, qtbot, document("lease.pdf"))
    offered(window, qtbot, view)
    window.session.ask("And then?")
    assert view.offer is None
    finish(window, qtbot)


def test_while_documents_are_read_it_waits_for_them_as_a_question_does(
    open_window: MakeWindow, qtbot: QtBot, document: MakeDocument
) -> None:
    window = open_window("--page-seconds", "0.02")
    view = answered(window, qtbot, document("lease.pdf"))
    window.add_paths([document("rules.pdf")])
    offer = offered(window, qtbot, view)
    qtbot.mouseClick(offer.start_button, Qt.MouseButton.LeftButton)
    assert offer.text() == "The answer follows once the documents are read."
    finish(window, qtbot)
    assert last_answer(window).footer() == "Read again for this question."


def test_an_earlier_answer_is_read_again_on_a_branch_of_its_own(
    window: Window, qtbot: QtBot, document: MakeDocument
) -> None:
    first = answered(window, qtbot, document("lease.pdf"))
    asked(window, qtbot, "And then?")
    read_again(window, qtbot, first)
    finish(window, qtbot)
    assert [message.role for message in window.session.now.path] == ["user", "assistant"]
    qtbot.mouseClick(button(last_answer(window), "Earlier answer"), Qt.MouseButton.LeftButton)
    assert [message.text for message in window.session.now.path][2] == "And then?"


def test_another_branch_on_screen_stays_on_screen(
    open_window: MakeWindow, qtbot: QtBot, document: MakeDocument
) -> None:
    window = open_window("--load-seconds", "0.3")
    first = answered(window, qtbot, document("lease.pdf"))
    window.session.again(first.id)
    finish(window, qtbot)
    second = last_answer(window)
    offer = offered(window, qtbot, second)
    qtbot.mouseClick(offer.start_button, Qt.MouseButton.LeftButton)
    question = window.session.now.path[0].id
    window.session.show_sibling(question, -1)
    finish(window, qtbot)
    assert window.session.now.leaf == first.id
    window.session.show_sibling(window.session.now.path[0].id, 1)
    assert last_answer(window).branches.text() == "2 of 2"


def test_the_panel_is_named_and_reached_in_order(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    view = answered(window, qtbot, document("lease.pdf"))
    offer = offered(window, qtbot, view)
    assert offer.accessibleName() == COST
    assert offer.start_button.accessibleDescription() == COST
    assert window.focusWidget() is offer.start_button
    assert offer.start_button.nextInFocusChain() is offer.leave_button
    unnamed = [b for b in view.findChildren(QAbstractButton) if not (b.accessibleName() or b.text())]
    assert unnamed == []


def test_the_action_stands_after_answer_again(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    view = answered(window, qtbot, document("lease.pdf"))
    shown = [each.accessibleName() for each in view.findChildren(IconButton) if each.isVisible()]
    assert shown[-4:] == ["Copy answer", "Answer again", READ_AGAIN, "Edit the question"]

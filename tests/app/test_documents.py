"""Documents: dropped, read, paused, in trouble, in folders, and their text."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import session
from app.records import Folder
from app.widgets import growing_cards
from app.widgets.document_dialog import DocumentDialog
from app.widgets.folder_card import FolderCard
from app.widgets.settings_dialog import SettingsDialog
from app.window import Window
from tests.app.conftest import WAIT_MS, MakeWindow
from tests.app.window_rig import requests

MakeDocument = Callable[..., str]
SLOW = ("--page-seconds", "0.2", "--pages", "200")


def carried(paths: list[str]) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in paths])
    return data


def enter(data: QMimeData) -> QDragEnterEvent:
    action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    return QDragEnterEvent(QPoint(10, 10), action, data, button, Qt.KeyboardModifier.NoModifier)


def drop(window: Window, paths: list[str]) -> None:
    """Drags paths over the window and lets them go."""
    drop_data(window, carried(paths))


def drop_data(window: Window, data: QMimeData) -> None:
    QApplication.sendEvent(window, enter(data))
    action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    event = QDropEvent(QPointF(10, 10), action, data, button, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(window, event)


def outcomes(window: Window) -> dict[str, str]:
    return {document.name: document.outcome for document in window.session.now.documents.values()}


def card_text(window: Window, name: str) -> str:
    (card,) = [c for c in window.documents.cards.values() if c.accessibleName().startswith(f"{name}.")]
    return card.accessibleName()


def test_dropped_files_and_folders_are_added_with_their_paths(
    window: Window, qtbot: QtBot, tmp_path: Path, document: MakeDocument
) -> None:
    paths = [document("lease.pdf"), document("notes.md"), str(Path(document("Contracts/a.txt")).parent)]
    drop(window, paths)
    qtbot.waitUntil(lambda: set(outcomes(window).values()) == {"read"}, timeout=WAIT_MS)
    (sent,) = requests(tmp_path, "documents_add")
    assert sent["paths"] == paths
    assert sent["conversation"] == window.session.now.id
    assert set(outcomes(window)) == {"lease.pdf", "notes.md", "a.txt"}


@pytest.mark.skipif(sys.platform == "win32", reason="has no such names")
def test_a_name_that_is_no_valid_unicode_is_dropped_as_the_file_system_has_it(
    window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    added: list[str] = []
    monkeypatch.setattr(window, "add_paths", added.extend)
    data = QMimeData()
    data.setData("text/uri-list", b"file:///drop/caf%E9%20%231.txt\r\nfile:///drop/%EF%BF%BD%20\xc3\xa9.txt\r\n")
    drop_data(window, data)
    assert added == ["/drop/caf\udce9 #1.txt", "/drop/\ufffd \u00e9.txt"]
    card = FolderCard(window.theme, Folder("/caf\udce9", "caf\ufffd"), lambda document: pytest.fail())
    card.refresh.connect(added.append)
    card.refresh_button.click()
    assert added[-1] == "/caf\udce9"


def test_the_sheet_is_there_only_while_documents_are_dragged(window: Window, document: MakeDocument) -> None:
    data = carried([document("lease.pdf")])
    event = enter(data)
    QApplication.sendEvent(window, event)
    assert event.isAccepted()
    assert window.overlay.isVisible()
    assert window.overlay.geometry() == window.rect()
    QApplication.sendEvent(window, QDragLeaveEvent())
    assert not window.overlay.isVisible()


def test_words_and_web_addresses_are_no_documents(window: Window) -> None:
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/lease.pdf")])
    event = enter(data)
    event.ignore()
    QApplication.sendEvent(window, event)
    assert not event.isAccepted()
    assert not window.overlay.isVisible()


def test_no_widget_keeps_a_drop_for_itself(window: Window) -> None:
    takers = [child for child in window.findChildren(object) if getattr(child, "acceptDrops", bool)()]
    assert [type(taker).__name__ for taker in takers] == []


def test_progress_is_page_of_pages_with_time_left(
    open_window: MakeWindow, qtbot: QtBot, document: MakeDocument
) -> None:
    window = open_window(*SLOW)
    window.add_paths([document("lease.pdf")])
    qtbot.waitUntil(lambda: outcomes(window) == {"lease.pdf": "reading"}, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "of 200, about 40 s left" in card_text(window, "lease.pdf"), timeout=WAIT_MS)
    qtbot.waitUntil(window.page.meter.isVisible, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.page.meter._bar.value() > 0, timeout=WAIT_MS)


def test_reading_pauses_and_goes_on_where_it_was(
    open_window: MakeWindow, qtbot: QtBot, tmp_path: Path, document: MakeDocument
) -> None:
    window = open_window("--page-seconds", "0.02", "--pages", "60")
    window.add_paths([document("lease.pdf")])
    qtbot.waitUntil(lambda: outcomes(window) == {"lease.pdf": "reading"}, timeout=WAIT_MS)
    window.session.pause_reading()
    qtbot.waitUntil(lambda: outcomes(window) == {"lease.pdf": "paused"}, timeout=WAIT_MS)
    assert "Paused at page" in card_text(window, "lease.pdf")
    window.session.resume_reading()
    qtbot.waitUntil(lambda: outcomes(window) == {"lease.pdf": "read"}, timeout=WAIT_MS)
    assert len(requests(tmp_path, "documents_read")) == 1


def test_a_pause_holds_for_what_was_dropped_meanwhile(
    open_window: MakeWindow, qtbot: QtBot, document: MakeDocument
) -> None:
    window = open_window(*SLOW)
    window.add_paths([document("lease.pdf")])
    qtbot.waitUntil(lambda: outcomes(window) == {"lease.pdf": "reading"}, timeout=WAIT_MS)
    window.add_paths([document("notes.md")])
    window.session.pause_reading()
    qtbot.waitUntil(lambda: len(outcomes(window)) == 2 and not window.session.reading, timeout=WAIT_MS)
    assert outcomes(window) == {"lease.pdf": "paused", "notes.md": "waiting"}


def test_what_is_dropped_while_something_is_read_says_that_it_waits_and_can_be_taken_back(
    open_window: MakeWindow, qtbot: QtBot, document: MakeDocument
) -> None:
    window = open_window(*SLOW)
    window.add_paths([document("lease.pdf")])
    qtbot.waitUntil(lambda: outcomes(window) == {"lease.pdf": "reading"}, timeout=WAIT_MS)
    assert window.documents.adding.text() == ""
    window.add_paths([document("notes.md")])
    assert window.documents.adding.text() == "What you dropped comes next, after what is under way now."
    window.documents.adding.button.click()
    qtbot.waitUntil(lambda: window.documents.adding.text() == "", timeout=WAIT_MS)
    assert outcomes(window) == {"lease.pdf": "reading"}


def test_enter_on_a_button_of_a_card_does_not_press_the_card(
    open_window: MakeWindow, qtbot: QtBot, document: MakeDocument
) -> None:
    window = open_window(*SLOW)
    document("Contracts/a.pdf")
    window.add_paths([str(Path(document("Contracts/b.pdf")).parent)])
    qtbot.waitUntil(lambda: "reading" in outcomes(window).values(), timeout=WAIT_MS)
    folder = folder_of(window, "Contracts")
    folder.toggle()
    qtbot.waitUntil(lambda: len(window.documents.cards) == 2, timeout=WAIT_MS)
    card = next(iter(window.documents.cards.values()))
    qtbot.waitUntil(card._button.isVisible, timeout=WAIT_MS)
    window.activateWindow()
    card._button.setFocus()
    qtbot.waitUntil(card._button.hasFocus, timeout=WAIT_MS)
    qtbot.keyClick(card._button, Qt.Key.Key_Return)
    assert folder.is_unfolded() and window.findChild(DocumentDialog) is None
    card.setFocus()
    qtbot.keyClick(card, Qt.Key.Key_Return)
    assert window.findChild(DocumentDialog) is not None


def test_a_long_name_in_a_sentence_widens_no_card(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    name = "report_of_the_association_" * 9
    window.add_paths([document("lease.pdf")])
    qtbot.waitUntil(lambda: outcomes(window) == {"lease.pdf": "read"}, timeout=WAIT_MS)
    (card,) = window.documents.cards.values()
    for said in (f"This is the same file as {name}.pdf, which is read.", f"Not read: {'w' * 200}."):
        changed = replace(card._document, outcome="refused", reason="duplicate", message=said)
        window.session.put_document(changed)
        assert said in card.accessibleName()
        assert card.minimumSizeHint().width() < 260


def test_trouble_says_what_happened_and_what_to_do(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    window.add_paths([document("locked.pdf"), document("scan.pdf"), document("mixed.pdf"), document("broken.pdf")])
    qtbot.waitUntil(lambda: outcomes(window).get("broken.pdf") == "failed", timeout=WAIT_MS)
    assert "Needs a password. Type it above." in card_text(window, "locked.pdf")
    assert "Run recognition on it." in card_text(window, "scan.pdf")
    assert "20 pages: 14 read, 6 without text" in card_text(window, "mixed.pdf")
    assert "The file is damaged." in card_text(window, "broken.pdf")


def test_a_path_that_is_gone_says_so_in_the_pane(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    window.add_paths([str(tmp_path / "gone.pdf")])
    qtbot.waitUntil(window.documents.refusal.isVisible, timeout=WAIT_MS)
    assert window.documents.refusal.text() == "gone.pdf is not there any more."


def test_pictures_are_read_once_the_settings_allow_it(
    window: Window, qtbot: QtBot, tmp_path: Path, document: MakeDocument
) -> None:
    window.client.call("settings_set", {"changes": {"recognition": "off"}})
    window.add_paths([document("scan.pdf")])
    qtbot.waitUntil(lambda: outcomes(window) == {"scan.pdf": "needs_ocr"}, timeout=WAIT_MS)
    window.show_settings()
    dialog = window.findChild(SettingsDialog)
    qtbot.waitUntil(dialog.recognition.isEnabled, timeout=WAIT_MS)
    assert dialog.recognition.value() == "off"
    dialog.recognition.buttons()[0].click()
    qtbot.waitUntil(dialog.save_button.isEnabled, timeout=WAIT_MS)
    dialog.save_button.click()
    qtbot.waitUntil(lambda: outcomes(window) == {"scan.pdf": "read"}, timeout=WAIT_MS)
    assert requests(tmp_path, "settings_set")[-1] == {"changes": {"recognition": "auto"}}


def test_the_languages_of_pictures_are_chosen_among_those_installed(
    open_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window = open_window("--languages", "deu eng")
    window.show_settings()
    dialog = window.findChild(SettingsDialog)
    qtbot.waitUntil(dialog.recognition.isEnabled, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: len(dialog.languages.actions_by_name()) == 3, timeout=WAIT_MS)
    assert dialog.languages.isVisible() and dialog.languages.text() == "Automatic"
    named = dialog.languages.actions_by_name()
    assert list(named) == ["Automatic", "English", "German"] and named["Automatic"].isChecked()
    named["German"].trigger()
    named["English"].trigger()
    assert dialog.languages.text() == "German, English" and not named["Automatic"].isChecked()
    qtbot.waitUntil(dialog.save_button.isEnabled, timeout=WAIT_MS)
    dialog.save_button.click()
    qtbot.waitUntil(lambda: bool(requests(tmp_path, "settings_set")), timeout=WAIT_MS)
    assert requests(tmp_path, "settings_set")[-1] == {"changes": {"recognition_languages": "deu+eng"}}


def test_without_language_data_the_settings_say_that_nothing_is_recognised(
    open_window: MakeWindow, qtbot: QtBot
) -> None:
    window = open_window("--languages", "")
    window.show_settings()
    dialog = window.findChild(SettingsDialog)
    qtbot.waitUntil(dialog._without_languages.isVisible, timeout=WAIT_MS)
    assert not dialog.languages.isVisible()


def folder_of(window: Window, name: str) -> FolderCard:
    (card,) = [
        card for card in window.documents.folders.values() if card.accessibleName().startswith(f"Folder {name}.")
    ]
    return card


def test_a_folder_is_one_card_that_unfolds(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    document("Contracts/a.pdf")
    document("Contracts/.hidden")
    window.add_paths([str(Path(document("Contracts/locked.pdf")).parent)])
    qtbot.waitUntil(lambda: set(outcomes(window).values()) == {"read", "needs_password", "refused"}, timeout=WAIT_MS)
    folder = folder_of(window, "Contracts")
    qtbot.waitUntil(lambda: "all read" not in folder.accessibleName() and "done" not in folder.accessibleName())
    said = "Folder Contracts. 2 files, 1 could not be read. 1 left out: 1 hidden"
    assert folder.accessibleName() == said
    assert not window.documents.cards
    qtbot.keyClick(folder, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(window.documents.cards) == 3, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: all(card.isVisible() for card in window.documents.cards.values()), timeout=WAIT_MS)


def test_what_was_unfolded_stays_so_when_the_engine_is_started_again(
    window: Window, qtbot: QtBot, document: MakeDocument
) -> None:
    window.add_paths([str(Path(document("Contracts/a.pdf")).parent)])
    qtbot.waitUntil(lambda: outcomes(window) == {"a.pdf": "read"} and not window.session.reading, timeout=WAIT_MS)
    folder_of(window, "Contracts").toggle()
    before = folder_of(window, "Contracts")
    window.client.kill()
    qtbot.waitUntil(lambda: folder_of(window, "Contracts") is not before, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: len(window.documents.cards) == 1, timeout=WAIT_MS)
    assert folder_of(window, "Contracts").is_unfolded()
    window.session.new()
    assert not window.documents.folders


def test_of_a_large_folder_the_first_files_are_shown_and_then_more(
    open_window: MakeWindow, qtbot: QtBot, tmp_path: Path, document: MakeDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing_cards, "STEP", 10)
    monkeypatch.setattr(session, "FILES_AT_ONCE", 10)
    window = open_window("--folder-files", "150")
    window.add_paths([document("lease.pdf")])
    qtbot.waitUntil(lambda: bool(window.documents.folders), timeout=WAIT_MS)
    folder = folder_of(window, "large")
    qtbot.waitUntil(lambda: "150 files, all read" in folder.accessibleName(), timeout=WAIT_MS)
    assert len(window.session.now.documents) == 101
    assert window.page.documents_button.text() == "151 documents"
    folder.toggle()
    qtbot.waitUntil(lambda: len(window.documents.cards) == 11, timeout=WAIT_MS)
    qtbot.waitUntil(folder.files.more_button.isVisible, timeout=WAIT_MS)
    assert folder.files.more_button.text() == "Show 10 more files"
    folder.files.more_button.click()
    qtbot.waitUntil(lambda: len(window.documents.cards) == 21, timeout=WAIT_MS)
    (asked,) = requests(tmp_path, "folder_files")
    assert (asked["from"], asked["count"]) == (10, 10)
    places = [window.session.now.documents[id].position for id in window.documents.cards]
    assert places == list(range(21))


def test_of_many_files_dropped_by_themselves_the_first_are_shown_and_then_more(
    window: Window, qtbot: QtBot, document: MakeDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing_cards, "STEP", 10)
    window.session.new()
    window.add_paths([document(f"{number:02}.txt") for number in range(25)])
    qtbot.waitUntil(lambda: len(outcomes(window)) == 25, timeout=WAIT_MS)
    pane = window.documents
    qtbot.waitUntil(pane.alone.more_button.isVisible, timeout=WAIT_MS)
    assert len(pane.cards) == 10 and pane.alone.more_button.text() == "Show 10 more files"
    pane.alone.more_button.click()
    qtbot.waitUntil(lambda: len(pane.cards) == 20, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: pane.alone.more_button.text() == "Show 5 more files", timeout=WAIT_MS)
    pane.alone.more_button.click()
    qtbot.waitUntil(lambda: len(pane.cards) == 25 and not pane.alone.more_button.isVisible(), timeout=WAIT_MS)
    assert [card._document.name for card in pane.cards.values()] == [f"{number:02}.txt" for number in range(25)]


def test_looking_through_a_folder_can_be_stopped(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    window.add_paths([str(Path(document("endless/a.pdf")).parent)])
    notice = window.documents.adding
    qtbot.waitUntil(lambda: notice.text().startswith("Looking for files: "), timeout=WAIT_MS)
    notice.button.click()
    qtbot.waitUntil(lambda: not notice.text() and not window.session.reading, timeout=WAIT_MS)
    assert outcomes(window) == {}
    window.add_paths([document("lease.pdf")])
    qtbot.waitUntil(lambda: outcomes(window) == {"lease.pdf": "read"}, timeout=WAIT_MS)


def test_a_file_that_the_list_does_not_name_is_opened_all_the_same(
    open_window: MakeWindow, qtbot: QtBot, tmp_path: Path, document: MakeDocument
) -> None:
    window = open_window("--folder-files", "150")
    window.add_paths([document("lease.pdf")])
    qtbot.waitUntil(lambda: bool(window.documents.folders) and not window.session.reading, timeout=WAIT_MS)
    (origin,) = window.session.now.folders
    found: list[dict[str, str]] = []
    params = {"conversation": window.session.now.id, "folder": origin, "from": 140, "count": 1}
    window.client.call("folder_files", params, done=lambda result: found.extend(result["documents"]))
    qtbot.waitUntil(lambda: bool(found), timeout=WAIT_MS)
    assert found[0]["id"] not in window.session.now.documents
    window.show_document(found[0]["id"], 3)
    qtbot.waitUntil(lambda: window.findChild(DocumentDialog) is not None, timeout=WAIT_MS)
    dialog = window.findChild(DocumentDialog)
    qtbot.waitUntil(lambda: dialog.page_shown() == 3, timeout=WAIT_MS)
    assert dialog.windowTitle() == found[0]["name"]


def test_what_has_changed_in_a_folder_since_is_said_and_read(
    open_window: MakeWindow, qtbot: QtBot, tmp_path: Path, document: MakeDocument
) -> None:
    window = open_window()
    window.add_paths([str(Path(document("changed/a.pdf")).parent)])
    qtbot.waitUntil(lambda: outcomes(window) == {"a.pdf": "read"}, timeout=WAIT_MS)
    assert not folder_of(window, "changed").refresh_button.isVisible()
    window = open_window()
    qtbot.waitUntil(lambda: bool(window.documents.folders), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: folder_of(window, "changed").changes() == "2 files changed since", timeout=WAIT_MS)
    folder = folder_of(window, "changed")
    folder.refresh_button.click()
    qtbot.waitUntil(lambda: outcomes(window) == {"a.pdf": "read", "new.txt": "read"}, timeout=WAIT_MS)
    assert not folder.refresh_button.isVisible()
    assert requests(tmp_path, "documents_refresh")[0]["folder"] == str(tmp_path / "files" / "changed")


def test_one_password_is_tried_on_all_locked_files_and_kept_nowhere(
    window: Window, qtbot: QtBot, tmp_path: Path, document: MakeDocument
) -> None:
    notice = window.documents.password
    assert notice.text() == ""
    window.add_paths([document("locked a.pdf"), document("locked b.pdf"), document("locked twice.pdf")])
    qtbot.waitUntil(
        lambda: notice.text().startswith("locked a.pdf, locked b.pdf and locked twice.pdf need a password"),
        timeout=WAIT_MS,
    )
    notice.field.setText("heron")
    qtbot.keyClick(notice.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "It opens none of them." in notice.text(), timeout=WAIT_MS)
    assert notice.field.text() == ""
    assert "That password does not open this file." in card_text(window, "locked a.pdf")
    notice.field.setText("otter")
    notice.button.click()
    qtbot.waitUntil(lambda: list(outcomes(window).values()).count("read") == 2, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "It opened 2 files." in notice.text(), timeout=WAIT_MS)
    assert notice.text().startswith("locked twice.pdf needs a password")
    window.close()
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "requests.jsonl"]
    assert kept and not any(b"otter" in path.read_bytes() for path in kept)


def test_a_password_typed_while_something_is_read_says_that_it_waits(
    open_window: MakeWindow, qtbot: QtBot, document: MakeDocument
) -> None:
    window = open_window("--page-seconds", "0.02", "--pages", "40")
    window.add_paths([document("locked.pdf"), document("notes.md")])
    notice = window.documents.password
    qtbot.waitUntil(lambda: outcomes(window).get("notes.md") == "reading", timeout=WAIT_MS)
    notice.field.setText("otter")
    notice.button.click()
    assert notice.text() == "locked.pdf needs a password. It is tried after what is under way now."
    window.page.composer.input.setFocus()
    qtbot.waitUntil(lambda: outcomes(window)["locked.pdf"] == "reading", timeout=WAIT_MS)
    assert notice.text() == "", "it is said as soon as it was tried, not once all is read"
    assert not notice.field.hasFocus(), "it takes the focus from nobody"


def test_a_password_and_the_changes_of_a_folder_end_a_pause(
    open_window: MakeWindow, qtbot: QtBot, document: MakeDocument
) -> None:
    window = open_window("--page-seconds", "0.02", "--pages", "40")
    window.add_paths([document("locked.pdf"), document("notes.md")])
    qtbot.waitUntil(lambda: outcomes(window).get("notes.md") == "reading", timeout=WAIT_MS)
    window.session.pause_reading()
    qtbot.waitUntil(lambda: outcomes(window)["notes.md"] == "paused", timeout=WAIT_MS)
    window.session.unlock("otter")
    qtbot.waitUntil(lambda: set(outcomes(window).values()) == {"read"}, timeout=WAIT_MS)


def test_recognition_can_be_paused(open_window: MakeWindow, qtbot: QtBot, document: MakeDocument) -> None:
    window = open_window("--page-seconds", "0.05")
    window.add_paths([document("recognised.pdf")])
    qtbot.waitUntil(lambda: bool(window.documents.cards), timeout=WAIT_MS)
    (card,) = window.documents.cards.values()
    qtbot.waitUntil(lambda: card._bar.isVisible() and card._bar.value() > 1, timeout=WAIT_MS)
    assert (card._button.accessibleName(), card._bar.maximum()) == ("Pause reading", 20)
    card._button.click()
    qtbot.waitUntil(lambda: not window.session.reading, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: card._button.accessibleName() != "Pause reading", timeout=WAIT_MS)


def test_recognition_is_told_page_by_page(open_window: MakeWindow, qtbot: QtBot, document: MakeDocument) -> None:
    window = open_window("--page-seconds", "0.05")
    window.add_paths([document("recognised.pdf")])
    qtbot.waitUntil(
        lambda: bool(window.documents.cards) and "Recognising page" in card_text(window, "recognised.pdf"),
        timeout=WAIT_MS,
    )
    qtbot.waitUntil(lambda: "20 by recognition" in card_text(window, "recognised.pdf"), timeout=WAIT_MS)


def opened(window: Window, qtbot: QtBot, document: MakeDocument, name: str, pages: int) -> DocumentDialog:
    path = document(name)
    Path(path).write_text(str(pages))
    window.add_paths([path])
    qtbot.waitUntil(lambda: outcomes(window) == {name: "read"}, timeout=WAIT_MS)
    qtbot.mouseClick(next(iter(window.documents.cards.values())), Qt.MouseButton.LeftButton)
    dialog = window.findChild(DocumentDialog)
    qtbot.waitUntil(lambda: dialog.page_shown() == 1, timeout=WAIT_MS)
    return dialog


def test_a_click_on_a_card_shows_exactly_what_the_model_sees(
    window: Window, qtbot: QtBot, document: MakeDocument
) -> None:
    dialog = opened(window, qtbot, document, "lease.pdf", 20)
    assert dialog.text().startswith("[lease.pdf, page 1]\nSection 1.")
    assert dialog.where() == "Page 1 of 20, Part 1"
    assert not dialog.back.isEnabled()
    for _ in range(19):
        dialog.on.click()
    assert dialog.text().startswith("[lease.pdf, page 20]")
    assert not dialog.on.isEnabled()
    assert dialog.sections.currentText() == "Part 4"
    dialog.sections.setCurrentIndex(1)
    dialog.sections.activated.emit(1)
    assert dialog.page_shown() == 6


def test_many_pages_are_asked_for_a_few_at_a_time(
    open_window: MakeWindow, qtbot: QtBot, tmp_path: Path, document: MakeDocument
) -> None:
    window = open_window("--page-seconds", "0")
    dialog = opened(window, qtbot, document, "lease.pdf", 1000)
    dialog.jump.setText("876")
    qtbot.keyClick(dialog.jump, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dialog.page_shown() == 876, timeout=WAIT_MS)
    assert "Section 876." in dialog.text()
    asked = requests(tmp_path, "document_text")
    assert [(call["from"], call["count"]) for call in asked] == [(1, 50), (866, 50)]


def test_the_picture_of_the_page_stands_beside_its_text(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    dialog = opened(window, qtbot, document, "lease.pdf", 3)
    assert dialog.picture is not None
    qtbot.waitUntil(lambda: not dialog.picture.pixmap().isNull(), timeout=WAIT_MS)
    assert dialog.picture.accessibleName() == "Picture of page 1"
    dialog.on.click()
    qtbot.waitUntil(lambda: dialog.picture.accessibleName() == "Picture of page 2", timeout=WAIT_MS)


def test_where_there_is_no_picture_the_reason_is_said(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    dialog = opened(window, qtbot, document, "gone.pdf", 3)
    assert dialog.picture is not None
    qtbot.waitUntil(lambda: dialog.picture.text().startswith("The file is no longer there"), timeout=WAIT_MS)


def test_a_document_without_text_says_why_and_what_to_do(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    window.add_paths([document("broken.pdf")])
    qtbot.waitUntil(lambda: outcomes(window) == {"broken.pdf": "failed"}, timeout=WAIT_MS)
    qtbot.mouseClick(next(iter(window.documents.cards.values())), Qt.MouseButton.LeftButton)
    dialog = window.findChild(DocumentDialog)
    qtbot.waitUntil(lambda: dialog.text().startswith("The file is damaged."), timeout=WAIT_MS)
    assert dialog.text().endswith("drop it here again.")
    assert dialog._about.text() == "The model sees nothing of it."
    assert dialog.picture is not None and not dialog.picture.isVisible()


def test_a_closed_dialog_is_gone_whatever_comes_back_later(
    window: Window, qtbot: QtBot, document: MakeDocument
) -> None:
    dialog = opened(window, qtbot, document, "lease.pdf", 3)
    dialog.on.click()
    dialog.close()
    qtbot.waitUntil(lambda: window.findChild(DocumentDialog) is None, timeout=WAIT_MS)
    window.show_document(next(iter(window.session.now.documents)))
    late = window.findChild(DocumentDialog)
    late.close()
    qtbot.waitUntil(lambda: window.findChild(DocumentDialog) is None, timeout=WAIT_MS)
    heard: list[object] = []
    window.client.call("documents_changed", {"conversation": "c", "folder": "f"}, done=heard.append)
    qtbot.waitUntil(lambda: bool(heard), timeout=WAIT_MS)


def test_a_dialog_that_is_open_when_the_engine_dies_gets_its_text_from_the_next(
    window: Window, qtbot: QtBot, document: MakeDocument
) -> None:
    path = document("lease.pdf")
    Path(path).write_text("90")
    window.add_paths([path])
    qtbot.waitUntil(lambda: outcomes(window) == {"lease.pdf": "read"}, timeout=WAIT_MS)
    with qtbot.waitSignal(window.client.restarting, timeout=WAIT_MS):
        window.client.kill()
        window.show_document(next(iter(window.session.now.documents)), 70)
    dialog = window.findChild(DocumentDialog)
    qtbot.waitUntil(lambda: dialog.page_shown() == 70, timeout=WAIT_MS)
    assert dialog.picture is not None
    qtbot.waitUntil(lambda: not dialog.picture.pixmap().isNull(), timeout=WAIT_MS)


def test_a_part_that_is_very_long_is_shown_piece_by_piece(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    dialog = opened(window, qtbot, document, "wordy.txt", 1)
    whole = "".join(f"{number:09} " for number in range(25))
    assert dialog.text() == whole[:100]
    assert dialog.more.text() == "Show more: 150 characters left"
    dialog.more.click()
    qtbot.waitUntil(lambda: dialog.text() == whole[:200], timeout=WAIT_MS)
    dialog.more.click()
    qtbot.waitUntil(lambda: dialog.text() == whole, timeout=WAIT_MS)
    assert not dialog.more.isVisible()


def test_a_text_has_no_picture(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    assert opened(window, qtbot, document, "notes.txt", 1).picture is None


def test_example_questions_come_once_something_is_read(
    window: Window, qtbot: QtBot, tmp_path: Path, document: MakeDocument
) -> None:
    assert not window.page.empty.examples()
    window.add_paths([document("lease.pdf")])
    qtbot.waitUntil(lambda: len(window.page.empty.examples()) == 3, timeout=WAIT_MS)
    first = window.page.empty.examples()[0]
    qtbot.mouseClick(first, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(requests(tmp_path, "ask")), timeout=WAIT_MS)
    assert requests(tmp_path, "ask")[0]["text"] == first.text()


def test_large_text_cuts_no_example_off(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    window.resize(1200, 760)
    window.theme.set_scale(200)
    window.add_paths([document("lease.pdf")])
    qtbot.waitUntil(lambda: len(window.page.empty.examples()) == 3, timeout=WAIT_MS)
    for button in window.page.empty.examples():
        lines = button.text().split("\n")
        assert " ".join(lines) == button.accessibleName()
        assert all(button.fontMetrics().horizontalAdvance(line) < button.width() for line in lines)
        assert button.width() <= window.page.empty.width()
    window.theme.set_scale(100)


def test_the_meter_says_what_the_memory_holds(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    assert not window.page.meter.isVisible()
    window.add_paths([document("lease.pdf")])
    qtbot.waitUntil(lambda: "from 8,000 tokens read" in window.page.meter.accessibleName(), timeout=WAIT_MS)


def test_reading_goes_on_after_the_engine_died(open_window: MakeWindow, qtbot: QtBot, document: MakeDocument) -> None:
    window = open_window("--page-seconds", "0.02", "--pages", "60")
    window.add_paths([document("lease.pdf")])
    qtbot.waitUntil(lambda: outcomes(window) == {"lease.pdf": "reading"}, timeout=WAIT_MS)
    with qtbot.waitSignal(window.client.restarting, timeout=WAIT_MS):
        window.client.kill()
    qtbot.waitUntil(lambda: outcomes(window) == {"lease.pdf": "read"}, timeout=WAIT_MS)

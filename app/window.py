"""The window: puts the panes together and gives every key and drop its one short function."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from urllib.parse import unquote_to_bytes

from PySide6.QtCore import QByteArray, QTimer, QUrl
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QKeySequence
from PySide6.QtWidgets import QFileDialog, QMainWindow, QWidget

from app.engine_client import EngineClient
from app.icons import application_icon
from app.library import Library
from app.records import Conversation, Document
from app.session import Session
from app.settings import Settings
from app.shortcuts import SHORTCUTS
from app.theme import SCALE_STEP, Theme
from app.training import Training
from app.widgets.conversation_list import ConversationList
from app.widgets.conversation_page import ConversationPage
from app.widgets.conversation_rows import UNTITLED
from app.widgets.document_dialog import DocumentDialog
from app.widgets.documents_pane import DocumentsPane
from app.widgets.drop_overlay import DropOverlay
from app.widgets.log_dialog import LogDialog
from app.widgets.notice_bar import NoticeBar
from app.widgets.panes import Panes
from app.widgets.report_dialog import ReportDialog
from app.widgets.settings_dialog import SettingsDialog
from app.widgets.shortcuts_dialog import ShortcutsDialog
from app.widgets.switcher import Switcher
from app.widgets.training_dialog import TrainingDialog
from app.words import shortened
from engine.protocol import Failure

KINDS = (
    "Documents (*.pdf *.docx *.odt *.rtf *.txt *.md *.markdown *.epub *.html *.htm *.pptx *.odp *.xlsx *.ods *.csv"
    " *.tsv *.eml *.mbox *.mht *.mhtml *.png *.jpg *.jpeg *.gif *.bmp *.tif *.tiff *.webp *.zip);;All files (*)"
)


class Window(QMainWindow):
    """Starts the engine once it has been painted; closing it ends the engine, whatever that is doing."""

    def __init__(self, client: EngineClient, settings: Settings, theme: Theme) -> None:
        super().__init__()
        self.setWindowTitle("Keepsake")
        self.setWindowIcon(application_icon())
        self.setMinimumSize(900, 600)
        self.setAcceptDrops(True)
        self.client, self.settings, self.theme = client, settings, theme
        self.session = Session(client)
        self.training = Training(client)
        self.library = Library(client)
        self.list = ConversationList(self.library, theme)
        self.page = ConversationPage(self.session, self.training, theme)
        self.documents = DocumentsPane(self.session, theme)
        self.panes = Panes(self.list, self.page, self.documents, settings)
        self.setCentralWidget(self.panes)
        self.overlay = DropOverlay(theme, self)
        self.notice = NoticeBar(theme, self, self.page.stack)
        self._make_actions()
        self._listen()
        self._restore()
        self._show_folded()

    def start(self) -> None:
        """Shows the window, then starts the engine and asks for the last conversation."""
        self.show()
        self.page.composer.input.setFocus()
        QTimer.singleShot(0, self, self._start_engine)

    def _start_engine(self) -> None:
        last = self.settings.text("window/conversation")
        if last:
            self.session.open(last)
        self.client.start()

    def _make_actions(self) -> None:
        for shortcut in SHORTCUTS:
            if shortcut.action:
                action = QAction(shortcut.does, self)
                action.setShortcut(QKeySequence(shortcut.keys))
                action.triggered.connect(getattr(self, shortcut.action))
                self.addAction(action)

    def _listen(self) -> None:
        self.list.chosen.connect(self.open_conversation)
        self.list.new.connect(self.new_conversation)
        self.list.settings.connect(self.show_settings)
        self.page.toggle_list.connect(self.toggle_list)
        self.page.toggle_documents.connect(self.toggle_documents)
        self.page.meter.settings.connect(self.show_settings)
        self.page.heads_notice.train.connect(self.show_training)
        self.training.changed.connect(self._read_what_was_too_long)
        self.training.refused.connect(self.notice.say)
        self.training.log_read.connect(self.show_training_log)
        self.page.view.citation.connect(self.show_document)
        self.page.notice.again.connect(self.try_again)
        self.documents.opened.connect(self.show_document)
        for widget in (self.page.empty, self.documents):
            widget.add_files.connect(self.choose_files)
            widget.add_folder.connect(self.choose_folder)
        self.documents.fold.connect(self.toggle_documents)
        self.panes.changed.connect(self._show_folded)
        self.page.composer.attach.connect(self.choose_files)
        self.session.opened.connect(self._show_current)
        self.session.stored.connect(self.library.refresh)
        self.session.documents_refused.connect(self.documents.refuse)
        self.library.changed.connect(self._show_current)
        self.library.deleted.connect(self._deleted)
        self.client.user_error.connect(lambda failure: self.notice.say(failure.message))
        self.client.bug.connect(self.report)
        self.client.gave_up.connect(self._gave_up)
        self.client.ready.connect(lambda _: self.page.notice.hide())

    # Conversations

    def new_conversation(self) -> None:
        self.session.new()

    def open_conversation(self, id: str) -> None:
        if self.session.now.id != id:
            self.session.open(id)

    def rename(self) -> None:
        if not self.panes.left_shown():
            self.panes.toggle_left()
        self.list.rename_current()

    def search(self) -> None:
        if not self.panes.left_shown():
            self.panes.toggle_left()
        self.list.search.setFocus()
        self.list.search.selectAll()

    def switch_conversation(self) -> None:
        switcher = Switcher(self.library.conversations, self.theme, self)
        switcher.chosen.connect(self.open_conversation)
        switcher.open()

    def _deleted(self, conversation: Conversation) -> None:
        if self.session.now.id == conversation.id:
            self.session.new()
        title = shortened(conversation.title or UNTITLED)
        self.notice.say(f"Deleted \u201c{title}\u201d.", "Undo", lambda: self.library.restore(conversation.id))

    def _show_current(self) -> None:
        current = self.session.now.about
        id = current.id if current else None
        listed = next((c for c in self.library.conversations if c.id == id), current)
        title = (listed.title or UNTITLED) if listed else ""
        self.page.set_title(title)
        self.setWindowTitle(f"{title} \u2013 Keepsake" if title else "Keepsake")
        self.list.set_current(id)
        if id is not None or not self.settings.text("window/conversation"):
            self.settings.set("window/conversation", id or "")

    # Documents

    def choose_files(self) -> None:
        dialog = QFileDialog(self, "Add files", "", KINDS)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        self._choose(dialog)

    def choose_folder(self) -> None:
        dialog = QFileDialog(self, "Add a folder")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        self._choose(dialog)

    def _choose(self, dialog: QFileDialog) -> None:
        dialog.filesSelected.connect(self.add_paths)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def add_paths(self, paths: list[str]) -> None:
        self.documents.refuse("")
        self.session.add_paths(list(paths))

    def _read_what_was_too_long(self) -> None:
        heads = self.training.heads
        if heads is not None and not heads.missing:
            self.session.read_what_was_too_long()

    def show_document(self, id: str, page: int = 1) -> None:
        def show(document: Document) -> None:
            DocumentDialog(self.client, document, self.theme, self, page).open()

        self.session.with_document(id, show)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _paths(event):
            self.overlay.raise_over()
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.overlay.hide()
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self.overlay.hide()
        event.acceptProposedAction()
        self.add_paths(_paths(event))

    # The window itself

    def escape(self) -> None:
        if self.session.asking:
            self.session.stop()
        elif self.page.view.leave_offer():
            return
        elif self.panes.floating and self.panes.right_shown():
            self.panes.toggle_right()
        else:
            self.page.leave_edit()

    def _show_folded(self) -> None:
        self.page.documents_button.setVisible(not self.panes.right_shown())
        self.documents.set_floating(self.panes.floating)

    def toggle_list(self) -> None:
        self.panes.toggle_left()

    def toggle_documents(self) -> None:
        self.panes.toggle_right()

    def larger_text(self) -> None:
        self._scale(self.theme.scale + SCALE_STEP)

    def smaller_text(self) -> None:
        self._scale(self.theme.scale - SCALE_STEP)

    def usual_text(self) -> None:
        self._scale(100)

    def _scale(self, percent: int) -> None:
        self.theme.set_scale(percent)
        self.settings.set("appearance/text_scale", self.theme.scale)

    def show_settings(self) -> None:
        dialog = SettingsDialog(self.client, self.settings, self.theme, self, self.training.heads)
        dialog.train.connect(lambda: self.show_training(dialog))
        dialog.recognise.connect(self.session.resume_reading)
        dialog.command_changed.connect(lambda: self.client.restart_with(self.settings.engine_command()))
        dialog.open()

    def show_training(self, over: QWidget | None = None) -> None:
        TrainingDialog(self.training, self.theme, over or self).open()

    def show_training_log(self, text: str, path: str) -> None:
        LogDialog("Log of the training", text, path, self).open()

    def show_shortcuts(self) -> None:
        ShortcutsDialog(self).open()

    def report(self, failure: Failure) -> None:
        ReportDialog(failure, self.client.log, self).open()

    def try_again(self) -> None:
        self.page.notice.hide()
        self.client.start()

    def _gave_up(self, reason: str) -> None:
        self.page.notice.tell(reason, self.client.log)

    def _restore(self) -> None:
        geometry = self.settings.text("window/geometry")
        if not (geometry and self.restoreGeometry(QByteArray.fromBase64(geometry.encode()))):
            self.resize(1280, 800)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.settings.set("window/geometry", bytes(self.saveGeometry().toBase64().data()).decode())
        self.panes.save()
        self.settings.save()
        self.hide()
        self.client.close()
        super().closeEvent(event)


def _paths(event: QDropEvent) -> list[str]:
    """The local files and folders that a drag carries."""
    return [_path(url) for url in event.mimeData().urls() if url.isLocalFile()]


def _path(url: QUrl) -> str:
    """As the file system has it: of a name that is no valid Unicode Qt's texts lose bytes, and the URL has them."""
    path = url.toLocalFile()
    if "\ufffd" in path and sys.platform != "win32":
        path = os.fsdecode(unquote_to_bytes(url.path(QUrl.ComponentFormattingOption.FullyEncoded)))
    return str(Path(path))

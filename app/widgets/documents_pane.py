"""The documents of the open conversation: a card a file, a card a folder, pause and go on, one field for passwords."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.records import Document, Folder
from app.session import Session
from app.theme import Theme
from app.widgets import adding_notice, growing_cards, password_notice
from app.widgets.adding_notice import AddingNotice
from app.widgets.buttons import IconButton
from app.widgets.document_card import DocumentCard
from app.widgets.folder_card import FolderCard
from app.widgets.growing_cards import GrowingCards
from app.widgets.labels import label
from app.widgets.password_notice import PasswordNotice


class DocumentsPane(QWidget):
    """Follows the session's documents."""

    opened = Signal(str)
    add_files = Signal()
    add_folder = Signal()
    fold = Signal()

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Documents")
        self._session = session
        self._theme = theme
        self._shown: str | None = None
        self.cards: dict[str, DocumentCard] = {}
        self.folders: dict[str, FolderCard] = {}
        self._empty = label(
            "Drop files or folders anywhere in this window. They stay on this computer.", "secondary", True
        )
        self.refusal = label("", "refusal", wrap=True)
        self.refusal.hide()
        self.adding = AddingNotice()
        self.adding.stop.connect(session.stop_adding)
        self.password = PasswordNotice()
        self.password.given.connect(session.unlock)
        inside = QWidget()
        inside.setProperty("role", "column")
        self._list = QVBoxLayout(inside)
        self._list.setContentsMargins(12, 4, 12, 12)
        self._list.setSpacing(8)
        self.alone = self._make_alone()
        self._list.addWidget(self.alone)
        self._list.addStretch()
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inside)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._make_head())
        column.addLayout(self._make_notes())
        column.addLayout(self._make_cards_above())
        column.addWidget(scroll, 1)
        session.opened.connect(self._rebuild)
        session.documents_changed.connect(self._update)
        session.document_changed.connect(self._update_one)
        session.memory_changed.connect(self._update_all)
        session.busy_changed.connect(self._update_all)
        session.busy_changed.connect(self._follow_calls)
        session.status_changed.connect(self._tell_adding)
        session.folder_listed.connect(self._folder_listed)
        session.folder_changed.connect(self._folder_changed)
        session.unlocked.connect(self.password.tried)
        self._rebuild()

    def refuse(self, sentence: str) -> None:
        """Says why documents could not be added."""
        self.refusal.setText(sentence)
        self.refusal.setVisible(bool(sentence))

    def set_floating(self, floating: bool) -> None:
        """Over the middle, the pane needs a line at its edge."""
        self.setProperty("floating", floating)
        self.style().unpolish(self)
        self.style().polish(self)

    def _make_head(self) -> QHBoxLayout:
        files = IconButton(self._theme, "plus", "Add files", hint="Ctrl+O")
        files.clicked.connect(self.add_files)
        folder = IconButton(self._theme, "folder", "Add a folder", hint="Ctrl+Shift+O")
        folder.clicked.connect(self.add_folder)
        fold = IconButton(self._theme, "sidebar-right", "Fold the documents", hint="Ctrl+D")
        fold.clicked.connect(self.fold)
        row = QHBoxLayout()
        row.setContentsMargins(16, 10, 12, 10)
        row.setSpacing(4)
        row.addWidget(label("Documents", "title"), 1)
        row.addWidget(folder)
        row.addWidget(files)
        row.addWidget(fold)
        return row

    def _make_notes(self) -> QVBoxLayout:
        notes = QVBoxLayout()
        notes.setContentsMargins(16, 0, 16, 4)
        notes.addWidget(self._empty)
        notes.addWidget(self.refusal)
        return notes

    def _make_cards_above(self) -> QVBoxLayout:
        above = QVBoxLayout()
        above.setContentsMargins(12, 0, 12, 4)
        above.setSpacing(8)
        above.addWidget(self.adding)
        above.addWidget(self.password)
        return above

    def _rebuild(self) -> None:
        """Another conversation, or the same one after the engine was started again: what was unfolded stays so."""
        again = self._session.now.id is not None and self._session.now.id == self._shown
        unfolded = [origin for origin, card in self.folders.items() if again and card.is_unfolded()]
        for card in (*self.folders.values(), *self.cards.values()):
            card.hide()
            card.deleteLater()
        self.cards, self.folders = {}, {}
        self._list.removeWidget(self.alone)
        self.alone.hide()
        self.alone.deleteLater()
        self.alone = self._make_alone()
        self._list.insertWidget(0, self.alone)
        self.refuse("")
        self.adding.end()
        self._update()
        for origin in unfolded:
            if origin in self.folders:
                self.folders[origin].toggle()

    def _update(self) -> None:
        now = self._session.now
        self._shown = now.id
        self.alone.set_files(len(now.alone))
        self.alone.setVisible(bool(now.alone))
        self._fill_alone()
        for origin, folder in now.folders.items():
            if origin not in self.folders:
                self._list.insertWidget(self._list.count() - 1, self._folder(folder))
            self.folders[origin].set_folder(folder)
        self._fill_folders()
        self._update_all()

    def _make_alone(self) -> GrowingCards:
        """The cards of what was dropped by itself."""
        alone = GrowingCards(self._card)
        alone.more.connect(self._show_more_alone)
        return alone

    def _show_more_alone(self, place: int) -> None:
        self.alone.show_up_to(place + growing_cards.STEP)
        self._fill_alone()

    def _fill_alone(self) -> None:
        if self.alone.wants_files:
            self.alone.set_documents(sorted(self._session.now.alone.values(), key=lambda found: found.position))

    def _fill_folders(self) -> None:
        """Gives those that are unfolded what they show. Most files of a large folder are not known, and need not be."""
        for origin, card in self.folders.items():
            if card.wants_files:
                known = [found for found in self._session.now.documents.values() if found.origin == origin]
                card.files.set_documents(sorted(known, key=lambda found: found.position))

    def _update_all(self) -> None:
        """Those that have a card: of a large folder, most have none."""
        self._empty.setVisible(not (self._session.now.documents or self._session.now.folders))
        self.password.set_locked(*self._session.now.locked)
        for id in self.cards:
            self._show(self._session.now.documents[id])

    def _update_one(self, document: Document) -> None:
        self._show(document)
        self.password.set_locked(*self._session.now.locked)

    def _show(self, document: Document) -> None:
        if document.id in self.cards:
            busy = self._session.reading or self._session.asking
            self.cards[document.id].set_document(document, self._session.now.memory, busy)

    def _card(self, document: Document) -> DocumentCard:
        card = DocumentCard(self._theme, document, self._session.now.memory)
        card.opened.connect(self.opened)
        card.pause.connect(self._session.pause_reading)
        card.resume.connect(self._session.resume_reading)
        self.cards[document.id] = card
        self._show(document)
        return card

    def _folder(self, folder: Folder) -> FolderCard:
        card = FolderCard(self._theme, folder, self._card)
        card.unfolded.connect(self._fill_folders)
        card.more.connect(self._session.more_files)
        card.refresh.connect(self._session.refresh_folder)
        self.folders[folder.origin] = card
        return card

    def _tell_adding(self, sentence: str) -> None:
        if self._session.adding:
            self.adding.tell(sentence)

    def _follow_calls(self) -> None:
        """What has to wait says so: calls are done one after another."""
        session = self._session
        if not session.adding:
            self.adding.end()
        elif session.waits:
            self.adding.tell(adding_notice.LATER)
        if session.unlocking:
            self.password.wait(password_notice.LATER if session.waits else password_notice.TRYING)
        else:
            self.password.wait("")

    def _folder_listed(self, origin: str, files: int) -> None:
        if origin in self.folders:
            self.folders[origin].files.show_up_to(files)
            self._fill_folders()

    def _folder_changed(self, origin: str, files: int) -> None:
        if origin in self.folders:
            self.folders[origin].set_changes(files)

"""The documents of the open conversation: a card a file, a card a folder, pause and go on."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.records import Document
from app.session import Session
from app.theme import Theme
from app.widgets.buttons import IconButton
from app.widgets.document_card import DocumentCard
from app.widgets.folder_card import FolderCard
from app.widgets.labels import label


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
        self.cards: dict[str, DocumentCard] = {}
        self.folders: dict[str, FolderCard] = {}
        self._empty = label(
            "Drop files or folders anywhere in this window. They stay on this computer.", "secondary", True
        )
        self.refusal = label("", "refusal", wrap=True)
        self.refusal.hide()
        inside = QWidget()
        inside.setProperty("role", "column")
        self._list = QVBoxLayout(inside)
        self._list.setContentsMargins(12, 4, 12, 12)
        self._list.setSpacing(8)
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
        column.addWidget(scroll, 1)
        session.opened.connect(self._rebuild)
        session.documents_changed.connect(self._update)
        session.document_changed.connect(self._update_one)
        session.memory_changed.connect(self._update_all)
        session.busy_changed.connect(self._update_all)
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

    def _rebuild(self) -> None:
        for card in (*self.folders.values(), *self.cards.values()):
            card.hide()
            card.deleteLater()
        self.cards, self.folders = {}, {}
        self.refuse("")
        self._update()

    def _update(self) -> None:
        for document in self._session.now.documents.values():
            if document.id not in self.cards:
                self._add(document)
        self._update_all()

    def _update_all(self) -> None:
        self._empty.setVisible(not self._session.now.documents)
        for document in self._session.now.documents.values():
            self._show(document)
        for name in self.folders:
            self._update_folder(name)

    def _update_one(self, document: Document) -> None:
        self._show(document)
        if document.folder:
            self._update_folder(document.folder)

    def _show(self, document: Document) -> None:
        busy = self._session.reading or self._session.asking
        self.cards[document.id].set_document(document, self._session.now.memory, busy)

    def _update_folder(self, name: str) -> None:
        self.folders[name].set_documents([d for d in self._session.now.documents.values() if d.folder == name])

    def _add(self, document: Document) -> None:
        card = DocumentCard(self._theme, document, self._session.now.memory)
        card.opened.connect(self.opened)
        card.pause.connect(self._session.pause_reading)
        card.resume.connect(self._session.resume_reading)
        self.cards[document.id] = card
        if document.folder:
            self._folder(document.folder).add(card)
        else:
            self._list.insertWidget(self._list.count() - 1, card)

    def _folder(self, name: str) -> FolderCard:
        if name not in self.folders:
            self.folders[name] = FolderCard(self._theme, name)
            self._list.insertWidget(self._list.count() - 1, self.folders[name])
        return self.folders[name]

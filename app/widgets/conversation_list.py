"""The left pane: new conversation, search, and the conversations, to open, rename, pin and delete."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QLineEdit, QListView, QMenu, QVBoxLayout, QWidget

from app.icons import icon
from app.library import Library
from app.records import Conversation
from app.theme import Theme
from app.widgets.buttons import IconButton, push_button
from app.widgets.conversation_rows import CONVERSATION, ConversationRows, RowPainter
from app.widgets.labels import label


class ConversationList(QWidget):
    """Signals: `chosen(id)`, `new`, `settings`."""

    chosen = Signal(str)
    new = Signal()
    settings = Signal()

    def __init__(self, library: Library, theme: Theme) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Conversations")
        self._library = library
        self._theme = theme
        self._current: str | None = None
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search")
        self.search.setAccessibleName("Search conversations")
        self.search.setClearButtonEnabled(True)
        self.search.setAcceptDrops(False)
        self._search_icon = self.search.addAction(
            icon("search", theme.colours.secondary), QLineEdit.ActionPosition.LeadingPosition
        )
        self.search.textChanged.connect(library.search)
        self.rows = ConversationRows()
        self.rows.renamed.connect(library.rename)
        self.view = _View()
        self.view.setModel(self.rows)
        self.view.setItemDelegate(RowPainter(theme, self.view))
        self.view.clicked.connect(self._choose)
        self.view.activated.connect(self._choose)
        self.view.delete.connect(self.delete_current)
        self.view.customContextMenuRequested.connect(self._show_menu)
        self.nothing = label("", "secondary", wrap=True)
        self.nothing.setContentsMargins(16, 8, 16, 8)
        self._settings = push_button("Settings", "row")
        self._settings.clicked.connect(self.settings)
        self._lay_out()
        library.changed.connect(self._refresh)
        theme.changed.connect(self._recolour)
        self._recolour()
        self._refresh()

    def set_current(self, id: str | None) -> None:
        """Marks the conversation that is open."""
        self._current = id
        self._select()

    def rename_current(self) -> None:
        """Edits the marked row's title in place."""
        if self.view.currentIndex().isValid():
            self.view.edit(self.view.currentIndex())

    def delete_current(self) -> None:
        """Deletes the marked conversation."""
        conversation = self.marked()
        if conversation is not None:
            self._library.delete(conversation)

    def pin_current(self) -> None:
        """Pins the marked conversation, or lets it go."""
        conversation = self.marked()
        if conversation is not None:
            self._library.pin(conversation.id, not conversation.pinned)

    def marked(self) -> Conversation | None:
        """The conversation of the marked row."""
        index = self.view.currentIndex()
        return index.data(CONVERSATION) if index.isValid() else None

    def menu(self, conversation: Conversation) -> QMenu:
        """What can be done with a conversation."""
        menu = QMenu(self)
        menu.addAction("Rename\tF2", self.rename_current)
        menu.addAction("Unpin" if conversation.pinned else "Pin", self.pin_current)
        menu.addSeparator()
        menu.addAction("Delete\tDel", self.delete_current)
        return menu

    def _lay_out(self) -> None:
        new = IconButton(self._theme, "new", "New conversation", hint="Ctrl+N")
        new.clicked.connect(self.new)
        head = QHBoxLayout()
        head.setContentsMargins(16, 10, 12, 10)
        head.addWidget(label("Keepsake", "wordmark"), 1)
        head.addWidget(new)
        search = QHBoxLayout()
        search.setContentsMargins(12, 0, 12, 8)
        search.addWidget(self.search)
        foot = QHBoxLayout()
        foot.setContentsMargins(8, 4, 8, 8)
        foot.addWidget(self._settings)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(search)
        column.addWidget(self.nothing)
        column.addWidget(self.view, 1)
        column.addLayout(foot)

    def _refresh(self) -> None:
        if self.view.is_editing():
            return
        self.rows.show(self._library.conversations)
        found = bool(self._library.conversations)
        self.nothing.setVisible(not found)
        self.nothing.setText("Nothing found." if self._library.searching else "Conversations will be listed here.")
        self._select()

    def _select(self) -> None:
        row = self.rows.row_of(self._current)
        self.view.setCurrentIndex(self.rows.index(row) if row >= 0 else QModelIndex())

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(index.data(CONVERSATION).id)

    def _show_menu(self, place: QPoint) -> None:
        index = self.view.indexAt(place)
        if index.isValid():
            self.view.setCurrentIndex(index)
            self.menu(index.data(CONVERSATION)).popup(self.view.viewport().mapToGlobal(place))

    def _recolour(self) -> None:
        colour = self._theme.colours.secondary
        self._search_icon.setIcon(icon("search", colour))
        self._settings.setIcon(icon("settings", colour))
        self.view.viewport().update()


class _View(QListView):
    delete = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Conversations")
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def is_editing(self) -> bool:
        return self.state() == QAbstractItemView.State.EditingState

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.delete.emit()
        else:
            super().keyPressEvent(event)

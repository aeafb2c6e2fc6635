"""The rows of the conversation list: what they hold and how they are painted and renamed in place."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.icons import pixmap
from app.records import Conversation
from app.theme import Theme
from app.words import when

Index = QModelIndex | QPersistentModelIndex
CONVERSATION = Qt.ItemDataRole.UserRole
UNTITLED = "New conversation"
PIN = 16


class ConversationRows(QAbstractListModel):
    """`renamed(id, title)` when a row was edited."""

    renamed = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Conversation] = []

    def show(self, conversations: list[Conversation]) -> None:
        """Replaces the rows; when only their contents changed, the selection stays."""
        if [row.id for row in conversations] == [row.id for row in self._rows]:
            self._rows = conversations
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))
            return
        self.beginResetModel()
        self._rows = conversations
        self.endResetModel()

    def row_of(self, id: str | None) -> int:
        """The row of a conversation, -1 if it is not shown."""
        return next((row for row, conversation in enumerate(self._rows) if conversation.id == id), -1)

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        conversation = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return conversation.title or UNTITLED
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{'Pinned. ' if conversation.pinned else ''}{conversation.title or UNTITLED}"
            case _:
                return conversation if role == CONVERSATION else None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        conversation = self._rows[index.row()]
        if role == Qt.ItemDataRole.EditRole and str(value).strip() not in ("", conversation.title):
            self.renamed.emit(conversation.id, str(value))
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable


class RowPainter(QStyledItemDelegate):
    """Title, time and pin of a row, in the theme's colours; `selected` is the role of the marked row's ground."""

    def __init__(self, theme: Theme, parent: QWidget, selected: str = "raised") -> None:
        super().__init__(parent)
        self._theme = theme
        self._selected = selected

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, self._theme.px(52))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        conversation: Conversation = index.data(CONVERSATION)
        rect = option.rect.adjusted(8, 2, -8, -2)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, option, rect)
        inside = rect.adjusted(10, 6, -10, -6)
        if conversation.pinned:
            ratio = painter.device().devicePixelRatioF()
            painter.drawPixmap(
                inside.right() - PIN + 1, inside.top() + 2, pixmap("pin", self._theme.colours.secondary, PIN, ratio)
            )
        self._paint_words(painter, inside, conversation)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setProperty("role", "inline")
        editor.setAccessibleName("Title")
        editor.setAcceptDrops(False)
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        editor.setGeometry(option.rect.adjusted(10, 8, -10, -8))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        assert isinstance(editor, QLineEdit)
        model.setData(index, editor.text())

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, rect: QRect) -> None:
        colours, state = self._theme.colours, option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        focused = bool(state & QStyle.StateFlag.State_HasFocus)
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        painter.setPen(QPen(QColor(colours.accent)) if focused else Qt.PenStyle.NoPen)
        ground = vars(colours)[self._selected] if selected else colours.hover if hovered else None
        painter.setBrush(QColor(ground) if ground else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect.adjusted(0, 0, -1, -1), 8, 8)

    def _paint_words(self, painter: QPainter, inside: QRect, conversation: Conversation) -> None:
        colours = self._theme.colours
        title_rect = inside.adjusted(0, 0, -PIN - 4 if conversation.pinned else 0, -inside.height() // 2)
        painter.setPen(QColor(colours.text))
        painter.setFont(self._theme.font(14, QFont.Weight.Medium))
        title = painter.fontMetrics().elidedText(
            conversation.title or UNTITLED, Qt.TextElideMode.ElideRight, title_rect.width()
        )
        painter.drawText(title_rect, int(Qt.AlignmentFlag.AlignVCenter), title)
        painter.setPen(QColor(colours.secondary))
        painter.setFont(self._theme.font(12))
        time_rect = inside.adjusted(0, inside.height() // 2 + 1, 0, 0)
        painter.drawText(time_rect, int(Qt.AlignmentFlag.AlignVCenter), when(conversation.updated, datetime.now()))

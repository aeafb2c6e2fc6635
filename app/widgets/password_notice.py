"""Above the documents: which files need a password, one field for it, and what came of trying it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout

from app.folder_words import after_password, locked_files, meaning_of_password
from app.widgets.buttons import push_button
from app.widgets.labels import label

TRYING, LATER = "Trying it", "It is tried after what is under way now."


class PasswordNotice(QFrame):
    """`given` hands the password on once; the field forgets it."""

    given = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "note")
        self._locked = 0
        self._names: Sequence[str] = ()
        self._said = ""
        self._title = label("", "section", wrap=True)
        self._meaning = label("", "secondary", wrap=True)
        self.field = QLineEdit()
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setAcceptDrops(False)  # what is dropped is for the window
        self.field.setPlaceholderText("Password")
        self.field.setAccessibleName("Password of the locked files")
        self.field.returnPressed.connect(self._give)
        self.button = push_button("Open")
        self.button.clicked.connect(self._give)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.field, 1)
        row.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 12)
        column.setSpacing(4)
        column.addWidget(self._title)
        column.addWidget(self._meaning)
        column.addSpacing(4)
        column.addLayout(row)
        self.hide()

    def set_locked(self, files: int, names: Sequence[str] = ()) -> None:
        """Shows itself while files need a password; others than before are a new question. names: of those that are
        known.
        """
        if files > self._locked:
            self._said = ""
        self._locked, self._names = files, names
        self._show()

    def wait(self, sentence: str) -> None:
        """Says what becomes of a password that was given; empty once it was tried or given up."""
        if sentence or self._said in (TRYING, LATER):
            self._said = sentence
            self._show()

    def tried(self, opened: int) -> None:
        """Says what came of it."""
        self._said = after_password(opened, self._locked)
        self._show()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self._meaning.text()))

    def _show(self) -> None:
        self._title.setText(locked_files(self._locked, self._names))
        self._meaning.setText(self._said or meaning_of_password(self._locked))
        self.setAccessibleName(f"{self._title.text()}. {self._meaning.text()}")
        self.setVisible(self._locked > 0)

    def text(self) -> str:
        """The sentences shown."""
        return "" if self.isHidden() else f"{self._title.text()}. {self._meaning.text()}"

    def _give(self) -> None:
        password = self.field.text()
        self.field.clear()
        self.field.setFocus()
        if password:
            self.given.emit(password)

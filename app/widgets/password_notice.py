"""Above the documents: how many files need a password, one field for it, and what came of trying it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout

from app.widgets.buttons import push_button
from app.widgets.labels import label
from app.words import after_password, locked_files

MEANING = "It is tried on all of them and kept nowhere."


class PasswordNotice(QFrame):
    """`given` hands the password on once; the field forgets it."""

    given = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "note")
        self._locked = 0
        self._title = label("", "section", wrap=True)
        self._meaning = label(MEANING, "secondary", wrap=True)
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

    def set_locked(self, files: int) -> None:
        """Shows itself while files need a password; others than before are a new question."""
        if files > self._locked:
            self._meaning.setText(MEANING)
        self._locked = files
        self._title.setText(locked_files(files))
        self.setAccessibleName(f"{self._title.text()}. {self._meaning.text()}")
        self.setVisible(files > 0)

    def tried(self, opened: int) -> None:
        """Says what came of it."""
        self._meaning.setText(after_password(opened, self._locked) or MEANING)
        self.set_locked(self._locked)
        self.field.setFocus()

    def text(self) -> str:
        """The sentences shown."""
        return "" if self.isHidden() else f"{self._title.text()}. {self._meaning.text()}"

    def _give(self) -> None:
        password = self.field.text()
        self.field.clear()
        if password:
            self.given.emit(password)

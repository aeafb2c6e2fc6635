"""What the middle shows before the first question: a place to drop documents, then example questions."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.icons import pixmap
from app.theme import Theme
from app.widgets.buttons import push_button
from app.widgets.labels import label
from app.words import count, shortened

EXAMPLES = (
    "What is this about, in five sentences?",
    "Which dates, amounts and names matter most?",
    "What should I read closely, and on which page?",
)
PICTURE, MARGIN = 48, 24
PADDING = 36  # left and right of an example, as the style sheet has it, and its frame
WIDTH, HEIGHT, NARROWEST = 520, 320, 240


class EmptyState(QWidget):
    """Signals: `add_files`, `add_folder`, `asked(question)`."""

    add_files = Signal()
    add_folder = Signal()
    asked = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._picture = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self._picture.setFixedHeight(PICTURE)
        self._area = self._make_area()
        self._examples = self._make_examples()
        middle = QVBoxLayout()
        middle.addStretch(2)
        middle.addWidget(self._area)
        middle.addWidget(self._examples)
        middle.addStretch(3)
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        row.addStretch()
        row.addLayout(middle)
        row.addStretch()
        theme.changed.connect(self._draw)
        theme.changed.connect(self._fit)
        self._draw()
        self.set_documents(0, 0, "", reading=False)

    def set_documents(self, total: int, read: int, name: str, reading: bool) -> None:
        """The drop area while there are none, then example questions once `name` or more is read."""
        self._area.setVisible(total == 0)
        self._examples.setVisible(total > 0)
        self._lead.setText(_lead(read, name, reading))
        self._questions.setVisible(read > 0)

    def examples(self) -> list[QPushButton]:
        """The example questions on screen."""
        return [button for button in self._questions.findChildren(QPushButton) if button.isVisible()]

    def sizeHint(self) -> QSize:
        return QSize(640, 480)

    def _make_area(self) -> QFrame:
        area = QFrame()
        area.setProperty("role", "drop")
        files = push_button("Choose files", "primary")
        files.clicked.connect(self.add_files)
        folder = push_button("Choose a folder")
        folder.clicked.connect(self.add_folder)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch()
        buttons.addWidget(files)
        buttons.addWidget(folder)
        buttons.addStretch()
        column = QVBoxLayout(area)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(8)
        column.addStretch()
        column.addWidget(self._picture)
        column.addSpacing(8)
        lead = label("Drop documents here.\nThey stay on this computer.", "lead", wrap=True)
        lead.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(lead)
        kinds = label(
            "PDF, scans and pictures, Office files, books, web pages, e-mail, text, ZIP archives, or folders of them.",
            "secondary",
            wrap=True,
        )
        kinds.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(kinds)
        column.addSpacing(16)
        column.addLayout(buttons)
        column.addStretch()
        return area

    def _make_examples(self) -> QWidget:
        examples = QWidget()
        self._lead = label("", "lead", wrap=True)
        self._lead.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(examples)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._lead)
        column.addSpacing(16)
        self._questions = QWidget()
        rows = QVBoxLayout(self._questions)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(8)
        for question in EXAMPLES:
            button = _Example(question)
            button.clicked.connect(lambda _=False, question=question: self.asked.emit(question))
            rows.addWidget(button)
        column.addWidget(self._questions)
        return examples

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """As wide as the text needs at its size, and never wider than the window lets it be."""
        width = min(self._theme.px(WIDTH), max(NARROWEST, self.width() - 2 * MARGIN))
        self._area.setFixedSize(width, self._theme.px(HEIGHT))
        self._examples.setFixedWidth(width)

    def _draw(self) -> None:
        self._picture.setPixmap(pixmap("documents", self._theme.colours.outline, PICTURE, self.devicePixelRatioF()))


class _Example(QPushButton):
    """A question that takes two lines where one has no room for it."""

    def __init__(self, question: str) -> None:
        super().__init__(question)
        self._question = question
        self.setProperty("role", "example")
        self.setAccessibleName(question)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        lines = [""]
        for word in self._question.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and self.fontMetrics().horizontalAdvance(longer) > self.width() - PADDING:
                lines.append(word)
            else:
                lines[-1] = longer
        self.setText("\n".join(lines))


def _lead(read: int, name: str, reading: bool) -> str:
    are = "is" if read == 1 else "are"
    if read == 0:
        return "Reading.\nYou can ask already." if reading else "Nothing is read yet."
    what = f"{shortened(name)} is read." if read == 1 and name else f"{count(read, 'document')} {are} read."
    return f"{what}\nWhat would you like to know?"

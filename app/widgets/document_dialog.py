"""The exact text of a document as the model sees it, a page at a time, beside the page's picture where there is one.

One page is laid out at once and some are asked for at a time, so that a document of thousands opens as quickly as a
letter.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QIntValidator, QKeySequence, QShortcut, QTextCursor, QTextOption
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLineEdit, QTextBrowser, QVBoxLayout, QWidget

from app.document_words import page_outcome, page_title, unread
from app.engine_client import Done, EngineClient, Failed
from app.records import Document
from app.theme import Theme
from app.widgets.buttons import IconButton, push_button
from app.widgets.labels import ElidedLabel, label
from app.widgets.page_picture import PagePicture
from app.widgets.part_choice import PartChoice
from app.words import count
from engine.protocol import Failure

AT_ONCE = 50
BEFORE = 10
EXACT, NOTHING = "This is exactly what the model sees.", "The model sees nothing of it."
WITH_PICTURES = frozenset({"pdf", "picture"})


class DocumentDialog(QDialog):
    """Asks the engine for the text and shows it from `page` on."""

    def __init__(
        self, client: EngineClient, document: Document, theme: Theme, parent: QWidget | None = None, page: int = 1
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)  # it keeps pictures of many megabytes
        self.setWindowTitle(document.name)
        self._client, self._document = client, document
        self._page, self._last = max(1, page), 0
        self._pages: dict[int, dict[str, Any]] = {}
        self._asked: set[int] = set()
        self.picture = PagePicture(client, document.id) if document.kind in WITH_PICTURES else None
        self.resize(1080 if self.picture else 720, 720)
        self._text = QTextBrowser()  # QPlainTextEdit sets lines in Arabic or Hebrew at the left
        self._text.setOpenLinks(False)
        self._text.setAcceptDrops(False)
        self._text.setAccessibleName(f"Text of {document.name}")
        self._text.setFrameShape(QFrame.Shape.NoFrame)
        self._text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._text.document().setDocumentMargin(theme.px(16))
        self._where = label("Opening the text", "secondary")
        self._outcome = label("", "warning", wrap=True)
        self._outcome.hide()
        self.sections = PartChoice(theme)
        self.sections.chosen.connect(self._go_to)
        self.jump = QLineEdit()
        self.jump.setFixedWidth(theme.px(64))
        part = document.part or "page"
        self.jump.setAccessibleName(f"Go to {part}")
        self.jump.returnPressed.connect(lambda: self._go_to(int(self.jump.text() or 1)))
        self.back = IconButton(theme, "chevron-left", f"Previous {part}", hint="Ctrl+PgUp")
        self.back.clicked.connect(lambda: self._go_to(self._page - 1))
        self.on = IconButton(theme, "chevron-right", f"Next {part}", hint="Ctrl+PgDown")
        self.on.clicked.connect(lambda: self._go_to(self._page + 1))
        self.more = push_button("", "quiet")
        self.more.clicked.connect(self._ask_for_more)
        self.more.hide()
        QShortcut(QKeySequence("Ctrl+PgUp"), self, self.back.click)
        QShortcut(QKeySequence("Ctrl+PgDown"), self, self.on.click)
        self._lay_out(document.name)
        self._text.setFocus()
        self._show()
        self._ask(self._page)
        client.ready.connect(self._ask_again)

    def text(self) -> str:
        """The text of the page shown."""
        return self._text.toPlainText()

    def where(self) -> str:
        """Which page is shown, in words."""
        return self._where.text()

    def page_shown(self) -> int:
        """The number of the page shown, 0 before there is text."""
        return self._page if self._page in self._pages else 0

    def _lay_out(self, name: str) -> None:
        close = push_button("Close")
        close.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.setSpacing(4)
        for widget in (self.back, self.jump, self.on, self._where, self.more):
            foot.addWidget(widget)
        foot.addStretch()
        foot.addWidget(close)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(ElidedLabel(name, "section"), 1)
        head.addWidget(self.sections)
        sides = QHBoxLayout()
        sides.setSpacing(16)
        sides.addWidget(_framed(self._text), 1)
        if self.picture is not None:
            self._beside = _framed(self.picture)
            sides.addWidget(self._beside, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 16, 24, 16)
        column.setSpacing(8)
        column.addLayout(head)
        self._about = label(EXACT, "secondary")
        column.addWidget(self._about)
        column.addLayout(sides, 1)
        column.addWidget(self._outcome)
        column.addLayout(foot)

    def _ask(self, page: int) -> None:
        """For this page with those around it, once."""
        first = max(1, page - BEFORE)
        if first not in self._asked:
            self._asked.add(first)
            params = {"document": self._document.id, "from": first, "count": AT_ONCE}
            self._call(params, self._loaded, lambda failure: self._refuse(first, failure))

    def _call(self, params: dict[str, Any], done: Done, failed: Failed) -> None:
        self._client.call("document_text", params, done=done, failed=failed, caller=self)

    def _ask_again(self) -> None:
        """A new engine: what the last one did not answer is asked for once more."""
        if self._page not in self._pages:
            self._ask(self._page)

    def _ask_for_more(self) -> None:
        """The next piece of a part that is too long to be laid out at once."""
        page = self._page
        params = {"document": self._document.id, "from": page, "count": 1, "offset": len(self._pages[page]["text"])}
        self.more.setEnabled(False)
        self._call(params, self._got_more, lambda failure: self._refuse(0, failure))

    def _got_more(self, result: dict[str, Any]) -> None:
        (page,) = result["pages"]
        self._pages[page["page"]]["text"] += page["text"]
        if page["page"] == self._page:
            end = QTextCursor(self._text.document())
            end.movePosition(QTextCursor.MoveOperation.End)
            end.insertText(page["text"])
        self._show_more()

    def _show_more(self) -> None:
        page = self._pages[self._page]
        left = page["characters"] - len(page["text"])
        self.more.setText(f"Show more: {count(left, 'character')} left")
        self.more.setEnabled(True)
        self.more.setVisible(left > 0)

    def _loaded(self, result: dict[str, Any]) -> None:
        self._pages |= {page["page"]: page for page in result["pages"]}
        self._last = result["last"]
        if self._last == 0:
            self._show_nothing(Document.of(result["document"]))
            return
        self.jump.setValidator(QIntValidator(1, self._last, self))
        if not self.sections.count() and result["outline"]:
            self.sections.set_parts([(int(part["page"]), str(part["name"])) for part in result["outline"]])
        self._go_to(self._page)

    def _go_to(self, page: int) -> None:
        self._page = min(max(1, page), max(1, self._last))
        if self._page in self._pages or not self._last:
            self._show()
        else:
            self._ask(self._page)

    def _show(self) -> None:
        self.back.setEnabled(self._page > 1)
        self.on.setEnabled(self._page < self._last)
        for widget in (self.back, self.jump, self.on):
            widget.setVisible(self._last > 1)
        page = self._pages.get(self._page)
        if page is None:
            return
        whole = len(page["text"]) >= page["characters"]
        self._text.setPlainText(page["text"].rstrip() if whole else page["text"])
        self._show_more()
        self.jump.setText(str(self._page))
        self._where.setText(page_title(self._document, page, self._last))
        self._outcome.setText(page_outcome(page))
        self._outcome.setVisible(bool(self._outcome.text()))
        self.sections.show_page(self._page)
        if self.picture is not None:
            self.picture.show_page(self._page)

    def _show_nothing(self, document: Document) -> None:
        """There is no text: why, and what to do."""
        self._about.setText(NOTHING)
        self._where.hide()
        self._text.setPlainText(unread(document))
        if self.picture is not None:
            self._beside.hide()

    def _refuse(self, first: int, failure: Failure) -> None:
        """first: the page that was asked for first; it may be asked for again."""
        self._asked.discard(first)
        self.more.setEnabled(True)
        self._where.setText(failure.message)

    def done(self, result: int) -> None:
        if self.picture is not None:
            self.picture.leave()
        super().done(result)


def _framed(held: QWidget) -> QFrame:
    frame = QFrame()
    frame.setProperty("role", "sheet")
    inside = QVBoxLayout(frame)
    inside.setContentsMargins(1, 1, 1, 1)
    inside.addWidget(held)
    return frame

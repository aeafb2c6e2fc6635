"""Read-only text as tall as its content: never scrolls, never loads, opens only web links, after a click."""

from __future__ import annotations

import math

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QResizeEvent, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser

from app.markdown import fill
from app.theme import Theme


class RichText(QTextBrowser):
    """A Markdown text, selectable by mouse and keyboard."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._source = ""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setAcceptDrops(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.document().setDocumentMargin(0)
        self.anchorClicked.connect(open_link)
        theme.changed.connect(self._render)

    def set_markdown(self, source: str) -> None:
        """Shows `source`; an unchanged one costs nothing."""
        if source != self._source:
            self._source = source
            self._render()

    def loadResource(self, type: int, name: QUrl | str) -> None:
        """Nothing: neither pictures nor style sheets, from the disk or the network."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(400, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.height())

    def _render(self) -> None:
        fill(self.document(), self._source, self._theme)
        self._fit()

    def _fit(self) -> None:
        self.document().setTextWidth(self.viewport().width())
        self.setFixedHeight(math.ceil(self.document().size().height()))


def open_link(url: QUrl) -> None:
    """Hands a web address to the system; any other kind of link does nothing."""
    if url.scheme() in ("http", "https"):
        QDesktopServices.openUrl(url)

"""A page as a picture, scaled to its place, or a sentence that says why there is none."""

from __future__ import annotations

from base64 import b64decode
from collections import OrderedDict
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QPixmap, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from app.engine_client import EngineClient
from engine.protocol import Failure

KEPT = 8
NARROWEST, WIDEST = 400, 1600
# A picture that has to be drawn so much larger than it is looks blurred: it is asked for again.
LARGER = 1.2
TURNING_MS = 80
MARGIN = 8


class PagePicture(QLabel):
    """Asks for a page's picture once the leafing rests, and keeps the last few."""

    def __init__(self, client: EngineClient, document: str) -> None:
        super().__init__()
        self._client, self._document = client, document
        self._kept: OrderedDict[int, QPixmap] = OrderedDict()
        self._page = 0
        self._call: int | None = None
        self._turn = 0
        self.setProperty("role", "secondary")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._rest = QTimer(self, interval=TURNING_MS, singleShot=True)
        self._rest.timeout.connect(self._ask)
        client.ready.connect(self._ask_again)

    def leave(self) -> None:
        """No page is looked at any more."""
        self._rest.stop()
        if self._call is not None:
            self._client.cancel(self._call)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 160)

    def show_page(self, page: int) -> None:
        """The picture of this page, as soon as it is there."""
        if page == self._page:
            return
        self._page = page
        self.setAccessibleName(f"Picture of page {page}")
        if page in self._kept:
            self._draw()
        else:
            self.setText("Drawing the page")
            self._rest.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._draw()
        picture = self._kept.get(self._page)
        if picture is not None and picture.width() < self._width() / LARGER:
            self._rest.start()

    def _width(self) -> int:
        return min(WIDEST, max(NARROWEST, round(self.width() * self.devicePixelRatioF())))

    def _ask_again(self) -> None:
        """A new engine knows nothing of what the last one was asked for."""
        if self._page and self._page not in self._kept:
            self._rest.start()

    def _ask(self) -> None:
        if self._call is not None:
            self._client.cancel(self._call)
        page, self._turn = self._page, self._turn + 1
        turn = self._turn
        self._call = self._client.call(
            "page_image",
            {"document": self._document, "page": page, "width": self._width()},
            done=lambda result: self._got(turn, page, result),
            failed=lambda failure: self._refuse(turn, page, failure),
            caller=self,
        )

    def _ended(self, turn: int) -> None:
        """The call under way is the last one: one that was given up may come back after it was made."""
        if turn == self._turn:
            self._call = None

    def _got(self, turn: int, page: int, result: dict[str, Any]) -> None:
        self._ended(turn)
        picture = QPixmap()
        picture.loadFromData(b64decode(result["png"]))
        self._kept[page] = picture
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        self._draw()

    def _refuse(self, turn: int, page: int, failure: Failure) -> None:
        self._ended(turn)
        if page == self._page and failure.code != "cancelled":
            self.setText(failure.message)

    def _draw(self) -> None:
        picture = self._kept.get(self._page)
        if picture is None or picture.isNull():
            return
        ratio = self.devicePixelRatioF()
        room = (self.size() - QSize(2 * MARGIN, 2 * MARGIN)) * ratio
        shown = picture.scaled(room, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation)
        shown.setDevicePixelRatio(ratio)
        self.setPixmap(shown)

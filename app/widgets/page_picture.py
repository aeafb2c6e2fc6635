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
WIDEST = 1600
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
        self.setProperty("role", "secondary")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._rest = QTimer(self, interval=TURNING_MS, singleShot=True)
        self._rest.timeout.connect(self._ask)

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

    def _ask(self) -> None:
        if self._call is not None:
            self._client.cancel(self._call)
        page = self._page
        width = min(WIDEST, max(400, round(self.width() * self.devicePixelRatioF())))
        self._call = self._client.call(
            "page_image",
            {"document": self._document, "page": page, "width": width},
            done=lambda result: self._got(page, result),
            failed=lambda failure: self._refuse(page, failure),
        )

    def _got(self, page: int, result: dict[str, Any]) -> None:
        self._call = None
        picture = QPixmap()
        picture.loadFromData(b64decode(result["png"]))
        self._kept[page] = picture
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        self._draw()

    def _refuse(self, page: int, failure: Failure) -> None:
        if page == self._page and failure.code != "cancelled":
            self._call = None
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

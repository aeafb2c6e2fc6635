"""Our line icons, read from assets/icons and recoloured.

Knows file names and colours; which icon means what is decided where it is used.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

ICONS = Path(__file__).resolve().parent.parent / "assets" / "icons"
SIZE = 20


@lru_cache(maxsize=512)
def icon(name: str, colour: str, disabled: str | None = None) -> QIcon:
    """The icon `assets/icons/<name>.svg` drawn in `colour` (#RRGGBB). Raises FileNotFoundError."""
    result = QIcon()
    for ratio in (1, 2, 3):
        result.addPixmap(pixmap(name, colour, SIZE, ratio))
        if disabled:
            result.addPixmap(pixmap(name, disabled, SIZE, ratio), QIcon.Mode.Disabled)
    return result


@lru_cache(maxsize=256)
def pixmap(name: str, colour: str, size: int, ratio: float) -> QPixmap:
    """The icon at `size` logical pixels on a screen of `ratio` device pixels each."""
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    QSvgRenderer(QByteArray(_svg(name).replace("currentColor", colour).encode())).render(
        painter, QRectF(picture.rect())
    )
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture


def application_icon() -> QIcon:
    """The program's own icon, drawn for each size that desktops ask for."""
    result = QIcon()
    for size in (16, 24, 32, 48, 64, 128, 256):
        result.addPixmap(pixmap("keepsake-small" if size <= 24 else "keepsake", "#000000", size, 1))
    return result


@lru_cache(maxsize=64)
def _svg(name: str) -> str:
    return (ICONS / f"{name}.svg").read_text(encoding="utf-8")

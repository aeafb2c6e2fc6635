"""The colours and sizes of everything on screen: one table, light and dark, switchable while the window is open.

Knows no widget; those that paint themselves take a Theme and listen to `changed`.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication

from app.stylesheet import stylesheet

MODES = ("system", "light", "dark")
SMALLEST_SCALE, LARGEST_SCALE, SCALE_STEP = 80, 200, 10


@dataclass(frozen=True)
class Colours:
    """A colour for each role, as #RRGGBB."""

    page: str
    pane: str
    raised: str
    line: str
    outline: str
    hover: str
    text: str
    secondary: str
    accent: str
    on_accent: str
    kept: str
    warning: str
    error: str


LIGHT = Colours(
    page="#FBFAF8",
    pane="#F3F1EC",
    raised="#FFFFFF",
    line="#E2DED6",
    outline="#8C877D",
    hover="#EBE7E0",
    text="#22211F",
    secondary="#6B675F",
    accent="#2F5D8C",
    on_accent="#FFFFFF",
    kept="#C98A1B",
    warning="#B4541A",
    error="#A5322B",
)
DARK = Colours(
    page="#1B1B1D",
    pane="#232326",
    raised="#2B2B2F",
    line="#38383D",
    outline="#77777E",
    hover="#323237",
    text="#ECEAE6",
    secondary="#A3A09A",
    accent="#8FB8E0",
    on_accent="#1B1B1D",
    kept="#E0B25A",
    warning="#E39A6A",
    error="#E5837C",
)


class Theme(QObject):
    """The colours and the text scale in force."""

    changed = Signal()

    def __init__(self, app: QApplication, mode: str = "system", scale: int = 100) -> None:
        super().__init__()
        self._app = app
        self._mode = mode if mode in MODES else "system"
        self._scale = _bounded(scale)
        self._family = app.font().family()
        app.styleHints().colorSchemeChanged.connect(self._system_changed)
        self._apply()

    @property
    def mode(self) -> str:
        return self._mode

    @property
    def scale(self) -> int:
        """Text size in percent."""
        return self._scale

    @property
    def dark(self) -> bool:
        if self._mode == "system":
            return self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return self._mode == "dark"

    @property
    def colours(self) -> Colours:
        return DARK if self.dark else LIGHT

    def set_mode(self, mode: str) -> None:
        """`system`, `light` or `dark`."""
        if mode != self._mode and mode in MODES:
            self._mode = mode
            self._apply()

    def set_scale(self, percent: int) -> None:
        """Text size in percent, held between the smallest and the largest."""
        if _bounded(percent) != self._scale:
            self._scale = _bounded(percent)
            self._apply()

    def px(self, size: float) -> int:
        """A size of the design in pixels at the text size in force."""
        return round(size * self._scale / 100)

    def font(self, size: float = 14, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
        """The system's font at `size` design pixels."""
        font = QFont(self._family)
        font.setPixelSize(self.px(size))
        font.setWeight(weight)
        return font

    def code_font(self) -> QFont:
        """The system's monospace at 13 design pixels."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPixelSize(self.px(13))
        return font

    def _system_changed(self) -> None:
        if self._mode == "system":
            self._apply()

    def _apply(self) -> None:
        self._app.setPalette(_palette(self.colours))
        self._app.setFont(self.font())
        self._app.setStyleSheet(stylesheet(self.colours, self.px, self.code_font().family()))
        self.changed.emit()


def _bounded(percent: int) -> int:
    return max(SMALLEST_SCALE, min(LARGEST_SCALE, percent))


def _palette(colours: Colours) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for target, colour in (
        (role.Window, colours.page),
        (role.WindowText, colours.text),
        (role.Base, colours.raised),
        (role.AlternateBase, colours.pane),
        (role.Text, colours.text),
        (role.PlaceholderText, colours.secondary),
        (role.Button, colours.raised),
        (role.ButtonText, colours.text),
        (role.ToolTipBase, colours.raised),
        (role.ToolTipText, colours.text),
        (role.Highlight, colours.accent),
        (role.HighlightedText, colours.on_accent),
        (role.Accent, colours.accent),
        (role.Link, colours.accent),
        (role.LinkVisited, colours.accent),
        (role.Light, colours.raised),
        (role.Mid, colours.line),
        (role.Dark, colours.outline),
    ):
        palette.setColor(target, QColor(colour))
    for target in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, target, QColor(colours.secondary))
    return palette

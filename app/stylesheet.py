"""The Qt style sheet, written from the theme's colours and text scale.

Knows the roles that widgets give themselves (`role` property, object names), not the widgets.
"""

from __future__ import annotations

from collections.abc import Callable
from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.theme import Colours

_SHEET = Template("""
* { outline: none; }
QWidget[role="page"] { background: $page; }
QWidget[role="pane"] { background: $pane; }
QWidget[role="pane"][floating="true"] { border-left: 1px solid $outline; }
QLabel { background: transparent; color: $text; }
QLabel[role="secondary"] { color: $secondary; font-size: $small; }
QLabel[role="warning"] { color: $warning; font-size: $small; }
QLabel[role="refusal"] {
  background: $raised; color: $warning; border: 1px solid $line; border-radius: 10px;
  padding: 8px 12px; font-size: $small;
}
QLabel[role="error"] { color: $error; font-size: $small; }
QLabel[role="title"] { font-size: $body; font-weight: 600; }
QLabel[role="wordmark"] { font-size: $medium; font-weight: 600; }
QLabel[role="lead"] { font-size: $large; font-weight: 600; }
QLabel[role="section"] { font-size: $body; font-weight: 600; }
QLabel[role="figure"] { font-size: $medium; font-weight: 600; }

QPushButton {
  background: $raised; color: $text; border: 1px solid $line; border-radius: 8px;
  padding: 6px 14px; font-size: $body; min-height: $button;
}
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $line; }
QPushButton:focus { border: 1px solid $accent; }
QPushButton:disabled { color: $outline; background: $pane; border-color: $line; }
QPushButton[role="primary"] { background: $accent; color: $on_accent; border: 1px solid $accent; font-weight: 600; }
QPushButton[role="primary"]:focus { border: 2px solid $text; padding: 5px 13px; }
QPushButton[role="primary"]:disabled { background: $line; color: $secondary; border-color: $line; }
QPushButton[role="quiet"] { background: transparent; border: 1px solid transparent; color: $accent; padding: 4px 8px; }
QPushButton[role="quiet"]:hover { background: $hover; }
QPushButton[role="quiet"]:focus { border-color: $accent; }
QPushButton[role="chip"] {
  background: $pane; color: $secondary; border: 1px solid $line; border-radius: 12px;
  padding: 2px 10px; font-size: $small; min-height: $chip;
}
QPushButton[role="chip"]:hover { color: $text; background: $hover; }
QPushButton[role="chip"]:focus { border-color: $accent; color: $text; }
QPushButton[role="example"] { text-align: left; padding: 10px 16px; border-radius: 10px; }
QPushButton[role="segment"] {
  border-radius: 6px; padding: 4px 12px; background: transparent; border: 1px solid transparent;
}
QPushButton[role="segment"]:hover { background: $hover; }
QPushButton[role="segment"]:focus { border-color: $accent; }
QPushButton[role="segment"]:checked { background: $raised; border: 1px solid $outline; font-weight: 600; }
QPushButton[role="row"] {
  text-align: left; background: transparent; border: 1px solid transparent; color: $secondary; padding: 2px 8px;
}
QPushButton[role="row"]:hover { background: $hover; color: $text; }
QPushButton[role="row"]:focus { border-color: $accent; }
QPushButton[role="fold"] {
  text-align: left; background: transparent; border: 1px solid transparent; color: $secondary; padding: 2px 8px 2px 0;
}
QPushButton[role="fold"]:hover { color: $text; }
QPushButton[role="fold"]:focus { border-color: $accent; }
QFrame[role="segments"] { background: $pane; border: 1px solid $line; border-radius: 8px; }

QToolButton { background: transparent; border: 1px solid transparent; border-radius: 6px; padding: 0; }
QToolButton:hover { background: $hover; }
QToolButton:pressed, QToolButton:checked { background: $line; }
QToolButton:focus { border-color: $accent; }
QToolButton[role="send"] { background: $accent; border-radius: 8px; }
QToolButton[role="send"]:focus { border: 2px solid $text; }
QToolButton[role="send"]:disabled { background: $line; }

QLineEdit {
  background: $raised; color: $text; border: 1px solid $line; border-radius: 8px; padding: 5px 8px;
  font-size: $body; selection-background-color: $accent; selection-color: $on_accent;
  placeholder-text-color: $secondary;
}
QLineEdit:focus { border-color: $accent; }
QLineEdit[role="inline"] { border-radius: 6px; padding: 2px 6px; border-color: $accent; }

QTextBrowser, QPlainTextEdit {
  background: transparent; color: $text; border: none; font-size: $body;
  selection-background-color: $accent; selection-color: $on_accent; placeholder-text-color: $secondary;
}
QPlainTextEdit[role="code-text"] { font-family: "$code_family"; font-size: $code; }
QFrame[role="code"] { background: $pane; border: 1px solid $line; border-radius: 8px; }
QFrame[role="bubble"] { background: $bubble; border-radius: 12px; }
QFrame[role="composer"] { background: $raised; border: 1px solid $line; border-radius: 12px; }
QFrame[role="composer"][focused="true"] { border-color: $accent; }
QFrame[role="card"] { background: $raised; border: 1px solid $line; border-radius: 10px; }
QFrame[role="card"]:hover, QFrame[role="card"]:focus { border-color: $outline; }
QFrame[role="card"]:focus { border-color: $accent; }
QFrame[role="sheet"] { background: $raised; border: 1px solid $line; border-radius: 10px; }
QFrame[role="note"] { background: $pane; border: 1px solid $line; border-radius: 8px; }
QFrame[role="bar"] { background: $raised; border: 1px solid $outline; border-radius: 10px; }
QFrame[role="drop"] { background: transparent; border: 2px dashed $outline; border-radius: 16px; }
QFrame[role="meter"] { background: transparent; border: 1px solid transparent; border-radius: 6px; }
QFrame[role="meter"]:hover { background: $hover; }
QFrame[role="meter"]:focus { border-color: $accent; }
QFrame[role="rule"] { background: $line; border: none; }

QScrollArea, QAbstractScrollArea { border: none; }
QScrollArea { background: transparent; }
QWidget[role="column"] { background: transparent; }
QListView { background: transparent; border: none; }
QSplitter::handle { background: $line; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar::handle:vertical { background: $scroll; border-radius: 3px; min-height: 32px; margin: 2px; }
QScrollBar::handle:vertical:hover { background: $outline; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle:horizontal { background: $scroll; border-radius: 3px; min-width: 32px; margin: 2px; }
QScrollBar::handle:horizontal:hover { background: $outline; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QProgressBar { background: $line; border: none; border-radius: 2px; max-height: 4px; min-height: 4px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QProgressBar[role="kept"]::chunk { background: $kept; }

QSlider::groove:horizontal { height: 4px; background: $line; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $kept; border-radius: 2px; }
QSlider::handle:horizontal {
  width: 18px; height: 18px; margin: -8px 0; border-radius: 10px; background: $raised; border: 1px solid $outline;
}
QSlider::handle:horizontal:hover { border-color: $text; }
QSlider::handle:horizontal:focus { border: 2px solid $accent; }

QComboBox {
  background: $raised; color: $text; border: 1px solid $line; border-radius: 8px; padding: 4px 8px; font-size: $body;
}
QComboBox:focus { border-color: $accent; }
QComboBox::drop-down { border: none; width: 24px; }
QComboBox::down-arrow { image: none; }
QComboBox QAbstractItemView {
  background: $raised; color: $text; border: 1px solid $line; selection-background-color: $hover;
  selection-color: $text;
}

QMenu { background: $raised; color: $text; border: 1px solid $line; border-radius: 8px; padding: 4px; }
QMenu::item { padding: 6px 24px 6px 12px; border-radius: 4px; font-size: $body; }
QMenu::item:selected { background: $hover; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QToolTip { background: $raised; color: $text; border: 1px solid $line; padding: 4px 6px; font-size: $small; }
QDialog { background: $page; }
""")


def stylesheet(colours: Colours, px: Callable[[float], int], code_family: str) -> str:
    """The application's style sheet; `px` scales a design size to pixels, `code_family` names the monospace font."""
    dark = int(colours.page[1:3], 16) < 0x80
    return _SHEET.substitute(
        vars(colours),
        bubble=colours.raised if dark else colours.hover,
        code_family=code_family,
        scroll=colours.line if dark else "#D2CDC3",
        button=f"{px(20)}px",
        chip=f"{px(18)}px",
        small=f"{px(12)}px",
        code=f"{px(13)}px",
        body=f"{px(14)}px",
        medium=f"{px(16)}px",
        large=f"{px(20)}px",
    )

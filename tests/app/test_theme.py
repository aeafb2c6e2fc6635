"""Colours that can be read, and a look that changes while the window is open."""

from __future__ import annotations

import itertools

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication

from app.theme import DARK, LARGEST_SCALE, LIGHT, Colours, Theme


def luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        *itertools.product(["text", "secondary", "accent", "error"], ["page", "pane", "raised"]),
        *itertools.product(["warning"], ["page", "raised"]),
    ],
)
def test_text_can_be_read_on_every_ground(colours: Colours, ground: str, ink: str) -> None:
    assert contrast(getattr(colours, ink), getattr(colours, ground)) >= 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_words_on_the_accent_and_on_hover_can_be_read(colours: Colours) -> None:
    assert contrast(colours.on_accent, colours.accent) >= 4.5
    assert contrast(colours.secondary, colours.hover) >= 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_lines_that_carry_meaning_can_be_seen(colours: Colours) -> None:
    assert contrast(colours.outline, colours.page) >= 3
    assert contrast(colours.outline, colours.raised) >= 3


def test_the_look_changes_live(qapp: QApplication) -> None:
    theme = Theme(qapp, "light")
    heard: list[bool] = []
    theme.changed.connect(lambda: heard.append(theme.dark))
    theme.set_mode("dark")
    assert heard == [True]
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == DARK.page.lower()
    assert DARK.page in qapp.styleSheet()


def test_text_size_scales_everything_and_has_bounds(qapp: QApplication) -> None:
    theme = Theme(qapp, "light")
    theme.set_scale(150)
    assert theme.font().pixelSize() == 21
    assert "font-size: 18px" in qapp.styleSheet()
    theme.set_scale(1000)
    assert theme.scale == LARGEST_SCALE


def test_an_unknown_mode_follows_the_system(qapp: QApplication) -> None:
    assert Theme(qapp, "sepia").mode == "system"

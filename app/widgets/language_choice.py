"""Which languages text in pictures is read in: by itself, or those that the person names among those installed.

Knows Tesseract's names of languages and what people call them; asks nothing of the engine and saves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLocale, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton

from app.words import shortened

AUTOMATIC = "Automatic"
# What Tesseract has a name of its own for.
NAMES = {"chi_sim": "Chinese, simplified", "chi_tra": "Chinese, traditional"}


class LanguageChoice(QPushButton):
    """A button that says what is chosen and unfolds a list to choose from. `changed` when the person has."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__(AUTOMATIC)
        self._chosen: list[str] = []
        self.setAutoDefault(False)
        self._menu = QMenu(self)
        self.setMenu(self._menu)
        self._show()

    def set_languages(self, installed: Sequence[str], chosen: str) -> None:
        """installed: as Tesseract names them; chosen: of them, joined by "+", empty for none of the person's choice."""
        self._chosen = [language for language in chosen.split("+") if language]
        self._menu.clear()
        self._add(AUTOMATIC, "")
        self._menu.addSeparator()
        for language in sorted({*installed, *self._chosen}, key=language_name):
            self._add(language_name(language), language)
        self._show()

    def value(self) -> str:
        """The languages chosen, as the engine's setting has them."""
        return "+".join(self._chosen)

    def actions_by_name(self) -> dict[str, QAction]:
        """What can be chosen, by the name shown."""
        return {action.text(): action for action in self._menu.actions() if action.text()}

    def _add(self, name: str, language: str) -> None:
        action = self._menu.addAction(name)
        action.setCheckable(True)
        action.setData(language)
        action.triggered.connect(lambda _=False: self._choose(language))

    def _choose(self, language: str) -> None:
        if not language:
            self._chosen = []
        elif language in self._chosen:
            self._chosen.remove(language)
        else:
            self._chosen.append(language)
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        for action in self._menu.actions():
            action.setChecked(action.data() in self._chosen if action.data() else not self._chosen)
        said = ", ".join(map(language_name, self._chosen)) or AUTOMATIC
        self.setText(shortened(said))
        self.setAccessibleName(f"Languages of text in pictures: {said}")


def language_name(language: str) -> str:
    """What people call a language; Tesseract's own name for one that has no other."""
    code = QLocale.codeToLanguage(language)
    known = code not in (QLocale.Language.AnyLanguage, QLocale.Language.C)
    return NAMES.get(language) or (QLocale.languageToString(code) if known else language)

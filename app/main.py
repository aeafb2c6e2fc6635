"""The program: one application, one theme, one window. Imports nothing heavy, so that the window is there at once."""

from __future__ import annotations

import signal
import sys

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QStyleFactory

from app.engine_client import EngineClient
from app.engine_process import EngineProcess
from app.icons import application_icon
from app.paths import config_dir, log_dir
from app.settings import Settings
from app.theme import Theme
from app.window import Window

SIGNAL_MS = 250


def main() -> int:
    """Runs until the window is closed; returns the exit status."""
    app = QApplication(sys.argv)
    app.setApplicationName("Keepsake")
    app.setDesktopFileName("keepsake")
    app.setStyle(QStyleFactory.create("Fusion"))
    app.setWindowIcon(application_icon())
    settings = Settings(config_dir())
    theme = Theme(app, settings.text("appearance/theme"), settings.number("appearance/text_scale"))
    client = EngineClient(EngineProcess(settings.engine_command(), log_dir() / "engine.log"))
    window = Window(client, settings, theme)
    window.start()
    _close_on_ctrl_c(window)
    return app.exec()


def _close_on_ctrl_c(window: Window) -> None:
    """Python hears of a signal only while it runs, and Qt seldom lets it: a timer gives it its turn."""
    signal.signal(signal.SIGINT, lambda *_: QTimer.singleShot(0, window, window.close))
    timer = QTimer(window, interval=SIGNAL_MS)
    timer.timeout.connect(lambda: None)
    timer.start()


if __name__ == "__main__":
    sys.exit(main())

"""Makes docs/images/window-light.png and window-dark.png for the README: the real window on the fake engine.

`QT_SCALE_FACTOR=2 python -m docs.make_screenshots`, with QT_QPA_PLATFORM=offscreen where there is no screen.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.window import Window
from tests.app.window_rig import make_window

IMAGES = Path(__file__).parent / "images"
OTHERS = ("Minutes of the owners\u2019 meeting", "Insurance policy, what is covered", "Thesis: related work")
FILES = {
    "lease.pdf": 24,
    "house rules.pdf": 16,
    "letter, locked.pdf": 2,
    "annual report 2024, mixed pages.pdf": 312,
    "Contracts/gas.pdf": 8,
    "Contracts/electricity.pdf": 12,
    "Contracts/internet.pdf": 3,
}


def main() -> int:
    """Writes both pictures."""
    app = QApplication(sys.argv)
    IMAGES.mkdir(exist_ok=True)
    for mode in ("light", "dark"):
        with tempfile.TemporaryDirectory() as folder:
            window = make_window(Path(folder), "--rate", "3000", mode=mode)
            window.start()
            fill(app, window, Path(folder) / "files")
            window.grab().save(str(IMAGES / f"window-{mode}.png"))
            window.close()
    return 0


def fill(app: QApplication, window: Window, folder: Path) -> None:
    """Conversations, documents and an answer, as somebody may have them."""
    for title in OTHERS:
        window.client.call("conversation_create", {"title": title})
    for name, pages in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(pages))
    window.add_paths([str(folder / top) for top in dict.fromkeys(name.split("/")[0] for name in FILES)])
    window.session.ask("When does the lease end, and how long before must I give notice?")
    wait(app, lambda: not window.session.asking and not window.session.reading)
    window.library.pin(window.library.conversations[-1].id, True)
    window.setFocus()
    end = time.monotonic() + 0.5
    wait(app, lambda: time.monotonic() > end)


def wait(app: QApplication, done: Callable[[], bool]) -> None:
    """Lets the window work until `done`."""
    while not done():
        app.processEvents()
        time.sleep(0.002)


if __name__ == "__main__":
    sys.exit(main())

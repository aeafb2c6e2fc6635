"""The engine as a child process: start it, write lines, get lines, end it.

Knows QProcess, the log file and newlines; nothing of what the lines say.
"""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

LARGEST_LOG = 2_000_000
PUMP_SECONDS = 0.008


class EngineProcess(QObject):
    """One run of the engine after another. Lines are handed over in slices, so that a flood cannot stall the window."""

    line = Signal(bytes)
    died = Signal(str)

    def __init__(self, command: list[str], log: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._command = command
        self._log = log
        self._process: QProcess | None = None
        self._partial: list[bytes] = []
        self._lines: deque[bytes] = deque()
        self._pump = QTimer(self, interval=0, singleShot=True)
        self._pump.timeout.connect(self._hand_over)

    @property
    def log(self) -> Path:
        return self._log

    @property
    def running(self) -> bool:
        return self._process is not None

    def start(self) -> None:
        """Starts the engine; `died` tells if it cannot be started, too."""
        self._log.parent.mkdir(parents=True, exist_ok=True)
        if self._log.exists() and self._log.stat().st_size > LARGEST_LOG:
            self._log.replace(self._log.with_suffix(".log.1"))
        self._partial, self._lines = [], deque()
        process = QProcess(self)
        process.setProgram(self._command[0])
        process.setArguments(self._command[1:])
        process.setStandardErrorFile(str(self._log), QProcess.OpenModeFlag.Append)
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._failed)
        self._process = process
        process.start()

    def set_command(self, command: list[str]) -> None:
        """The words to start with the next time."""
        self._command = command

    def write(self, line: bytes) -> None:
        """Sends one encoded line; dropped when the engine is not running."""
        if self._process is not None:
            self._process.write(line)

    def kill(self) -> None:
        """Ends an engine that no longer answers; `died` follows."""
        if self._process is not None:
            self._process.kill()

    def close(self, milliseconds: int) -> bool:
        """Closes the engine's stdin, waits, and ends it. True if it went by itself."""
        process = self._release()
        if process is None:
            return True
        process.closeWriteChannel()
        went = process.waitForFinished(milliseconds)
        if not went:
            process.kill()
            process.waitForFinished(milliseconds)
        return went

    def _read(self) -> None:
        assert self._process is not None
        data = bytes(self._process.readAllStandardOutput().data())
        *whole, rest = data.split(b"\n")
        for piece in whole:
            self._partial.append(piece)
            self._lines.append(b"".join(self._partial))
            self._partial = []
        if rest:
            self._partial.append(rest)
        if self._lines and not self._pump.isActive():
            self._pump.start()

    def _hand_over(self) -> None:
        end = time.perf_counter() + PUMP_SECONDS
        while self._lines and time.perf_counter() < end:
            self.line.emit(self._lines.popleft())
        if self._lines:
            self._pump.start()

    def _finished(self, code: int) -> None:
        while self._lines:
            self.line.emit(self._lines.popleft())
        self._release()
        self.died.emit(f"It ended with code {code}.")

    def _failed(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._release()
            self.died.emit(f"It could not be started: {self._command[0]}")

    def _release(self) -> QProcess | None:
        process, self._process = self._process, None
        self._pump.stop()
        if process is not None:
            process.readyReadStandardOutput.disconnect(self._read)
            process.finished.disconnect(self._finished)
            process.errorOccurred.disconnect(self._failed)
            process.finished.connect(process.deleteLater)
        return process

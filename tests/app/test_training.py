"""A model without retaining heads, and training new ones: said, tried, started, paused, found again, used."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QFileDialog
from pytestqt.qtbot import QtBot

from app import training
from app import training_words as words
from app.widgets.log_dialog import LogDialog
from app.widgets.settings_dialog import SettingsDialog
from app.widgets.training_dialog import TrainingDialog
from app.window import Window
from tests.app.conftest import WAIT_MS, MakeWindow
from tests.app.window_rig import requests

HEADLESS = "/models/headless.gguf"
SLOW = ("--training-seconds", "0.5")
MakeDocument = Callable[..., str]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "LOOK_MS", 20)


def use_model(window: Window, qtbot: QtBot, model: str = HEADLESS) -> None:
    window.client.call("settings_set", {"changes": {"model": model}})
    name = Path(model).stem
    qtbot.waitUntil(lambda: window.training.heads is not None and window.training.heads.model == name, timeout=WAIT_MS)


def press(qtbot: QtBot, button: QAbstractButton) -> None:
    qtbot.waitUntil(lambda: button.isVisible() and button.isEnabled(), timeout=WAIT_MS)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def panel(window: Window, qtbot: QtBot) -> TrainingDialog:
    """Opens the dialog from the notice and chooses a folder in it."""
    press(qtbot, window.page.heads_notice.train_button)
    (dialog,) = window.findChildren(TrainingDialog)
    qtbot.waitUntil(lambda: dialog.about() == words.FOLDER, timeout=WAIT_MS)
    choose_folder(dialog, "/texts")
    return dialog


def choose_folder(dialog: TrainingDialog, folder: str) -> None:
    dialog.choose_folder()
    files = dialog.findChildren(QFileDialog)[-1]
    files.fileSelected.emit(folder)
    files.reject()


def start(window: Window, qtbot: QtBot, model: str = HEADLESS) -> None:
    """Starts training as a person does."""
    use_model(window, qtbot, model)
    dialog = panel(window, qtbot)
    press(qtbot, dialog.go_button)
    qtbot.waitUntil(lambda: dialog.go_button.text() == "Start training", timeout=WAIT_MS)
    with qtbot.waitSignal(dialog.accepted, timeout=WAIT_MS):
        press(qtbot, dialog.go_button)
    assert window.page.training_row.isVisible()


def until(window: Window, qtbot: QtBot, state: str) -> None:
    qtbot.waitUntil(lambda: window.training.run is not None and window.training.run.state == state, timeout=WAIT_MS)


def test_a_model_with_heads_has_no_notice(window: Window, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.training.heads is not None, timeout=WAIT_MS)
    assert window.page.heads_notice.isHidden()
    assert window.page.training_row.isHidden()


def test_a_model_without_heads_says_what_it_means_and_what_to_do(window: Window, qtbot: QtBot) -> None:
    use_model(window, qtbot)
    assert window.page.heads_notice.text() == (
        "This model has no retaining heads yet. It keeps all that it reads, so only about 13 pages fit. "
        "Keepsake can choose what is kept without them, too, by KeyDiff, though less well than with trained heads."
    )


def test_no_training_is_offered_where_there_can_be_none(window: Window, qtbot: QtBot) -> None:
    use_model(window, qtbot, "/models/strange-headless.gguf")
    notice = window.page.heads_notice
    assert notice.text().endswith("Heads cannot be trained for a model of this kind.")
    assert notice.keydiff_button.isVisible() and not notice.train_button.isVisible()


def test_keydiff_is_used_at_once_and_the_notice_goes(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    use_model(window, qtbot)
    press(qtbot, window.page.heads_notice.keydiff_button)
    qtbot.waitUntil(window.page.heads_notice.isHidden, timeout=WAIT_MS)
    assert requests(tmp_path, "settings_set")[-1] == {"changes": {"policy": "keydiff"}}


def test_what_is_too_long_without_heads_is_read_once_keydiff_chooses(
    open_window: MakeWindow, qtbot: QtBot, document: MakeDocument
) -> None:
    window = open_window("--pages", "40")
    use_model(window, qtbot)
    window.add_paths([document("long.txt")])
    qtbot.waitUntil(window.documents.refusal.isVisible, timeout=WAIT_MS)
    (card,) = window.documents.cards.values()
    assert (card._state.text(), card._button.accessibleName()) == ("Waiting to be read", "Read it now")
    assert window.page.empty._lead.text() == "Nothing is read yet."
    press(qtbot, card._button)
    qtbot.waitUntil(lambda: not window.session.reading and card._button.isVisible(), timeout=WAIT_MS)
    press(qtbot, window.page.heads_notice.keydiff_button)
    qtbot.waitUntil(lambda: not window.documents.refusal.isVisible(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: [d.outcome for d in window.session.now.documents.values()] == ["read"], timeout=WAIT_MS)
    assert not card._button.isVisible()


def test_put_away_it_stays_away_for_this_model_alone(window: Window, qtbot: QtBot) -> None:
    use_model(window, qtbot)
    press(qtbot, window.page.heads_notice.close_button)
    window.client.call("settings_set", {"changes": {"budget_mb": 2000}})
    qtbot.wait(100)
    assert window.page.heads_notice.isHidden()
    use_model(window, qtbot, "/models/another-headless.gguf")
    assert window.page.heads_notice.isVisible()


def test_nothing_starts_before_its_time_is_known(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    use_model(window, qtbot)
    dialog = panel(window, qtbot)
    press(qtbot, dialog.go_button)
    qtbot.waitUntil(lambda: dialog.sentence().startswith("Trying it: step"), timeout=WAIT_MS)
    assert not dialog.sources.isEnabled()
    both = "On this computer a quick training takes about 9 min, a thorough one about 45 min."
    qtbot.waitUntil(lambda: dialog.sentence() == both, timeout=WAIT_MS)
    assert requests(tmp_path, "training_trial") == [{"texts": "folder", "folder": "/texts"}]
    assert requests(tmp_path, "training_start") == []
    choose_folder(dialog, "/other")
    assert (dialog.sentence(), dialog.go_button.text()) == ("", "Estimate the time"), "other texts take another time"


def test_its_length_is_chosen_before_or_after_the_estimate(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    use_model(window, qtbot)
    dialog = panel(window, qtbot)
    assert dialog.lengths.value() == "1500"
    press(qtbot, dialog.go_button)
    qtbot.waitUntil(lambda: dialog.go_button.text() == "Start training", timeout=WAIT_MS)
    press(qtbot, dialog.lengths.buttons()[0])
    assert dialog.go_button.text() == "Start training", "what was measured holds for both"
    with qtbot.waitSignal(dialog.accepted, timeout=WAIT_MS):
        press(qtbot, dialog.go_button)
    assert requests(tmp_path, "training_start") == [{"texts": "folder", "folder": "/texts", "steps": 300}]
    assert window.training.run.steps == 300


def test_a_trial_is_stopped_by_its_button_or_by_leaving(open_window: MakeWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window("--trial-seconds", "0.3")
    use_model(window, qtbot)
    dialog = panel(window, qtbot)
    press(qtbot, dialog.go_button)
    qtbot.waitUntil(lambda: dialog.sentence().startswith("Trying it"), timeout=WAIT_MS)
    assert dialog.close_button.text() == "Stop"
    press(qtbot, dialog.close_button)
    qtbot.waitUntil(dialog.sources.isEnabled, timeout=WAIT_MS)
    assert dialog.isVisible()
    assert dialog.sentence() == ""
    press(qtbot, dialog.go_button)
    qtbot.waitUntil(lambda: len(requests(tmp_path, "training_trial")) == 2, timeout=WAIT_MS)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: len(requests(tmp_path, "cancel")) == 2, timeout=WAIT_MS)


def test_a_model_that_cannot_be_trained_for_says_so_in_the_dialog(window: Window, qtbot: QtBot) -> None:
    use_model(window, qtbot, "/models/stubborn-headless.gguf")
    dialog = panel(window, qtbot)
    press(qtbot, dialog.go_button)
    refusal = "Models of this kind cannot be trained for. Choose another."
    qtbot.waitUntil(lambda: dialog.sentence() == refusal, timeout=WAIT_MS)
    assert dialog.go_button.isEnabled()


def test_too_few_documents_say_how_much_there_is(window: Window, qtbot: QtBot, document: MakeDocument) -> None:
    use_model(window, qtbot)
    window.add_paths([document("lease.pdf")])
    qtbot.waitUntil(lambda: bool(window.session.now.documents) and not window.session.reading, timeout=WAIT_MS)
    dialog = panel(window, qtbot)
    press(qtbot, dialog.sources.buttons()[0])
    assert dialog.about() == (
        "1 document with 32,000 characters. "
        "Training needs at least 200,000: let Keepsake read more, or choose a folder."
    )
    assert not dialog.go_button.isEnabled()
    assert not dialog.sources.buttons()[2].isVisible(), "there is no apt-get"


def test_enough_documents_are_what_training_reads(
    open_window: MakeWindow, qtbot: QtBot, tmp_path: Path, document: MakeDocument
) -> None:
    window = open_window("--pages", "200", "--page-seconds", "0", "--standard")
    use_model(window, qtbot)
    window.add_paths([document("lease.pdf")])
    qtbot.waitUntil(lambda: bool(window.session.now.documents) and not window.session.reading, timeout=WAIT_MS)
    press(qtbot, window.page.heads_notice.train_button)
    (dialog,) = window.findChildren(TrainingDialog)
    qtbot.waitUntil(lambda: dialog.about() == "1 document with 320,000 characters.", timeout=WAIT_MS)
    press(qtbot, dialog.go_button)
    qtbot.waitUntil(lambda: requests(tmp_path, "training_trial") == [{"texts": "documents"}], timeout=WAIT_MS)


def test_while_it_runs_it_tells_how_far_it_is(open_window: MakeWindow, qtbot: QtBot) -> None:
    window = open_window("--training-seconds", "0.02")
    start(window, qtbot)
    row = window.page.training_row
    qtbot.waitUntil(lambda: window.training.run.step > 40, timeout=WAIT_MS)
    assert re.fullmatch(r"Training retaining heads step \d+ of 1,500, about 3\d min left", row.text())
    assert window.page.heads_notice.isHidden()
    assert row._may_close.text() == "You may close Keepsake; training goes on."
    assert row._curve.isVisible()


def test_it_pauses_and_goes_on(open_window: MakeWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window("--training-seconds", "0.2")
    start(window, qtbot)
    row = window.page.training_row
    press(qtbot, row.pause_button)
    until(window, qtbot, "paused")
    assert "Paused at step" in row.text()
    assert not row.pause_button.isVisible()
    press(qtbot, row.resume_button)
    until(window, qtbot, "running")
    assert len(requests(tmp_path, "training_resume")) == 1


def test_it_is_there_again_after_a_restart(open_window: MakeWindow, qtbot: QtBot) -> None:
    start(open_window(*SLOW), qtbot)
    window = open_window(*SLOW)
    until(window, qtbot, "running")
    assert window.page.training_row.isVisible()


def test_discarding_is_asked_about_first(open_window: MakeWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window(*SLOW)
    start(window, qtbot)
    row = window.page.training_row
    press(qtbot, row.discard_button)
    assert row.text().startswith("Discard ")
    assert window.focusWidget() is row.keep_button
    press(qtbot, row.keep_button)
    assert row.text().startswith("Training ")
    assert requests(tmp_path, "training_discard") == []
    press(qtbot, row.discard_button)
    press(qtbot, row.discard_button)
    qtbot.waitUntil(row.isHidden, timeout=WAIT_MS)
    assert window.page.heads_notice.isVisible()


def test_new_heads_are_announced_and_take_the_place_of_keydiff(
    open_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window = open_window("--training-seconds", "0.001")
    start(window, qtbot)
    window.training.use_policy("keydiff")
    until(window, qtbot, "done")
    row = window.page.training_row
    assert row.text() == (
        "New retaining heads are ready. They are used from the next reading on. Documents of earlier conversations are "
        "read once more with them, at the next question there."
    )
    qtbot.waitUntil(lambda: window.training.heads.policy == "locret", timeout=WAIT_MS)
    press(qtbot, row.discard_button)
    qtbot.waitUntil(row.isHidden, timeout=WAIT_MS)
    assert window.page.heads_notice.isHidden()


def test_keydiff_chosen_once_heads_are_there_stays_after_a_restart(
    open_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window = open_window("--training-seconds", "0.001")
    start(window, qtbot)
    until(window, qtbot, "done")
    window.training.use_policy("keydiff")
    qtbot.waitUntil(lambda: window.training.heads.policy == "keydiff", timeout=WAIT_MS)
    chosen = requests(tmp_path, "settings_set")
    window = open_window("--training-seconds", "0.001")
    until(window, qtbot, "done")
    qtbot.waitUntil(lambda: window.training.heads is not None, timeout=WAIT_MS)
    qtbot.wait(200)
    assert window.training.heads.policy == "keydiff"
    assert requests(tmp_path, "settings_set") == chosen, "the window changes nothing by itself"


def test_a_failure_says_why_shows_its_log_and_tries_again(window: Window, qtbot: QtBot) -> None:
    start(window, qtbot, "/models/failing-headless.gguf")
    until(window, qtbot, "failed")
    row = window.page.training_row
    assert row.text() == "The training failed. The disk is full. Make room, and try again."
    press(qtbot, row.log_button)
    qtbot.waitUntil(lambda: bool(window.findChildren(LogDialog)), timeout=WAIT_MS)
    (log,) = window.findChildren(LogDialog)
    assert "The disk is full." in log.text.toPlainText()
    log.accept()
    assert row.resume_button.text() == "Try again"
    press(qtbot, row.resume_button)
    until(window, qtbot, "running")


def test_the_settings_lead_to_training_and_back_from_keydiff(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    use_model(window, qtbot)
    window.training.use_policy("keydiff")
    window.show_settings()
    (dialog,) = window.findChildren(SettingsDialog)
    qtbot.waitUntil(dialog.model.isEnabled, timeout=WAIT_MS)
    dialog.model.another.toggle()
    press(qtbot, dialog.model.train_button)
    (training_dialog,) = dialog.findChildren(TrainingDialog)
    training_dialog.reject()
    press(qtbot, dialog.model.everything_button)
    press(qtbot, dialog.save_button)
    expected = {"changes": {"policy": "locret"}}
    qtbot.waitUntil(lambda: requests(tmp_path, "settings_set")[-1] == expected, timeout=WAIT_MS)


def test_another_model_gives_up_keydiff(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    use_model(window, qtbot)
    window.training.use_policy("keydiff")
    window.show_settings()
    (dialog,) = window.findChildren(SettingsDialog)
    qtbot.waitUntil(dialog.model.isEnabled, timeout=WAIT_MS)
    dialog.model._choose("/models/llama.gguf")
    assert not dialog.model.train_button.isEnabled()
    press(qtbot, dialog.save_button)
    expected = {"changes": {"model": "/models/llama.gguf", "policy": "locret"}}
    qtbot.waitUntil(lambda: requests(tmp_path, "settings_set")[-1] == expected, timeout=WAIT_MS)


def test_every_control_has_a_name_and_can_be_reached(open_window: MakeWindow, qtbot: QtBot) -> None:
    window = open_window(*SLOW)
    start(window, qtbot)
    for widget in (window.page.training_row, window.page.heads_notice):
        for button in widget.findChildren(QAbstractButton):
            assert button.accessibleName() or button.text()
            assert button.focusPolicy() & Qt.FocusPolicy.TabFocus

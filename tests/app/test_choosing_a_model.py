"""The model in the settings: named, chosen from a file, a folder or huggingface.co, and saved with what changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QLineEdit, QSlider, QWidget
from pytestqt.qtbot import QtBot

from app.model_names import STARTER_MODEL, is_starter_model, model_name
from app.widgets.settings_dialog import SettingsDialog
from app.window import Window
from tests.app.conftest import WAIT_MS
from tests.app.window_rig import requests

CONTROLS = (QAbstractButton, QLineEdit, QSlider)


@pytest.fixture
def dialog(window: Window, qtbot: QtBot) -> SettingsDialog:
    return opened(window, qtbot)


def opened(window: Window, qtbot: QtBot) -> SettingsDialog:
    window.show_settings()
    dialog = window.findChildren(SettingsDialog)[-1]
    qtbot.waitUntil(dialog.model.isEnabled, timeout=WAIT_MS)
    return dialog


def choose(dialog: SettingsDialog, path: str) -> None:
    """What the person does in the dialog for files."""
    dialog.model.choose_file()
    files = dialog.model.findChildren(QFileDialog)[-1]
    files.fileSelected.emit(path)
    files.reject()


def write_hub_id(dialog: SettingsDialog, qtbot: QtBot, name: str) -> None:
    dialog.model.another.toggle()
    qtbot.keyClicks(dialog.model.hub_id, name)


def save(dialog: SettingsDialog, qtbot: QtBot) -> None:
    qtbot.waitUntil(dialog.save_button.isEnabled, timeout=WAIT_MS)
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dialog.isVisible(), timeout=WAIT_MS)


def reachable(dialog: SettingsDialog) -> list[QWidget]:
    """The controls that Tab reaches, in its order."""
    chain: list[QWidget] = []
    widget = dialog.nextInFocusChain()
    while widget is not dialog:
        if isinstance(widget, CONTROLS) and widget.isVisibleTo(dialog) and widget.isEnabled():
            chain.append(widget)
        widget = widget.nextInFocusChain()
    return chain


def test_the_starter_model_is_named_and_asks_for_nothing(dialog: SettingsDialog) -> None:
    name, origin, notice, _ = dialog.model.facts()
    assert (name, notice) == (STARTER_MODEL, "")
    assert origin == "The starter model. It came with Keepsake; you need not choose another."
    assert not dialog.model.hub_id.isVisible()
    assert not dialog.model.runtime.isVisible()
    assert dialog.save_button.isEnabled()


def test_with_nothing_changed_nothing_is_saved(dialog: SettingsDialog, qtbot: QtBot, tmp_path: Path) -> None:
    save(dialog, qtbot)
    assert requests(tmp_path, "settings_set") == []


def test_a_chosen_file_is_planned_for_and_saved(
    window: Window, dialog: SettingsDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    choose(dialog, "/models/llama.Q4.gguf")
    assert not dialog.save_button.isEnabled()
    assert dialog.model.facts()[:2] == ("llama.Q4", "/models/llama.Q4.gguf")
    save(dialog, qtbot)
    assert requests(tmp_path, "plan")[-1] == {"budget_mb": 1024, "model": "/models/llama.Q4.gguf"}
    assert requests(tmp_path, "settings_set") == [{"changes": {"model": "/models/llama.Q4.gguf"}}]
    assert opened(window, qtbot).model.facts()[0] == "llama.Q4"


def test_a_folder_is_chosen_as_a_folder(dialog: SettingsDialog) -> None:
    dialog.model.choose_folder()
    (files,) = dialog.model.findChildren(QFileDialog)
    assert files.fileMode() == QFileDialog.FileMode.Directory
    files.fileSelected.emit("/models/Qwen3-0.6B")
    files.reject()
    assert dialog.model.facts()[0] == "Qwen3-0.6B"


def test_a_model_too_big_for_the_budget_is_refused_by_the_slider_until_there_is_room(
    dialog: SettingsDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    choose(dialog, "/models/big.gguf")
    qtbot.waitUntil(lambda: dialog.budget.slider.value() == 3750, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: dialog.budget.plan.budget_mb == 3750, timeout=WAIT_MS)
    assert dialog.budget.sentence.text() == "The model alone needs 5,000 MB. Choose at least that."
    assert not dialog.save_button.isEnabled()
    dialog.budget.slider.setValue(6000)
    save(dialog, qtbot)
    assert requests(tmp_path, "settings_set") == [{"changes": {"model": "/models/big.gguf", "budget_mb": 6000}}]


def test_the_budget_comes_back_with_a_model_that_allows_it(dialog: SettingsDialog, qtbot: QtBot) -> None:
    choose(dialog, "/models/big.gguf")
    qtbot.waitUntil(lambda: dialog.budget.slider.value() == 3750, timeout=WAIT_MS)
    dialog.model.another.toggle()
    qtbot.mouseClick(dialog.model.starter_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.budget.slider.value() == 1024, timeout=WAIT_MS)
    assert dialog.model.facts()[0] == STARTER_MODEL
    qtbot.waitUntil(dialog.save_button.isEnabled, timeout=WAIT_MS)


def test_a_model_that_cannot_be_read_is_refused_in_the_dialog(
    window: Window, dialog: SettingsDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    choose(dialog, "/models/broken.gguf")
    qtbot.waitUntil(lambda: bool(dialog.error()), timeout=WAIT_MS)
    assert dialog.error() == "This file is no model that Keepsake can read. Choose another."
    assert not dialog.save_button.isEnabled()
    assert not window.notice.isVisible()
    assert dialog.budget.facts() == ("\u2013", "\u2013", "\u2013")
    choose(dialog, "/models/llama.gguf")
    qtbot.waitUntil(lambda: not dialog.error(), timeout=WAIT_MS)
    save(dialog, qtbot)
    assert requests(tmp_path, "settings_set") == [{"changes": {"model": "/models/llama.gguf"}}]


def test_where_the_model_in_use_cannot_be_read_another_is_chosen(
    window: Window, dialog: SettingsDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    window.client.call("settings_set", {"changes": {"model": "/models/broken.gguf"}}, failed=lambda _: None)
    dialog.reject()
    again = opened(window, qtbot)
    assert again.error() == "This file is no model that Keepsake can read. Choose another."
    assert again.model.facts()[0] == "broken"
    choose(again, "/models/llama.gguf")
    qtbot.waitUntil(again.budget.isEnabled, timeout=WAIT_MS)
    assert again.budget.budget_mb() == 1024
    save(again, qtbot)
    assert requests(tmp_path, "settings_set")[-1] == {"changes": {"model": "/models/llama.gguf"}}


@pytest.mark.parametrize("way", ["button", "return"])
def test_a_name_on_the_hub_counts_once_it_is_used(
    dialog: SettingsDialog, qtbot: QtBot, tmp_path: Path, way: str
) -> None:
    write_hub_id(dialog, qtbot, "Qwen/Qwen3-0.6B")
    assert not dialog.save_button.isEnabled()
    assert requests(tmp_path, "plan") == []
    if way == "button":
        qtbot.mouseClick(dialog.model.use_button, Qt.MouseButton.LeftButton)
    else:
        qtbot.keyClick(dialog.model.hub_id, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert dialog.model.facts()[:2] == ("Qwen/Qwen3-0.6B", "From huggingface.co")
    save(dialog, qtbot)
    assert requests(tmp_path, "settings_set") == [{"changes": {"model": "Qwen/Qwen3-0.6B"}}]


def test_a_model_that_is_downloaded_later_can_be_saved_and_says_so(
    dialog: SettingsDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    write_hub_id(dialog, qtbot, "later/model")
    qtbot.mouseClick(dialog.model.use_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(dialog._error.isVisible, timeout=WAIT_MS)
    assert dialog._error.text() == "later/model is downloaded when it is first used."
    assert dialog._error.property("role") == "secondary"
    save(dialog, qtbot)
    assert requests(tmp_path, "settings_set") == [{"changes": {"model": "later/model"}}]


def test_the_way_a_model_runs_is_planned_with_it(dialog: SettingsDialog, qtbot: QtBot, tmp_path: Path) -> None:
    dialog.model.advanced.toggle()
    qtbot.mouseClick(dialog.model.runtime.buttons()[2], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(requests(tmp_path, "plan")), timeout=WAIT_MS)
    assert requests(tmp_path, "plan")[-1]["runtime"] == "torch"
    save(dialog, qtbot)
    assert requests(tmp_path, "settings_set") == [{"changes": {"runtime": "torch"}}]


def test_a_name_taken_back_allows_saving(dialog: SettingsDialog, qtbot: QtBot) -> None:
    write_hub_id(dialog, qtbot, "Qwen")
    assert not dialog.save_button.isEnabled()
    dialog.model.hub_id.clear()
    assert dialog.save_button.isEnabled()


def test_a_model_without_retaining_heads_says_so(window: Window, dialog: SettingsDialog, qtbot: QtBot) -> None:
    assert dialog.model.facts()[3] == "found"
    choose(dialog, "/models/headless.gguf")
    save(dialog, qtbot)
    again = opened(window, qtbot)
    qtbot.waitUntil(lambda: again.model.facts()[3] == "none found for this model", timeout=WAIT_MS)
    assert again.model.facts()[2] == "This model has no retaining heads; the newest that was read is kept."


def test_chosen_heads_are_saved_and_given_up_again(
    window: Window, dialog: SettingsDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog.model.choose_heads()
    files = dialog.model.findChild(QFileDialog)
    files.fileSelected.emit("/heads/llama.safetensors")
    files.reject()
    assert dialog.model.facts()[3] == "llama.safetensors"
    save(dialog, qtbot)
    again = opened(window, qtbot)
    again.model.another.toggle()
    qtbot.mouseClick(again.model.own_heads_button, Qt.MouseButton.LeftButton)
    save(again, qtbot)
    changes = [call["changes"] for call in requests(tmp_path, "settings_set")]
    assert changes == [{"heads": "/heads/llama.safetensors"}, {"heads": ""}]


def test_another_model_gives_up_the_heads_of_the_last(
    window: Window, dialog: SettingsDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    window.client.call("settings_set", {"changes": {"heads": "/heads/llama.safetensors"}})
    dialog.reject()
    again = opened(window, qtbot)
    choose(again, "/models/other.gguf")
    save(again, qtbot)
    assert requests(tmp_path, "settings_set")[-1] == {"changes": {"model": "/models/other.gguf", "heads": ""}}


def test_runtime_and_device_are_saved(window: Window, dialog: SettingsDialog, qtbot: QtBot, tmp_path: Path) -> None:
    dialog.model.advanced.toggle()
    for choice, text in ((dialog.model.runtime, "torch"), (dialog.model.device, "CPU")):
        (button,) = [each for each in choice.buttons() if each.text() == text]
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    save(dialog, qtbot)
    assert requests(tmp_path, "settings_set") == [{"changes": {"runtime": "torch", "device": "cpu"}}]
    again = opened(window, qtbot)
    assert (again.model.runtime.value(), again.model.device.value()) == ("torch", "cpu")


def test_every_control_is_named_and_tab_follows_the_eye(dialog: SettingsDialog) -> None:
    dialog.model.another.toggle()
    dialog.model.advanced.toggle()
    controls = reachable(dialog)
    assert [type(c).__name__ for c in controls if not (c.accessibleName() or getattr(c, "text", str)())] == []
    assert [control.text() for control in controls[-2:]] == ["Cancel", "Save"]
    heights = [control.mapTo(dialog, control.rect().center()).y() for control in controls[:-2]]
    rows = [height for height, before in zip(heights[1:], heights, strict=False) if height < before - 8]
    assert rows == []
    assert dialog.model.another.button.accessibleName() == "Another model, unfolded"


def test_the_dialog_grows_and_shrinks_with_its_folds(dialog: SettingsDialog, qtbot: QtBot) -> None:
    qtbot.wait(50)
    before = dialog.height()
    dialog.model.advanced.toggle()
    assert dialog.height() > before
    dialog.model.advanced.toggle()
    assert dialog.height() == before


def test_the_dialog_stays_on_the_screen_with_large_text(window: Window, dialog: SettingsDialog, qtbot: QtBot) -> None:
    window.theme.set_scale(200)
    dialog.model.another.toggle()
    qtbot.wait(50)
    assert dialog.height() <= dialog.screen().availableGeometry().height()
    assert dialog.save_button.height() > 40


def test_names_of_models() -> None:
    assert model_name("C:\\models\\Llama.Q4.gguf") == "Llama.Q4"
    assert model_name("/models/Qwen3-0.6B/") == "Qwen3-0.6B"
    assert is_starter_model("/share/SmolLM2-135M-Instruct.Q8_0.gguf")
    assert not is_starter_model("HuggingFaceTB/SmolLM2-135M-Instruct")

"""Every key of the window in one table: the window makes its actions from it, and F1 shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shortcut:
    """`keys` as Qt writes them; `action` names a method of the window, "" where a widget handles the key itself."""

    keys: str
    does: str
    action: str = ""


SHORTCUTS = (
    Shortcut("Ctrl+N", "New conversation", "new_conversation"),
    Shortcut("Ctrl+O", "Add files", "choose_files"),
    Shortcut("Ctrl+Shift+O", "Add a folder", "choose_folder"),
    Shortcut("Ctrl+F", "Search conversations", "search"),
    Shortcut("Ctrl+K", "Go to a conversation", "switch_conversation"),
    Shortcut("Return", "Send the question"),
    Shortcut("Shift+Return", "New line in the question"),
    Shortcut("Up", "Edit the last question, when the composer is empty"),
    Shortcut("Esc", "Stop the answer, or leave an edit", "escape"),
    Shortcut("F2", "Rename the conversation", "rename"),
    Shortcut("Del", "Delete the conversation, in the list"),
    Shortcut("Ctrl+B", "Show or fold the conversations", "toggle_list"),
    Shortcut("Ctrl+D", "Show or fold the documents", "toggle_documents"),
    Shortcut("Ctrl++", "Larger text", "larger_text"),
    Shortcut("Ctrl+-", "Smaller text", "smaller_text"),
    Shortcut("Ctrl+0", "Text at its usual size", "usual_text"),
    Shortcut("Ctrl+,", "Settings", "show_settings"),
    Shortcut("F1", "This list", "show_shortcuts"),
    Shortcut("Ctrl+Q", "Quit", "close"),
)

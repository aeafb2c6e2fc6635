"""The sentences of the training command as somebody reads them who has no command line, but buttons.

It knows the command's words, and nothing of runs.
"""

from __future__ import annotations

import re

_MORE_TEXTS, _OTHER_TEXTS = "choose more texts", "choose other texts"
_AGAIN, _OTHERWISE = "train again", "train again with other texts"
# What the command advises, or says by its options, and what can be done in the window. First what is more special.
_WORDS: tuple[tuple[str, str], ...] = (
    (r"Name more (?:files or folders|text) with --data[^.]*\.", _MORE_TEXTS),
    (r"Check what --data names\.", _OTHER_TEXTS),
    (r"These questions come with a text: name .*? say --labels \S+", _OTHER_TEXTS),
    (r"Say a larger --longest, or add other --labels\.", _OTHER_TEXTS),
    (r"Use (?:that|those), or begin anew with --overwrite\.", _AGAIN),
    (r"Bring the former ones back, or begin anew with --overwrite\.", _AGAIN),
    (r"Delete it, and train anew\.", _AGAIN),
    (r"Begin anew \(--overwrite\) with .*\(--dtype float32\)\.", _OTHERWISE),
    (r"Say --hidden \d+ or less\.", "close other programs and train again"),
)
_FACTS: tuple[tuple[str, str], ...] = (
    (r"Longer than --longest \d+ allows", "Longer than training reads"),
    (r"There is nothing that --labels \S+ can ask in what to (?:train on|hold out)\.", "Nothing in it can be asked."),
    (r", or with --(?:model|heads|device(?: cpu)?)\.", "."),
    (r" \(--(?:runtime torch|weights full)\)", ""),
    (r"Training heads of --hidden [\d,]+ takes", "Training takes"),
)
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z])")
_OPTION = re.compile(r"(?:^|[\s(])--[a-z]")


def in_the_window(message: str, run: bool) -> str:
    """run: whether there is a training to discard before another can be started."""
    wanted: list[str] = []
    for pattern, fact in _FACTS:
        message = re.sub(pattern, fact, message)
    for pattern, advice in _WORDS:
        message, found = re.subn(pattern, "", message)
        if found:
            wanted.append(advice)
    kept = []
    for sentence in filter(None, _SENTENCE_END.split(" ".join(message.split()))):
        if _OPTION.search(sentence):
            wanted = wanted or [_OTHERWISE]
        else:
            kept.append(sentence)
    if wanted:
        kept.append(f"Discard this training, and {wanted[0]}." if run else f"{wanted[0].capitalize()}.")
    return " ".join(kept)

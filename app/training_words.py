"""The sentences about retaining heads and their training. Knows the records; nothing of widgets."""

from __future__ import annotations

from app.records import Estimate, Heads, Texts, TrainingRun
from app.words import count, duration, number

QUICK, THOROUGH = 300, 1500
TOKENS_OF_A_PAGE = 600
NO_HEADS = "This model has no retaining heads yet."
KEYDIFF = "Keepsake can choose what is kept without them, too, by KeyDiff, though less well than with trained heads."
UNTRAINABLE = "Heads cannot be trained for a model of this kind."
WHAT_TRAINING_IS = (
    "Retaining heads learn which parts of a text somebody may ask about, so that a model reads long documents in "
    "little memory. They are trained once for each model, on this computer: your texts never leave it."
)
MEANWHILE = "You may use Keepsake meanwhile, or close it; training goes on."
MAY_CLOSE = "You may close Keepsake; training goes on."
TO_LEARN = "still to learn"
PREPARING = "Preparing the model and the texts"
READ_ONCE_MORE = "Documents of earlier conversations are read once more with them, at the next question there."
FOLDER = "Text and PDF files; a million characters and more make good heads."
STANDARD = "Manuals and other texts of public software packages, downloaded once. None of your documents are used."


def without_heads(heads: Heads) -> str:
    """What it means for reading that there are none, and what can be done."""
    pages = count(max(1, heads.context // TOKENS_OF_A_PAGE), "page")
    sentences = [f"It keeps all that it reads, so only about {pages} fit.", KEYDIFF]
    return " ".join(sentences if heads.trainable else [*sentences, UNTRAINABLE])


def documents(texts: Texts) -> str:
    """How much text the documents have, and what to do where that is too little."""
    if not texts.documents:
        return f"Nothing was read yet. Training needs at least {number(texts.least)} characters."
    what = f"{count(texts.documents, 'document')} with {count(texts.characters, 'character')}."
    if texts.enough:
        return what
    return f"{what} Training needs at least {number(texts.least)}: let Keepsake read more, or choose a folder."


def trial(step: int, steps: int) -> str:
    """Where a trial is."""
    if step:
        return f"Trying it: step {number(step)} of {number(steps)}"
    return f"Trying {number(steps)} steps; this may take a few minutes"


def length(steps: int) -> str:
    """What one length is for."""
    what = {
        QUICK: "For a first try; the heads keep less well than after a thorough training.",
        THOROUGH: "The heads keep better. It ends earlier where they learn nothing more.",
    }[steps]
    return f"{number(steps)} steps. {what}"


def estimate(told: Estimate) -> str:
    """What each length takes."""
    quick, thorough = (duration(told.seconds(steps)) for steps in (QUICK, THOROUGH))
    sentence = f"On this computer a quick training takes {quick}, a thorough one {thorough}."
    if told.disturbed:
        return f"{sentence} It was measured while Keepsake was at work, so it may be less."
    return sentence


def title(run: TrainingRun) -> str:
    """What a run is, in a line."""
    if run.state == "done":
        return "New retaining heads are ready."
    if run.state == "failed":
        return "The training failed."
    return "Training retaining heads" if run.for_model else f"Training retaining heads for {run.name}"


def progress(run: TrainingRun) -> str:
    """How far a run is, or what became of it."""
    place = f"step {number(run.step)} of {number(run.steps)}" if run.steps else "the first step"
    left = "" if run.seconds_left is None else f", {duration(run.seconds_left)} left"
    used = "They are used from the next reading on." if run.for_model else f"They are for {run.name}."
    return {
        "starting": PREPARING,
        "running": f"{place}{left}",
        "pausing": f"Pausing after {place}",
        "paused": f"Paused at {place}",
        "stopped": f"Stopped at {place} before it was through. It goes on from where it was.",
        "failed": run.message or "The log says why.",
        "done": f"{used} {READ_ONCE_MORE}",
    }[run.state]


def discard(run: TrainingRun) -> str:
    """What is lost, asked before it is."""
    return f"Discard what was learned in {count(run.step, 'step')}?" if run.step else "Discard this training?"

"""What models are called on screen. Knows paths and names; nothing of what is in a model."""

from __future__ import annotations

import re

STARTER_MODEL = "SmolLM2-135M-Instruct"


def model_name(model: str) -> str:
    """What a model is called: the name of its file or folder."""
    return re.split(r"[/\\]", model.rstrip("/\\"))[-1].removesuffix(".gguf")


def is_starter_model(model: str) -> bool:
    """Whether a model's file is one of those that come with Keepsake."""
    return model_name(model).startswith(f"{STARTER_MODEL}.")

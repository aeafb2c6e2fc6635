"""A conversation as text: the pieces of the model's own chat template that go around documents, questions and answers.

Documents and the question share one user turn (docs/decisions), so the text before a question never depends on it and
templates that demand alternating roles work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from engine.errors import UserError

FIRST, ANSWER, SECOND = "\u2983first\u2984", "\u2983answer\u2984", "\u2983second\u2984"


@dataclass(frozen=True)
class ChatFormat:
    """opening: before the first turn's documents. closing: after a question, up to the answer. next: between an answer
    and the next turn. All three may hold control tokens.
    """

    opening: str
    closing: str
    next: str


PLAIN = ChatFormat(opening="User: ", closing="\n\nAssistant:", next="\n\nUser: ")


def chat_format(template: str | None, bos: str = "", eos: str = "") -> ChatFormat:
    """Renders the template around three placeholders and takes what stands between them.

    A model without a template gets a plain one. The template is told no date: the text before a document would change
    every day, and with it the key of every stored reading. Raises UserError("model_broken") when the template cannot
    be rendered.
    """
    if not template:
        return PLAIN
    messages = [
        {"role": "user", "content": FIRST},
        {"role": "assistant", "content": ANSWER},
        {"role": "user", "content": SECOND},
    ]
    text = _render(template, messages, bos, eos)
    alone = _render(template, messages[:1], bos, eos)
    try:
        opening, rest = alone.split(FIRST)
        following = text.split(ANSWER)[1].split(SECOND)[0]
    except (ValueError, IndexError) as error:
        raise UserError("model_broken", "The model's chat template does not keep the messages as they are.") from error
    return ChatFormat(opening, rest, following)


def _render(template: str, messages: list[dict[str, str]], bos: str, eos: str) -> str:
    from jinja2 import TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def refuse(message: str) -> NoReturn:
        raise TemplateError(message)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.globals["raise_exception"] = refuse
    try:
        return environment.from_string(template).render(
            messages=messages, add_generation_prompt=True, bos_token=bos, eos_token=eos
        )
    except Exception as error:
        raise UserError("model_broken", f"The model's chat template cannot be used: {error}") from error

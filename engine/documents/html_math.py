"""A formula of a page -> one line of text: as it was written in TeX, else as one would type its MathML."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from engine.documents.flow import one_line
from engine.documents.html_hidden import NEVER, is_hidden

DEEPEST = 60
"""Elements within one another, for its parts to be told apart."""
_NOT_SHOWN = NEVER | {"mphantom"}
_SCRIPTS = {"msub": "_", "munder": "_", "msup": "^", "mover": "^", "msubsup": "_^", "munderover": "_^"}


def formula(math: LexborNode, alttext: str | None) -> str | None:
    """math: the element. alttext: what it says of itself in words or TeX, or None. None: it is too deep."""
    if alttext and alttext.strip():
        return one_line(alttext)
    written = math.css_first('annotation[encoding="application/x-tex"]')
    try:
        return one_line(written.text() if written is not None else _typed(math, DEEPEST))
    except RecursionError:
        return None


def _typed(node: LexborNode, depth: int) -> str:
    if node.tag == "-text":
        return (node.text_content or "").strip()
    if not depth:
        raise RecursionError
    parts = [(child.tag, _typed(child, depth - 1)) for child in node.iter(include_text=True) if _is_shown(child)]
    texts = [text for _, text in parts]
    match node.tag:
        case "mfrac" if len(texts) == 2:
            said = f"{_grouped(texts[0])}/{_grouped(texts[1])}"
        case "msqrt":
            said = f"\u221a{_grouped(''.join(texts))}"
        case "mroot" if len(texts) == 2:
            said = f"{texts[1]}\u221a{_grouped(texts[0])}"
        case "mtable":
            said = f"[{'; '.join(texts)}]"
        case "mtr" | "mlabeledtr":
            said = ", ".join(texts)
        case "mfenced":
            said = f"({', '.join(texts)})"
        case "mtext":
            said = f" {''.join(texts)} "
        case name if (marks := _SCRIPTS.get(name or "")) and len(texts) == len(marks) + 1:
            scripts = zip(marks, map(_grouped, texts[1:]), strict=True)
            said = texts[0] + "".join(mark + script for mark, script in scripts if script)
        case _:
            said = _side_by_side(parts)
    return said


def _is_shown(node: LexborNode) -> bool:
    if node.tag == "-text":
        return bool((node.text_content or "").strip())
    return node.tag not in _NOT_SHOWN and not is_hidden(node.attributes)


def _side_by_side(parts: list[tuple[str | None, str]]) -> str:
    """Two numbers stay two."""
    text, before = "", ""
    for tag, said in parts:
        if tag == before == "mn":
            text += " "
        text += said
        before = tag or ""
    return text


def _grouped(text: str) -> str:
    text = text.strip()
    return text if len(text) < 2 or text.isalnum() else f"({text})"

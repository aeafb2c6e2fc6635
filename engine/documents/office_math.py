"""A formula of an Office file (ISO/IEC 29500-1, section 22.1) -> one line of text, as one would type it."""

from __future__ import annotations

from xml.etree.ElementTree import Element

_PROPERTIES = "Pr"


def formula(element: Element | None) -> str:
    """Of an m:oMath element or anything in one; "" for None."""
    if element is None:
        return ""
    part = {child.tag: child for child in element}
    base, sub, sup = (part.get(f"{{m}}{name}") for name in ("e", "sub", "sup"))
    match element.tag:
        case "{m}t":
            said = element.text or ""
        case "{m}f":
            said = f"{_grouped(part.get('{m}num'))}/{_grouped(part.get('{m}den'))}"
        case "{m}sSup" | "{m}sSub" | "{m}sSubSup":
            said = formula(base) + _script("_", sub) + _script("^", sup)
        case "{m}nary":
            sign = _value(part.get("{m}naryPr"), "{m}chr", "\u222b")
            said = f"{sign}{_script('_', sub)}{_script('^', sup)} {formula(base)}"
        case "{m}rad":
            said = f"{formula(part.get('{m}deg'))}\u221a{_grouped(base)}"
        case "{m}func":
            said = f"{formula(part.get('{m}fName'))} {formula(base)}"
        case "{m}d":
            bounds = part.get("{m}dPr")
            inner = _value(bounds, "{m}sepChr", "|").join(formula(child) for child in element if child.tag == "{m}e")
            said = _value(bounds, "{m}begChr", "(") + inner + _value(bounds, "{m}endChr", ")")
        case "{m}m":
            said = f"[{'; '.join(', '.join(map(formula, row)) for row in element if row.tag == '{m}mr')}]"
        case _:
            said = "".join(formula(child) for child in element if not child.tag.endswith(_PROPERTIES))
    return said


def _grouped(element: Element | None) -> str:
    text = formula(element)
    return text if len(text) < 2 or text.isalnum() else f"({text})"


def _script(mark: str, element: Element | None) -> str:
    text = _grouped(element)
    return mark + text if text else ""


def _value(properties: Element | None, name: str, default: str) -> str:
    found = properties.find(name) if properties is not None else None
    return default if found is None else found.get("{m}val", "")

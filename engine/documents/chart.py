"""A chart of an Office file (ISO/IEC 29500-1, section 21.2) -> its title and its numbers as rows. The numbers are those
that were saved with it.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from engine.documents.flow import Flow
from engine.documents.number_format import shown
from engine.documents.office_names import is_on, whole

_MOST_POINTS = 100_000


def add_chart(flow: Flow, root: Element) -> None:
    """A row for each category, a column for each series."""
    title, system = root.find(".//{c}title"), root.find("{c}date1904")
    from_1904 = system is not None and is_on(system.get("val"), True)
    flow.apart()
    flow.paragraph(f"Chart: {_drawn(title)}" if title is not None and _drawn(title) else "Chart")
    columns: list[dict[int, str]] = []
    names, categories = [], dict[int, str]()
    for series in root.iter("{c}ser"):
        names.append(" ".join(_points(series.find("{c}tx"), from_1904).values()))
        columns.append(_points(_first(series, "{c}val", "{c}yVal"), from_1904))
        categories = categories or _points(_first(series, "{c}cat", "{c}xVal"), from_1904)
    if any(names):
        flow.row(["", *names])
    for number in sorted({number for column in columns for number in column} | set(categories)):
        flow.row([categories.get(number, ""), *(column.get(number, "") for column in columns)])
    flow.apart()


def _first(series: Element, *tags: str) -> Element | None:
    return next((found for tag in tags if (found := series.find(tag)) is not None), None)


def _points(parent: Element | None, from_1904: bool) -> dict[int, str]:
    """Saved texts by number, numbers as their format shows them: a date among the categories is a number. Of categories
    in levels the innermost, which comes first.
    """
    if parent is None:
        return {}
    level = parent.find(".//{c}lvl")
    found = list((parent if level is None else level).iter("{c}pt"))[:_MOST_POINTS]
    if not found:
        value = parent.find("{c}v")
        return {} if value is None or not value.text else {0: value.text}
    code = parent.findtext(".//{c}formatCode")

    def said(point: Element) -> str:
        text, own = point.findtext("{c}v") or "", point.get("formatCode", code)
        return text if own is None else shown(text, own, from_1904)

    return {whole(point.get("idx")): said(point) for point in found if point.find("{c}v") is not None}


def _drawn(element: Element) -> str:
    return "".join(text.text or "" for text in element.iter("{a}t")).strip()

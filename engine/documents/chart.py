"""A chart of an Office file (ISO/IEC 29500-1, section 21.2) -> its title and its numbers as rows. The numbers are those
that were saved with it.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from engine.documents.flow import Flow
from engine.documents.office_names import whole

_MOST_POINTS = 100_000


def add_chart(flow: Flow, root: Element) -> None:
    """A row for each category, a column for each series."""
    title = root.find(".//{c}title")
    flow.apart()
    flow.paragraph(f"Chart: {_drawn(title)}" if title is not None and _drawn(title) else "Chart")
    columns: list[dict[int, str]] = []
    names, categories = [], dict[int, str]()
    for series in root.iter("{c}ser"):
        names.append(" ".join(_points(series.find("{c}tx")).values()))
        columns.append(_points(_first(series, "{c}val", "{c}yVal")))
        categories = categories or _points(_first(series, "{c}cat", "{c}xVal"))
    if any(names):
        flow.row(["", *names])
    for number in sorted({number for column in columns for number in column} | set(categories)):
        flow.row([categories.get(number, ""), *(column.get(number, "") for column in columns)])
    flow.apart()


def _first(series: Element, *tags: str) -> Element | None:
    return next((found for tag in tags if (found := series.find(tag)) is not None), None)


def _points(parent: Element | None) -> dict[int, str]:
    """Saved texts by number. Of categories in levels the innermost, which comes first."""
    if parent is None:
        return {}
    level = parent.find(".//{c}lvl")
    found = list((parent if level is None else level).iter("{c}pt"))[:_MOST_POINTS]
    if not found:
        value = parent.find("{c}v")
        return {} if value is None or not value.text else {0: value.text}
    return {whole(point.get("idx")): value.text or "" for point in found if (value := point.find("{c}v")) is not None}


def _drawn(element: Element) -> str:
    return "".join(text.text or "" for text in element.iter("{a}t")).strip()

"""What a page of a PDF shows besides letters: tells a scan from a blank page. It reads no text."""

from __future__ import annotations

from typing import Any

import pymupdf

SCAN_AREA = 0.5
PICTURE_AREA = 0.02
OUTLINED_TEXT_PATHS = 50


class Drawn:
    """pictures: as a share of the page's area; paths: how many; hidden_text: whether there is invisible text;
    covered_text: whether a picture that makes up the page lies over some; boxes: of the pictures.
    """

    def __init__(self, page: Any) -> None:
        self.pictures, self.paths, self.hidden_text, self.covered_text = 0.0, 0, False, False
        self.boxes: list[Any] = []
        has_text = False
        whole = upright(page)
        area = abs(whole.width * whole.height) or 1.0
        for kind, box in page.get_bboxlog():
            if kind in ("fill-image", "fill-imgmask"):
                shown = pymupdf.Rect(box) & whole
                share = 0.0 if shown.is_empty else shown.width * shown.height / area
                self.pictures += share
                self.boxes.append(shown)
                self.covered_text = self.covered_text or (has_text and share >= SCAN_AREA)
            elif kind in ("fill-path", "stroke-path"):
                self.paths += 1
            elif kind == "ignore-text":
                self.hidden_text = True
            elif kind in ("fill-text", "stroke-text"):
                has_text = True

    @property
    def is_scan(self) -> bool:
        """Whether pictures make up the page."""
        return self.pictures >= SCAN_AREA

    @property
    def is_recognised(self) -> bool:
        """Whether its text is what another program made of its pictures."""
        return self.hidden_text or self.covered_text

    @property
    def may_show_text(self) -> bool:
        """Whether something on it could be letters that are drawn: a picture, or many shapes."""
        return self.pictures >= PICTURE_AREA or self.paths >= OUTLINED_TEXT_PATHS


def upright(page: Any) -> Any:
    """The page as the file has it, before it is turned: what lies on it is told in its points."""
    return pymupdf.Rect(0, 0, page.cropbox.width, page.cropbox.height)

"""Which elements of a page are no text of it: what nobody sees, and what stands on every page of a site."""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.documents.html_tags import tag_names

Attributes = Mapping[str, str | None]

# Never text, in whatever document: programs, what is shown only without them, and what has no place on the page.
NEVER = tag_names("head script style template noscript noframes noembed datalist annotation annotation-xml rp")
_UNSEEN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.I)
_CONSENT = re.compile(
    r"(?:^|[\s_-])(?:cookies?|consent|gdpr|onetrust|didomi)(?:[\s_-]?(?:consent|law|policy|sdk|info))*"
    r"(?:[\s_-](?:bar|banner|notice|popup|modal|dialog|overlay|message|wrapper|container|box|hint)|$)",
    re.I,
)
LONGEST_CONSENT = 2000
_ROLES = {
    "navigation": "navigation",
    "contentinfo": "footer",
    "complementary": "aside",
    "dialog": "dialog",
    "alertdialog": "dialog",
}
_TAGS = {"nav": "navigation", "footer": "footer", "aside": "aside", "dialog": "dialog"}


def is_hidden(attributes: Attributes) -> bool:
    """Whether a reader of the page would not see the element."""
    if "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found":
        return True
    return bool(_UNSEEN.search(attributes.get("style") or ""))


def frame_part(tag: str, attributes: Attributes, in_article: bool) -> str | None:
    """What of the site's frame the element is: "navigation", "footer", "aside", "dialog", "consent"; None: none of it.
    in_article: an article has its own remarks and its own foot.
    """
    part = _ROLES.get((attributes.get("role") or "").strip().lower()) or _TAGS.get(tag)
    if part in ("footer", "aside") and in_article:
        part = None
    if part is None and tag in ("div", "section", "form") and _CONSENT.search(_names(attributes)):
        part = "consent"
    return part


def _names(attributes: Attributes) -> str:
    return f"{attributes.get('id') or ''} {attributes.get('class') or ''}".strip()[:300]

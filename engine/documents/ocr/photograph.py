"""Whether a picture is a photograph: it has no ground that letters could stand on. It recognises nothing."""

from __future__ import annotations

import numpy as np
from PIL import Image

_EDGE = 200
"""Pixels of the copy that is looked at."""
_WINDOW = 17
"""Shades of 256 that are one ground."""
PLAIN = 0.4
"""Of a picture that are of its commonest shades: prints, drawings and pictures of a screen have 0.44 and more,
photographs 0.15 to 0.39, as far as the pictures of one handbook tell.
"""


def is_photograph(picture: Image.Image) -> bool:
    """Whether no shade makes up much of it. Photographs of letters and of boards may be so too."""
    small = np.asarray(picture.convert("L").resize((_EDGE, _EDGE), Image.Resampling.BOX))
    shades = np.bincount(small.ravel(), minlength=256)
    return float(np.convolve(shades, np.ones(_WINDOW), "same").max()) < PLAIN * small.size

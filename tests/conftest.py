"""What the judges of the case pack find is told in full."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("tests.engine.documents.judging")

"""What fuzzing starts from and what it once found comes out well, without a fuzzer."""

from __future__ import annotations

import random
import zipfile
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.documents.packages import package_kind
from engine.documents.source import Source
from tests.fuzz.seeds import seeds
from tests.fuzz.target import KINDS, check_pages, try_bytes
from tests.fuzz.zip_parts import with_part

FAST = [kind for kind in KINDS if kind not in ("pdf", "picture")]


@pytest.mark.parametrize("kind", KINDS)
def test_every_seed_has_an_outcome(kind: str) -> None:
    found = list(seeds(kind))
    assert found, "fuzzing starts from nothing"
    for _, data in found:
        try_bytes(kind, data)


@pytest.mark.parametrize("kind", FAST)
def test_seeds_that_are_cut_and_spoiled_have_one(kind: str) -> None:
    chance = random.Random(kind)
    for _, data in seeds(kind):
        for _ in range(6 if len(data) < 5000 else 1):
            spoiled = bytearray(data)
            for _ in range(chance.randint(1, 8)):
                spoiled[chance.randrange(len(spoiled))] = chance.randrange(256)
            try_bytes(kind, bytes(spoiled))
            try_bytes(kind, bytes(spoiled[: chance.randrange(len(spoiled))]))


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(FAST), st.binary(max_size=300))
def test_any_bytes_have_one(kind: str, data: bytes) -> None:
    try_bytes(kind, data)


def test_a_part_of_a_package_is_put_in_place_of_another() -> None:
    (book,) = [data for name, data in seeds("epub") if name == "epub-three-chapters.epub"]
    changed = with_part(book, "OEBPS/ch1.xhtml", b"<p>other")
    with zipfile.ZipFile(BytesIO(changed)) as package:
        assert package.read("OEBPS/ch1.xhtml") == b"<p>other"
    assert package_kind(Source("a.zip", data=changed)).kind == "epub"
    assert with_part(b"no package", "a", b"") == b"no package"


def test_the_target_sees_what_is_wrong() -> None:
    from engine.documents.page import Page

    for page in (
        Page(2, "read", None, "a"),
        Page(1, "read", None, ""),
        Page(1, "read", None, "\0"),
        Page(1, "blank", "x", ""),
    ):
        with pytest.raises(AssertionError):
            check_pages("text", [page])

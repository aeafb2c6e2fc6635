from __future__ import annotations

import pytest

from engine.documents.reasons import AS_PDF, RECOGNISE, SENTENCES, pages_sentence, pictures_sentence, unsupported


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        ([4], "Page 4 is damaged."),
        ([2, 4], "Pages 2 and 4 are damaged."),
        ([1, 3, 4, 5, 9], "Pages 1, 3 to 5 and 9 are damaged."),
        ([7, 8], "Pages 7 and 8 are damaged."),
        ([7, 8, 9, 10], "Pages 7 to 10 are damaged."),
    ],
)
def test_pages_are_named_in_words(pages: list[int], words: str) -> None:
    assert pages_sentence("damaged", pages).startswith(words)


@pytest.mark.parametrize("sentence", [*SENTENCES.values(), unsupported("Word files"), unsupported("archives")])
def test_sentences_are_in_our_voice(sentence: str) -> None:
    assert sentence[0].isupper() and sentence.endswith(".")
    assert not any(word in sentence.lower() for word in ("!", "sorry", "please", "error", "failed"))


@pytest.mark.parametrize("kind", ["pdf", "picture", "docx", "epub"])
@pytest.mark.parametrize(("reason", "advice"), [("no_text_layer", RECOGNISE), ("unreadable_picture", AS_PDF)])
def test_recognition_is_advised_where_it_helps(kind: str, reason: str, advice: str) -> None:
    assert pictures_sentence(reason, kind).endswith(advice)
    assert pages_sentence(reason, [2], kind).endswith(advice)


@pytest.mark.parametrize("reason", ["damaged", "unsafe_xml", "too_large_unpacked", "crashed"])
def test_what_was_read_in_part_is_not_said_to_be_left_out(reason: str) -> None:
    for pages, kind, words in (
        ([1], "docx", "This file "),
        ([2], "xlsx", "Sheet 2 "),
        ([2, 3], "pptx", "Slides 2 and 3 "),
    ):
        sentence = pages_sentence(reason, pages, kind, partly=True)
        assert sentence.startswith(words) and sentence.endswith(".") and "read" in sentence
        assert not any(wrong in sentence for wrong in ("left out", "others", "Part 1"))

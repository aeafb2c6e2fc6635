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

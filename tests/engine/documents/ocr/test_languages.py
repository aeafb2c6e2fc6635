from __future__ import annotations

import site
import sys
from pathlib import Path

import pytest

from engine.documents.ocr import languages
from engine.documents.ocr.languages import data_folders, language_of, languages_in, recognition_for


def data(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True)
    for name in (*names, "osd"):
        (folder / f"{name}.traineddata").touch()
    return folder


def folders(monkeypatch: pytest.MonkeyPatch, *found: Path) -> None:
    monkeypatch.setattr(languages, "data_folders", lambda: list(found))


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("de_DE.UTF-8", "deu"),
        ("en_GB", "eng"),
        ("pt-BR", "por"),
        ("sr_RS@latin", "srp"),
        ("German_Germany.1252", "deu"),
        ("zh_CN.UTF-8", "chi_sim"),
        ("zh_TW", "chi_tra"),
        ("zh-Hant-HK", "chi_tra"),
        ("deu", "deu"),
        ("C", None),
        ("POSIX", None),
        ("", None),
        (None, None),
    ],
)
def test_the_language_of_a_locale(locale: str | None, language: str | None) -> None:
    assert language_of(locale) == language


def test_what_lies_beside_the_languages_is_none(tmp_path: Path) -> None:
    assert languages_in(data(tmp_path / "a", "eng", "deu")) == {"eng", "deu"}
    assert languages_in(tmp_path / "nowhere") == frozenset()


def test_english_and_the_persons_own_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders(monkeypatch, data(tmp_path / "a", "eng", "deu", "fra"))
    found = recognition_for("auto", "de_DE.UTF-8")
    assert found is not None and (found.languages, found.data) == (("deu", "eng"), str(tmp_path / "a"))
    english = recognition_for("auto", "en_US.UTF-8")
    assert english is not None and english.languages == ("eng",)


def test_the_folder_with_most_of_them_is_taken_and_the_own_language_before_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    english, german = data(tmp_path / "a", "eng"), data(tmp_path / "b", "deu")
    folders(monkeypatch, english, german)
    found = recognition_for("auto", "de_DE")
    assert found is not None and (found.languages, found.data) == (("deu",), str(german))
    both = data(tmp_path / "c", "deu", "eng")
    folders(monkeypatch, english, german, both)
    found = recognition_for("auto", "de_DE")
    assert found is not None and found.data == str(both)


def test_the_languages_that_a_person_chose_come_in_place_of_these(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders(monkeypatch, data(tmp_path / "one", "eng", "deu", "fra"))
    found = recognition_for("auto", "de_DE", "fra + deu")
    assert found is not None and found.languages == ("fra", "deu")
    assert recognition_for("auto", "de_DE", "jpn") is None


def test_off_or_without_data_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders(monkeypatch, data(tmp_path / "a", "eng"))
    assert recognition_for("off", "de_DE") is None
    folders(monkeypatch, data(tmp_path / "b", "jpn"))
    assert recognition_for("auto", "de_DE") is None


def test_the_folders_that_are_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path / "own"))
    monkeypatch.setenv("PROGRAMFILES", str(tmp_path / "Program Files"))
    found = data_folders()
    assert found[0] == tmp_path / "own"
    assert Path(sys.prefix, "share", "tessdata") in found
    assert Path(site.getuserbase(), "share", "tessdata") in found
    assert tmp_path / "Program Files" / "Tesseract-OCR" / "tessdata" in found
    assert len(found) == len(set(found))


def test_the_data_that_keepsake_brings_is_found() -> None:
    found = recognition_for("auto", None)
    assert found is not None and found.languages == ("eng",)


def test_all_languages_on_this_computer_are_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, names in (("a", ("eng", "osd")), ("b", ("deu", "eng"))):
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / f"{name}.traineddata").write_bytes(b"")
    monkeypatch.setattr(languages, "data_folders", lambda: [tmp_path / "a", tmp_path / "b", tmp_path / "none"])
    assert languages.languages_here() == ["deu", "eng"]

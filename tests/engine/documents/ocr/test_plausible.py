from __future__ import annotations

import pytest

from engine.documents.ocr.plausible import is_plausible, plausible_share

PROSE = [
    "The orchard keeps nine bee hives along the north wall. Each hive is opened on dry days only.",
    "L'hôtelier n'ouvre qu'à midi ; la clé est sous le pot, près de l'entrée.",
    "Die Kiste mit den Bojen steht in Gang 7, Fächer 12-14.",
    "Договор действует до 30 июня 2031 года.",
    "合同编号为二七八九有效期至二零三一年六月三十日。",
    "تفتح مكتبة المدينة في الصباح",
    "1,204.50  3,118.00  99.95\n14/02/2026  17:30  € 8.50",
]
NOISE = [
    "r+4d40 = 3S ¢ 2s g 3 aoe & 29a s o a ° 5 = nv» 2 0 2 5293 = 2 ea od 5 Say 3 ey ®",
    "(D so = es fay) Cn 38 Oo oo 6 = = ra) J Ww W =. oO ° — wn o > = oO co",
    "| : . — ~ | | _ =",
    "oeeeoeae ee Eee ooie seeses",
]


@pytest.mark.parametrize("text", PROSE)
def test_words_and_numbers_are_plausible(text: str) -> None:
    assert plausible_share(text) > 0.6 and is_plausible(text)


@pytest.mark.parametrize("text", NOISE)
def test_noise_is_not(text: str) -> None:
    assert not is_plausible(text)


def test_nothing_is_not() -> None:
    assert plausible_share("") == plausible_share(" \n") == 0.0

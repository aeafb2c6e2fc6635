"""What facts are about and what they say: names, numbers, places and things, drawn from small pools.

It knows no sentence.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from random import Random

_WORDS: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("fact_words.toml").read_text(encoding="utf-8"))
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"


def subject(kind: str, rng: Random) -> str:
    """What a fact is about: a person, or a thing told apart by a name, a place or an adjective."""
    if kind == "person":
        return _person(rng)
    if kind == "work":
        return f"the {rng.choice(_WORDS['works'])} about {rng.choice(_WORDS['topics'])}"
    noun = rng.choice(_SUBJECTS[kind])
    return rng.choice(_SUBJECT_FORMS)(noun, rng)


def _invented(rng: Random) -> str:
    return "".join(rng.choice(_WORDS["syllables"]) for _ in range(rng.choice((2, 2, 3)))).capitalize()


def _person(rng: Random) -> str:
    last = rng.choice(_WORDS["last_names"]) if rng.random() < 0.7 else _invented(rng)
    first = rng.choice(_WORDS["first_names"])
    return rng.choice((f"{first} {last}", f"{first} {last}", f"{first} {rng.choice(_LETTERS)}. {last}", f"Dr {last}"))


def _date(rng: Random) -> str:
    day, month, year = rng.randint(1, 28), rng.choice(_WORDS["months"]), rng.randint(1700, 2040)
    return rng.choice((f"{day} {month} {year}", f"{month} {day}, {year}", f"the {day}th of {month}", f"{month} {year}"))


def _money(rng: Random) -> str:
    amount = rng.choice((rng.randint(2, 99), rng.randint(100, 999), rng.randint(1000, 99999)))
    cents = f"{amount:,}.{rng.randint(0, 99):02d}"
    return rng.choice(
        (f"{amount:,} dollars", f"${cents}", f"{amount:,} euros", f"£{amount:,}", f"{amount:,} pounds", cents)
    )


def _phone(rng: Random) -> str:
    a, b, c = rng.randint(100, 999), rng.randint(100, 999), rng.randint(1000, 9999)
    return rng.choice((f"{a}-{b}-{c}", f"0{a} {b}{c}", f"+{rng.randint(1, 99)} {a} {c}", f"{b}-{c}"))


def _code(rng: Random) -> str:
    digits = str(rng.randint(1000, 999999))
    letters = "".join(rng.choice(_LETTERS) for _ in range(2))
    return rng.choice(
        (
            digits,
            digits,
            f"{letters}{digits}",
            f"{digits[:2]}-{rng.choice(_WORDS['colours'])}-{digits[2:]}",
            f"#{digits}",
        )
    )


def _password(rng: Random) -> str:
    word = _invented(rng)
    return rng.choice(
        (
            f"{word}{rng.randint(10, 9999)}",
            f"{word.lower()}-{rng.choice(_WORDS['colours'])}",
            f"{word}!{rng.randint(1, 99)}",
            word.lower(),
        )
    )


def _identifier(rng: Random) -> str:
    letters = "".join(rng.choice(_LETTERS) for _ in range(rng.choice((1, 2, 3))))
    number = rng.randint(10, 99999)
    return rng.choice(
        (f"{letters}-{number}", f"{letters}{number}", f"{number}/{letters}", f"{letters}.{number}.{rng.randint(1, 9)}")
    )


def _count(rng: Random) -> str:
    return rng.choice(
        (
            str(rng.randint(2, 99)),
            str(rng.randint(100, 9999)),
            rng.choice(_WORDS["number_words"]),
            f"{rng.randint(1000, 99999):,}",
        )
    )


def _measured(units: list[str]) -> Callable[[Random], str]:
    def value(rng: Random) -> str:
        size = rng.choice(
            (str(rng.randint(2, 900)), f"{rng.randint(1, 60)}.{rng.randint(1, 9)}", rng.choice(_WORDS["number_words"]))
        )
        return f"{size} {rng.choice(units)}"

    return value


def _clock(rng: Random) -> str:
    hour, minute = rng.randint(1, 12), rng.choice((0, 5, 10, 15, 20, 30, 40, 45, 50))
    return rng.choice(
        (
            f"{hour}:{minute:02d} pm",
            f"{hour}:{minute:02d} am",
            f"{hour + 8}:{minute:02d}",
            f"half past {rng.choice(_WORDS['number_words'][:10])}",
        )
    )


def _email(rng: Random) -> str:
    return f"{_invented(rng).lower()}@{_invented(rng).lower()}.{rng.choice(('org', 'com', 'net'))}"


def _spot(rng: Random) -> str:
    return f"{rng.choice(_WORDS['spots'])} the {rng.choice(_WORDS['furniture'])}"


def _room(rng: Random) -> str:
    return rng.choice(
        (
            f"room {rng.randint(1, 499)}",
            f"room {rng.choice(_LETTERS)}{rng.randint(1, 60)}",
            f"the {rng.choice(_WORDS['colours'])} room",
        )
    )


def _percent(rng: Random) -> str:
    return rng.choice(
        (f"{rng.randint(2, 98)} percent", f"{rng.randint(1, 60)}.{rng.randint(1, 9)} percent", f"{rng.randint(2, 98)}%")
    )


def _town(rng: Random) -> str:
    return rng.choice(_WORDS["towns"]) if rng.random() < 0.7 else _invented(rng)


VALUES: dict[str, Callable[[Random], str]] = {
    "person": _person,
    "date": _date,
    "year": lambda rng: str(rng.randint(1500, 2040)),
    "clock": _clock,
    "money": _money,
    "phone": _phone,
    "code": _code,
    "password": _password,
    "identifier": _identifier,
    "number": lambda rng: str(rng.randint(10000, 99999999)),
    "colour": lambda rng: rng.choice(_WORDS["colours"]),
    "count": _count,
    "measure": _measured(_WORDS["lengths"]),
    "weight": _measured(_WORDS["weights"]),
    "duration": _measured(_WORDS["spans"]),
    "degrees": lambda rng: f"{rng.randint(2, 95)} degrees",
    "spot": _spot,
    "town": _town,
    "job": lambda rng: rng.choice(_WORDS["jobs"]),
    "petname": lambda rng: rng.choice(_WORDS["dog_names"]),
    "material": lambda rng: rng.choice(_WORDS["materials"]),
    "room": _room,
    "email": _email,
    "percent": _percent,
    "object": lambda rng: rng.choice(_WORDS["presents"]),
}
_SUBJECTS = {
    "organisation": _WORDS["bodies"],
    "thing": _WORDS["things"],
    "place": _WORDS["places"],
    "paper": _WORDS["papers"],
    "system": _WORDS["systems"],
}
_SUBJECT_FORMS: tuple[Callable[[str, Random], str], ...] = (
    lambda noun, rng: f"the {rng.choice(_WORDS['adjectives'])} {noun}",
    lambda noun, rng: f"the {_town(rng)} {noun}",
    lambda noun, rng: f"the {noun} of {_town(rng)}",
    lambda noun, rng: f"the {noun} in {_town(rng)}",
    lambda noun, rng: f"{rng.choice(_WORDS['last_names'])}'s {noun}",
    lambda noun, rng: f"the {rng.choice(_WORDS['colours'])} {noun}",
)

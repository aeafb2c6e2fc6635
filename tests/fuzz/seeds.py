"""Where fuzzing starts: the public cases, what once went wrong, and small files with all that a kind can hold.

Those of the Office kinds are the ones whose mutations `test_office_mutations` reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from PIL import Image

from tests.engine.documents import test_office_mutations as office
from tests.engine.documents.cases import COPY
from tests.fuzz.target import ENDINGS

FOUND = Path(__file__).parents[1] / "data" / "fuzz"
"""A folder a kind; each file in it once broke a reader."""
LARGEST = 20_000


def _picture(form: str) -> bytes:
    data = BytesIO()
    Image.new("RGB", (9, 7), "teal").save(data, form)
    return data.getvalue()


SMALL = {
    "text": ("na\u00efve \u2013 \u041a\u043b".encode(), "\u041a\u043b\u044e\u0447".encode("koi8_r"), b"\x1b$B$3\x1b(B"),
    "markdown": (b"# a\n\n| b | c |\n|---|---|\n",),
    "csv": (b'a;"b\n""c"""\n1;2\n', b"sep=|\na|b\n", b'a,b\n"x\\"y",2\n'),
    "html": (
        b"<title>t</title><main><h1>a</h1><ol start=3 type=i><li value=9>b<ul><li>c</ul></ol><dl><dt>d<dd>e</dl>",
        b"<table><caption>f</caption><tr><th colspan=2 rowspan=2>g<td>h<table><tr><td>i<td>j</table></table>",
        b"<sup><a href='http://l.m/?n=o&amp;p'>1</a></sup><ruby>q<rt>r</ruby><math alttext=s><mi>t</mi></math><pre>k",
        b"<?xml version='1.0' encoding='iso-8859-5'?><html xmlns='x'><p/><![CDATA[<&]]><a epub:type='noteref'>1</a>",
        b"<meta charset=shift_jis><b><p><font color=a><p><font color=b><select><option>x<svg><path/><text>y",
    ),
    "email": (
        b"From: =?utf-8?q?=C3=A9?= <a@b.c>\nSubject: =?gb2312?B?suLK1A==?=\nContent-Type: multipart/mixed; boundary=x\n"
        b"\n--x\nContent-Type: multipart/alternative; boundary=y\n\n--y\n\nplain\n--y\nContent-Type: text/html\n\n"
        b"<p>h\n--y--\n--x\nContent-Type: message/rfc822\n\nSubject: in\nContent-Type: text/plain; format=flowed\n\n"
        b"> a \n> b\n--x\nContent-Disposition: attachment; filename*=utf-8''%C3%A9.csv\n"
        b"Content-Transfer-Encoding: base64\n\nYSxiCjEsMg==\n--x--",
        b"From a@b.c Mon Jun  1 09:00:00 2026\nFrom: a\n\nc\n\nFrom a@b.c Mon Jun  1 09:00:00 2026\nSubject: d\n",
        b"From: <Saved by Blink>\nContent-Type: multipart/related; boundary=x\n\n--x\nContent-Type: text/html\n\n<p>b",
    ),
    "docx": (office.WORD,),
    "pptx": (office.SLIDES,),
    "xlsx": (office.BOOK,),
    "odt": (office.TEXT,),
    "ods": (office.TABLE,),
    "odp": (office.OTHER_SLIDES,),
    "rtf": (office.RICH_TEXT,),
    "picture": tuple(_picture(form) for form in ("PNG", "JPEG", "GIF", "TIFF", "BMP", "WEBP")),
}


def seeds(kind: str) -> Iterator[tuple[str, bytes]]:
    """(name, bytes) of everything that there is of a kind."""
    for number, data in enumerate(SMALL.get(kind, ())):
        yield f"small {number}", data
    for path in sorted(COPY.glob(f"*.{ENDINGS[kind]}")):
        if path.stat().st_size <= LARGEST:
            yield path.name, path.read_bytes()
    for path in sorted((FOUND / kind).glob("*")):
        yield path.name, path.read_bytes()

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from engine.documents import html_tags
from engine.documents.html import decode_html, open_html, web_text
from engine.documents.html_tags import bounded
from engine.documents.reader import How, LeftOut, Unreadable
from engine.documents.source import Source


def text(html: str, whole: bool = True) -> str:
    return web_text(html, whole).text


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>One<p>Two &amp; a&nbsp;half", "One\n\nTwo & a half"),
        ("<p>line<br>break", "line\nbreak"),
        ("<h2>Small</h2>words<h9>and</h9>", "## Small\n\nwordsand"),
        ("<p>hy&shy;phen <b>b</b>old\n  words", "hyphen bold words"),
        ("<p>10<sup>2</sup> m, see<sup><a href='#n'>4</a></sup>, H<sub>2</sub>O", "10\u00b2 m, see[4], H2O"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>after", "- a\n- b\n  - c\n\nafter"),
        ("<ol start=3><li>a<p>more</p><li value=9>b<li>c</ol>", "3. a\n  more\n9. b\n10. c"),
        ("<ol type=a><li>x</ol><ol type=I start=4><li>y</ol>", "a. x\n\nIV. y"),
        ("<dl><dt>Tern<dd>A bird<dd>A sea bird</dl>", "- Tern\n  A bird\n  A sea bird"),
        ("<blockquote><p>said<br>he</blockquote>", "> said\n> he"),
        ("<pre>\n\tif a &lt; b:\n\t    <b>go</b></pre>", "\tif a < b:\n\t    go"),
        ("<figure><img alt='A tern' src=x><figcaption>Fig. 1</figcaption></figure>", "[Picture: A tern]\n\nFig. 1"),
        ("<ruby>\u6f22<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "\u6f22(kan)"),
        ("<math alttext='x^2'><msup><mi>x</mi><mn>2</mn></msup></math>", "x^2"),
        ("<math><mn>5</mn><mo>+</mo><mfrac><mn>1</mn><mn>2</mn></mfrac><msub><mi>x</mi><mn>3</mn></msub>", "5+1/2x_3"),
        ("<math><mrow><mn>2</mn><mn>3</mn></mrow><msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt>", "2 3\u221a(a+b)"),
        (
            "<math><munderover><mo>\u2211</mo><mrow>i=1</mrow><mi>n</mi></munderover><mphantom>0</mphantom>",
            "\u2211_(i=1)^n",
        ),
        ("<math><mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr><mtr><mtd>3</mtd></mtr></mtable>", "[1, 2; 3]"),
        ("<math><annotation encoding='application/x-tex'>\\frac12</annotation><mfrac><mn>1</mn><mn>2</mn>", "\\frac12"),
        ("<math>" + "<mrow>" * 100 + "<mn>7</mn>", "7"),
        ("<p>only <s>20</s><b>15</b>, 5<del>6</del><ins>7</ins></p>", "only ~~20~~ 15, 5 ~~6~~ 7"),
        ("<p>101<sub>2</sub> and log<sub>10</sub></p>", "101\u2082 and log10"),
        ("<svg><text>10</text><text>20</text></svg>", "10 20"),
        ("<div><del>a<p>b</p></del>c</div>", "a\n\nb\n\nc"),
        ("<p>he said <q>no</q></p>", "he said \u201cno\u201d"),
        ("<title>unclosed <p>words", "unclosed\n\nwords"),
        ("<h2>Loans<button>Copy</button></h2><h3><button>How long?</button></h3>", "## Loans Copy\n\n### How long?"),
        ("<select><option>one<option>two</select>", "one\ntwo"),
        ("<select><option>one<option selected>two</select>", "one\n[x] two"),
        ("<p>Name <input value=Ada><input type=hidden value=x><input type=password value=y>.", "Name Ada ."),
        ("<p><input type=radio>yes<input type=radio checked>no", "[ ] yes [x] no"),
        ("<svg>" + "<path d='m'/>" * 1000 + "</svg><p>a<p>b", "a\n\nb"),
    ],
)
def test_a_page_reads_as_it_is_seen(html: str, expected: str) -> None:
    assert text(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", "a | b\nc | d"),
        ("<table><caption>Fees</caption><tr><th>a<th>b</table>", "Fees\n\na | b"),
        ("<table><tr><th colspan=2>sum<th>9<tr><td>1<td>2<td>3</table>", "sum |  | 9\n1 | 2 | 3"),
        ("<table><tr><th rowspan=2>Mon<td>9<tr><td>10<tr><td>x<td>y</table>", "Mon | 9\nMon | 10\nx | y"),
        ("<table><tr><td>a<td rowspan=2>b<tr><td>c</table>", "a | b\nc | b"),
        ("<table><tr><td>x<td><table><tr><td>a<td>b</table></table>", "x\n\na | b"),
        ("<table><tr><th>x<td><table><tr><td>a<td>b<tr><td>c</table><td>z</table>", "x | a, b; c | z"),
        ("<table><tr><td><h1>Left</h1><td><p>One<p>Two</table>", "# Left\n\nOne\n\nTwo"),
        ("<table role=presentation><tr><td>a<td>b</table>", "a\n\nb"),
        ("<table><tr><td>alone<tr><td>too</table>", "alone\n\ntoo"),
    ],
)
def test_tables_are_rows_and_tables_for_looks_are_not(html: str, expected: str) -> None:
    assert text(html) == expected


def test_addresses_stand_where_the_words_do_not_say_them() -> None:
    page = (
        "<link rel=canonical href='https://www.tern.org/x'><p>See <a href='https://fees.org/a?b=1'>the fees</a> or"
        " <a href='https://tern.org/home'>home</a>, <a href='/y'>here</a>, <a href='http://www.gull.org/'>gull.org</a>,"
        " <a href='javascript:go()'>go</a>.</p><ul><li><a href='mailto:a@tern.org'>Write</a></ul>"
    )
    assert text(page, whole=False) == (
        "See the fees or home, here, gull.org, go.\n\n[the fees: https://fees.org/a?b=1]\n\n- Write"
        "\n\n[Write: mailto:a@tern.org]"
    )


def test_the_frame_of_a_site_goes_and_is_named() -> None:
    page = (
        "<nav>MENU</nav><header>Tern Museum</header><article>Words<aside>remark</aside><footer>by Ada"
        "</footer></article>"
        "<aside>ADS</aside><div class='cookie-banner'>WE USE</div><div class='cookie-recipes'>Cake</div>"
        "<p style='color:red; display: none'>UNSEEN</p><p hidden>UNSEEN</p><footer>IMPRINT</footer><dialog>POP</dialog>"
    )
    found = web_text(page)
    assert found.text == "Tern Museum\n\nWords\n\nremark\n\nby Ada\n\nCake"
    assert [part.name for part in found.left_out] == ["navigation", "aside", "consent", "footer", "dialog", ""]
    assert all(part.reason is None for part in found.left_out) and found.left_out[-1] == LeftOut("hidden", "")
    assert "IMPRINT" in text(page) and "MENU" in text(page) and "UNSEEN" not in text(page)


def test_text_is_not_lost_where_a_page_has_it_in_its_frame() -> None:
    assert text("<nav>Only this</nav>", whole=False) == "Only this"
    found = web_text("<p>Home</p><aside>" + "All that the page says stands here. " * 20 + "</aside>")
    assert found.text.count("stands here") == 20 and found.left_out == ()
    with_program = "<p>Short, but more than that</p><footer>IMPRINT<script>" + "program " * 100 + "</script></footer>"
    assert text(with_program, whole=False) == "Short, but more than that"
    behind = "<div id=consent><p>" + "Words. " * 400 + "<div class=cookie-banner>Recipes</div></div>"
    assert text(behind, whole=False).endswith("Recipes")
    long_consent = "<div id=consent>" + "An article about consent. " * 200 + "</div>"
    assert text(long_consent, whole=False).count("article") == 200


def test_the_title_is_the_heading_of_a_page_without_one() -> None:
    assert text("<title>Terns</title><p>Words", whole=False) == "# Terns\n\nWords"
    assert text("<title>Terns</title><h2>Own</h2>", whole=False) == "## Own"


def test_xhtml_elements_may_close_themselves() -> None:
    page = (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><body>'
        '<p><a id="p1"/>Text<![CDATA[ a<b ]]>and<br/>more</p><div class="a>b"/><p>End</p></body></html>'
    )
    assert text(page) == "Text a<b and\nmore\n\nEnd"


@pytest.mark.parametrize(
    ("data", "charset"),
    [
        ("<meta charset='windows-1251'><p>\u041a\u043b\u044e\u0447".encode("cp1251"), None),
        (
            "<meta http-equiv=Content-Type content='text/html; charset=koi8-r'><p>\u041a\u043b\u044e\u0447".encode(
                "koi8_r"
            ),
            None,
        ),
        ("<?xml version='1.0' encoding='iso-8859-5'?><p>\u041a\u043b\u044e\u0447".encode("iso8859-5"), None),
        ("<!-- <meta charset=koi8-r> --><meta charset=cp1251><p>\u041a\u043b\u044e\u0447".encode("cp1251"), None),
        ("<meta charset=iso-8859-1><p>\u041a\u043b\u044e\u0447".encode(), None),
        ("\ufeff<meta charset=latin-1><p>\u041a\u043b\u044e\u0447".encode("utf-16"), None),
        ("<meta charset=utf-16><p>\u041a\u043b\u044e\u0447".encode(), None),
        ("<meta charset=nonsense><p>\u041a\u043b\u044e\u0447".encode("cp1251"), "windows-1251"),
        ("<meta charset=utf-7><p>\u041a\u043b\u044e\u0447".encode(), None),
        ("<meta charset=iso-2022-jp><p>\u041a\u043b\u044e\u0447".encode("iso2022_jp"), None),
    ],
)
def test_the_encoding_is_what_the_page_says_unless_it_cannot_be(data: bytes, charset: str | None) -> None:
    html = decode_html(data, charset)
    assert html is not None and text(html) == "\u041a\u043b\u044e\u0447"


def test_what_has_no_text_is_refused() -> None:
    for data, reason in ((b"<p> <script>1</script>", "no_text"), (b"<html>\x00\x01\x02\x03\xff\xfe" * 9, "binary")):
        with pytest.raises(Unreadable) as refused:
            open_html(Source("a.html", data=data), How())
        assert refused.value.reason == reason


ALONE = "div b p table tr td ul li dd dt svg font select button a span h1 pre blockquote form template math x"
TOGETHER = ("dd li", "b p", "table tr td", "li p dd td", "ul li", "font div", "i form", "div table td", "svg desc div")


def deepest(html: str) -> int:
    most, pending = 0, [(LexborHTMLParser(html, scripting=True).root, 1)]
    while pending:
        node, depth = pending.pop()
        if node is not None:
            most = max(most, depth)
            pending += ((node.next, depth), (node.first_child, depth + 1))
    return most


@pytest.mark.parametrize("tags", [*ALONE.split(), *TOGETHER])
def test_marks_within_marks_are_bounded_and_the_text_stays(tags: str) -> None:
    html = bounded("begin " + "".join(f"<{tag}>" for tag in tags.split()) * 1500 + "end")
    assert deepest(html) < 1300
    assert tags in ("svg", "math", "template", "select") or text(html).split()[0] == "begin"
    assert html.endswith("end")


def test_formatting_that_is_never_closed_does_not_multiply() -> None:
    html = bounded("".join(f"<p><font color={number}>word{number}" for number in range(1000)))
    assert html.count("<font") == html_tags.MOST_FORMATS and html.count("<p>") == 1000
    assert text(html).endswith("word999")


def test_a_tag_of_endless_attributes_loses_them() -> None:
    assert bounded("<p " + " ".join(f"a{number}=1" for number in range(5000)) + ">x") == "<p>x"
    picture = f"<img alt='a b' src='data:{'x/y ' * 9000}'>"
    assert bounded(picture) == picture


def test_an_ordinary_page_is_left_as_it_is() -> None:
    page = "<p>one<p>two" * 900 + "<ul><li>x<li>y</ul>" * 500 + "<!-- <div> --><script>'<div>'</script>" * 500
    assert bounded(page) == page


PIECES = st.one_of(
    st.sampled_from(["<p>", "</p>", "<table>", "<tr>", "<td>", "</table>", "<li>", "<ol>", "</ol>", "<pre>", "</pre>"]),
    st.sampled_from(
        ["<b>", "</b>", "<h1>", "</h1>", "<sup>", "</sup>", "<a href='http://x.y/'>", "</a>", "<br>", "<q>"]
    ),
    st.sampled_from(["<div hidden>", "</div>", "<nav>", "</nav>", "<select>", "<svg>", "<math>", "<rt>", "&"]),
    st.just("<script>SCRIPT</script>"),
    st.just("<style>SCRIPT</style>"),
    st.text("ab >&\n", max_size=6),
)


@settings(deadline=None, max_examples=200)
@given(st.lists(PIECES, max_size=40), st.booleans())
def test_no_page_breaks_it_and_no_program_shows(pieces: list[str], whole: bool) -> None:
    found = web_text("".join(pieces), whole)
    assert "SCRIPT" not in found.text and found.text == found.text.strip("\n")


@settings(deadline=None, max_examples=200)
@given(st.lists(st.sampled_from(["<p>", "<div>", "</div>", "<li>", "<b>", "</b>", "<td>", "<table>"]), max_size=30))
def test_no_word_is_lost_and_none_comes_twice(tags: list[str]) -> None:
    found = text("".join(f"{tag}word{number} " for number, tag in enumerate(tags)))
    words = re.findall(r"word\d+", found)
    assert sorted(words) == sorted(f"word{number}" for number in range(len(tags)))

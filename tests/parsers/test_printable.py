"""Text from outside as it is shown."""

import json
import sys
import unicodedata
from io import BytesIO, StringIO, TextIOWrapper

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.io.console import Console, Text
from parsers.io.printable import PrintableStream, printable, printable_lines
from tests.hostile_text import COLOUR, unseen

UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b]52;c;x\x07", r"a\x1b]52;c;x\x07"),
        ("\x1b\x1b[0m]", r"\x1b\x1b[0m]"),
        ("\x9b31m\x85", r"\u009b31m\u0085"),
        ("\u202egpj\u2066\u061c", r"\u202egpj\u2066\u061c"),
        ("\udcff", r"\udcff"),
        ("\U000e0041", r"\udb40\udc41"),
        ("one\ntwo\tthree\r", r"one\ntwo\tthree\r"),
        ("a\u3164b\u115f\u1160\uffa0", r"a\u3164b\u115f\u1160\uffa0"),
        ("1\ufe0f\u034f\u17b4\u17b5\u180b\u180e", r"1\ufe0f\u034f\u17b4\u17b5\u180b\u180e"),
        ("\U000e0100", r"\udb40\udd00"),
        ("批大小\u3000é 🙂", "批大小\u3000é 🙂"),
    ],
)
def test_what_is_not_seen_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_no_control_or_format_character_is_left() -> None:
    found = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) in UNSEEN]
    assert [character for character in found if not printable(character).isascii()] == []


@given(st.text(st.characters(codec=None)))
def test_a_text_that_was_made_printable_stays_as_it_is(text: str) -> None:
    assert printable(printable(text)) == printable(text)
    assert unseen(printable_lines(text)) == set()


@given(st.text(st.characters(codec=None)))
def test_json_made_printable_says_the_same(text: str) -> None:
    assert json.loads(printable_lines(json.dumps([text], ensure_ascii=False, indent=1))) == json.loads(
        json.dumps([text])
    )


def test_a_stream_lets_no_escape_through_whoever_prints() -> None:
    inner = StringIO()
    print("one\n\ttwo\x1b[31m", file=PrintableStream(inner))
    assert inner.getvalue() == "one\n\ttwo\\x1b[31m\n"


def test_a_stream_escapes_what_its_encoding_lacks() -> None:
    raw = BytesIO()
    inner = TextIOWrapper(raw, "ascii", newline="\n")  # kept, for it closes what it writes to when it goes
    print("批 é", file=PrintableStream(inner), flush=True)
    assert raw.getvalue() == rb"\u6279 \xe9" + b"\n"


def test_a_console_takes_its_own_styles_only() -> None:
    page = StringIO()
    console = Console(page, force_terminal=True, color_system="standard")
    for part in (Text(f"a\n{COLOUR}", "bold"), f"[red]x[/red] {COLOUR} :smile:", Text.assemble(("b\x07", "bold"))):
        console.print(part, soft_wrap=True)
    shown = [r"[1ma\n\x1b[38;5;201m[0m", r"[red]x[/red] \x1b[38;5;201m :smile:", r"[1mb\x07[0m", ""]
    assert page.getvalue().replace("\x1b", "") == "\n".join(shown)

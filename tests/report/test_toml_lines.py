"""Lines of TOML files: where each key and each value of a list stands."""

import tomllib
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from report.pagefile.toml_lines import MOST_CHARACTERS, Key, line_of, positions
from tests.commandline import PROJECT


def test_text_in_a_value_is_no_heading() -> None:
    text = 'a = """\n[b]\n"""\nc = 1 # [x]\n[[d]]\n[[d]]\ne."f g" = [\n1,\n{ h = 2 }]\n'
    text += "[[d.i]]\nj = 1979-05-27 07:32:00\nk = 1\n"
    assert positions(text) == {
        ("a",): 1,
        ("c",): 4,
        ("d",): 5,
        ("d", 0): 5,
        ("d", 1): 6,
        ("d", 1, "e"): 7,
        ("d", 1, "e", "f g"): 7,
        ("d", 1, "e", "f g", 0): 8,
        ("d", 1, "e", "f g", 1): 9,
        ("d", 1, "e", "f g", 1, "h"): 9,
        ("d", 1, "i"): 10,
        ("d", 1, "i", 0): 10,
        ("d", 1, "i", 0, "j"): 11,
        ("d", 1, "i", 0, "k"): 12,
    }


def keys(part: Any, key: Key = ()) -> Iterator[Key]:
    """The keys of data, and those of the values of its lists."""
    for step, inner in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        yield (*key, step)
        yield from keys(inner, (*key, step))


def test_every_key_of_a_page_is_on_its_line() -> None:
    for path in (PROJECT / "report/pages").glob("*.toml"):
        text = path.read_text(encoding="utf-8")
        stated, found, lines = set(keys(tomllib.loads(text))), positions(text), text.split("\n")
        assert found.keys() <= stated
        assert {len(key) for key in stated - found.keys()} <= {1, 2, 3}  # of headings such as [columns.paddle]
        assert [key for key, at in found.items() if isinstance(key[-1], str) and key[-1] not in lines[at - 1]] == []


@given(st.lists(st.sampled_from(["", "# [x]", "a = 1", "b = [\n  1,\n]", '"c.d" = """\n\n"""']), unique=True))
def test_lines_are_those_of_the_file_in_order(parts: list[str]) -> None:
    text = "\n".join(parts)
    found = {key: line for key, line in positions(text).items() if len(key) == 1}
    assert [(key,) for key in tomllib.loads(text)] == list(found)
    assert all(str(key[0]) in text.split("\n")[line - 1] for key, line in found.items())


def test_a_file_that_is_too_long_has_no_lines() -> None:
    assert line_of("a = 1\n" + "#" * MOST_CHARACTERS, ("a",)) is None

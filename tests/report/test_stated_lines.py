"""Lines of page files: a mistake names the line that it is on."""

from hypothesis import given
from hypothesis import strategies as st

from parsers.io.message import Message
from report.pagefile.stated_lines import MOST_CHARACTERS, line_of, statements


def test_text_in_a_value_is_no_heading() -> None:
    assert [(one.line, one.key) for one in statements('a = """\n[b]\n"""\nc = 1\n[[d]]\n[[d]]\ne.f = 2\n')] == [
        (1, ("a",)),
        (4, ("c",)),
        (5, ("d", 0)),
        (6, ("d", 1)),
        (7, ("d", 1, "e")),
    ]


@given(st.lists(st.sampled_from(["", "# [x]", "a = 1", "b = [\n  1,\n]", '"c.d" = """\n\n"""'])))
def test_statements_are_the_lines_of_the_file_in_order(parts: list[str]) -> None:
    said = list(statements("\n".join(parts)))
    assert [one.text for one in said] == [part for part in parts if "=" in part]
    assert [one.line for one in said] == sorted({one.line for one in said})


def test_a_value_of_very_many_lines_is_given_up() -> None:
    text = f"a = [\n{'1,' * 20}\n" + "1,\n" * (MOST_CHARACTERS // 100) + "]\nb = 2\n"
    assert line_of(text, Message("{key} is wrong.", key="b")) is None

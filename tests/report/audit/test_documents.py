"""What is read of a Markdown page: its tables, wherever they stand, their words, links and headings."""

from pathlib import Path

import pytest

from report.published.document import (
    LARGEST,
    Document,
    DocumentError,
    DocumentTable,
    DocumentText,
    parse_document,
    read_document,
)

TABLE = "| a | b |\n|:--|--:|\n| 1 | 2 |\n"


def document(text: str) -> Document:
    return parse_document(text, Path("README.md"))


def table(text: str) -> DocumentTable:
    (found,) = document(text).tables
    return found


def cell(markdown: str) -> DocumentText:
    """What is read of the one cell of a table."""
    return table(f"| a |\n|---|\n| {markdown} |\n").rows[0][0]


def plain(texts: tuple[DocumentText, ...]) -> list[str]:
    return [text.plain for text in texts]


@pytest.mark.parametrize(
    "text",
    [
        "- item\n\n  " + TABLE.replace("\n", "\n  "),
        "1. one\n   - two\n\n     " + TABLE.replace("\n", "\n     "),
        "> " + TABLE.strip().replace("\n", "\n> "),
        "a | b\n:-: | ---\n1 | 2\n",
        "|a|b|\n|-|-|\n|1|2|",
    ],
    ids=["list", "list in a list", "quotation", "without outer pipes", "short marks"],
)
def test_a_table_is_found_wherever_it_stands_and_however_it_is_drawn(text: str) -> None:
    assert [plain(row) for row in table(text).rows] == [["1", "2"]]


def test_what_is_no_table_is_none() -> None:
    assert document("| a | b |\n| 1 | 2 |\n\n```\n" + TABLE + "```\n").tables == ()


@pytest.mark.parametrize(
    ("markdown", "said"),
    [
        ("**1,234.5**", "1,234.5"),
        ("~~1~~ `2`", "1 2"),
        (r"a \| b", "a | b"),
        ("[8 cards](logs/x_log)", "8 cards"),
        ("12.5<sup>1</sup>", "12.5^1"),
        ("<b>12.5</b><br>", "12.5"),
        ("![12](image.png) 13", "13"),
        ("&lt;1&gt; &amp; 2", "<1> & 2"),
    ],
)
def test_a_cell_is_its_words_without_markup(markdown: str, said: str) -> None:
    assert cell(markdown).plain == said


def test_a_page_that_nobody_can_read_is_refused_by_its_size(tmp_path: Path) -> None:
    with (tmp_path / "large.md").open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(DocumentError):
        read_document(tmp_path / "large.md")


HTML = """<table><tbody>
<!-- a comment -->
<tr><th valign="bottom">Name</th>
<th>train<br/>time<br/>(s/iter)</th><th colspan="2">img/s</th></tr>

<tr><td align="left"><a href="logs/a_log">A</a></td>
<td>0.5<sup>1</sup><td rowspan="2">7.5</td><td>8.5</td>
<tr><td>B</td><td>0.25</td><td>9.5</td></tr>
</tbody></table>
"""


def test_a_table_of_html_is_one() -> None:
    found = table("# T\n\ncaption\n\n" + HTML)
    assert (plain(found.head), [plain(row) for row in found.rows]) == (
        ["Name", "train time (s/iter)", "img/s", "img/s"],
        [["A", "0.5^1", "7.5", "8.5"], ["B", "0.25", "7.5", "9.5"]],
    )
    assert (found.caption.plain, found.lines, found.rows[0][0].links[0].address) == ("caption", (10, 12), "logs/a_log")


SPANNING = "<table><tr>" + "<td rowspan=99999999 colspan=100>a" * 60 + "<tr><td>1<td>2" * 600 + "</table>"


@pytest.mark.parametrize(("name", "text"), [("a.md", SPANNING), ("a.csv", "," * 2000 + "\n" + "1\n" * 2000)])
def test_a_table_of_which_a_few_bytes_make_millions_of_cells_is_refused(name: str, text: str) -> None:
    with pytest.raises(DocumentError):
        parse_document(text, Path(name))


RST = """Title
=====

Speed
-----

Images per second:

======  =========
GPUs    images/s
======  =========
8       5.5
16      10.5
======  =========

+------+----------+
| GPUs | images/s |
+======+==========+
| 32   | 20.5     |
+------+----------+
"""


def test_tables_of_restructured_text_are_read_under_their_headings() -> None:
    first, second = parse_document(RST, Path("page.rst")).tables
    assert (plain(first.head), [plain(row) for row in first.rows]) == (
        ["GPUs", "images/s"],
        [["8", "5.5"], ["16", "10.5"]],
    )
    assert (plain(first.headings), first.caption.plain, first.lines) == (
        ["Title", "Speed"],
        "Images per second:",
        (12, 13),
    )
    assert ([plain(row) for row in second.rows], second.lines) == ([["32", "20.5"]], (19,))


def test_a_sheet_of_values_is_one_table() -> None:
    found = parse_document('model,"images/s"\nA,"1,234.5"\nB\n', Path("results.csv")).tables[0]
    assert ([plain(row) for row in found.rows], found.lines) == ([["A", "1,234.5"], ["B", ""]], (2, 3))


def test_a_table_that_blanks_align_in_a_block_of_text_is_one() -> None:
    found = table("# T\n\n```\n$ run\nGPUs   images/s\n----   --------\n8      5.5\n```\n")
    assert (plain(found.head), [plain(row) for row in found.rows], found.lines) == (
        ["GPUs", "images/s"],
        [["8", "5.5"]],
        (7,),
    )


def test_lines_of_a_log_in_a_block_of_text_are_no_table() -> None:
    assert document("```\nloss 0.5  ips 7\nloss 0.4  ips 8\n```\n").tables == ()

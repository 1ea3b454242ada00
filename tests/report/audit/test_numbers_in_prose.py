"""Numbers in the words of a page, each beside a link to its log."""

from pathlib import Path

import pytest

from report.audit.finding import Finding
from report.published.document import parse_document
from report.published.published_numbers import PublishedNumber, in_logs
from tests.report.audit.small_site import EIGHT, ONE, audited, make

LOG = "[log](logs/x_log)"


def in_words(text: str) -> list[PublishedNumber]:
    return list(in_logs(parse_document(f"# Toy50 on A100\n\n{text}\n", Path("README.md"))))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"It reaches 3,119.765 images/s on 8 GPUs ({LOG}).", ["3119.765"]),
        (f"- 8 GPUs: **3119.765 images/s**, {LOG}", ["3119.765"]),
        (f"{LOG}: 12.5k tokens/s", ["12.5"]),
        (f"8 卡吞吐为 3119.765 张/秒（{LOG}）。", ["3119.765"]),
        (f"A step takes 215.5 ms/step ({LOG}).", ["215.5"]),
        ("399.5 images/s ([1 GPU](logs/a_log)) and 3119.7 images/s ([8 GPUs](logs/b_log))", ["399.5", "3119.7"]),
        ("It reaches 3119.765 images/s on 8 GPUs.", []),
        ("It reaches 3119.765 images/s; see [the paper](paper.pdf).", []),
        ("It reaches 3119.765 images/s ([post](https://example.org/blog/x)).", []),
        (f"It reaches about 3100 images/s ({LOG}).", []),
        (f"It reaches up to 3100 images/s ({LOG}).", []),
        (f"It is faster by 310 images/s ({LOG}).", []),
        (f"最高可达 3100 张/秒（{LOG}）。", []),
        (f"It reaches 3119.765 images/s per GPU ({LOG}).", []),
        (f"It reaches 399.5 or 3119.7 images/s and 7.5 images/s ({LOG}).", []),
        (f"Its accuracy of 76.1 at 3119.7 images/s ({LOG}).", []),
        (f"It has 8 GPUs/node ({LOG}).", []),
    ],
)
def test_a_number_with_its_unit_is_read_where_it_stands_beside_the_link_to_one_log(text: str, found: list[str]) -> None:
    assert [number.digits for number in in_words(text)] == found


def of_words(folder: Path, text: str) -> Finding:
    """The finding for a number in words below the table of a page whose numbers are right."""
    page = make(folder)
    page.write_text(page.read_text(encoding="utf-8") + f"\n{text}\n", encoding="utf-8")
    return audited(folder)[-1]


def test_a_number_in_words_that_its_log_gives_is_exact(tmp_path: Path) -> None:
    found = of_words(tmp_path, f"On 8 cards it reaches 3119.765 images/s ([log](logs/{EIGHT})).")
    assert (found.number.line, found.verdict, found.log) == (12, "exact", f"logs/{EIGHT}")


@pytest.mark.parametrize("digits", ["3500.125", "3119.165", "399.532"])
def test_a_number_in_words_that_its_log_does_not_give_is_unexplained(digits: str, tmp_path: Path) -> None:
    found = of_words(tmp_path, f"On 8 cards it reaches {digits} images/s ([log](logs/{EIGHT})).")
    assert (found.verdict, found.log) == ("unexplained", f"logs/{EIGHT}")


@pytest.mark.parametrize("address", ["https://example.org/logs/x_log", "logs/gone.txt"])
def test_a_number_in_words_beside_a_link_to_no_log_is_nothing_to_mend(address: str, tmp_path: Path) -> None:
    found = of_words(tmp_path, f"On 8 cards it reaches 3119.765 images/s ([log]({address})).")
    assert not found.number.is_prose


def test_words_do_not_contradict_the_table(tmp_path: Path) -> None:
    page = make(tmp_path, ("399.532", "399.1"))
    text = f"\nOn 1 card it reaches 399.532 images/s ([log](logs/{ONE})).\n"
    page.write_text(page.read_text(encoding="utf-8") + text, encoding="utf-8")
    assert [found.verdict for found in audited(tmp_path)] == ["unexplained", "exact", "exact"]

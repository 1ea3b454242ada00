"""Whatever a page holds, an audit gives findings or one sentence."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.audit.audited_pages import audit
from report.audit.finding import VERDICTS, as_json
from report.published.document import parse_document
from report.published.published_numbers import published
from report.published.published_site import PublishedSite
from report.wording.words import Translator
from tests.commandline import run
from tests.report.audit.small_site import EIGHT, PAGE, audited, make

PIECES = [
    *"|-:#*_`<>[]()!~\\^&\n\t \0",
    "\n\n",
    "|---|---|\n",
    "| 8 | 5.5 |\n",
    "images/s",
    "GPUs",
    "卡数",
    "9" * 400,
    "1,234,567.125",
    "0.0",
    "00",
    "[a](logs/x_log)",
    "[8 cards](../../../etc/passwd)",
    "[1](#e1)",
    '<a id="e1"></a>',
    "<sup>1</sup>",
    "- ",
    "> ",
    "## ",
    "\u202e\u0663\ufeff",
]
MARKDOWN = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=60).map("".join)
HEAD = "# Throughput\n\n| GPUs | images/s |\n|---|---|\n"


@given(st.text() | MARKDOWN | MARKDOWN.map(HEAD.__add__))
def test_any_text_gives_findings(text: str) -> None:
    document = parse_document(text, Path("a/README.md"))
    site = PublishedSite([document], Path("a"), Path("a"))
    for finding in audit(site).findings:
        assert finding.verdict in VERDICTS
        assert as_json(finding, "README.md", Translator("en").translate)["reason"]


@pytest.mark.slow
@given(st.binary(max_size=300) | MARKDOWN.map(lambda text: text.encode("utf-8", "replace")))
def test_any_page_beside_logs_gives_findings(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    folder = tmp_path_factory.getbasetemp() / "any"
    if not folder.exists():
        make(folder)
    (folder / "README.md").write_bytes(raw + b"\n\n" + HEAD.encode() + b"| 8 | 3119.765 |\n" + raw)
    assert [finding for finding in audited(folder) if finding.verdict not in VERDICTS] == []


NESTED = {
    "lists": "".join(f"{'  ' * depth}- a\n" for depth in range(2_000)),
    "lists in one line": "- " * 20_000 + "a",
    "quotations": ">" * 20_000 + " a",
    "brackets": "[" * 20_000 + "a" + "](b)" * 20_000,
    "emphasis": "*" * 20_000 + "a" + "*" * 20_000,
    "backticks": "".join("`" * n + " " for n in range(1, 400)),
    "tags": "<a " * 20_000,
    "pipes": "|" * 20_000 + "\n" + "|-" * 20_000 + "\n" + "|5" * 20_000,
}


@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED)
def test_deep_nesting_is_read(text: str) -> None:
    document = parse_document(text + "\n\n" + PAGE, Path("README.md"))
    assert len(list(published(document))) in (0, 2)


@pytest.mark.slow
def test_a_page_of_many_rows_is_read() -> None:
    rows = (512 << 10) // len("| 8 | 3119.765 |\n")
    document = parse_document(HEAD + "| 8 | 3119.765 |\n" * rows, Path("README.md"))
    assert sum(1 for _ in published(document)) == rows


@pytest.mark.parametrize(
    ("digits", "verdicts"),
    [
        *((digits, ["exact"]) for digits in ("9" * 400, "1." + "3" * 20, "1," * 200 + "000")),
        *((digits, ["exact", "impossible"]) for digits in ("9" * 15 + "." + "9" * 15, "0.000")),
    ],
)
def test_a_number_is_judged_where_a_float_holds_its_digits(digits: str, verdicts: list[str], tmp_path: Path) -> None:
    make(tmp_path, ("3119.765", digits))
    assert [finding.verdict for finding in audited(tmp_path)] == verdicts


def test_a_page_too_large_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with (tmp_path / "README.md").open("wb") as file:
        file.truncate(17 << 20)
    done = run("audit", tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_a_log_that_a_link_of_the_file_system_puts_there_from_outside_is_no_evidence(tmp_path: Path) -> None:
    page = make(tmp_path / "site")
    log = page.parent / "logs" / EIGHT
    log.rename(tmp_path / "elsewhere")
    log.symlink_to(tmp_path / "elsewhere")
    assert [finding.verdict for finding in audited(page)] == ["exact", "no evidence"]

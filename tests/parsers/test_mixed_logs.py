"""Logs of several formats: each is read from the lines that those before it left."""

from pathlib import Path

import pytest

from parsers.io.errors import GrammarError
from parsers.runs.reading import read, survey
from parsers.scanning.detection import VARIABLE, formats
from tests.commandline import run
from tests.parsers.toy_logs import FORMAT, OTHER_NOISE, step, steps, write, write_grammar

TOYS = [b"toy %d speed 2.5\n" % number for number in range(1, 4)]


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the user's own formats, with one in it."""
    folder = tmp_path / "own"
    folder.mkdir()
    write_grammar(folder, "toy")
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


def names(log: Path) -> list[str]:
    return [part.format.name for part in read(log).parts if part.format]


def test_a_format_of_the_users_own_takes_the_place_of_ours(own: Path) -> None:
    write_grammar(own, FORMAT)
    assert [fmt.path.parent for fmt in formats() if fmt.name == FORMAT] == [own]


def test_a_mistake_in_a_format_of_the_users_own_is_reported_at_once(own: Path, tmp_path: Path) -> None:
    (own / "bad.lark").write_text("start: line\n", encoding="utf-8")
    with pytest.raises(GrammarError, match=r"^bad\.lark: "):
        read(write(tmp_path, *TOYS))


@pytest.mark.parametrize("format", ["toy", FORMAT])
def test_a_format_that_is_named_is_read_beside_one_with_a_mistake(own: Path, tmp_path: Path, format: str) -> None:
    (own / "bad.lark").write_text("start: line\n", encoding="utf-8")
    assert len(read(write(tmp_path, *TOYS, *steps(3)), format=format).records) == 3


def test_the_formats_are_listed_beside_one_with_a_mistake(own: Path) -> None:
    (own / "bad.lark").write_text("start: line\n", encoding="utf-8")
    (own / "odd.lark").write_bytes(b"\xff")
    listed = run("formats")
    assert (listed.returncode, "Toy format" in listed.stdout) == (2, True)
    assert listed.stderr.splitlines()[1] == "Error: odd.lark: is not UTF-8 text."


def test_the_lines_of_two_formats_are_both_read(tmp_path: Path) -> None:
    reading = read(write(tmp_path, *TOYS, *steps(5), OTHER_NOISE))
    assert {part.format.name: len(part.records) for part in reading.parts if part.format} == {FORMAT: 5, "toy": 3}


def test_records_of_two_formats_have_their_physical_lines(tmp_path: Path) -> None:
    reading = read(write(tmp_path, step(0), TOYS[0], OTHER_NOISE, step(1), TOYS[1], step(2)))
    assert [part.records["line"].tolist() for part in reading.parts] == [[1, 4, 6], [2, 5]]


def test_a_second_format_is_found_behind_a_long_log_of_the_first(tmp_path: Path) -> None:
    log = write(tmp_path, *steps(60_000), *TOYS)
    reading = read(log)
    assert [len(part.records) for part in reading.parts] == [60_000, 3]
    assert reading.parts[1].records["line"].tolist() == [60_001, 60_002, 60_003]


def test_a_format_that_is_asked_for_is_the_only_one(tmp_path: Path) -> None:
    reading = survey(write(tmp_path, *TOYS, *steps(2)), format=FORMAT)
    assert (len(reading.parts), reading.account.unrecognised) == (1, 3)


def test_a_line_that_two_formats_match_is_that_of_the_one_with_more_fixed_text(own: Path, tmp_path: Path) -> None:
    special = (own / "toy.lark").read_text(encoding="utf-8").replace('"speed"', '"speed" throughput_of')
    special = special.replace(
        "\n\n%import", '\n\nthroughput_of: "of all"?\n\n%import'
    )  # the same line, and a word that it may have
    (own / "special.lark").write_text(special.replace("throughput_of:", "_of:").replace("throughput_of", "_of"))
    write_grammar(own, "more", word="toy 1")
    assert names(write(tmp_path, b"toy 1 2 speed 2.5\n"))[0] == "more"


def test_what_stands_in_a_torn_line_beside_one_format_is_read_by_the_other(tmp_path: Path) -> None:
    torn = step(1).rstrip(b"\n") + b" | " + TOYS[1]
    reading = read(write(tmp_path, step(0), TOYS[0], torn, step(2), TOYS[2]))
    assert {part.format.name: len(part.records) for part in reading.parts if part.format} == {FORMAT: 3, "toy": 3}

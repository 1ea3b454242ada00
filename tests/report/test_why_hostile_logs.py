"""The printed awk commands on logs that are packed, torn, coloured or oddly named."""

import gzip
import shlex
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from report.measuring.measurement import NoMeasurement
from report.measuring.protocol import Statistic
from report.why.awk import AwkCommand, command
from tests.hostile_text import NAME, unseen
from tests.report.explaining import derivation, outputs

LINE = "step: {number} loss: 0.5, ips: {speed} images/s"
GRAMMAR = """// Toy
//
// For tests.

start: step_line

step_line: "step:" step{"1"} "loss:" loss ", ips:" throughput{images, job, instant} "images/s"

%import .vocabulary (step, loss, throughput, images, job, instant, BLANK)
%ignore BLANK
"""


@pytest.fixture
def grammar(tmp_path: Path) -> Path:
    path = tmp_path / "toy.lark"
    path.write_text(GRAMMAR, encoding="utf-8")
    return path


def lines(*speeds: str) -> list[str]:
    return [LINE.format(number=number, speed=speed) for number, speed in enumerate(speeds, 1)]


def proof(log: Path, text: bytes, grammar: Path, protocol: str = "") -> tuple[str, AwkCommand]:
    """The digits of a log and the command, which gives them from the log."""
    log.write_bytes(text)
    derived = derivation(log, protocol, grammar)
    found = command(derived)
    assert outputs(found) == {f"{derived.printed}\n"}
    return derived.printed, found


def text_of(found: AwkCommand) -> str:
    assert found.text is not None
    return found.text


def test_the_name_of_a_log_is_quoted(tmp_path: Path, grammar: Path) -> None:
    log = tmp_path / "it's a=1 $(log).txt"
    digits, found = proof(log, "\n".join(lines("1", "2")).encode(), grammar)
    assert (digits, text_of(found).endswith(f"< {shlex.quote(str(log))}")) == ("1.500", True)


def test_the_command_names_the_true_log_and_all_of_it_is_seen(tmp_path: Path, grammar: Path) -> None:
    (tmp_path / NAME).mkdir()
    log = tmp_path / NAME / "it's \\.log"
    log.write_text("\n".join(lines("1", "2", "")), encoding="utf-8")
    text = text_of(command(derivation(log, "", grammar)))
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True)
    assert (done.stdout, unseen(text), NAME in text) == ("1.500\n", set(), False)


def test_a_packed_log_is_unpacked_on_the_way(tmp_path: Path, grammar: Path) -> None:
    packed = gzip.compress("\n".join(lines("1", "2", "")).encode())
    assert text_of(proof(tmp_path / "a.log", packed, grammar)[1]).startswith("gzip -dc < ")


def test_nul_bytes_are_taken_out_on_the_way(tmp_path: Path, grammar: Path) -> None:
    text = "\n".join(lines("1", "2", "")).replace("ips", "i\0ps").encode()
    assert r"tr -d '\000'" in text_of(proof(tmp_path / "a.log", text, grammar)[1])


def test_a_text_in_utf_16_is_read_without_its_nul_bytes(tmp_path: Path, grammar: Path) -> None:
    assert proof(tmp_path / "a.log", "\n".join([*lines("1", "2"), ""]).encode("utf-16"), grammar)[0] == "1.500"


def test_colours_amid_the_text_before_a_number_do_no_harm(tmp_path: Path, grammar: Path) -> None:
    text = "\n".join(lines("\033[32m1\033[0m", "2", "")).encode()
    assert r"gsub(/\033" in text_of(proof(tmp_path / "a.log", text, grammar)[1])


def test_records_that_share_a_line_are_told_apart_by_carriage_returns(tmp_path: Path, grammar: Path) -> None:
    text = ("\r".join(lines("100", "200", "300", "400")) + "\n").encode()
    digits, found = proof(tmp_path / "a.log", text, grammar, "skip_records=1,drop_last=1")
    assert (digits, r"tr '\r' '\n'" in text_of(found)) == ("250.000", True)


def test_trimmed_lines_are_left_out_by_their_numbers(tmp_path: Path, grammar: Path) -> None:
    text = "\n".join(lines(*"5192837465", "")).encode()
    digits, found = proof(tmp_path / "a.log", text, grammar, "trim_min=2")
    assert (digits, '!index(" ' in text_of(found)) == ("5.000", True)


def test_one_rank_is_identified_by_what_stands_before_its_lines(tmp_path: Path, grammar: Path) -> None:
    of_rank = [f"[1,{rank}]<stdout>:{line}" for line in lines("100", "200") for rank in (0, 1)]
    digits, found = proof(tmp_path / "a.log", "\n".join([*of_rank, ""]).encode(), grammar)
    assert (digits, 'index($0, "[1,0]<stdout>:' in text_of(found)) == ("150.000", True)


def test_other_lines_with_the_same_word_do_not_count(tmp_path: Path, grammar: Path) -> None:
    first, second = lines("100", "200")
    text = f"{first}\nat ips: 127.0.0.1\n{second}\n".encode()
    assert proof(tmp_path / "a.log", text, grammar)[0] == "150.000"


def test_thousands_separators_are_taken_out(tmp_path: Path, grammar: Path) -> None:
    grammar.write_text(f"{GRAMMAR}%import .vocabulary (NUMBER, GROUPED)\n%override NUMBER: GROUPED\n", encoding="utf-8")
    text = "\n".join(lines("15,515.2", "1,000.0", "")).encode()
    digits, found = proof(tmp_path / "a.log", text, grammar)
    assert (digits, "gsub(/,/" in text_of(found)) == ("8257.600", True)


def test_a_number_that_a_letter_precedes_differently_is_taken_by_its_field(tmp_path: Path, grammar: Path) -> None:
    words = GRAMMAR.replace('", ips:" throughput{images, job, instant}', "throughput{images, job, instant}")
    grammar.write_text(words, encoding="utf-8")
    text = b"step: 1 loss: 0.5 100 images/s\nstep: 2 loss: 0.75 200 images/s\n"
    digits, found = proof(tmp_path / "a.log", text, grammar)
    assert (digits, "$5" in text_of(found)) == ("150.000", True)


def test_a_half_is_rounded_by_decimal_digits(tmp_path: Path, grammar: Path) -> None:
    text = "\n".join(lines("1.0005", "1.0015", "1.0025", "1.0035", "")).encode()
    assert proof(tmp_path / "a.log", text, grammar, "skip_records=1,drop_last=2,decimals=3")[0] == "1.002"


def test_a_sum_from_which_each_addition_takes_a_little_is_taken_with_care(tmp_path: Path, grammar: Path) -> None:
    text = "\n".join(lines(*["0.3"] * 300, "")).encode()
    digits, found = proof(tmp_path / "a.log", text, grammar, "decimals=1,rounding=truncate")
    assert (digits, "lost" in text_of(found)) == ("0.3", True)


speeds = st.lists(st.integers(1, 10**7).map(lambda thousandths: f"{thousandths / 1000:.3f}"), min_size=1, max_size=40)
rules = st.builds(
    "statistic={},skip_records={},drop_last={},rounding={},decimals={}".format,
    st.sampled_from(get_args(Statistic)),
    st.integers(0, 2),
    st.integers(0, 2),
    st.sampled_from(["half_up", "truncate"]),
    st.integers(0, 4),
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(speeds, st.sampled_from(["", "noise", "ips: 3", "at ips: 1 ips: 2"]), rules)
def test_awk_gives_the_digits_of_any_log(
    tmp_path: Path, grammar: Path, speeds: list[str], noise: str, rule: str
) -> None:
    with suppress(NoMeasurement):
        proof(tmp_path / "a.log", f"\n{noise}\n".join(lines(*speeds)).encode(), grammar, rule)


def test_numbers_of_a_line_torn_from_its_beginning_are_found(tmp_path: Path, grammar: Path) -> None:
    stamped = GRAMMAR.replace('step_line: "step:"', '_head: time{STAMP}\nstep_line: _head? "step:"').replace(
        "(step,", "(STAMP, time, step,"
    )
    grammar.write_text(stamped, encoding="utf-8")
    whole = [f"2026-01-02 03:04:0{place} {line}" for place, line in enumerate(lines("1", "2", "6"))]
    text = "\n".join([*whole[:2], f"saving {lines('3', '6', '9')[2]}", ""])
    assert proof(tmp_path / "a.log", text.encode(), grammar)[0] == "4.000"

"""What telemetry gives of a run: whose cards count, over which time, when there is no number, and what is left out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parsers.runs.facts import Fact, Facts
from parsers.runs.provenance import PAGE
from parsers.runs.reading import Reading, read
from parsers.runs.run_folder import TELEMETRY_COLUMNS
from report.measure.diagnostics import NoEvidenceError
from report.measure.measure import measure
from report.measure.measurement import Measurement
from report.measure.number import without_noise
from report.measure.protocol import Protocol
from report.measure.quantity import PEAK_MEMORY, POWER, SAMPLES_PER_JOULE
from report.results.telemetry import Observation, RunTelemetry, observe, run_telemetry
from tests.commandline import run as run_command
from tests.parsers.run_folders import make_run, make_timed_run, put_clock, put_gpu
from tests.parsers.toy_logs import steps
from tests.report.page_text import HEAD, column, report_of, table

T = 1935619200
Draw = Callable[[int], "float | str"]


def sample(second: float, card: int = 0, power: object = 300, memory: object = 1000, utilisation: object = 90) -> str:
    return f"{T + second:.3f},{card},{utilisation},{memory},{power},1980,2619,55"


def measured(reading: Reading, protocol: str = "plain") -> Measurement:
    return measure(reading, Protocol.parse(protocol))


def watched(
    folder: Path, *rows: str, clock: bool = True, protocol: str = "plain", machines: int = 1, **facts: int
) -> RunTelemetry:
    """The run of a log of 9 step lines, one a second from second 10 on, with these samples of its cards."""
    log = make_run(folder, b"".join(steps(9)), nodes=[{}] * machines)
    put_gpu(log, *rows)
    if clock:
        put_clock(log, *(f"{line},{T + 9 + line:.3f}" for line in range(1, 10)))
    reading = read(log)
    known = Facts(Fact(name, value, PAGE) for name, value in {"cards": 1, **facts}.items())
    return run_telemetry("train.log", reading, known, measured(reading, protocol))


def every_second(draw: Draw, seconds: range = range(30), card: int = 0, utilisation: int = 90) -> list[str]:
    return [sample(second, card, draw(second), utilisation=utilisation) for second in seconds]


def power(run: RunTelemetry) -> Observation:
    return observe(POWER, run, None)


def remarks(found: Observation) -> list[str]:
    return [remark.code for remark in found.remarks]


def both(draw: Draw, other: Draw, utilisation: int = 90) -> list[str]:
    """The samples of two cards."""
    return [*every_second(draw), *every_second(other, card=1, utilisation=utilisation)]


def even(_: int) -> int:
    return 300


POWERS: dict[str, tuple[list[str], dict[str, Any], float, int, list[str]]] = {
    "from the first to the last line used": (
        every_second(lambda second: 300 if 10 <= second <= 18 else 50),
        {},
        300,
        9,
        [],
    ),
    "of all cards": (both(lambda _: 100, lambda _: 150), {"cards": 2}, 250, 18, []),
    "of the busiest card": (both(even, lambda _: 50, utilisation=1), {}, 300, 9, ["busiest_cards"]),
    "of the card that is busy in the window": (
        [sample(second, 0, 50, utilisation=100 if second < 10 else 0) for second in range(30)]
        + every_second(even, card=1, utilisation=50),
        {},
        300,
        9,
        ["busiest_cards"],
    ),
    "of the whole run without a clock": (
        every_second(lambda second: second),
        {"clock": False},
        14.5,
        30,
        ["mean_of_whole_run"],
    ),
    # (1 x 100 + 7 x 200) / 8
    "a gap counts as long as it lasted": (
        [sample(second, power=watts) for second, watts in ((10, 100), (11, 100), (18, 300))],
        {},
        187.5,
        3,
        ["gap_of_samples"],
    ),
    "a sample without power": (every_second(lambda second: "" if second == 12 else 300), {}, 300, 8, []),
}


@pytest.mark.parametrize(("rows", "how", "value", "used", "said"), POWERS.values(), ids=POWERS)
def test_power_is_the_mean_over_the_window_of_the_cards_of_the_run(
    rows: list[str], how: dict[str, Any], value: float, used: int, said: list[str], tmp_path: Path
) -> None:
    found = power(watched(tmp_path, *rows, **how))
    assert (found.value, len(found.lines), remarks(found)) == (value, used, said)


def test_peak_memory_is_the_greatest_of_the_whole_run_with_the_line_that_tells_it(tmp_path: Path) -> None:
    rows = sample(0, memory=5), sample(1, memory=9), sample(29, memory=9)
    found = observe(PEAK_MEMORY, watched(tmp_path, *rows), None)
    assert (found.value, found.lines) == (9, (3,))


def test_samples_per_joule_is_the_throughput_over_the_power(tmp_path: Path) -> None:
    found = watched(tmp_path, *every_second(lambda _: 250))
    throughput = measured(read(tmp_path / "train.log"))
    assert observe(SAMPLES_PER_JOULE, found, throughput).value == without_noise(throughput.value / 250)


@pytest.mark.parametrize(("nodes", "said"), [(1, "fewer_cards"), (2, "some_machines")])
def test_fewer_cards_than_the_run_used_give_no_power(nodes: int, said: str, tmp_path: Path) -> None:
    found = watched(tmp_path, *every_second(even), cards=2, nodes=nodes)
    assert remarks(observe(PEAK_MEMORY, found, None)) == [said]
    with pytest.raises(NoEvidenceError):
        power(found)


@pytest.mark.parametrize("seconds", [(), (12,), (12, 12)])
def test_fewer_than_two_moments_in_the_window_give_no_power(seconds: tuple[int, ...], tmp_path: Path) -> None:
    found = watched(tmp_path, sample(0), *map(sample, seconds), sample(29))
    with pytest.raises(NoEvidenceError):
        power(found)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(st.lists(st.floats(0, 1000).map(lambda watts: round(watts, 2)), min_size=9, max_size=9))
def test_the_mean_power_lies_between_the_least_and_the_greatest_sample(tmp_path: Path, watts: list[float]) -> None:
    found = power(watched(tmp_path, *(sample(10 + second, power=said) for second, said in enumerate(watts))))
    assert min(watts) - 1e-9 <= found.value <= max(watts) + 1e-9


# ---- of processes

QUANTITIES = '{ column = "a", quantity = "process_memory" }, { column = "a", quantity = "cpu_load" }'
OF_PROCESSES = HEAD + column("a", "a/*/train.log") + table(QUANTITIES, "cards = 1")
HEADS = "time,processes,load,memory"


@pytest.mark.parametrize(
    ("head", "rows", "digits", "used"),
    [
        (HEADS, "90,1,9,5000 100,2,1,300 102,2,2,300 104,2,1,300 110,2,9,100", ["5000", "1.50"], [3, 4, 5]),
        (f"{HEADS},power", "100,2,1,300,80 104,2,1,310,", ["310", "1.00"], [2, 3]),  # of an older run
        (HEADS, "", [None, None], []),
        (HEADS, "100,2,1,", [None, None], []),
    ],
)
def test_memory_of_processes_is_the_greatest_of_the_run_and_load_the_mean_of_the_window(
    head: str, rows: str, digits: list[str | None], used: list[int], tmp_path: Path
) -> None:
    log = make_timed_run(tmp_path / "a/1")
    log.with_name("cpu.csv").write_text("\n".join([head, *rows.split(), ""]), encoding="utf-8")
    (tmp_path / "page.toml").write_text(OF_PROCESSES, encoding="utf-8")
    found = report_of(tmp_path / "page.toml", tmp_path)
    assert [one.digits for one in found.results] == digits
    assert [(run.log, run.records.used) for run in found.runs_of(found.results[1])] == (
        [("a/1/cpu.csv", used)] if used else []
    )
    codes = [one.reason.code for one in found.results if one.reason]
    assert codes == ["few_samples"] * digits.count(None)


def test_a_broken_file_is_named_with_its_line(tmp_path: Path) -> None:
    log = make_timed_run(tmp_path / "a/1")
    log.with_name("cpu.csv").write_text(f"{HEADS}\n100,2,much,300\n", encoding="utf-8")
    done = run_command("show", log)
    assert (done.returncode, "line 2 is '100,2,much,300'" in done.stderr) == (2, True)


# ---- rows that cannot be of their run

LOG = b"".join(b"step %d: loss 2.5, 1000 tokens/s\n" % step for step in range(1, 21))
SAID = {
    "start": "2031-05-04T00:00:00+00:00",
    "end": "2031-05-04T00:00:20+00:00",
    "environment": {"gpus": ["Example"], "gpu_memory_mib": [40000]},
}


def made(folder: Path, *rows: str, **said: object) -> Path:
    """A run of 20 seconds on one card, and what its card did, with further rows."""
    log = make_run(folder, LOG, case={"cards": 1, "nodes": 1}, **said)
    put_clock(log, *(f"{line},{T + line - 1}.000" for line in range(1, 21)))
    put_gpu(log, *(sample(second, memory=30000) for second in range(20)), *rows)
    return folder


def shown(folder: Path) -> tuple[dict[str, float], list[str]]:
    """What `show` gives of the telemetry of a run, and its warnings of rows that are left out."""
    told = json.loads(run_command("show", "--json", folder).stdout)
    values = {name: one["value"] for name, one in told["facts"].items()}
    return values, [one for one in told["warnings"] if "left out: " in one]


@pytest.mark.parametrize(
    ("rows", "said", "peak", "lines"),
    [
        ([], SAID, 30000, []),
        ([sample(9, memory=-1)], SAID, 30000, ["22"]),
        ([sample(9, power=-7)], SAID, 30000, ["22"]),
        ([sample(9, memory=90000)], SAID, 30000, ["22"]),
        ([sample(-3600, memory=35000)], SAID, 30000, ["22"]),
        ([sample(3600, memory=35000)], SAID, 30000, ["22"]),
        ([sample(3600, memory=90000)], {}, 90000, []),  # nothing says how long it lasted, or what its card holds
    ],
)
def test_a_row_of_a_card_that_cannot_be_of_the_run_is_left_out_and_its_line_told(
    rows: list[str], said: dict[str, object], peak: int, lines: list[str], tmp_path: Path
) -> None:
    values, warnings = shown(made(tmp_path, *rows, **said))
    assert (values["peak_memory"], values["power"]) == (peak, 300)
    assert [one.partition("(lines ")[2].rstrip(").") for one in warnings if "gpu.csv" in one] == lines


def test_rows_of_the_processes_of_a_run_are_left_out_alike(tmp_path: Path) -> None:
    rows = [f"{T + second},1,1.0,500" for second in range(20)]
    text = "\n".join([HEADS, *rows, f"{T + 9},1,-1.0,900", ""])
    (made(tmp_path, **SAID) / "cpu.csv").write_text(text, encoding="utf-8")
    values, warnings = shown(tmp_path)
    assert (values["process_memory"], values["cpu_load"]) == (500, 1)
    assert ["cpu.csv" in said and "(lines 22)" in said for said in warnings] == [True]


def test_a_file_without_a_row_of_the_run_gives_no_number(tmp_path: Path) -> None:
    put_gpu(made(tmp_path, **SAID) / "train.log", sample(9, memory=-1))
    assert "peak_memory" not in shown(tmp_path)[0]


LOWERED = "Heat or power supply lowered clocks in 25.0% of the samples of gpu.csv (card numbers: 1)."


@pytest.mark.parametrize(
    ("reason", "is_told"),
    [(0x8, True), (0x20, True), (0x40, True), (0x80, True), (0x8 | 0x4, True), (0, False), (1, False), ("", False)],
)
def test_clocks_that_heat_or_power_supply_lowered_are_told_with_their_share(
    tmp_path: Path, reason: object, is_told: bool
) -> None:
    log = make_run(tmp_path, LOG, case={"cards": 2, "nodes": 1})
    samples = (0, 0), (1, 0), (0, 0), (1, reason)
    rows = [f"{T + at},{card},97,300,300,1980,2619,55,{why},0,0,,,,,," for at, (card, why) in enumerate(samples)]
    log.with_name("gpu.csv").write_text("\n".join([",".join(TELEMETRY_COLUMNS), *rows, ""]), encoding="utf-8")
    told = json.loads(run_command("show", "--json", tmp_path).stdout)["warnings"]
    assert [one for one in told if "card numbers" in one] == [LOWERED] * is_told

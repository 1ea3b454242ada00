"""Logs of unknown programs: what is read of each, the language of the option, and what holds of any text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parsers.grammar.field import IN_SECONDS
from parsers.io.errors import LogError
from parsers.runs.ranks import again
from parsers.runs.reading import Reading, read, survey
from parsers.unknown.answer import Accepted, Answer, Nothing, Question, answer
from parsers.unknown.draft import NoGrammarError, draft
from parsers.unknown.judge import Speed
from parsers.unknown.naming import meaning
from parsers.unknown.option import EPOCH, LEFT, LINE, START, STEP, STEPS, Option, OptionError, parse_option
from parsers.unknown.reading import reading
from report.measure.diagnostics import NoMeasurement
from report.measure.measure import measure
from report.measure.measurement import ContradictedError

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "golden"
LOGS: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "logs.yaml").read_text(encoding="utf-8"))
NEAR = 0.02


def text_of(case: dict[str, Any]) -> str:
    """The text of a case of the table, with its repeated lines written out."""
    repeated = case.get("repeat", [0])
    numbers = range(repeated[0], repeated[1] + 1, repeated[2]) if len(repeated) == 3 else repeated
    lines = [_filled(line, n) for n in numbers for line in case["lines"].splitlines()]
    end = str(case.get("end", "\n"))
    return str(case.get("before", "")) + end.join(lines) + end + str(case.get("after", ""))


def _filled(line: str, n: int) -> str:
    def value(found: re.Match[str]) -> str:
        expression, _, form = found[1].partition(":")
        return str(format(eval(expression, {"n": n, "__builtins__": {}, "chr": chr}), form))  # noqa: S307 (ours)

    return re.sub(r"\$\{([^}]*)\}", value, line)


def written(folder: Path, text: str | bytes) -> Path:
    """A log of a text."""
    path = folder / "train.log"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def holds(found: Any, expected: dict[str, Any]) -> None:
    """Hold a speed against what a row of the table says."""
    assert found.rate == pytest.approx(expected["rate"], rel=expected.get("near", NEAR))
    assert found.unit == expected["unit"]
    assert found.scope == expected.get("scope")
    if "read" in expected:
        assert found.read == expected["read"]


def candidates(found: Answer) -> dict[str, Any]:
    """What a question offers, by option."""
    assert isinstance(found, Question), found
    return {speed.read: speed for speed in found.candidates}


@pytest.mark.parametrize("name", LOGS)
def test_a_log_of_the_table(name: str, tmp_path: Path) -> None:
    case = LOGS[name]
    path = written(tmp_path, text_of(case))
    found = answer(path, case.get("read"))
    if "nothing" in case:
        assert isinstance(found, Nothing)
        assert not case["nothing"] or case["nothing"] in [reason.value for _, reason in found.reasons]
        return
    if "ask" in case:
        assert isinstance(found, Question), found
        assert found.ask.value == case["ask"]
        offered = candidates(found)
        assert list(offered) == list(case["candidates"])
        for option, rate in case["candidates"].items():
            assert offered[option].rate == pytest.approx(rate, rel=NEAR)
            told = answer(path, option)
            assert isinstance(told, Accepted)
            assert told.speed.rate == pytest.approx(rate, rel=NEAR)
            assert told.speed.read == option
        return
    assert isinstance(found, Accepted), found
    holds(found.speed, case["speed"])
    log = reading(found)
    assert set(case.get("also", ())) <= set(log.records)
    for fact, value in case.get("facts", {}).items():
        assert (fact in log.facts and log.facts[fact].value) == value
    _holds_measured(log, case)
    if case.get("grammar"):
        draft(found.speed)


def _holds_measured(log: Any, case: dict[str, Any]) -> None:
    """Hold what the rule measures against the row: as fast as the speed, where the row says nothing else."""
    account, table = log.account, log.parts[0].table
    assert set(table["line"].tolist()) <= set(np.flatnonzero(account.recognised).tolist())
    assert account.matched + account.ignored + account.unmatched == account.total
    try:
        measured = measure(log)
    except NoMeasurement:
        assert case.get("status") == "refused"
        return
    except ContradictedError as error:
        measured = error.found
    assert measured.status == case.get("status", measured.status)
    expected = case.get("measured", case["speed"])
    assert measured.value == pytest.approx(expected["rate"], rel=case["speed"].get("near", 0.1))
    assert measured.unit.removesuffix("/s") == expected["unit"]


def test_the_logs_of_all_ranks_are_read_by_one_option(tmp_path: Path) -> None:
    for rank, speed in ((0, 64), (1, 80)):
        lines = [f"step {n} loss 2.5 samples/s {speed}.{n}\n" for n in range(10, 30)]
        (tmp_path / f"rank_{rank}.log").write_text("".join(lines))
    found = answer(tmp_path / "rank_0.log")
    assert isinstance(found, Accepted)

    def each(path: Path) -> Reading:
        told = answer(path, found.speed.option)
        assert isinstance(told, Accepted)
        return reading(told)

    log = again(tmp_path, reading(found), (), each)
    assert log.records.groupby("rank")["throughput"].median().to_dict() == pytest.approx({0: 64.195, 1: 80.195})


def test_all_lines_of_a_long_log_are_records(tmp_path: Path) -> None:
    lines = [
        f"step {n} loss 2.5 dt: 250.{n % 10}ms tok/sec: {1024000 / (250 + n % 10 / 10):.2f}\n" for n in range(25_000)
    ]
    found = answer(written(tmp_path, "".join(lines)))
    assert isinstance(found, Accepted)
    log = reading(found)
    assert (log.account.matched, log.account.total, len(log.records)) == (25_000, 25_000, 25_000)
    assert log.records[["throughput", "step_time"]].notna().all(axis=None)


def test_a_bar_is_read_beside_the_records_of_a_known_format(tmp_path: Path) -> None:
    lines = [
        f"{{'loss': 2.5, 'learning_rate': 1e-05, 'epoch': 0.{n}}}\n"
        f"  {n}%|#  | {n}/100 [{n * 2 // 60:02}:{n * 2 % 60:02}<03:00,  2.00s/it]"
        for n in range(10, 60)
    ]
    path = written(tmp_path, "\n".join(lines) + "\n")
    known = read(path)
    found = answer(path)
    assert isinstance(found, Accepted)
    log = reading(found, known=[part.format for part in known.parts if part.format])
    assert measure(log).value == pytest.approx(0.5)
    assert [part.format for part in log.parts] == [None, *(part.format for part in known.parts)]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (("tokens/s", ""), ("rate", "tokens", None)),
        (("ips", "images/sec"), ("rate", "images", None)),
        (("elapsed time per iteration (ms)", ""), ("time", None, "step")),
        (("train_speed(s/it)", ""), ("time", None, "step")),
        (("epoch_time_s", ""), ("time", None, "epoch")),
        (("tokens_per_second_per_gpu", ""), ("rate", "tokens", None)),
        (("micro_step", ""), ("step", "steps", None)),
        (("words/batch", ""), ("amount", "words", None)),
        (("wall", ""), ("elapsed", None, None)),
        (("cost", ""), ("evidence", None, None)),
        (("每秒 词元", ""), None),
    ],
)
def test_what_a_name_means(said: tuple[str, str], expected: tuple[str, str | None, str | None] | None) -> None:
    found = meaning(*said)
    assert (found and (found.role, found.counts, found.per)) == expected


# ---- the option

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_/ ().-]{0,20}[A-Za-z0-9_)]", fullmatch=True)
UNITS = st.sampled_from([1e-6, 1e-3, 1.0, 60.0, 3600.0])
SCOPES = st.sampled_from([None, "card", "node", "job"])
AROUND: dict[str, Any] = {
    "target": NAMES.map(str.strip),
    "factor": UNITS,
    "scope": SCOPES,
    "is_mean": st.booleans(),
    "lines": st.none() | st.from_regex(r"[^\"\n\r]{1,12}", fullmatch=True),
    "part": st.none() | st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)),
}
COUNTED = st.sampled_from(["tokens", "samples", "images", "sequences", "steps", "epochs", "words", "frames"])
RATES = st.builds(Option, kind=st.just("rate"), counts=COUNTED, **AROUND)
TIMES = st.builds(Option, kind=st.just("time"), per=st.sampled_from([STEP, EPOCH, LINE, START, LEFT]), **AROUND)
OF_SEVERAL = st.builds(
    Option,
    kind=st.just("time"),
    per=st.just(STEPS),
    counts=st.sampled_from([None, "epochs"]),
    count=st.integers(1, 10**6),
    **AROUND,
)
OF_ONE = st.builds(
    Option, kind=st.just("rate"), counts=st.sampled_from(["tokens", "images"]), is_inverse=st.just(True), **AROUND
)
OPTIONS = st.one_of(RATES, TIMES, OF_SEVERAL, OF_ONE)


@given(OPTIONS)
def test_an_option_is_read_as_it_is_written(option: Option) -> None:
    assert parse_option(str(option)) == option
    assert str(parse_option(str(option))) == str(option)


@pytest.mark.parametrize(
    "text",
    [
        "tok_s=tokens/s of card",
        "dt=ms/step",
        "time=s/line",
        "Time=s/100 steps",
        "epochs took=h/3 epochs",
        "cost=ms/image",
        "Cost Time=elapsed s",
        "ETA=left s",
        "wps=tokens/s since start",
        "bar Training=steps/s",
        'clock=steps/s on "Iters:"',
        "dt=s/step in lines 10-412",
        'x=epochs/h of job on "a b" in lines 1-2',
    ],
)
def test_an_option_of_the_language(text: str) -> None:
    assert str(parse_option(text)) == text


@pytest.mark.parametrize("text", ["", "time is seconds", "dt=", "=s/step", "dt=s/steps", "dt=s/0 steps", "dt=m/step"])
def test_a_text_that_is_no_option(text: str) -> None:
    with pytest.raises(OptionError):
        parse_option(text)


# ---- any text

PIECES = (
    "step 10;loss 2.5;time 0.5 s;tok/s=4096;100%|####| 8/8 [00:05<00:00, 1.48it/s];2031-02-03 04:05:06 ;[rank1]: ;"
    "{'a': 1,;};|;epoch 1/3 ;ETA: 1:00:00;1e400;nan;é;\r;\n;\x00;"
) + "9" * 400


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PIECES.split(";")), max_size=40).map(" ".join))
def test_any_text_has_an_answer_and_each_option_that_is_offered_gives_one(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    try:
        found = answer(path)
    except LogError:
        assert not text.strip("\x00 ")
        return
    offered = [found.speed, *found.refine] if isinstance(found, Accepted) else getattr(found, "candidates", [])
    for speed in offered:
        told = answer(path, speed.read)
        assert isinstance(told, Accepted)
        log = reading(told)
        assert log.account.total == survey(path).account.total


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 100_000 + b"1\n",
        b"1:" * 60_000 + b"\n",
        b"9" * 300_000 + b" s/it\n",
        b" ".join(b"%d" % n for n in range(200_000)) + b"\n",
        b"".join(b"step %d loss 1.5 time 0.5 s \x00\xff\n" % n for n in range(200)),
        b"".join(b"a%x %x=1 s/it\n" % (n * 7919, n * 104729) for n in range(20_000)),
    ],
    ids=["brackets", "colons", "one number", "numbers", "no text", "names"],
)
def test_a_hostile_text_has_an_answer(text: bytes, tmp_path: Path) -> None:
    assert answer(written(tmp_path, text)) is not None


# ---- golden logs without their grammars


def golden_logs() -> list[str]:
    """The golden logs, by family and name."""
    return sorted(str(path.relative_to(GOLDEN)) for path in GOLDEN.glob("*/*.log"))


SAME_AS = {
    "throughput": ("throughput", "mean_throughput"),
    "step_time": ("step_time", "mean_step_time", "duration"),
    "duration": ("step_time", "mean_step_time", "duration"),
    "step_rate": ("step_rate",),
}
SAMPLES = ("images", "samples", "sequences", "environment_steps")


def beside_grammar(speed: Speed, log: Reading) -> str:
    """Whether a speed has the numbers that the grammar of its log reads: same, part, another, or nothing alike."""
    own, records = reading(Accepted(speed)), log.parts[0].table
    name = next((name for name in SAME_AS if name in own.parts[0].table), None)
    if name is None:
        return "a clock"
    values = own.parts[0].table[name] * (speed.option.count or 1)
    values = values[np.isfinite(values)]
    found = "nothing alike"
    same = ("duration",) if speed.unit == "epochs" else SAME_AS[name]  # the time of an epoch is that of no step
    for (record, printed), field in log.fields.items():
        words = {word for word in records["counted"].tolist() if word} if "counted" in records else {field.unit}
        alike = speed.unit in words or (speed.unit in SAMPLES and words & set(SAMPLES)) or speed.unit is None
        if printed not in same or (name == "throughput" and not alike):
            continue
        told = np.where(records.are(record), records[printed].astype(np.float64), np.nan)
        read = told[np.isfinite(told) & (told > 0)] * IN_SECONDS.get(field.unit or "", 1.0)
        if all((np.abs(value / read - 1) < 1e-3).any() for value in values):
            return "same" if len(values) == len(read) else "part"
        found = "another number"
    return found


def test_golden_logs_without_their_grammars(compare: Any) -> None:
    """What is read of each golden log where no format is known, and whether a grammar reads the same."""
    rows = []
    for name in golden_logs():
        found = answer(GOLDEN / name)
        if isinstance(found, Accepted):
            speed = found.speed
            try:
                draft(speed)
                grammar = "grammar"
            except NoGrammarError:
                grammar = "no grammar"
            verdict = beside_grammar(speed, read(GOLDEN / name))
            assert verdict != "another number", name
            rows.append(f"{name}: {verdict}: {speed.rate:.4g} {speed.unit or '?'}/s by {speed.read}; {grammar}")
        elif isinstance(found, Nothing):
            rows.append(f"{name}: nothing")
        else:
            offered = " | ".join(f"{s.rate:.4g} {s.unit or '?'}/s by {s.read}" for s in found.candidates)
            rows.append(f"{name}: {type(found).__name__.lower()}: {offered}")
    compare(HERE / "golden.txt", "\n".join(rows) + "\n")

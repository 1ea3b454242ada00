import json
import re
import statistics
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.measure.protocol import Length, Protocol, ProtocolError, Statistic
from tests.commandline import run


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tipc", "records=step estimate=reported skip_records=10 trim=0.05 trim_min=5 statistic=mean decimals=3"),
        ("tipc-plain", "records=step estimate=reported skip_records=10 statistic=mean decimals=3"),
        ("fleetx", "records=step estimate=reported skip_steps=20 take_first=100steps statistic=mean"),
        ("dlperf", "records=step estimate=clock skip_steps=20 take_first=100steps"),
        ("summary", "records=summary estimate=reported statistic=last"),
        ("mlperf", "records=step estimate=reported statistic=mean repeats=olympic"),
        ("plain", "records=step estimate=reported statistic=mean"),
    ],
)
def test_words_say_what_a_named_protocol_does(name: str, words: str) -> None:
    assert Protocol.parse(name).words() == words


TIPC = {"estimate": "reported", "trim": 0.05, "trim_min": 5, "statistic": "mean", "decimals": 3}


@pytest.mark.parametrize(
    ("text", "protocol"),
    [
        ("skip_records=5,statistic=median", Protocol(skip_records=5, statistic="median")),
        (" tipc , decimals = 2 ", Protocol.of({**TIPC, "skip_records": 10, "decimals": 2})),
        ("tipc,skip_steps=20", Protocol.of({**TIPC, "skip_steps": 20})),  # in the place of the key that it excludes
    ],
)
def test_a_line_of_text_is_a_protocol(text: str, protocol: Protocol) -> None:
    name, _, keys = text.partition(",")
    assert Protocol.parse(text) == protocol
    assert "=" in name or Protocol.parse(name).overridden(keys) == protocol


@given(
    st.builds(
        Protocol,
        records=st.sampled_from(["step", "epoch", "summary"]),
        estimate=st.sampled_from(["reported", "step_time", "instant"]),
        skip_steps=st.integers(0, 1000),
        drop_last=st.builds(Length, st.integers(0, 9), st.sampled_from(["records", "steps"])),
        take_first=st.none() | st.builds(Length, st.integers(1, 999), st.sampled_from(["records", "steps"])),
        trim=st.floats(0, 0.5, exclude_max=True),
        statistic=st.sampled_from(get_args(Statistic)),
        repeats=st.sampled_from(["median", "mean", "olympic", "max"]),
        significant=st.none() | st.integers(1, 17),
        rounding=st.sampled_from(["half_up", "truncate"]),
    )
)
def test_the_words_of_a_protocol_read_back_as_itself(protocol: Protocol) -> None:
    assert Protocol.parse(protocol.words()) == protocol


@pytest.mark.parametrize(
    "text",
    [
        "records=line",
        "statistic=avg",
        "trim=0.5",
        "skip_records=-1",
        "take_first=ten",
        "take_first=0",
        "decimals=2,significant=5",
        "skip_records=1,skip_steps=1",
        "skip_records=1,skip_fraction=0.1",
        "skip_steps=1,from_step=0",
        "to_step=5,drop_last=1",
        "to_step=5,take_first=1",
        "from_step=5,to_step=4",
        "take_first=1,take_last=1",
        "dlperf,trim=0.1",
        "trim=0.1,trim=0.2",
        "decimals=2,tipc",
        "",
    ],
)
def test_an_impossible_protocol_is_refused(text: str) -> None:
    with pytest.raises(ProtocolError):
        Protocol.parse(text)


HEAD = (
    "using world size: 8, data-parallel size: 4, context-parallel size: 1, tensor-model-parallel size: 2, "
    "pipeline-model-parallel size: 1\n"
)
LINE = (
    " [2031-02-03 04:05:06] iteration {n:8d}/{steps:8d} | consumed samples: {samples:12d} | elapsed time per iteration "
    "(ms): {time:.1f} | throughput per GPU (TFLOP/s/GPU): {flops:.1f} | learning rate: 1.000000E-04 | global batch "
    "size:    64 | lm loss: 2.000000E+00 | loss scale: 1.0 | grad norm: 1.000 | number of skipped iterations:   0 | "
    "number of nan iterations:   0 |\n"
)


def log(folder: Path, seed: int) -> Path:
    """A log that prints each iteration, the first ones slow."""
    noise = np.random.default_rng(seed)
    times = [noise.normal(900, 20) + 5000 * (n < 3) for n in range(1, 51)]
    lines = [LINE.format(n=n, steps=50, samples=64 * n, time=time, flops=4e5 / time) for n, time in enumerate(times, 1)]
    path = folder / "train.log"
    path.write_text(HEAD + "".join(lines), encoding="utf-8")
    return path


def seconds_between(path: Path, first: int, last: int) -> float:
    """What the parser of dgxc-benchmarking does: the mean of all times of these iterations."""
    found = re.findall(r"iteration +(\d+)/.*?\(ms\): ([0-9.]+)", path.read_text(encoding="utf-8"))
    return statistics.mean(float(time) / 1000 for number, time in found if first <= int(number) <= last)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("protocol", "first", "last"), [("dgxc", 35, 44), ("megatron-bridge", 36, 50)])
def test_a_named_window_has_the_seconds_of_its_program(
    tmp_path: Path, seed: int, protocol: str, first: int, last: int
) -> None:
    path = log(tmp_path, seed)
    found = json.loads(run("show", "--json", str(path), "--protocol", protocol).stdout)["throughput"]
    assert (found["unit"], found["records"]) == ("samples/s", last - first + 1)
    assert f"{64 / found['value']:.9f}" == f"{seconds_between(path, first, last):.9f}"

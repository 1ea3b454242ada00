from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.measure.protocol import Length, Protocol, ProtocolError, Statistic


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

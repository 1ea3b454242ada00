from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.measuring.protocol import Protocol, ProtocolError, Statistic
from report.measuring.windows.length import Length


def error(text: str) -> str:
    with pytest.raises(ProtocolError) as raised:
        Protocol.parse(text)
    return str(raised.value)


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


def test_keys_alone_are_a_protocol() -> None:
    assert Protocol.parse("skip_records=5,statistic=median") == Protocol(skip_records=5, statistic="median")


def test_blanks_around_commas_do_not_matter() -> None:
    assert Protocol.parse(" tipc , decimals = 2 ") == Protocol.parse("tipc,decimals=2")


def test_a_key_replaces_the_one_that_it_excludes() -> None:
    assert Protocol.parse("tipc,skip_steps=20") == Protocol(
        skip_steps=20, trim=0.05, trim_min=5, statistic="mean", decimals=3
    )


def test_a_protocol_is_overridden_by_keys_in_a_line() -> None:
    assert Protocol.parse("fleetx").overridden("repeats=mean,skip_records=3") == Protocol(
        skip_records=3, take_first=Length(100, "steps"), repeats="mean"
    )


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
    ("text", "sentence"),
    [
        ("records=line", "records=line is not valid: must be one of step, epoch, summary."),
        (
            "statistic=avg",
            "must be one of mean, median, harmonic_mean, geometric_mean, last, min, max, p1, p5, p10, p25, p75, p90, "
            "p95, p99.",
        ),
        ("trim=0.5", "trim=0.5 is not valid: must be less than 0.5."),
        ("skip_records=-1", "skip_records=-1 is not valid: must be at least 0."),
        ("take_first=ten", 'expected a number of records such as 10, or of steps such as "100 steps".'),
        ("take_first=0", "take_first=0 is not valid: at least 1 record or step must be taken."),
        ("decimals=2,significant=5", "decimals and significant are mutually exclusive."),
        ("skip_records=1,skip_steps=1", "skip_records and skip_steps are mutually exclusive."),
        ("skip_records=1,skip_fraction=0.1", "skip_records and skip_fraction are mutually exclusive."),
        ("skip_steps=1,from_step=0", "skip_steps and from_step are mutually exclusive."),
        ("to_step=5,drop_last=1", "to_step and drop_last are mutually exclusive."),
        ("to_step=5,take_first=1", "to_step and take_first are mutually exclusive."),
        ("from_step=5,to_step=4", "from_step=5 is greater than to_step=4."),
        ("take_first=1,take_last=1", "take_first and take_last are mutually exclusive."),
        ("dlperf,trim=0.1", "estimate=clock gives one value: trim, trim_min and statistic do not apply to it."),
        ("trim=0.1,trim=0.2", "trim is set twice, to 0.1 and 0.2; set it once."),
        ("decimals=2,tipc", '"tipc" is not key=value; a protocol can only be overridden with key=value.'),
        ("", '"" is not a named protocol'),
    ],
)
def test_an_impossible_protocol_is_one_sentence(text: str, sentence: str) -> None:
    assert sentence in error(text)


def test_steps_come_in_the_order_in_which_they_apply() -> None:
    assert Protocol.parse("tipc").steps() == (
        ("records_step", {}),
        ("skip_records", {"count": 10}),
        ("estimate_reported", {}),
        ("trim", {"fraction": 0.05, "minimum": 5}),
        ("statistic_mean", {}),
        ("repeats_median", {}),
        ("decimals", {"count": 3}),
        ("rounding_half_up", {}),
    )

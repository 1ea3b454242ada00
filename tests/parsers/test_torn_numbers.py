"""A number that the line of another process cut is not read, nor is a line that Lark refuses."""

from pathlib import Path

import pytest

from parsers.runs.reading import known_format, survey
from tests.parsers.golden_logs import GOLDEN, every_golden_format
from tests.parsers.judging import compiled, judged, number_ends

HEAD = b"iteration 1/2 | elapsed time per iteration (ms): 1.0 | "
PREFIXES = (b"[default3]:", b"[rank3]:", b"[1,3]<stdout>:", b"2035-06-04 10:00:02 ")


@pytest.mark.parametrize(
    "line",
    [
        HEAD + b"a seq_length .. 8b | samples per second: 8.0 |",
        HEAD + b"samples per second: 20[default3]: Loading extension module fused_adam...",
    ],
)
def test_a_torn_line_that_lark_refuses_is_none(line: bytes, tmp_path: Path) -> None:
    fmt = known_format("megatron_deepspeed")
    assert compiled(fmt, line) == judged(fmt, line)
    assert compiled(fmt, line) is None or compiled(fmt, line).kind != "step"  # type: ignore[union-attr]
    (tmp_path / "a.log").write_bytes(HEAD + b"samples per second: 8.0 |\n" + line + b"\n")
    assert survey(tmp_path / "a.log").records["throughput"].tolist() == [8.0]


@every_golden_format
def test_no_number_is_read_that_a_label_or_a_date_of_another_line_cut(folder: Path) -> None:
    fmt = known_format(folder.name)
    found = []
    for log in folder.glob("*.log"):
        whole = ((line, compiled(fmt, line)) for line in dict.fromkeys(log.read_bytes().splitlines()))
        metrics = [(line, said) for line, said in whole if said and said.kind in ("step", "epoch")]
        for line, said in metrics[:2]:
            cut = [line[:end] + prefix for end in number_ends(line) for prefix in PREFIXES]
            for torn in cut:
                other = compiled(fmt, torn + b"Loading extension module")
                if other and other.kind == said.kind:
                    read = other.fields.get("throughput")
                    found += [torn] * (read not in (None, said.fields.get("throughput")))
    assert found == []


def test_no_number_with_a_decimal_comma_is_read_up_to_its_comma(tmp_path: Path) -> None:
    text = (GOLDEN / "mlperf_mllog/of_the_run.log").read_bytes()
    assert b'"value": 12.5,' in text
    (tmp_path / "train.log").write_bytes(text.replace(b'"value": 12.5,', b'"value": 12,5,'))
    whole, comma = (
        survey(log).records["throughput"].dropna().tolist()
        for log in (GOLDEN / "mlperf_mllog/of_the_run.log", tmp_path / "train.log")
    )
    assert (12.5 in whole, comma) == (True, [rate for rate in whole if rate != 12.5])

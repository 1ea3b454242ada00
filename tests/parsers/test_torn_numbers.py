"""A number that the line of another process cut is not read, nor is a line that Lark refuses."""

from pathlib import Path

import pytest

from parsers.runs.reading import survey
from parsers.scanning.detection import formats
from tests.parsers.golden_logs import LOGS, name
from tests.parsers.judging import compiled, judged

MEGATRON = next(fmt for fmt in formats() if fmt.name == "megatron_deepspeed")
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
    assert compiled(MEGATRON, line) == judged(MEGATRON, line)
    assert compiled(MEGATRON, line) is None or compiled(MEGATRON, line).kind != "step"  # type: ignore[union-attr]
    (tmp_path / "a.log").write_bytes(HEAD + b"samples per second: 8.0 |\n" + line + b"\n")
    assert survey(tmp_path / "a.log").records["throughput"].tolist() == [8.0]


def number_ends(line: bytes) -> list[int]:
    """Where a number of a line can be cut so that half of it stays."""
    return [
        end for end in range(1, len(line)) if line[end - 1 : end].isdigit() and line[end : end + 1] in b"0123456789."
    ]


@pytest.mark.parametrize("log", LOGS, ids=name)
def test_no_number_is_read_that_a_label_or_a_date_of_another_line_cut(log: Path) -> None:
    fmt = next(fmt for fmt in formats() if fmt.name == log.parent.name)
    lines = [
        line
        for line in dict.fromkeys(log.read_bytes().splitlines())
        if (said := compiled(fmt, line)) and said.kind in ("step", "epoch")
    ][:2]
    found = []
    for line in lines:
        whole = compiled(fmt, line)
        assert whole
        for end in number_ends(line):
            for prefix in PREFIXES:
                said = compiled(fmt, line[:end] + prefix + b"Loading extension module")
                if (
                    said
                    and said.kind == whole.kind
                    and said.fields.get("throughput") not in (None, whole.fields.get("throughput"))
                ):
                    found.append(line[:end] + prefix)
    assert found == []

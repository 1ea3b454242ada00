"""The column read: what a reader is told of the numbers that a throughput is made of."""

from pathlib import Path

from report.evidence.log_summary import summarise

LINE = (
    "[2031-04-01 08:00:{n:02d},100 INFO] Step {n}/5000; acc: 21.11; ppl: 78.89; xent: 3.80; lr: 0.00050; "
    "{source}/39{n:02d} tok/s; {n} sec\n"
)


def told(folder: Path, source: str) -> str:
    log = folder / "train.log"
    log.write_text("".join(LINE.format(n=n, source=source) for n in range(10, 30)), encoding="utf-8")
    return " ".join(map(str, summarise(log, None, ()).warnings))


def test_nothing_is_told_of_a_source_that_has_no_tokens(tmp_path: Path) -> None:
    assert "source tokens" not in told(tmp_path, "0")

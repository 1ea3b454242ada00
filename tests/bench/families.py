"""Real logs of the corpus: how fast they are read, compared with a script, and how long small ones take."""

import csv
from functools import partial
from pathlib import Path

from parsers.runs.reading import read, survey
from tests.bench.speed import BEST_OF, MIB, Contender, cpu, found_by, speeds_of

OUTCOMES = Path(__file__).parents[1] / "corpus" / "outcomes.csv"
REAL = "Real logs, each repeated up to 100 MiB, compared with a script that extracts one field (`re.findall` per line):"

FAMILIES = {
    "paddleclas_static": r"ips: (\S+)",
    "paddleseg": r"ips=(\S+)",
    "paddledetection": r"ips: (\S+)",
    "paddleocr": r"ips: (\S+)",
    "mmcv": r"time: (\S+),",
    "deepspeed": r"SamplesPerSec=(\S+)",
    "megatron_deepspeed": r"elapsed time per iteration \(ms\): (\S+)",
    "primus": r"elapsed time per iteration \(ms\): (\S+)",
    "torchtitan": r"tps: (\S+)",
    "mxnet_speedometer, mlperf_mllog": r"Speed: (\S+)",
    "maskrcnn_benchmark, mlperf_mllog_own, mlperf_mllog": r"time: (\S+)",
    "dllogger_bert_pytorch": r"training_sequences_per_second : (\S+)",
    "dllogger_mxnet": r"train.total_ips : (\S+)",
    "tf_cnn_benchmarks": r"images/sec: (\S+)",
    "transformer_pytorch": r"wps=(\S+)",
    "paddlenlp_transformer": r"avg_speed: (\S+)",
}
FAMILY_SIZE = 100 * MIB


def largest_logs(corpus: Path) -> dict[str, Path]:
    """The largest log of each family that is in the corpus."""
    with OUTCOMES.open(encoding="utf-8", newline="") as file:
        rows = [(row["formats"], corpus / row["log"]) for row in csv.DictReader(file)]
    logs = sorted(((log.stat().st_size, name, log) for name, log in rows if log.is_file()), key=lambda row: row[0])
    return {name: log for _, name, log in logs if name in FAMILIES}


def families(corpus: Path, folder: Path) -> str:
    """Reading real logs, each repeated, compared with a script that extracts one field of it."""
    rows = ["| log of | MiB/s | x script |", "| --- | ---: | ---: |"]
    for name, log in sorted(largest_logs(corpus).items()):
        text, path = log.read_bytes().removesuffix(b"\n") + b"\n", folder / "family.log"
        path.write_bytes(text * (FAMILY_SIZE // len(text)))
        contenders: dict[str, tuple[Contender, int]] = {
            "read": (read, path.stat().st_size),
            "script": (partial(found_by, FAMILIES[name]), path.stat().st_size),
        }
        speeds = speeds_of(contenders, path)
        rows.append(f"| {name} | {speeds['read']:.0f} | {speeds['read'] / speeds['script']:.2f} |")
    return "\n".join(rows)


def small(corpus: Path) -> str:
    """The time that a small log takes, when others of its kind were read before."""
    with OUTCOMES.open(encoding="utf-8", newline="") as file:
        logs = [corpus / row["log"] for row in csv.DictReader(file)]
    logs = [log for log in logs if log.is_file() and 20_000 < log.stat().st_size < 100_000]
    taken = []
    for _ in range(BEST_OF + 1):
        start = cpu()
        for log in logs:
            survey(log)
        taken.append(cpu() - start)
    mean = sum(log.stat().st_size for log in logs) / len(logs) / 1000
    return f"{len(logs)} small logs (mean {mean:.0f} kB): {min(taken) / len(logs) * 1000:.1f} ms each."

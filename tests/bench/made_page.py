"""A page of 500 cells and the 2,000 run folders that they stand on, made up: no number in them was ever measured."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random

REPEATS = 4
METRIC_LINES = 250
MODELS = ("ModelA", "ModelB", "ModelC", "ModelD", "ModelE")
PRECISIONS = ("fp32", "amp")
CARDS = (1, 8, 16, 32, 64)
BATCH_SIZES = (32, 64)
# What stands around metric lines, of which no format knows anything; one comes after so many metric lines.
EVERY = 5
NOISE = (
    "a remark of the runtime on operator {number}",
    "/opt/python/site-packages/toy/layers.py:{number}: UserWarning: the types of left and right are not the same",
    "W0517 09:30:01.123456 {number} toy_resources.cc:275] a warning, which is long because it says what to do about it",
    "    num_workers : {number}",
)


@dataclass(frozen=True)
class Made:
    """A column of the page: its protocol, how fast one card of it is (samples/s), and its metric line."""

    name: str
    title: str
    protocol: str
    speed: float
    line: str


COLUMNS = (
    Made(
        "paddleclas",
        "PaddleClas",
        "tipc",
        410.0,
        "[2031/05/17 {clock}] ppcls INFO: [Train][Epoch 1/1][Iter: {step}/250]lr(Piecewise): 0.125, top1: 0.05058,"
        " loss: {loss:.5f}, batch_cost: {seconds:.5f}s, reader_cost: 0.00686, ips: {card:.5f} samples/s, eta: 0:12:00",
    ),
    Made(
        "mxnet",
        "MXNet",
        "skip_records=10,statistic=mean,decimals=3",
        395.0,
        "2031-05-17 {clock},123 Node[0] Epoch[0] Batch [{step}]\tSpeed: {job:.2f} samples/sec\taccuracy=0.001250",
    ),
    Made(
        "imagenet",
        "PyTorch",
        "estimate=step_time,skip_records=20,statistic=median,decimals=3",
        402.0,
        "2031-05-17 {clock},678 Epoch: [0][{step}/250]\tTime {seconds:.6f} ({seconds:.6f})\tData  0.001 ( 0.911)\t"
        "Loss {loss:.4e} ({loss:.4e})\tAcc@1   0.39 (  0.12)\tAcc@5   0.78 (  0.51)",
    ),
    Made(
        "timm",
        "timm",
        "skip_records=10,take_first=100,statistic=mean,decimals=3",
        388.0,
        "Train: 0 [{step:4d}/250 (  1%)]  Loss: {loss:.2f} ({loss:.2f})  Time: {seconds:.3f}s,  {job:.2f}/s "
        " ({seconds:.3f}s,  {job:.2f}/s)  LR: 1.000e-06  Data: 0.011 (0.031)",
    ),
    Made(
        "paddleseg",
        "PaddleSeg",
        "skip_records=4,statistic=mean,repeats=median,decimals=3",
        399.0,
        "[2031/05/17 {clock}] INFO: [TRAIN] epoch: 1, iter: {step}/250, loss: {loss:.4f}, lr: 0.009991, batch_cost:"
        " {seconds:.4f}, reader_cost: 0.00686, ips: {card:.4f} samples/sec | ETA 00:12:00",
    ),
)
HEAD = """title = "Throughput of five programs"
model = "ModelA"
unit = "samples/s"
tested = ["Numbers that nobody measured, so many that a page is hard to build."]
"""
COLUMN = """
[columns.{name}]
title = "{title}"
[[columns.{name}.runs]]
logs = "{name}/{{model}}_bs{{batch_size}}_{{precision}}_C{{cards}}/*/train.log"
protocol = "{protocol}"
"""
TABLE = """
[[tables]]
name = "{name}"
title = "{model}, {precision}"
corner = "Cards and batch size"
case = {{ model = "{model}", device = "Example Card 40GB", precision = "{precision}" }}
columns = [{columns}]
rows = [{rows}]
"""
ROW = '{{ title = "{{cards}} cards, BS={{batch_size}}", case = {{ cards = {cards}, batch_size = {size} }} }}'


def write_page(folder: Path) -> Path:
    """Write the page file into a folder, and return it."""
    rows = ", ".join(ROW.format(cards=cards, size=size) for cards, size in product(CARDS, BATCH_SIZES))
    shown = ", ".join(f'{{ column = "{column.name}" }}' for column in COLUMNS)
    tables = (
        TABLE.format(name=f"{model}-{precision}", model=model, precision=precision, columns=shown, rows=rows)
        for model, precision in product(MODELS, PRECISIONS)
    )
    columns = (COLUMN.format(name=one.name, title=one.title, protocol=one.protocol) for one in COLUMNS)
    page = folder / "many.toml"
    page.write_text("".join([HEAD, *columns, *tables]), encoding="utf-8")
    return page


def write_logs(folder: Path) -> int:
    """Write the run folders below a folder, no two logs of the same bytes; returns how many there are."""
    cases = list(product(COLUMNS, MODELS, PRECISIONS, CARDS, BATCH_SIZES))
    for seed, (column, model, precision, cards, size) in enumerate(cases):
        case: dict[str, str | int] = {"model": model, "precision": precision, "cards": cards, "batch_size": size}
        for repeat in range(1, REPEATS + 1):
            log = folder / column.name / f"{model}_bs{size}_{precision}_C{cards}" / str(repeat) / "train.log"
            log.parent.mkdir(parents=True)
            lines = _lines(column, cards, size, Random(seed * REPEATS + repeat))  # noqa: S311 - no secret
            _write_run(log, "\n".join([*lines, ""]).encode(), case)
    return len(cases) * REPEATS


def _write_run(log: Path, text: bytes, case: dict[str, str | int]) -> None:
    described = {"file": log.name, "sha256": hashlib.sha256(text).hexdigest()}
    log.write_bytes(text)
    run = {"schema": 2, "case": case, "status": "done", "exit_status": 0, "log": described}
    log.with_name("run.json").write_text(json.dumps(run), encoding="utf-8")


def _lines(column: Made, cards: int, size: int, numbers: Random) -> Iterator[str]:
    """The lines of one log; the first records are slow, as they are in real ones."""
    for step in range(1, METRIC_LINES + 1):
        card = column.speed * numbers.uniform(0.98, 1.02) * (0.5 if step < 4 else 1)
        told = {"step": step, "clock": f"09:{30 + step // 60}:{step % 60:02d}", "loss": 7 - step / 100}
        yield column.line.format(**told, card=card, job=card * cards, seconds=size / card)
        if step % EVERY == 0:
            yield NOISE[step // EVERY % len(NOISE)].format(number=step)

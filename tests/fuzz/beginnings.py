"""Beginnings: the inputs that the fuzzer begins with, and the texts that it puts into them."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from parsers.scanning.detection import formats
from tests.fuzz.sandbox import HERE, LOG, LONGEST, OUTSIDE, SEPARATOR
from tests.parsers.golden_logs import LOGS

SEEDS = Path(__file__).parent / "seeds"
GOLDEN = Path(__file__).parents[1] / "report" / "golden"


def page_text(*patterns: str) -> str:
    """A page file with a column for each pattern of logs."""
    columns = "".join(
        f'[columns.c{number}]\ntitle = "C{number}"\n'
        f'[[columns.c{number}.runs]]\nlogs = "{pattern}"\nprotocol = "decimals=1"\n'
        for number, pattern in enumerate(patterns)
    )
    shown = ", ".join(f'{{ column = "c{number}" }}' for number in range(len(patterns)))
    return f"""title = "Title"
model = "Toy"
unit = "images/s"
tested = ["Text."]
{columns}
[[tables]]
name = "t"
title = "By cards"
case = {{ device = "A100", precision = "fp32", batch_size = 4 }}
columns = [{shown}]
rows = [{{ title = "{{cards}}", case = {{ cards = 1 }} }}, {{ title = "{{cards}}", case = {{ cards = 8 }} }}]
"""


MARKDOWN = """# ResNet50, images/s, fp32, batch size 4

| Cards | [Paddle](../logs/A100) | TF ([log](../logs/A100/tf_gpu1_fp32.txt)) |
|---|---|---|
| 1 | 40.5 [log](A100/Toy_bs4_fp32_N1C1_log) | <b>40.6</b><br>(AMP) |
| 8 | [41.0](../outside/train.log) | [40.51](one/linked.log)<sup>1</sup> |
"""
RUN_JSON = b'{"case": {"cards": 1, "batch_size": 4, "model": "m"}, "status": "done", "exit_status": 0, '
RUN_JSON += b'"command": ["python", "train.py"], "environment": {"A": "b"}, '
RUN_JSON += b'"source": {"repository": "https://example.org/a", "commit": "c", "path": "p"}, '
RUN_JSON += b'"log": {"file": "train.log", "sha256": "@SHA256@", "bytes": 9, "lines": 9}}\n'
CLOCK = b"line,time\n1,1700000000\n5,1700000004.5\n"
GPU = b"time,card,utilisation,memory,power,sm_clock,memory_clock,temperature\n"
GPU += b"1688212801.0,0,99,1024,250,1410,1215,60\n1688212802.0,0,99,,250,1410,1215,60\n"


def beginnings(target: str) -> Iterator[bytes]:
    """What the fuzzer begins with: the seeds of a target, and what it takes as it should be."""
    yield from (seed.read_bytes() for seed in sorted((SEEDS / target).glob("*")))
    several = {"read": _logs, "ingest": _sources, "page": _pages, "audit": _documents, "run": _runs}
    several |= {"verify": _archives, "grammar": _grammars, "compare": _suites}
    yield from several.get(target, _some_logs)()


def _logs() -> Iterator[bytes]:
    """The golden logs, read in turns as what they are found to be and as the format that they are of."""
    names = [fmt.name for fmt in formats()]
    for number, log in enumerate(LOGS):
        yield bytes([number % 2 * (1 + names.index(log.parent.name))]) + log.read_bytes()[:LONGEST]


def _some_logs() -> Iterator[bytes]:
    """Some of them, for what takes longer, each with another first byte."""
    for number, log in enumerate(LOGS[::3]):
        yield bytes([number]) + log.read_bytes()[:LONGEST]


def _sources() -> Iterator[bytes]:
    for number, log in enumerate(LOGS[::24]):
        member = b"0lab/%d/train.log\n" % number + log.read_bytes()[:2000] + SEPARATOR
        for kind in (*range(5), 6, 11, 16, 21, 26, 41, 56):
            hostile = (b"0../outside/train.log\n" + LOG, b"2lab/link\n../../outside/train.log", b"1x\n/etc/hostname")
            yield bytes([kind]) + SEPARATOR.join([member, *hostile])


def _pages() -> Iterator[bytes]:
    every = [path for path in sorted((GOLDEN / "logs").rglob("*")) if path.is_file() and path.name != "gpu.csv"]
    logs = [b"0%b\n" % bytes(path.relative_to(GOLDEN / "logs")) + path.read_bytes() for path in every]
    odd = b"0A100/odd <b>`|name.txt\n" + LOG
    for choice in (b"0", b"1"):
        for pattern in ("A100/*_log", "linked/*.log"):
            yield SEPARATOR.join([choice + page_text(pattern).encode(), odd])
        for page in sorted(GOLDEN.glob("*.toml")):
            yield SEPARATOR.join([choice + page.read_bytes(), *logs])


def _documents() -> Iterator[bytes]:
    notebook = json.dumps({"nbformat": 4, "cells": [{"cell_type": "markdown", "source": [MARKDOWN], "metadata": {}}]})
    report = (GOLDEN / "toy.report.json").read_text(encoding="utf-8")
    for kind, text in enumerate((report, f"<h1>R</h1><table><tr><td>1<td>40.5</table>{MARKDOWN}", notebook), 1):
        yield from (bytes([4 * kind + how]) + text.encode() for how in range(4))
    for choice in (b"0", b"1", b"2", b"3"):
        yield choice + MARKDOWN.encode() + SEPARATOR + SEPARATOR + b"0one/more.log\n" + LOG
        yield choice + (GOLDEN / "toy.en.md").read_bytes()
        pages = (GOLDEN / "toy.en.md", GOLDEN / "toy.report.json")
        yield choice + SEPARATOR.join(path.read_bytes() for path in pages)


def _runs() -> Iterator[bytes]:
    beside = (b"0run.json\n" + RUN_JSON, b"0clock.csv\n" + CLOCK, b"0gpu.csv\n" + GPU)
    for command in range(9):
        yield bytes([command]) + SEPARATOR.join([b"0train.log\n" + LOG, *beside])
        yield bytes([command]) + SEPARATOR.join([b"4train.log\n../../../outside/train.log", *beside])
        yield bytes([command]) + SEPARATOR.join([b"0train.log\n" + LOG, b"5run.json\n", b"4x.log\n@HERE@/.bashrc"])
        for log in LOGS[command::60]:
            yield bytes([command]) + SEPARATOR.join([b"0train.log\n" + log.read_bytes()[:3000], *beside])


def _archives() -> Iterator[bytes]:
    """The golden page, whole, without a log, and with a grammar; the last are no archives."""
    page = [b"0page/%b\n" % name.encode() + (GOLDEN / name).read_bytes() for name in ("toy.toml", "toy.report.json")]
    named = [path for path in sorted((GOLDEN / "logs" / "A100").rglob("*")) if path.is_file()]
    logs = [b"0logs/A100/%b\n" % os.fsencode(path.name) + path.read_bytes() for path in named]
    own = b'0formats/own.lark\nstart: step_line\nstep_line: "speed" step\n%import .vocabulary (step, INTEGER)\n'
    for choice in (b"0", b"2"):
        yield from (
            choice + SEPARATOR.join(parts) for parts in ([*page, *logs], [*page, *logs[1:]], [*page, own, *logs])
        )
        yield choice + SEPARATOR.join([*page, b"0../outside/train.log\n" + LOG, b"0page/other.toml\n"])
    yield b"1PK\x05\x06" + bytes(18)


def _grammars() -> Iterator[bytes]:
    for fmt in formats()[::12]:
        yield (
            fmt.path.read_bytes()
            + SEPARATOR
            + next(log for log in LOGS if log.parent.name == fmt.name).read_bytes()[:4000]
        )


def _suites() -> Iterator[bytes]:
    for choice in range(8):
        yield bytes([choice]) + SEPARATOR.join([LOG, LOG.replace(b"0.1s", b"0.2s"), LOG, LOG])
        logs = [log.read_bytes()[:4000] for log in LOGS[choice::90]]
        yield bytes([choice]) + SEPARATOR.join([*(logs * 8)[:8], RUN_JSON])


def fragments() -> list[bytes]:
    """The fixed texts of all lines of all formats."""
    variants = [variant for fmt in formats() for variant in fmt.variants]
    return sorted({text.encode() for variant in variants for text in variant.literals})


def hostile() -> list[bytes]:
    """Names, patterns and markup that lead elsewhere, each plain and as TOML and JSON spell it."""
    places = [name.encode() for name in OUTSIDE]
    paths = [
        b"../",
        b"linked/train.log",
        b"/etc/hostname",
        *(b"../" + p for p in places),
        *(HERE + b"/" + p for p in places),
    ]
    patterns = [b"*", b"**/*", b"[!a]*", b"{cards}", b"{cards.__class__}", b"{0}", b"{", b"-rf", b".hidden", b"x" * 300]
    markup = rb"""<script>hostile()</script>
</script><script>hostile()</script>
'><img src=x onerror=hostile()>
[x](javascript:hostile())
![x](https://example.org/x.png)
<javascript:hostile()>
`|` **x** ```` &lt; &#60;script&#62;
=cmd()""".splitlines()
    controls = rb"\u001b]52;c;aGk=\u0007 \u202e \u009b31m \u0000 \r\u001b[2J \ud83d \n".split()
    raw = [
        b"\x1b]52;c;aGk=\x07",
        b"\x1b\x1b[0m]0;x\x07",
        "\u202e\u2066".encode(),
        b"\xc2\x9b31m",
        b"\xff\xfe",
        b"\0",
        b"\r",
    ]
    return [*paths, *patterns, *markup, *controls, *raw]

"""Text that a terminal would obey, and a folder in which all that may come from outside holds it."""

import json
import os
import unicodedata
from pathlib import Path
from typing import NamedTuple

CLIPBOARD = "\x1b]52;c;ZXZpbA==\x07"
NESTED = "\x1b\x1b[0m]0;title\x07"  # a cleaning in one pass leaves a whole one
COLOUR = "\x1b[38;5;201m"  # none of ours
C1 = "\x9b31m\x85"
TURNED = "\u202egpj\u2066\u200f\u061c\u200b\ufeff"
MARKUP = "[red]x[/red][/]"
FORGED = "Wrote what nobody wrote."
HOSTILE = f"{CLIPBOARD}{NESTED}{COLOUR}{C1}{TURNED}{MARKUP}\n{FORGED}\r{FORGED}"
LINE = HOSTILE.splitlines()[0] + HOSTILE.splitlines()[1]
NAME = HOSTILE.replace("/", "") + os.fsdecode(b"\xff")
STEP = (
    "[2023/07/01 12:00:0{0}] ppcls INFO: [Train][Epoch 1/1][Iter: {0}/3]lr(PiecewiseDecay): 0.1, "
    "loss: 6.0, batch_cost: 0.6s, reader_cost: 0.1, ips: {1} samples/s, eta: 0:00:19\n"
)
PAGE = """
title = {said}
model = {said}
unit = "samples/s"
tested = [{said}]
[columns.a]
title = {said}
[[columns.a.runs]]
logs = "*/train.log"
protocol = "decimals=1"
[[tables]]
name = "only"
title = {said}
case = {{ device = {said}, cards = 1, batch_size = 4, precision = "fp32" }}
columns = [{{ column = "a" }}]
rows = [{{ title = {said} }}, {{ title = "two", case = {{ cards = 2 }} }}]
"""


def unseen(text: str) -> set[str]:
    """The characters of a text that are not seen; what is laid out by us, newlines and tabs, apart."""
    return {c for c in text if not (c.isprintable() or c in "\n\t" or unicodedata.category(c) == "Zs")}


class Hostile(NamedTuple):
    """The folder, its logs, pages and checkout, all of hostile names.

    ``log`` has three records among hostile lines, in a run folder; the run.json of ``broken`` is broken, that of
    ``undone`` says that the run was hostile. ``bad_page`` has a mistake; ``markdown`` is published, and names the log.
    """

    top: Path
    log: Path
    broken: Path
    undone: Path
    page: Path
    bad_page: Path
    markdown: Path
    repo: Path


def write_hostile(top: Path) -> Hostile:
    """Write the folder."""
    logs = [top / NAME / "train.log", *(top / f"{kind} {NAME}" / "1" / "train.log" for kind in ("broken", "undone"))]
    pages = [top / f"{name}{NAME}{ending}" for name, ending in (("", ".toml"), ("bad ", ".toml"), ("", ".md"))]
    made = Hostile._make([top, *logs, *pages, top / f"repo {NAME}"])
    for log in logs:
        log.parent.mkdir(parents=True)
        steps = [STEP.format(number, speed) for number, speed in enumerate((10.5, 11.5, 12.5))]
        noise = [f"{HOSTILE}{word}\n" for word in ("a", "somebody@example.org", "c")]
        torn = STEP.format(3, HOSTILE.partition("\n")[0])
        log.write_text("".join(a + b for a, b in zip(noise, steps, strict=True)) + torn, encoding="utf-8")
    case = {
        "model": HOSTILE,
        "framework": HOSTILE,
        "device": LINE,  # as the page says it, where a text has one line
        "cards": 1,
        "batch_size": 4,
        HOSTILE: HOSTILE,
    }
    run = {"case": case, "source": {"repository": HOSTILE}}
    made.log.with_name("run.json").write_text(json.dumps(run), encoding="utf-8")
    run |= {"status": HOSTILE, "exit_status": HOSTILE, "log": {"sha256": HOSTILE}}
    made.undone.with_name("run.json").write_text(json.dumps(run), encoding="utf-8")
    made.broken.with_name("run.json").write_text(json.dumps({"case": {"cards": HOSTILE}}), encoding="utf-8")
    said = json.dumps(HOSTILE)
    made.page.write_text(PAGE.format(said=json.dumps(LINE)), encoding="utf-8")
    made.bad_page.write_text(f"title = {said}\n{said} = {said}\n", encoding="utf-8")
    rows = f"| 1 | {LINE} | 11.5 |\n| 8 | {LINE} | [99.9](logs/1) |\n"
    made.markdown.write_text(f"# {LINE}\n\n| Cards | Mode | images/s |\n|---|---|---|\n{rows}", encoding="utf-8")
    (made.repo / "tools").mkdir(parents=True)
    (made.repo / "tools/train.py").write_text(f"# {HOSTILE}\n", encoding="utf-8")
    return made

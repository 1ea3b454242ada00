"""Pages for sites: of two frameworks with logs, a quoted figure and ratios; and of hostile names and lines."""

from pathlib import Path

from tests.parsers.run_folders import make_run

PAGE = """
title = "ResNet50: frameworks"
model = "ResNet50"
unit = "images/s"
tested = ["What is tested.", "| key | value |\\n| --- | ---: |\\n| batch | 256 |"]
[sources.paper]
title = "A paper"
url = "https://example.org/paper?a=1&b=2"
date = "2031-05"
note = "Nobody knows how it was made."
[columns.a]
title = "PaddlePaddle"
[[columns.a.runs]]
logs = "a{cards}-{precision}/*.log"
protocol = "plain,decimals=3"
[columns.b]
title = "NGC PyTorch"
[[columns.b.runs]]
logs = "b{cards}-{precision}/*.log"
protocol = "plain,decimals=2"
[[tables]]
name = "main"
title = "Throughput"
corner = "Cards"
columns = ["a", "b"]
rows = { precision = ["fp32", "amp"], cards = [1, 8, 32] }
[[tables]]
name = "ratio"
title = "Paddle vs PyTorch"
corner = "Cards"
case = { precision = "amp" }
columns = [{ column = "a", title = "Paddle over PyTorch", quantity = "speed_up", against = { column = "b" } }]
rows = { cards = [1, 8, 32] }
"""
QUOTES = "column,precision,cards,value,source\nb,amp,32,33317.67,paper\n"
SPEEDS = {
    "a1-fp32": 393.561,
    "a8-fp32": 3019.361,
    "a32-fp32": 10984.436,
    "b1-fp32": 370.19,
    "b8-fp32": 2791.98,
    "a1-amp": 1432.074,
    "a8-amp": 10942.775,
    "a32-amp": 39972.131,
    "b1-amp": 790.03,
}
RECORDS = 30


def write(folder: Path) -> Path:
    """Write the page, and its runs into the folder ``logs`` beside it, which say their cards and precisions."""
    for run, speed in SPEEDS.items():
        # Stamps of one moment say nothing of the speed.
        line = f"DLL 2031-05-04 11:00:00.000000 - (0, {{}}) total_ips : {speed}\n"
        text = "Num GPUs 1\n" + "".join(line.format(at) for at in range(RECORDS))
        cards, _, precision = run[1:].partition("-")
        make_run(folder / "logs" / run, text.encode(), case={"cards": int(cards), "precision": precision})
    page = folder / "frameworks.toml"
    page.write_text(PAGE, encoding="utf-8")
    page.with_suffix(".quotes.csv").write_text(QUOTES, encoding="utf-8")
    return page


SCRIPT = "<script>document.title='taken'</script>"
WORD = "x" * 10_000
TURNED = "left \u202eright\u202c"
TICKS = "`code` ```` | pipe | **bold** [link](javascript:alert(1))"
HOSTILE = (SCRIPT, WORD, TURNED, TICKS)
HOSTILE_SPEEDS = (10.5, 11.5, 12.5)

HOSTILE_PAGE = """
title = "Hostile </script> <img src=x onerror=alert(1)> | `page`"
model = "<b>model</b>"
unit = "samples/s"
tested = ["<script>document.title='taken'</script> and ![picture](https://example.org/picture.png)"]

[columns.a]
title = "A | <i>a</i> \u202ea"
[[columns.a.runs]]
logs = "hostile/*.shtml"
protocol = "plain,decimals=1"

[[tables]]
name = "only"
title = "Only </table>"
case = { device = "<u>", cards = 1, batch_size = 4, precision = "fp32" }
columns = [{ column = "a" }]
rows = [{ title = "row </td>" }]
"""


def write_hostile(folder: Path) -> Path:
    """Write the page and the folder of its logs; returns the page."""
    page = folder / "hostile.toml"
    page.write_text(HOSTILE_PAGE, encoding="utf-8")
    log = folder / "logs/hostile/<img src=x onerror=alert(1)> `| \u202egpj.shtml"
    log.parent.mkdir(parents=True)
    steps = [
        f"[2023/07/01 12:00:0{step}] ppcls INFO: [Train][Epoch 1/1][Iter: {step}/3]lr(PiecewiseDecay): 0.1, "
        f"loss: 6.0, batch_cost: 0.6s, reader_cost: 0.1, ips: {speed} samples/s, eta: 0:00:19"
        for step, speed in enumerate(HOSTILE_SPEEDS)
    ]
    lines = [line for step, text in zip(steps, HOSTILE[:3], strict=True) for line in (text, step)]
    log.write_text("\n".join([*lines, TICKS, ""]), encoding="utf-8")
    return page

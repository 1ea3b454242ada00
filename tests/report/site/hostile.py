"""A page of hostile names and a log of hostile lines, and the numbers that they hold."""

from pathlib import Path

SCRIPT = "<script>document.title='taken'</script>"
WORD = "x" * 10_000
TURNED = "left \u202eright\u202c"
TICKS = "`code` ```` | pipe | **bold** [link](javascript:alert(1))"
HOSTILE = (SCRIPT, WORD, TURNED, TICKS)
SPEEDS = (10.5, 11.5, 12.5)

PAGE = """
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
    page.write_text(PAGE, encoding="utf-8")
    log = folder / "logs/hostile/<img src=x onerror=alert(1)> `| \u202egpj.shtml"
    log.parent.mkdir(parents=True)
    steps = [
        f"[2023/07/01 12:00:0{step}] ppcls INFO: [Train][Epoch 1/1][Iter: {step}/3]lr(PiecewiseDecay): 0.1, "
        f"loss: 6.0, batch_cost: 0.6s, reader_cost: 0.1, ips: {speed} samples/s, eta: 0:00:19"
        for step, speed in enumerate(SPEEDS)
    ]
    lines = [line for step, text in zip(steps, HOSTILE[:3], strict=True) for line in (text, step)]
    log.write_text("\n".join([*lines, TICKS, ""]), encoding="utf-8")
    return page

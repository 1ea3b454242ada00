"""Charts beside Markdown: the numbers of each table as bars, drawn where they are asked for, and nothing else moves."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from report.views.publish import publish
from tests.report.site import frameworks

pytest.importorskip("altair")

SVG = "{http://www.w3.org/2000/svg}"
SHOWN = re.compile(r"!\[[^\]]*\]\(([^)]+)\)\n\n")


def published(folder: Path, *, charts: bool) -> Path:
    folder.mkdir()
    page = frameworks.write(folder)
    list(publish([str(page)], folder / "logs", ["en", "zh"], folder / "out", charts=charts))
    return folder / "out"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_shows_the_numbers_of_a_table_as_bars_and_is_the_same_otherwise(language: str, tmp_path: Path) -> None:
    plain, charted = published(tmp_path / "plain", charts=False), published(tmp_path / "charted", charts=True)
    page = (charted / f"frameworks.{language}.md").read_text(encoding="utf-8")
    assert SHOWN.sub("", page) == (plain / f"frameworks.{language}.md").read_text(encoding="utf-8")
    (name,) = SHOWN.findall(page)
    drawing = ElementTree.fromstring((charted / name).read_bytes())  # noqa: S314 - made by the program itself
    texts = ["".join(text.itertext()) for text in drawing.iter(f"{SVG}text")]
    for number in ("393.561", "10984.436", "2791.98", "33317.67"):
        assert number in texts
    assert list(plain.glob("*.svg")) == []


def test_a_bar_is_as_long_as_its_number_on_the_scale_of_its_group(tmp_path: Path) -> None:
    out = published(tmp_path / "page", charts=True)
    drawing = ElementTree.fromstring(next(out.glob("*.en.svg")).read_bytes())  # noqa: S314 - as above
    bars = [
        path.get("aria-label", "") for path in drawing.iter(f"{SVG}path") if path.get("aria-roledescription") == "bar"
    ]
    shares = [float(found[1]) for bar in bars if (found := re.search(r"share: ([0-9.]+)", bar))]
    speeds = [speed for run, speed in frameworks.SPEEDS.items() if run.endswith("fp32")]
    assert max(shares) == 100
    assert any(abs(share - 100 * min(speeds) / max(speeds)) < 0.01 for share in shares)

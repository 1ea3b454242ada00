"""What a notebook shows of a reading."""

from pathlib import Path

import html5lib

import tachograph
from tests.commandline import PROJECT
from tests.parsers.run_folders import make_run

HOSTILE = "<img src=x onerror=alert(1)>\x1b[31m\u202e"
LOG = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C2/1/train.log"


def test_a_notebook_shows_facts_with_their_sources_and_the_first_records() -> None:
    page = html5lib.parseFragment(tachograph.read(LOG)._repr_html_(), namespaceHTMLElements=False)
    facts, records = (
        [["".join(c.itertext()) for c in row] for row in table.iter("tr")] for table in page.iter("table")
    )
    assert facts[0] == ["fact", "value", "source"]
    assert ["cards", "2", "run.json"] in facts
    assert records[0][0] == "line"
    assert len(records) == 6


def test_nothing_of_a_log_acts_in_a_notebook(tmp_path: Path) -> None:
    log = make_run(tmp_path / HOSTILE.replace("/", "") / "1", LOG.read_bytes(), case={"model": HOSTILE})
    shown = tachograph.read(log)._repr_html_()
    page = html5lib.parseFragment(shown, namespaceHTMLElements=False)
    assert "img" not in {element.tag for element in page.iter()}
    assert not {"\x1b", "\u202e"} & {*shown}

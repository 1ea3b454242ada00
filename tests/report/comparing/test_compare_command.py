"""The command compare: what it prints, what it writes, and its exit status."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import html5lib
import pytest
from markdown_it import MarkdownIt

from tests.commandline import run
from tests.report.comparing.made_sides import ENVIRONMENT, STEADY, make_side, sides

HOSTILE = "<img src=x onerror=alert(1)>|`*\x1b[31m"


@pytest.mark.parametrize(
    ("times", "options", "status"),
    [
        ((105.0, 105.1, 104.9), ("--gate", "3%"), 1),
        ((105.0, 105.1, 104.9), ("--gate", "0.03"), 1),
        ((105.0, 105.1, 104.9), (), 0),
        ((100.0, 100.2, 99.8), ("--gate", "3%"), 0),
        ((103.0, 107.0, 99.0), ("--gate", "3%"), 3),
    ],
    ids=["slower", "slower, as a number", "slower, without a gate", "same", "noise"],
)
def test_the_gate_is_the_exit_status(
    times: Sequence[float], options: Sequence[str], status: int, tmp_path: Path
) -> None:
    done = run("compare", make_side(tmp_path / "a", STEADY), make_side(tmp_path / "b", times), *options)
    assert (done.returncode, done.stderr) == (status, "")


@pytest.mark.parametrize("option", ["--gate", "--loss-tolerance"])
@pytest.mark.parametrize("gate", ["0", "100%", "-3%", "three", "nan", "inf"])
def test_what_is_no_share_is_refused(option: str, gate: str, tmp_path: Path) -> None:
    assert run("compare", *sides(tmp_path), f"{option}={gate}").returncode == 2


def test_json_holds_everything(tmp_path: Path) -> None:
    a, b = sides(tmp_path, 1.05, said={"environment": {**ENVIRONMENT, "driver": "560.28"}})
    (line,) = run("compare", a, b, "--json").stdout.splitlines()
    found: dict[str, Any] = json.loads(line)
    assert (found["verdict"], found["reason"], found["gate"], found["steps"]) == ("slower", None, 0.03, [7, 60])
    low, high = found["interval"]
    assert 0 < low < found["time_change"] < high < 0.06
    assert found["a"]["throughput"] / found["b"]["throughput"] - 1 == pytest.approx(found["time_change"])
    assert [run["log"] for run in found["b"]["runs"]] == [f"{b}/GPT-2_bs12_N1C1/{n}/train.log" for n in (1, 2, 3)]
    (change,) = found["differs"]
    file = str(b / "GPT-2_bs12_N1C1/1/run.json")
    assert change["b"] == {"values": ["560.28"], "sources": [{"file": file, "key": "environment.driver"}]}


def test_markdown_is_a_table_whose_logs_are_linked(tmp_path: Path) -> None:
    sides(tmp_path, 1.05)
    done = run("compare", "a", "b", "--markdown", cwd=tmp_path)
    html = MarkdownIt().enable("table").render(done.stdout)
    assert html.count("<table>") == 2
    assert '<a href="a/GPT-2_bs12_N1C1/1/train.log#L10">a/GPT-2_bs12_N1C1/1/train.log</a>' in html


def test_junit_fails_what_is_slower_and_is_in_error_where_it_is_unknown(tmp_path: Path) -> None:
    a, b = sides(tmp_path, 1.05)
    make_side(a, (50, 50.1, 49.9), case="same")
    make_side(b, (50, 50.1, 49.9), case="same")
    make_side(a, (50, 50.1, 49.9), case="gone")
    make_side(a, (50, 50.1, 49.9), case="lost")
    make_side(b, (50, 50.1, 49.9), case="new")
    run("compare", a, b, "--junit", tmp_path / "compare.xml")
    suite = Xml.fromstring((tmp_path / "compare.xml").read_text(encoding="utf-8"))  # noqa: S314 - it is ours
    assert [suite.get(key) for key in ("tests", "failures", "errors", "skipped")] == ["5", "1", "2", "1"]
    inner = {case.get("name"): [child.tag for child in case] for case in suite}
    assert inner == {
        "GPT-2_bs12_N1C1": ["failure"],
        "same": [],
        "gone": ["error"],
        "lost": ["error"],
        "new": ["skipped"],
    }


def test_html_is_one_page_that_needs_nothing_beside_it(tmp_path: Path) -> None:
    said = {"environment": {**ENVIRONMENT, "driver": "560.28"}}
    run("compare", *sides(tmp_path, 1.05, said=said), "--html", tmp_path / "compare.html")
    text = (tmp_path / "compare.html").read_text(encoding="utf-8")
    page = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
    assert [row.get("class") for row in page.iter("tr") if row.get("class")] == ["slower"]
    assert not {"script", "link", "img"} & {element.tag for element in page.iter()}
    addresses = [str(link.get("href")) for link in page.iter("a")]
    assert sorted(addresses)[:2] == ["a/GPT-2_bs12_N1C1/1/run.json", "a/GPT-2_bs12_N1C1/1/train.log#L10"]
    assert all((tmp_path / address.partition("#")[0]).is_file() for address in addresses)


def test_hostile_names_act_nowhere(tmp_path: Path) -> None:
    said = {"environment": {**ENVIRONMENT, "driver": HOSTILE, HOSTILE: "1"}}
    a, b = sides(tmp_path)
    make_side(a, (50, 50.1, 49.9), case="<b>|`x")
    make_side(b, (50, 50.1, 49.9), case="<b>|`x", said=said)
    for options in ((), ("--markdown",), ("--json",)):
        done = run("compare", a, b, *options, "--html", tmp_path / "c.html", "--junit", tmp_path / "c.xml")
        assert done.returncode == 0
        assert "\x1b" not in done.stdout
    assert "<img" not in MarkdownIt("commonmark", {"html": True}).render(run("compare", a, b, "--markdown").stdout)
    html = html5lib.parse((tmp_path / "c.html").read_text(encoding="utf-8"), namespaceHTMLElements=False)
    assert not {"img", "b"} & {element.tag for element in html.iter()}
    Xml.fromstring((tmp_path / "c.xml").read_text(encoding="utf-8"))  # noqa: S314 - it is ours


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_output_is_the_same_however_many_processes_read(jobs: str, tmp_path: Path) -> None:
    a, b = sides(tmp_path, 1.05)
    assert run("compare", a, b, "--jobs", jobs).stdout == run("compare", a, b).stdout


def test_a_side_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    a, _ = sides(tmp_path)
    (tmp_path / "empty").mkdir()
    done = run("compare", a, tmp_path / "empty")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_a_notebook_shows_the_table(tmp_path: Path) -> None:
    program = "import sys, tachograph; print(tachograph.compare(*sys.argv[1:])._repr_html_())"
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, sides(tmp_path, 1.05))], capture_output=True, text=True, check=True
    )
    page = html5lib.parseFragment(done.stdout, namespaceHTMLElements=False)
    assert [row.get("class") for row in page.iter("tr") if row.get("class")] == ["slower"]

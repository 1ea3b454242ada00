"""The commands compare and history: what they print, what they write, and their exit status."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import html5lib
import pytest
from click.testing import CliRunner, Result
from markdown_it import MarkdownIt

import tachograph
from report.comparing.command import history
from tests.commandline import run
from tests.report.comparing.made_sides import ENVIRONMENT, STEADY, make_side, make_suite, sides

HOSTILE = "<img src=x onerror=alert(1)>|`*\x1b[31m"


@pytest.mark.parametrize(
    ("times", "options", "status"),
    [
        ((105.0, 105.1, 104.9), ("--gate", "3%"), 1),
        ((105.0, 105.1, 104.9), (), 0),
        ((103.0, 107.0, 99.0), ("--gate", "3%"), 3),
    ],
    ids=["slower", "slower, without a gate", "noise"],
)
def test_the_gate_is_the_exit_status(
    times: Sequence[float], options: Sequence[str], status: int, tmp_path: Path
) -> None:
    done = run("compare", make_side(tmp_path / "a", STEADY), make_side(tmp_path / "b", times), *options)
    assert (done.returncode, done.stderr) == (status, "")


@pytest.mark.parametrize("option", ["--gate", "--metric=top1"])
@pytest.mark.parametrize("gate", ["0", "100%", "-3%", "three", "nan", "inf"])
def test_what_is_no_share_is_refused(option: str, gate: str, tmp_path: Path) -> None:
    assert run("compare", *sides(tmp_path), f"{option}={gate}").returncode == 2


def test_json_holds_everything(tmp_path: Path) -> None:
    a, b = sides(tmp_path, 1.05, said={"environment": {**ENVIRONMENT, "driver": "560.28"}})
    (line,) = run("compare", a, b, "--json").stdout.splitlines()
    found: dict[str, Any] = json.loads(line)
    effect, (of_a, of_b) = found["effect"], found["throughputs"]
    assert (found["verdict"], found["reason"]) == ("slower", None)
    assert found["sides"][0][0]["number"]["steps"] == [7, 60]
    low, high = effect["interval"]
    assert 0 < low < effect["change"] < high < 0.06
    assert of_a / of_b - 1 == pytest.approx(effect["change"]) == pytest.approx(0.05, abs=0.001)
    assert [run["log"] for run in found["sides"][1]] == [f"{b}/GPT-2_bs12_N1C1/{n}/train.log" for n in (1, 2, 3)]
    (change,) = found["changes"]
    file = str(b / "GPT-2_bs12_N1C1/1/run.json")
    places = [(one["value"], one["file"], one["key"]) for one in change["sides"][1]]
    assert places == [("560.28", file, "environment.driver")]


def test_markdown_is_a_table_that_stands_in_a_comment(tmp_path: Path) -> None:
    sides(tmp_path, 1.05)
    done = run("compare", "a", "b", "--markdown", cwd=tmp_path)
    html = MarkdownIt().enable("table").render(done.stdout)
    assert (html.count("<table>"), "<a " in html) == (2, False)


def test_html_is_one_page_that_needs_nothing_beside_it(tmp_path: Path) -> None:
    said = {"environment": {**ENVIRONMENT, "driver": "560.28"}}
    run("compare", *sides(tmp_path, 1.05, said=said), "--html", tmp_path / "compare.html")
    text = (tmp_path / "compare.html").read_text(encoding="utf-8")
    page = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
    assert [row.get("class") for row in page.iter("tr") if row.get("class")] == ["slower", "same"]
    assert [drawn.tag.endswith("svg") for drawn in page.iter("{http://www.w3.org/2000/svg}svg")] == [True]
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
        done = run("compare", a, b, *options, "--html", tmp_path / "c.html")
        assert done.returncode == 0
        assert "\x1b" not in done.stdout
    assert "<img" not in MarkdownIt("commonmark", {"html": True}).render(run("compare", a, b, "--markdown").stdout)
    html = html5lib.parse((tmp_path / "c.html").read_text(encoding="utf-8"), namespaceHTMLElements=False)
    assert not {"img", "b"} & {element.tag for element in html.iter()}


@pytest.mark.parametrize("command", [("compare", "a"), ("history",)])
def test_what_holds_no_log_is_one_sentence(command: tuple[str, ...], tmp_path: Path) -> None:
    sides(tmp_path)
    (tmp_path / "empty").mkdir()
    done = run(*command, "empty", cwd=tmp_path)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)


def test_notebooks_show_the_tables(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "nightly", SLOWER)
    compared, over_time = tachograph.compare(*sides(tmp_path, 1.05)), tachograph.history(suite)
    for shown in (compared._repr_html_(), over_time._repr_html_()):
        page = html5lib.parseFragment(shown, namespaceHTMLElements=False)
        assert "slower" in [row.get("class") for row in page.iter("tr")]


REPEATED = [100.0, 100.2, 99.8, 100.1, 99.9, 100.0, 100.2, 99.9]
SLOWER = [*REPEATED, *(1.1 * time for time in REPEATED)]


def called(suite: Path, *options: str | Path) -> Result:
    """The command history in this process, as fast as its parts."""
    return CliRunner().invoke(history, [str(suite), *map(str, options)])


def said(at: int, run_json: Mapping[str, Any], suite: Path, case: str = "GPT-2") -> None:
    """Change the run.json of the ``at``-th run."""
    path = suite / case / str(at) / "run.json"
    known = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**known, **run_json}), encoding="utf-8")


@pytest.mark.parametrize(
    ("times", "status"), [(SLOWER, 1), (REPEATED, 0), (REPEATED[:3], 3), ([*REPEATED, 110.0], 3), (SLOWER[::-1], 0)]
)
def test_the_gate_of_a_history_is_the_exit_status(times: Sequence[float], status: int, tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "nightly", times)
    assert called(suite, "--gate", "3%").exit_code == status
    assert called(suite).exit_code == 0


def test_what_differs_where_a_case_became_slower_is_named(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "nightly", SLOWER)
    for at in range(9, 17):
        said(at, {"environment": {**ENVIRONMENT, "driver": "560.28"}}, suite)
    done = called(suite, "--gate", "3%", "--json")
    (_, segment) = json.loads(done.stdout)["series"][0]
    assert (done.exit_code, {one["name"] for one in segment["differs"]}) == (1, {"driver", "source.commit"})


def test_a_history_as_json_holds_every_run_and_every_gap_with_its_reason(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "nightly", SLOWER)
    said(3, {"status": "failed"}, suite)
    (line,) = called(suite, "--json").stdout.splitlines()
    found = json.loads(line)
    ((before, after),), (gap,) = found["series"], found["gaps"]
    assert (found["state"], len(before["runs"]), len(after["runs"]), after["kind"]) == ("slower", 7, 8, "slower")
    assert before["runs"][0]["number"]["lines"] == [6, 23]
    assert (gap["log"], "failed" in gap["reason"]) == (str(suite / "GPT-2/3/train.log"), True)


def test_a_history_as_html_is_one_page_whose_points_lead_to_the_lines_of_logs(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "nightly", SLOWER, case="<b>|`x")
    source = {"commit": HOSTILE, "repository": HOSTILE}
    for at in range(9, 17):
        said(at, {"source": source, "environment": {**ENVIRONMENT, HOSTILE: HOSTILE}}, suite, "<b>|`x")
    done = called(suite, "--html", tmp_path / "history.html")
    assert (done.exit_code, "\x1b" in done.stdout) == (0, False)
    text = (tmp_path / "history.html").read_text(encoding="utf-8")
    page = html5lib.HTMLParser(namespaceHTMLElements=False).parse(text)
    assert not {"script", "link", "img", "b"} & {element.tag for element in page.iter()}
    svg = "{http://www.w3.org/2000/svg}a"
    of_points = [link.get("{http://www.w3.org/1999/xlink}href") or link.get("href") for link in page.iter(svg)]
    assert len(of_points) == len(SLOWER)
    assert all((tmp_path / unquote(str(one)).partition("#")[0]).is_file() for one in of_points)

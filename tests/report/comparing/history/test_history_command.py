"""The command history: what it prints, what it writes, and its exit status."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import html5lib
import pytest
from click.testing import CliRunner, Result

from report.comparing.history.command import history
from tests.commandline import run
from tests.report.comparing.history.made_history import make_suite
from tests.report.comparing.made_sides import ENVIRONMENT

HOSTILE = "<img src=x onerror=alert(1)>|`*\x1b[31m"
STEADY = [100.0, 100.2, 99.8, 100.1, 99.9, 100.0, 100.2, 99.9]
SLOWER = [*STEADY, *(1.1 * time for time in STEADY)]


def called(suite: Path, *options: str | Path) -> Result:
    """The command in this process, as fast as its parts, with an index beside the suite."""
    index = suite.parent / "index.parquet"
    return CliRunner().invoke(history, [str(suite), "--index", str(index), *map(str, options)])


def said(at: int, run_json: Mapping[str, Any], suite: Path, case: str = "GPT-2") -> None:
    """Change the run.json of the ``at``-th run."""
    path = suite / case / str(at) / "run.json"
    known = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**known, **run_json}), encoding="utf-8")


@pytest.mark.parametrize(
    ("times", "status"), [(SLOWER, 1), (STEADY, 0), (STEADY[:3], 3), ([*STEADY, 110.0], 3), (SLOWER[::-1], 0)]
)
def test_the_gate_is_the_exit_status(times: Sequence[float], status: int, tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "nightly", times)
    assert called(suite, "--gate", "3%").exit_code == status
    assert called(suite).exit_code == 0


def test_a_slowdown_with_another_driver_passes_the_gate_and_is_named(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "nightly", SLOWER)
    for at in range(9, 17):
        said(at, {"environment": {**ENVIRONMENT, "driver": "560.28"}}, suite)
    done = called(suite, "--gate", "3%")
    assert done.exit_code == 0
    assert "environment.driver 550.54 → 560.28 (run.json: environment.driver)" in done.stdout


def test_json_holds_every_run_with_its_lines_and_every_gap_with_its_reason(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "nightly", SLOWER)
    said(3, {"status": "failed"}, suite)
    (line,) = called(suite, "--json").stdout.splitlines()
    found = json.loads(line)
    (series,), (gap,) = found["series"], found["gaps"]
    assert (found["state"], len(series["runs"]), [one["runs"] for one in series["segments"]]) == ("slower", 15, [7, 8])
    assert series["runs"][0]["lines"] == [6, 23]
    assert (gap["log"], gap["reason"]) == (
        str(suite / "GPT-2/3/train.log"),
        "According to run.json, this run failed.",
    )
    assert [change["kind"] for change in series["changes"]] == ["slower"]


def test_html_is_one_page_whose_points_lead_to_the_lines_of_logs(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "nightly", SLOWER)
    said(3, {"status": "failed"}, suite)
    assert called(suite, "--html", tmp_path / "history.html").exit_code == 0
    text = (tmp_path / "history.html").read_text(encoding="utf-8")
    page = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
    assert not {"script", "link", "img"} & {element.tag for element in page.iter()}
    addresses = [str(link.get("href")) for link in page.iter("a")]
    assert all((tmp_path / address.partition("#")[0]).is_file() for address in addresses)
    (drawn,) = (element for element in page.iter("div") if element.get("class") == "trend")
    of_points = [str(link.get("href")) for link in drawn.iter("{http://www.w3.org/2000/svg}a")]
    assert len(of_points) == len(SLOWER)
    assert "nightly/GPT-2/9/train.log#L6" in of_points


def test_hostile_names_act_nowhere(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "nightly", SLOWER, case="<b>|`x")
    source = {"commit": HOSTILE, "repository": HOSTILE}
    for at in range(9, 17):
        said(at, {"source": source, "environment": {**ENVIRONMENT, HOSTILE: HOSTILE}}, suite, "<b>|`x")
    for options in ([], ["--markdown"], ["--json"], ["--by", "commit"]):
        done = run("history", suite, "--index", tmp_path / "i.parquet", *options, "--html", tmp_path / "h.html")
        assert (done.returncode, done.stderr) == (0, "")
        assert "\x1b" not in done.stdout
        html = html5lib.parse((tmp_path / "h.html").read_text(encoding="utf-8"), namespaceHTMLElements=False)
        assert not {"img", "b"} & {element.tag for element in html.iter()}


def test_logs_without_run_json_are_ordered_by_their_own_times(tmp_path: Path) -> None:
    for number in range(1, 8):
        lines = [
            f"2026-01-{number:02} 10:00:{second:02},123 Node[0] Epoch[0] Batch [{10 * second}]\t"
            f"Speed: {100 + second / 10:.2f} samples/sec\taccuracy=0.1"
            for second in range(20)
        ]
        (tmp_path / "logs").mkdir(exist_ok=True)
        (tmp_path / f"logs/{8 - number}.log").write_text("\n".join([*lines, ""]), encoding="utf-8")
    done = called(tmp_path / "logs", "--json")
    runs = json.loads(done.stdout)["series"][0]["runs"]
    assert [Path(one["log"]).name for one in runs] == [f"{number}.log" for number in range(7, 0, -1)]


def test_a_suite_without_runs_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = run("history", tmp_path / "empty")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1

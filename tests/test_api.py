"""The Python API: what the commands print, as objects; and what a notebook shows of a log."""

import json
from pathlib import Path

import html5lib
import pytest

import tachograph
from tests.commandline import PROJECT, run
from tests.parsers.run_folders import make_run

LOG = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C2/1/train.log"
HOSTILE = "<img src=x onerror=alert(1)>\x1b[31m\u202e"
WITHOUT_SPEED = "loss 2.5\nloss 2.25\nloss 2.0\n"


def test_a_log_is_what_show_prints_and_so_is_what_a_notebook_shows_of_it() -> None:
    log = tachograph.open(LOG)
    assert log.to_dict() == json.loads(run("show", LOG, "--json").stdout)
    assert log.why() == run("show", LOG, "--explain").stdout
    (shown,) = html5lib.parseFragment(log._repr_html_(), namespaceHTMLElements=False).iter("pre")
    assert "".join(shown.itertext()) == run("show", LOG).stdout
    assert repr(log) == f"<Log {LOG}: confirmed 10.12 samples/s (job)>"
    assert (log.facts["cards"].value, list(log.to_frame().columns[:2])) == (2, ["line", "record"])


@pytest.mark.parametrize(
    ("log", "kind"),
    [
        ("basicsr/two_runs_that_differ.log", tachograph.ContradictedError),
        ("torch7/models.log", tachograph.NoMeasurement),
    ],
)
def test_a_log_without_a_number_says_why(log: str, kind: type[tachograph.NoMeasurement]) -> None:
    with pytest.raises(tachograph.NoMeasurement) as raised:
        tachograph.open(PROJECT / "tests/parsers/golden" / log).throughput()
    assert type(raised.value) is kind
    assert raised.value.diagnostic


def test_of_many_logs_each_has_a_row_with_its_number_or_why_there_is_none(tmp_path: Path) -> None:
    silent, broken, gone = tmp_path / "silent.log", tmp_path / "broken.log", tmp_path / "gone.log"
    silent.write_text(WITHOUT_SPEED)
    broken.write_bytes(b"\0" * 100)
    table = tachograph.measure_many([LOG, silent, broken, gone], jobs=1, protocol="skip_records=5")
    assert list(table.status) == ["confirmed", "refused", "error", "error"]
    assert table.value[0] == tachograph.open(LOG, protocol="skip_records=5").throughput().value
    assert list(table.error.isna()) == [True, False, False, False]
    assert list(tachograph.measure_many(f"{tmp_path}/*.log").log) == [str(broken), str(silent)]
    assert tachograph.measure_many([]).dtypes.equals(table.dtypes)


def test_a_report_is_the_file_beside_its_page_and_is_exported_as_the_command_does(tmp_path: Path) -> None:
    run("report", "own-demo", "--out", tmp_path, cwd=PROJECT)
    file = tachograph.report(tmp_path / "own-demo.report.json")
    made = tachograph.report("own-demo", logs=PROJECT / "logs")
    assert file.results == made.results
    assert tachograph.export("csv", file).decode() == run("export", "csv", tmp_path / "own-demo.report.json").stdout


def test_an_audit_is_that_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_bytes(LOG.read_bytes())
    (tmp_path / "README.md").write_text("| steps | loss |\n|--|--|\n| 0 | 7.15154 |\n| 1 | 18.63908 |\n")
    said = [json.loads(line) for line in run("audit", tmp_path, "--json").stdout.splitlines()]
    found = tachograph.audit(tmp_path).findings
    assert [str(one.ruling) for one in found] == [one["ruling"] for one in said if "ruling" in one] != []


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: tachograph.open("gone.log"),
        lambda: tachograph.open(LOG, protocol="none=1"),
        lambda: tachograph.open(LOG, format="none"),
        lambda: tachograph.open(LOG, read="none"),
        lambda: tachograph.open(LOG, read=["dt=ms/step"]),  # type: ignore[arg-type]
        lambda: tachograph.report("none"),
        lambda: tachograph.audit("none.md"),
        lambda: tachograph.audit("README.md", board="none"),
        lambda: tachograph.export("none", tachograph.report("own-demo")),
        lambda: tachograph.compare(LOG, "gone.log"),
        lambda: tachograph.compare(LOG, LOG, gate="3"),
        lambda: tachograph.history("gone"),
        lambda: tachograph.measure_many([LOG, LOG], scheduler="nowhere"),
    ],
)
def test_what_is_wrong_is_said_by_one_kind_of_error(wrong: object) -> None:
    with pytest.raises(tachograph.TachographError):
        wrong()  # type: ignore[operator]


def test_nothing_of_a_log_acts_in_a_notebook(tmp_path: Path) -> None:
    log = make_run(tmp_path / HOSTILE.replace("/", "") / "1", LOG.read_bytes(), case={"model": HOSTILE})
    shown = tachograph.open(log)._repr_html_()
    page = html5lib.parseFragment(shown, namespaceHTMLElements=False)
    assert "img" not in {element.tag for element in page.iter()}
    assert not {"\x1b", "\u202e"} & {*shown}


def test_every_public_name_is_there() -> None:
    assert {name for name in dir(tachograph) if not hasattr(tachograph, name)} == set()
    assert {"open", "measure_many", "Protocol", "__version__"} <= set(dir(tachograph))

"""Drafts of page files: they are rendered at once, and show what their logs give."""

import json
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import tomlkit
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parsers.sharing.workers import ALONE
from report.drafting.draft import NothingToDraftError, draft_page
from report.drafting.logs import named_logs, pattern_of
from report.pagefile.page_file import parse
from report.results.resolve import resolve
from report.results.store import LogStore, logs_of
from tests.commandline import PROJECT, run, start
from tests.conftest import Compare

TOY = "".join(f"step {step}: loss {4 - step / 20:.4f}, {{speed}} tokens/s/gpu\n" for step in range(1, 21))
FAST, SLOW = TOY.format(speed=2000), TOY.format(speed=1000)
OF_MANY_FORMATS = (
    "dllogger_pytorch/new.log",
    "hf_trainer/current.log",
    "megatron_lm/ranks.log",
    "mmcv/unnamed.log",
    "mxnet_speedometer/module.log",
    "paddleclas/amp_o2.log",
    "timm/old.log",
    "torchvision/references.log",
    "mmengine/epochs.log",
)


GOLDEN = Path(__file__).parents[2] / "parsers/golden"


@dataclass
class Desk:
    """A folder with logs, in which a page is drafted."""

    folder: Path

    def put(self, golden: str, place: str) -> None:
        """Copy a golden log to a place below the logs."""
        self.put_text((GOLDEN / golden).read_text(encoding="utf-8", errors="surrogateescape"), place)

    def put_text(self, text: str, place: str) -> Path:
        """Write a log to a place below the logs."""
        path = self.folder / "logs" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        return path

    def put_run(self, text: str, place: str, **facts: Any) -> None:
        """Write a run folder below the logs."""
        log = self.put_text(text, f"{place}/train.log")
        log.with_name("run.json").write_text(json.dumps({"schema": 2, "case": {}, **facts}), encoding="utf-8")

    def run(self, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
        """Run a command in the folder."""
        return run(*arguments, cwd=self.folder)

    def init(self, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
        """Draft the page file ``page.toml``."""
        return self.run("init", "page", *arguments)

    @property
    def page(self) -> dict[str, Any]:
        """What the page file says."""
        return tomllib.loads((self.folder / "page.toml").read_text(encoding="utf-8"))

    def report(self) -> Any:
        """The report of the page."""
        return json.loads(self.run("report", "page.toml", "--json").stdout)

    def results(self) -> list[dict[str, Any]]:
        """The results of the page."""
        return list(self.report()["results"])

    def logs_shown(self) -> list[str]:
        """The logs behind the throughputs of the page, sorted."""
        report = self.report()
        keys = [key for one in report["results"] if one["quantity"] == "throughput" for key in one.get("runs", [])]
        return sorted(report["runs"][key]["log"] for key in keys)

    def shown(self) -> list[str]:
        """The numbers of the page."""
        return [one["digits"] for one in self.results() if "digits" in one]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A folder in which a page is drafted."""
    return Desk(tmp_path)


def test_logs_of_many_formats_are_each_in_a_cell_of_a_page_that_is_proved(desk: Desk) -> None:
    places = {golden: f"lab/{golden.replace('/', '_')}" for golden in (*OF_MANY_FORMATS, "mmengine/iters.log")}
    for golden, place in places.items():
        desk.put(golden, place)
    desk.put_text("Nothing is trained here.\nNor here.\n", "lab/notes.txt")
    desk.put_text('{"a": 1}\n', "lab/gpu.csv")
    desk.put_text(FAST, "lab/pages/lab.report.json")  # which quotes lines of logs
    assert desk.init("logs").returncode == 0
    assert desk.logs_shown() == sorted(places.values())
    assert {"steps/s", None} <= {table.get("unit") for table in desk.page["tables"]}  # None: that of the page
    desk.run("report", "page.toml")
    done = desk.run("audit", "pages", "--logs", "logs")
    assert (done.returncode, "proved" in done.stdout) == (0, True)


@pytest.mark.parametrize("is_link", [False, True])
def test_an_existing_file_is_never_overwritten(is_link: bool, desk: Desk) -> None:
    desk.put_run(FAST, "lab/a/1", case={"cards": 1})
    page, elsewhere = desk.folder / "page.toml", desk.folder / "elsewhere"
    if is_link:
        page.symlink_to(elsewhere)
    else:
        page.write_text("mine", encoding="utf-8")
    assert desk.init("logs").returncode == 2
    assert elsewhere.exists() is False
    assert is_link or page.read_text(encoding="utf-8") == "mine"


TOY_CASE = {"model": "Toy", "framework": "ToyTrainer"}
UNLIKE = [{"framework": f"Trainer {n}", "cards": n + 1, "model": f"Model {n}", "precision": "fp32"} for n in range(6)]
LAYOUTS: dict[str, tuple[list[dict[str, Any]], list[str], Any]] = {
    "folders where nothing else tells them apart": (
        [TOY_CASE | {"precision": "amp"}] * 2,
        ["ToyTrainer"],
        {"model": ["Toy (a)", "Toy (b)"]},
    ),
    "precisions": (
        [TOY_CASE | {"precision": precision} for precision in ("amp", "fp32")],
        ["ToyTrainer"],
        {"precision": ["amp", "fp32"]},
    ),
    "models whatever else tells them apart": (
        [
            {"model": model, "framework": "One", "precision": how}
            for model, how in (("Small", "fp32"), ("Large", "bf16"))
        ],
        ["One"],
        {"model": ["Large", "Small"]},
    ),
    "frameworks are columns": (
        [{"framework": name, "cards": cards, "model": "M"} for name in ("One", "Three") for cards in (1, 2)],
        ["One", "Three"],
        {"cards": [1, 2]},
    ),
    "unlike logs": (UNLIKE, [], [case["framework"] for case in UNLIKE]),
}


@pytest.mark.parametrize(("cases", "columns", "rows"), LAYOUTS.values(), ids=LAYOUTS)
def test_rows_and_columns_are_what_tells_runs_apart(
    cases: list[dict[str, Any]], columns: list[str], rows: Any, desk: Desk
) -> None:
    for number, case in enumerate(cases):
        desk.put_run(TOY.format(speed=1000 + number), f"{'abcdef'[number]}/1", case={"cards": 1, "nodes": 1, **case})
    desk.init("logs")
    (table,) = desk.page["tables"]
    found = table["rows"]
    titles = [desk.page["columns"][column]["title"] for column in table["columns"]]
    assert ([title for title in titles if isinstance(title, str)], len(titles)) == (columns, len(columns) or 1)
    assert ([row["case"]["framework"] for row in found] if isinstance(found, list) else found) == rows
    numbers = [f"{(1000 + at) * case.get('cards', 1)}.000" for at, case in enumerate(cases)]
    assert sorted(desk.shown()) == sorted(numbers)


def test_a_draft_is_what_it_was(desk: Desk, compare: Compare) -> None:
    for device, speed in (("A100", 3000), ("V100", 1000)):
        for cards in (1, 8):
            for repeat in (1, 2, 3):
                case = {"model": "Toy", "framework": "ToyTrainer", "device": device, "cards": cards, "nodes": 1}
                text = TOY.format(speed=speed - cards + repeat)
                native = f"python train.py --cards {cards}"
                built = {"torch": {"version": "2.4", "cuda": "12.1", "cudnn": None}}
                machine = {"cpu": "A | B", "gpus": [device] * 8, "memory_gib": 23.5, "os": 7, "frameworks": built}
                desk.put_run(
                    text,
                    f"lab/Toy_{device}_N1C{cards}/{repeat}",
                    case=case,
                    native=native,
                    start="2031",
                    environment=machine,
                )
    desk.init("logs/lab")
    page = (desk.folder / "page.toml").read_text(encoding="utf-8")
    compare(Path(__file__).parent / "golden/page.toml", page)
    assert len(desk.shown()) == 12


def test_runs_of_two_cases_that_state_the_same_are_not_repeats_of_each_other(desk: Desk) -> None:
    desk.put_run(FAST, "lab/Toy/1", case={"cards": 1})
    desk.put_run(SLOW, "lab/Toy-2/1", case={"cards": 1})
    desk.init("logs")
    assert desk.shown() == ["2000.000", "1000.000"]


@pytest.mark.parametrize(
    ("first", "second", "numbers"),
    [
        # With repeats, the lowest and the highest run are shown as well.
        ("run_1.log", "run_2.log", 3),
        ("a/1.log", "a/2.log", 3),
        ("fp32_1.log", "fp32_2.log", 3),
        ("small.log", "large.log", 2),
        ("width_32.log", "width_64.log", 2),
        ("run_7.log", "run_9.log", 2),
    ],
)
def test_logs_are_repeats_where_their_names_count_them(desk: Desk, first: str, second: str, numbers: int) -> None:
    desk.put_text(FAST, first)
    desk.put_text(SLOW, second)
    assert desk.init("logs", "--cards", "1").returncode == 0
    assert len(desk.shown()) == numbers


def test_what_only_one_log_states_is_not_said_of_another(desk: Desk) -> None:
    desk.put_run(FAST, "lab/a/1", case={"cards": 1, "precision": "bf16", "model": "Small"})
    desk.put_run(SLOW, "lab/b/1", case={"cards": 1})
    desk.init("logs")
    assert desk.page["model"] != "Small"
    assert sorted(desk.shown()) == ["1000.000", "2000.000"]
    assert "precision" not in json.dumps(desk.page)


def test_what_logs_do_not_state_their_paths_say(desk: Desk) -> None:
    for precision in ("bf16", "fp8"):
        for cards in (1, 8):
            text = TOY.format(speed=1000 * cards + len(precision))
            desk.put_run(text, f"lab/llama3_8B_H100_{precision}_c{cards}/1", case={"cards": cards})
    assert desk.init("logs").returncode == 0
    page = desk.page
    (column,) = page["columns"].values()
    assert (page["model"], column["logs"]) == ("llama3_8B", "lab/llama3_8B_H100_{precision}_c{cards}/1/train.log")
    (table,) = page["tables"]
    assert (table["case"], table["rows"]) == ({"device": "H100"}, {"precision": ["bf16", "fp8"], "cards": [1, 8]})
    assert page["names"]["precision"] == {"bf16": "BF16", "fp8": "FP8"}
    assert page["names"]["cards"]["8"] == {"en": "8 cards", "zh": "8 卡"}
    assert len(desk.shown()) == 4


def test_what_nothing_states_is_not_called_as_the_page_file(desk: Desk) -> None:
    desk.put_text(FAST, "a.log")
    desk.init("logs", "--cards", "1")
    assert desk.page["model"] not in ("page", "")
    assert desk.run("report", "page.toml").stderr == ""


def test_a_number_of_unknown_scope_is_that_of_the_job_where_one_card_trains(desk: Desk) -> None:
    desk.put_text(FAST.replace("/gpu", ""), "a.log")
    refused = desk.init("logs")
    assert refused.returncode == 1
    assert desk.init("logs", "--cards", "1").returncode == 0
    assert desk.shown() == ["2000.000"]


def test_what_a_number_measures_is_said_once_and_kept_in_the_page(desk: Desk) -> None:
    desk.put_text("".join(f"iter {n}: loss {4 - n / 20:.4f}, dt 250.00\n" for n in range(10, 210, 10)), "a.log")
    assert desk.init("logs", "--cards", "1").returncode == 1
    assert desk.init("logs", "--cards", "1", "--read", "dt=ms/step").returncode == 0
    assert desk.shown() == ["4.000"]
    desk.run("report", "page.toml")
    assert desk.run("audit", "pages", "--logs", "logs", "--strict").returncode == 0
    assert "4.000" in desk.run("why", "page.toml", "throughput/1/a-log").stdout


def test_what_a_number_measures_is_said_of_the_logs_that_have_it(desk: Desk) -> None:
    desk.put_text("".join(f"iter {n}: loss {4 - n / 20:.4f}, dt 250.00\n" for n in range(10, 210, 10)), "a.log")
    desk.put_run(FAST, "lab/b/1", case={"cards": 1})
    assert desk.init("logs", "--cards", "1", "--read", "dt=ms/step").returncode == 0
    assert {column.get("read") for column in desk.page["columns"].values()} == {None, "dt=ms/step"}
    assert len(desk.shown()) == 2


def test_three_commands_lead_from_a_script_to_a_page_in_both_languages(tmp_path: Path) -> None:
    lines = (
        'import time\nprint("begun", time.time_ns())\n'  # a run that prints what another one did is a copy of it
        'for step in range(1, 41):\n    print(f"step {step}: loss {4 - step / 20:.4f}, {1000 + step % 3} tokens/s")\n'
    )
    (tmp_path / "train.py").write_text(lines, encoding="utf-8")
    started = start(
        "run", "--cards", "1", "--repeats", "2", "--device", "cpu", "--", sys.executable, "train.py", cwd=tmp_path
    )
    assert started.returncode == 0
    for command in (("init", "page", f"logs/{tmp_path.name}"), ("report", "page.toml")):
        done = run(*command, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
    report = json.loads((tmp_path / "pages/page.report.json").read_text(encoding="utf-8"))
    assert "1000.999" in [one.get("digits") for one in report["results"]]
    assert (tmp_path / "pages/page.zh.md").exists()


def test_language_models_are_shown_with_what_one_card_does(desk: Desk) -> None:
    log = PROJECT / "tests/report/golden/logs/llm/megatron_toy-13b_a100_tp4-pp2-gbs128.log"
    desk.put_text(log.read_text(encoding="utf-8"), "lab/train.log")
    assert desk.init("logs").returncode == 0
    assert {one["quantity"]: (one["digits"], one["unit"]) for one in desk.results()} == {
        "throughput": ("6.026", "samples/s"),
        "throughput_per_card": ("0.4", "samples/s/card"),
        "tflops_per_card": ("126.3", "TFLOP/s"),
        "step_time": ("21.243", "s"),
    }


LINES = "".join(f"step {step}: loss {4 - step / 20:.4f}, {{}} tokens/s/gpu\n" for step in range(1, 21))
# Bytes that no decoding understands among them, as Python spells them in names.
names = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda name: not name.startswith(".") and len(name.encode()) < 200
) | st.sampled_from(
    ["{cards}", "*", "[a]", "a?b", "it's", 'a "b"', "\udcff", "-x", "a\nb", "a\u2028b", "{", "}}", "C1"]
)
facts = st.text(max_size=20) | st.sampled_from(["{x}", "a\nb", "|", "<b>", "\\", '"""', "fp32", "FP32", "\u202e"])


def put(folder: Path, name: str, speed: int, model: str, precision: str) -> None:
    Desk(folder).put_run(
        LINES.replace("{}", str(speed)), f"{name}/1", case={"cards": 1, "model": model, "precision": precision}
    )


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(names, facts, facts), min_size=1, max_size=3, unique_by=lambda one: one[0]))
@example([("0a{", "", "")])
def test_every_named_log_is_in_a_cell_or_left_out_with_a_reason(runs: list[tuple[str, str, str]]) -> None:
    with TemporaryDirectory() as top:
        folder = Path(top)
        for number, (name, model, precision) in enumerate(runs, 1):
            put(folder, name, 100 * number, model, precision)
        named = named_logs([folder / "logs"], None, folder / "logs")
        try:
            draft = draft_page(named, folder / "page.toml", workers=ALONE)
        except NothingToDraftError as error:
            assert len(error.left_out) == len(runs)
            return
        assert draft.logs + len(draft.left_out) == len(runs)
        page = parse(draft.text, folder / "page.toml")
        shown = [run.log for one in resolve(page, LogStore(folder / "logs", ALONE)) for run in one.runs]
        assert sorted(log.path for case in draft.cases for log in case.logs) == sorted(shown)


@settings(max_examples=100, deadline=None)
@given(st.sets(names, min_size=1, max_size=4), st.data())
def test_a_pattern_finds_the_logs_that_it_is_made_for_and_no_others(found: set[str], data: st.DataObject) -> None:
    with TemporaryDirectory() as top:
        for name in found:
            (Path(top) / name).touch()
        wanted = data.draw(st.lists(st.sampled_from(sorted(found)), min_size=1, unique=True))
        pattern = pattern_of(Path(top), wanted)
        if len(wanted) == 1 and not any(name != wanted[0] and len(name) == len(wanted[0]) for name in found):
            assert pattern is not None
        if pattern is not None:
            stated = tomllib.loads(tomlkit.dumps({"logs": pattern}))["logs"]
            assert set(logs_of(Path(top), stated.format_map({}))) == set(wanted)

"""Drafts of page files: they are rendered at once, and show what their logs give."""

import json
import sys
from pathlib import Path

import pytest

from tests.commandline import PROJECT, run, start
from tests.conftest import Compare
from tests.report.drafting.drafted import Desk

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


@pytest.mark.parametrize(
    ("precisions", "rows"),
    [(("amp", "amp"), {"model": ["Toy (a)", "Toy (b)"]}), (("amp", "fp32"), {"precision": ["amp", "fp32"]})],
)
def test_rows_are_called_as_folders_only_where_nothing_else_tells_them_apart(
    desk: Desk, precisions: tuple[str, str], rows: dict[str, list[str]]
) -> None:
    for suite, precision in zip("ab", precisions, strict=True):
        case = {"model": "Toy", "framework": "ToyTrainer", "cards": 1, "nodes": 1, "precision": precision}
        desk.put_run(FAST if suite == "a" else SLOW, f"{suite}/1", case=case)
    desk.init("logs")
    assert [table["rows"] for table in desk.page["tables"]] == [rows]
    assert {column["title"] for column in desk.page["columns"].values()} == {"ToyTrainer"}


def test_unlike_logs_are_rows_of_one_table(desk: Desk) -> None:
    for number in range(6):
        case = {"framework": f"Trainer {number}", "cards": number + 1, "model": f"Model {number}"}
        desk.put_run(TOY.format(speed=100 + number), f"lab/{number}/1", case={**case, "precision": "fp32"})
    desk.init("logs")
    (table,) = desk.page["tables"]
    assert [row["case"]["framework"] for row in table["rows"]] == [f"Trainer {number}" for number in range(6)]
    assert len(table["columns"]) == len(desk.page["columns"]) == 1
    assert all("digits" in one for one in desk.results())
    assert len((desk.folder / "page.toml").read_text(encoding="utf-8").splitlines()) < 50


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


def test_columns_are_the_frameworks(desk: Desk) -> None:
    for framework in ("One", "Three"):
        for cards in (1, 2):
            case = {"framework": framework, "cards": cards, "model": "M"}
            desk.put_run(TOY.format(speed=100 * len(framework) + cards), f"{framework}/M_N1C{cards}/1", case=case)
    desk.init("logs")
    (table,) = desk.page["tables"]
    assert [desk.page["columns"][column]["title"] for column in table["columns"]] == ["One", "Three"]
    assert table["rows"] == {"cards": [1, 2]}


def test_what_only_one_log_states_is_not_said_of_another(desk: Desk) -> None:
    desk.put_run(FAST, "lab/a/1", case={"cards": 1, "precision": "bf16"})
    desk.put_run(SLOW, "lab/b/1", case={"cards": 1})
    desk.init("logs")
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


def test_rows_of_several_models_name_them_whatever_else_tells_them_apart(desk: Desk) -> None:
    for number, (model, precision) in enumerate((("Small", "fp32"), ("Large", "bf16"))):
        case = {"cards": 1, "model": model, "precision": precision}
        desk.put_run(TOY.format(speed=1000 + number), f"lab/{model}/1", case=case)
    desk.init("logs")
    (table,) = desk.page["tables"]
    assert table["rows"] == {"model": ["Large", "Small"]}
    assert desk.shown() == ["1001.000", "1000.000"]


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

"""The runs that a launch plans: of a recipe, of the cells of a page, of two checkouts; their cases take turns."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from checkouts import METRIC, PRINT, TRAIN, URL, Native, OwnProgram

from launchers.run.folder import RunFolder
from launchers.run.series import PlannedRun, alternating
from tests.commandline import git, run

slow = pytest.mark.slow  # what launches several runs
PAGE = """
title = "Toy"
model = "ResNet50"
unit = "samples/s"
tested = ["A toy."]

[columns.toy]
title = "Toy"
logs = "toy/{model}_bs{batch_size}_{precision}_N{nodes}C{cards}/*/train.log"
protocol = "plain"

[[tables]]
name = "toy"
title = "Toy"
case = { model = "ResNet50", device = "CPU", nodes = 1, cards = 1, precision = "fp32" }
columns = [{ column = "toy" }]
rows = [{ title = "{batch_size}", case = { batch_size = 4 } }, { title = "{batch_size}", case = { batch_size = 8 } }]
"""
LAUNCH = """
[toy]
launcher = "paddleclas_resnet50"
repeats = 2
options = { device = "cpu", data = "data", steps = 2 }
extra = ["-o", "Global.print_batch_step=1"]
"""
FAIL_AT_4 = f"import sys\nif '4' in [word[-1] for word in sys.argv if 'batch_size' in word]:\n    sys.exit(3)\n{PRINT}"
ALL = [f"toy/ResNet50_bs{size}_fp32_N1C1/{repeat}" for size in (4, 8) for repeat in (1, 2)]


def in_order(top: Path) -> list[str]:
    """The run folders below a folder in the order in which they were finished."""
    files = sorted(top.rglob("run.json"), key=lambda path: path.stat().st_mtime_ns)
    return [path.parent.relative_to(top).as_posix() for path in files]


@pytest.mark.parametrize(
    "words",
    [
        "--precision amp",
        "--nodes 2 --cards 3 --master a:1",
        "--nodes 2 --cards 2",
        "--steps 10 --epochs 3",
        "--cards 0",
        "--cards 1,1",
        "--cards 1,x",
        "--repo /nowhere",
        "--on mpirun",
        "--only cards",
        "--only cards=1,cards=2",
        "--only cards=1",
        "--timeout 0",
        "--site {top}/site.toml",  # without a place
        "--detach",
        "--xla on",  # which the recipe does not read
    ],
)
def test_a_wrong_option_starts_nothing(native: Native, words: str) -> None:
    (native.top / "site.toml").touch()
    assert native.launch(*words.format(top=native.top).split()).returncode == 2
    assert not native.suite.exists()


@slow
def test_each_combination_of_values_is_a_case_and_cases_take_turns(native: Native) -> None:
    native.launch("--batch-size", "4,8", "--epochs", "1", "--steps", "1", "--repeats", "2")
    first, second = (f"ResNet50_bs{size}_fp32_N1C1" for size in (4, 8))
    assert in_order(native.suite) == [f"{first}/1", f"{second}/1", f"{second}/2", f"{first}/2"]


def test_cases_that_differ_in_what_their_names_lack_have_folders_of_their_own(native: Native) -> None:
    words = ["--cards", "1", "--dali", "on,off", "--repeats", "1", "--dry-run"]
    folders = re.findall(r"tee (\S+)", native.tachograph("launch", "nvidia_pytorch_resnet50", *words).stdout)
    assert (len(folders), len(set(folders))) == (2, 2)


@pytest.mark.parametrize(
    ("repeats", "order"),
    [((2, 2), "A1 B1 B2 A2"), ((3, 3), "A1 B1 B2 A2 A3 B3"), ((1, 3), "A1 B1 B2 B3"), ((3,), "A1 A2 A3"), ((), "")],
)
def test_cases_take_turns_each_time_in_the_opposite_order(repeats: tuple[int, ...], order: str) -> None:
    def planned(case: str, count: int) -> list[PlannedRun]:
        return [PlannedRun(None, RunFolder(Path(case, str(n)))) for n in range(1, count + 1)]  # type: ignore[arg-type]

    cases = [planned(name, count) for name, count in zip("ABC", repeats, strict=False)]
    assert " ".join(f"{run.folder.path.parent}{run.folder.path.name}" for run in alternating(cases)) == order


@pytest.fixture
def page(native: Native) -> Path:
    """A page of two cells, each of two runs, none of which is there."""
    path = native.top / "toy.toml"
    path.write_text(PAGE)
    path.with_suffix(".launch.toml").write_text(LAUNCH)
    return path


def launch(native: Native, page: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `tachograph launch PAGE`."""
    place = ["--repo", str(native.repo), "--into", str(native.top / "logs")]
    return native.tachograph("launch", page, *place, *arguments, main=None)


@slow
def test_a_page_has_the_runs_made_that_it_lacks_in_turns_with_the_options_that_it_says(
    native: Native, page: Path
) -> None:
    logs = native.top / "logs"
    assert launch(native, page).returncode == 0
    assert in_order(logs) == [ALL[0], ALL[2], ALL[3], ALL[1]]
    variables = json.loads((logs / ALL[0] / "run.json").read_text())["variables"]
    assert (variables["STEPS"], variables["EXTRA"]) == ("2", "-o Global.print_batch_step=1")
    before = {name: (logs / name / "run.json").stat().st_mtime_ns for name in ALL}
    answer = launch(native, page)
    assert (answer.returncode, answer.stdout) == (0, "")
    shutil.rmtree(logs / ALL[1])
    launch(native, page)
    assert [name for name in ALL if (logs / name / "run.json").stat().st_mtime_ns != before[name]] == [ALL[1]]
    shutil.rmtree(logs / ALL[1])
    page.with_suffix(".launch.toml").write_text(LAUNCH.replace("steps = 2", "steps = 7"))
    answer = launch(native, page)
    assert (answer.returncode, "STEPS=" in answer.stderr) == (1, True)


@slow
@pytest.mark.parametrize(
    ("words", "changes", "refusal", "made"),
    [
        ("--only batch_size=8", [], None, ALL[2:]),
        ("--repeats 1", [], None, [ALL[0], ALL[2]]),
        ("", [("batch_size = 8 } }]", "batch_size = 8, nodes = 2, cards = 2 } }]")], None, ALL[:2]),  # not here
        ("--cards 8", [], "cards", []),
        ("--only batch_size=5", [], "batch_size=5", []),
        *(("", [("steps = 2", f"steps = {steps}")], "STEPS", []) for steps in ('"a[$(touch made)]"', '"two"', "0")),
    ],
)
def test_cases_and_repeats_of_a_page_can_be_chosen_and_what_does_not_fit_is_refused(
    native: Native, page: Path, words: str, changes: list[tuple[str, str]], refusal: str | None, made: list[str]
) -> None:
    for path in (page, page.with_suffix(".launch.toml")):
        for before, after in changes:
            path.write_text(path.read_text().replace(before, after))
    answer = launch(native, page, *words.split())
    assert (answer.returncode, str(refusal) in answer.stderr) == ((2, True) if refusal else (0, False))
    assert sorted(in_order(native.top / "logs")) == made
    assert list(native.top.rglob("made")) == []


@slow
def test_after_a_failed_case_the_others_go_on(native: Native, page: Path) -> None:
    native.trains(FAIL_AT_4)
    assert launch(native, page).returncode == 1
    assert in_order(native.top / "logs") == [ALL[0], ALL[2], ALL[3]]


@slow
def test_a_dry_run_is_a_script_that_runs_without_tachograph(native: Native, page: Path) -> None:
    script = launch(native, page, "--dry-run").stdout
    assert not (native.top / "logs").exists()
    native.execute(script)
    assert [(native.top / "logs" / name / "train.log").read_text() for name in ALL] == [METRIC] * 4


@slow
def test_a_recipe_runs_alternately_in_two_checkouts_which_have_names_of_their_own(native: Native) -> None:
    for folder in ("before", "after", "other/after"):
        shutil.copytree(native.repo, native.top / folder)
        git(native.top / folder, "init", "-q")
        git(native.top / folder, "remote", "add", "origin", f"{URL}.git")
    options = [word for word in native.options if word not in ("--repo", str(native.repo))]
    before, after, other = (("--repo", native.top / folder) for folder in ("before", "after", "other/after"))
    assert native.tachograph(*options, *before, *after, "--repeats", "2").returncode == 0
    suites = [name.partition("/")[0] for name in in_order(native.top / "logs")]
    assert suites == ["suite@before", "suite@after", "suite@after", "suite@before"]
    assert native.tachograph(*options, *after, *other).returncode == 2


# Equal logs would be copies of one run, and no repeats.
NOISY = "import random\n" + TRAIN.replace("{1000 +", "{1000 + random.random() +")


@pytest.fixture
def compared(program: OwnProgram) -> OwnProgram:
    """A program that a worktree beside it has as `main`, and that is slower as it lies there."""
    program.change(NOISY)
    git(program.folder, "commit", "-qam", "noisy")
    git(program.folder, "branch", "-M", "main")
    git(program.folder, "worktree", "add", "-q", "--detach", "../before", "main")
    program.change(NOISY.replace("1000", "900"))
    return program


def sides(program: OwnProgram) -> str:
    """A for each run in the worktree, B for each here, in the order in which they were finished."""
    return "".join("A" if "@" in name else "B" for name in in_order(program.folder / "logs"))


@slow
def test_a_command_is_compared_with_itself_in_another_folder(compared: OwnProgram) -> None:
    answer = compared.run("--against", "../before", "--", "python", str(compared.folder / "train.py"))
    assert (answer.returncode, sides(compared)) == (0, "ABBAAB")
    comparison = run("compare", "logs/project@before/train", "logs/project/train", cwd=compared.folder).stdout
    assert (answer.stdout.endswith(comparison), "slower" in comparison) == (True, True)
    text = (compared.folder / "logs/project@before/train/1/run.json").read_text(encoding="utf-8")
    assert f'"commit": "{git(compared.folder, "rev-parse", "main")}"' in text
    assert ('"dirty": false' in text, str(compared.folder.parent) in text) == (True, False)
    assert sorted(path.name for path in (compared.folder / "logs").iterdir()) == ["project", "project@before"]


def test_both_sides_are_written_by_a_dry_run(compared: OwnProgram) -> None:
    answer = compared.run("--against", "../before", "--dry-run", "--", "python", "train.py")
    folders = [compared.folder.with_name("before"), compared.folder]
    assert (answer.returncode, [f"export REPO={folder}" in answer.stdout for folder in folders]) == (0, [True, True])

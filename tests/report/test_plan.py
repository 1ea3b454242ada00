"""What a page still lacks: which runs are planned, in which order, and what a page must say for them."""

from pathlib import Path

import pytest

from report.pagefile.launch_file import LaunchFile, load_launches
from report.pagefile.page import Page
from report.pagefile.page_file import PageError, find, load
from report.results.plan import PlannedLaunch, missing
from report.results.store import filled
from tests.parsers.run_folders import make_run
from tests.report.page_text import HEAD, column, table

PAGE = (
    HEAD
    + column("a", "suite/{model}_N{nodes}C{cards}/*/train.log")
    + column("b", "others/{cards}.log", of_runs="when = { cards = 1 }")
    + table(
        '{ column = "a" }, { column = "b" }, { column = "a", quantity = "power" }',
        'model = "M", nodes = 1, precision = "fp32", batch_size = 4',
        '{ title = "{cards} cards", case = { cards = 1 } }, { title = "{cards} cards", case = { cards = 8 } }',
    )
)
LAUNCH = """
[a]
launcher = "recipe_a"
repeats = 2
options = { steps = 32, device = "cpu" }
extra = ["-o", "a b"]
"""


def pages(folder: Path, found: str = "", put: str = "") -> tuple[Page, LaunchFile]:
    """The page and its launch file, with one change in either."""
    assert found in PAGE + LAUNCH
    for name, text in (("page.toml", PAGE), ("page.launch.toml", LAUNCH)):
        (folder / name).write_text(text.replace(found, put) if found else text, encoding="utf-8")
    page = load(folder / "page.toml")
    return page, load_launches(folder / "page.toml", page)


def folders(folder: Path, **how: object) -> list[str]:
    planned = missing(*pages(folder), folder, **how)  # type: ignore[arg-type]
    return [run.folder.relative_to(folder).as_posix() for run in planned]


ONE, EIGHT = ["suite/M_N1C1/1", "suite/M_N1C1/2"], ["suite/M_N1C8/1", "suite/M_N1C8/2"]


@pytest.mark.parametrize(
    ("done", "how", "planned"),
    [
        ([], {}, ONE + EIGHT),
        (ONE, {}, EIGHT),
        (ONE[1:], {}, ONE + EIGHT),
        ([], {"repeats": 1}, ONE[:1] + EIGHT[:1]),
        ([], {"only": {"cards": "8", "precision": "fp32"}}, EIGHT),
    ],
    ids=["none is there", "a case is there", "a run is missing", "other repeats", "some cases"],
)
def test_runs_are_planned_row_by_row_and_once_each_but_those_of_cases_that_are_done(
    done: list[str], how: dict[str, object], planned: list[str], tmp_path: Path
) -> None:
    for place in done:
        make_run(tmp_path / place, b"a log\n")
    assert folders(tmp_path, **how) == planned


def test_a_run_says_all_that_a_launcher_needs(tmp_path: Path) -> None:
    first = next(iter(missing(*pages(tmp_path), tmp_path)))
    assert first == PlannedLaunch(
        recipe="recipe_a",
        options={
            "NODES": "1",
            "CARDS": "1",
            "PRECISION": "fp32",
            "BATCH_SIZE": "4",
            "STEPS": "32",
            "DEVICE": "cpu",
        },
        extra=("-o", "a b"),
        folder=tmp_path / "suite/M_N1C1/1",
    )


@pytest.mark.parametrize(
    "said",
    [{"status": "failed"}, {"status": "interrupted"}, {"log": {"file": "train.log", "sha256": "0" * 64}}],
    ids=["failed", "interrupted", "another log"],
)
def test_a_run_that_is_no_evidence_is_planned_again(said: dict[str, object], tmp_path: Path) -> None:
    make_run(tmp_path / "suite/M_N1C1/1", b"a log\n", **said)
    assert folders(tmp_path)[0] == "suite/M_N1C1/1"


def page_of_others(folder: Path) -> tuple[Page, LaunchFile]:
    """A page whose logs others published, and whose cases a launch can run again."""
    path = folder / "page.toml"
    rest = PAGE.partition("[[tables]]")[2].replace(', { column = "b" }', "").replace("nodes = 1, ", "")
    logs = 'logs = ["theirs/{cards}.log", "ours/{cards}/*/train.log"]'
    path.write_text(f'{HEAD}[columns.a]\ntitle = "A"\n{logs}\n[[tables]]{rest}', encoding="utf-8")
    launch = '[a]\nlauncher = "recipe_a"\ncase = { nodes = 2, precision = "amp" }\n'
    path.with_suffix(".launch.toml").write_text(launch, encoding="utf-8")
    return load(path), load_launches(path, load(path))


def test_a_case_whose_published_log_is_missing_is_launched_into_a_folder_of_its_own(tmp_path: Path) -> None:
    first, second = missing(*page_of_others(tmp_path), tmp_path)
    assert [run.folder.relative_to(tmp_path).as_posix() for run in (first, second)] == ["ours/1/1", "ours/8/1"]
    assert first.options == {"NODES": "2", "CARDS": "1", "PRECISION": "amp", "BATCH_SIZE": "4"}
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/8.log").write_text("", encoding="utf-8")
    assert [run.folder for run in missing(*page_of_others(tmp_path), tmp_path)] == [tmp_path / "ours/1/1"]


def test_launched_runs_stand_for_the_missing_log(tmp_path: Path) -> None:
    make_run(tmp_path / "ours/8/1", b"")
    (run,) = page_of_others(tmp_path)[0].columns["a"].runs
    assert [filled(run, {"cards": cards}, tmp_path)[0] for cards in (1, 8)] == ["theirs/1.log", "ours/8/*/train.log"]


STARS = "suite/{model}_N{nodes}C{cards}/*/train.log"


@pytest.mark.parametrize(
    ("found", "put", "folder"),
    [
        ('title = "A"', 'title = "A"\nnames.model.M.file = "m"', "suite/m_N1C1/1"),
        (STARS, "*/train.log", "1"),
        (STARS, "{model}/*/train.log", "M/1"),
    ],
)
def test_a_folder_is_spelt_as_its_pattern_with_repeats_in_place_of_the_star(
    found: str, put: str, folder: str, tmp_path: Path
) -> None:
    assert next(iter(missing(*pages(tmp_path, found, put), tmp_path))).folder == tmp_path / folder


@pytest.mark.parametrize("pattern", ["{model}.log", "x*/train.log", "*/{model}/*/train.log", "[ab]/*/train.log"])
def test_another_shape_of_the_logs_is_refused(pattern: str, tmp_path: Path) -> None:
    with pytest.raises(PageError) as raised:
        missing(*pages(tmp_path, STARS, pattern), tmp_path)
    said = str(raised.value)
    assert said.startswith("T, 1 cards, A: logs is ")
    assert said.endswith("requires a pattern that ends in '/*/train.log', its only '*'.")


PUBLISHED = {
    "resnet50": {
        *("paddleclas_resnet50_static", "nvidia_tensorflow_resnet50", "nvidia_pytorch_resnet50"),
        *("nvidia_mxnet_resnet50", "paddleclas_resnet50"),
    },
    "vgg16": {"paddleclas_vgg16"},
    "deeplabv3p": {"paddleseg_deeplabv3p", "mmsegmentation_deeplabv3plus"},
    "benchmark-guide": {
        *("paddlegan_cyclegan", "paddleclas_se_resnext50", "paddleseg_deeplabv3p", "paddlenlp_bert"),
        *("paddlenlp_transformer", "mmsegmentation_deeplabv3plus", "nvidia_pytorch_bert", "nvidia_pytorch_transformer"),
    },
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_page_can_be_launched_for_each_of_its_programs(name: str, tmp_path: Path) -> None:
    page = load(find(name))
    assert {run.recipe for run in missing(page, load_launches(find(name), page), tmp_path)} == PUBLISHED[name]


def test_a_case_may_have_a_launcher_of_its_own(tmp_path: Path) -> None:
    found = pages(tmp_path, "repeats = 2", 'runs = [{ when = { cards = 8 }, launcher = "recipe_c" }, {}]')
    assert [run.recipe for run in missing(*found, tmp_path)] == ["recipe_a", "recipe_c"]


def test_how_a_case_is_trained_is_passed_to_its_launcher_but_real_data_are_what_it_reads_anyway(tmp_path: Path) -> None:
    case = 'precision = "fp32", accumulation = 4, sequence_length = 128, dali = "off", xla = "on", data = '
    planned = next(iter(missing(*pages(tmp_path, 'precision = "fp32"', f'{case}"real"'), tmp_path)))
    passed = {"ACCUMULATION": "4", "SEQUENCE_LENGTH": "128", "DALI": "off", "XLA": "on"}
    assert passed.items() <= planned.options.items()
    assert "DATA" not in planned.options
    planned = next(iter(missing(*pages(tmp_path, 'precision = "fp32"', f'{case}"synthetic"'), tmp_path)))
    assert planned.options["DATA"] == "synthetic"


@pytest.mark.parametrize(
    ("found", "put", "line", "named"),
    [
        ("steps = 32", "cards = 8", 5, "'cards'"),
        ("steps = 32", "STEPS = 8", 5, "'STEPS'"),
        ("steps = 32", 'steps = "1\\n2"', 5, "a.options.steps"),
        ("repeats = 2", "repeats = 0", 4, "a.repeats: Input should be greater than or equal to 1, not 0"),
        ("repeats", "repeat", 4, "did you mean repeats?"),
        ("repeats = 2", 'case = { model = "x" }', 4, "a.case.model"),
        ("[a]", "[c]", 2, "the page has no column 'c'; columns: a, b"),
    ],
)
def test_a_mistake_of_a_launch_file_is_told_with_its_line(
    found: str, put: str, line: int, named: str, tmp_path: Path
) -> None:
    with pytest.raises(PageError) as raised:
        pages(tmp_path, found, put)
    assert str(raised.value).startswith(f"{tmp_path / 'page.launch.toml'}, line {line}: ")
    assert named in str(raised.value)

"""Configurations beside a log state facts, where nothing else tells them and they are those of this log."""

import json
import tarfile
from pathlib import Path

import pytest

from parsers.io.files import leading_out
from parsers.runs.reading import Reading, survey
from parsers.runs.runfile import files_of_run
from parsers.runs.side_files import LARGEST
from tests.commandline import run
from tests.parsers.ingesting import logs

YAML = (
    "model:\n  num_layers: 32\n  hidden_size: 4096\ntrainer:\n  tensor_model_parallel_size: 4\n  micro_batch_size: 2\n"
)
SEVERAL = "actor:\n  tensor_model_parallel_size: 4\nrollout:\n  tensor_model_parallel_size: 2\n"


def told(folder: Path, text: str = "step 1\n") -> Reading:
    log = folder / "train.log"
    log.write_text(text, encoding="utf-8")
    return survey(log)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config.yaml", YAML),
        ("config.json", json.dumps({"tensor_model_parallel_size": 4, "num_layers": 32})),
        ("ds_config.json", json.dumps({"tensor_parallel": 4, "num_layers": 32}, indent=2)),
        ("config.toml", "[parallelism]\ntensor_parallel_degree = 4\nnum_layers = 32\n"),
    ],
)
def test_a_configuration_beside_a_log_states_facts(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = told(tmp_path).facts
    assert (found["tensor_parallel"].value, found["layers"].value) == (4, 32)


def test_a_fact_of_a_configuration_names_the_file_and_its_line(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(YAML, encoding="utf-8")
    assert str(told(tmp_path).facts["tensor_parallel"].source) == "config.yaml, line 5"


def test_what_the_log_itself_states_comes_first(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(YAML, encoding="utf-8")
    found = told(tmp_path, "tensor_parallel_size: 2\n")
    assert (found.facts["tensor_parallel"].value, found.warnings) == (2, ())


def test_a_batch_of_cards_that_share_a_model_by_the_configuration_is_not_that_of_a_card(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(YAML, encoding="utf-8")
    assert "batch_size" not in told(tmp_path, "micro_batch_size: 2\n").facts


def test_a_configuration_with_several_values_states_none(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(SEVERAL, encoding="utf-8")
    assert "tensor_parallel" not in told(tmp_path).facts


def test_a_configuration_beside_several_logs_is_of_none_of_them(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(YAML, encoding="utf-8")
    (tmp_path / "another.log").write_text("step 1\n", encoding="utf-8")
    assert not told(tmp_path).facts
    (tmp_path / "run.json").write_text('{"case": {}, "status": "done"}', encoding="utf-8")
    assert told(tmp_path).facts["tensor_parallel"].value == 4


KEY = "9f2c71d0be8a45" + "63e1f7a8c2d94b0e5f716a2c3d"  # made up
LOG = "\n".join(
    f" iteration {step}/ 90 | consumed samples: {64 * step} | elapsed time per iteration (ms): 812.5 | lm loss: 6.9 |"
    for step in (10, 20, 30)
)


def training(folder: Path, *names: str) -> Path:
    """A folder with a log and these configurations."""
    folder.mkdir()
    (folder / "train.log").write_text(f"{LOG}\n", encoding="utf-8")
    for name in names:
        (folder / name).write_text(f"{YAML}save_dir: /home/jdoerner/runs\nwandb_api_key: {KEY}\n")
    return folder


def kept(into: Path) -> Path:
    """The only log that was ingested."""
    (log,) = into.rglob("train.log")
    return log


@pytest.mark.parametrize("is_named", [True, False])
def test_facts_of_a_configuration_survive_ingesting(tmp_path: Path, is_named: bool) -> None:
    source = training(tmp_path / "source", "config.yaml")
    logs(tmp_path / "suite", source / "train.log" if is_named else source)
    fact = survey(kept(tmp_path / "suite")).facts["tensor_parallel"]
    assert (fact.value, str(fact.source)) == (4, "config.yaml, line 5")


def test_a_configuration_in_an_archive_is_ingested_with_its_log(tmp_path: Path) -> None:
    source = training(tmp_path / "source", "config.yaml", "hparams.yaml")
    with tarfile.open(tmp_path / "runs.tar.gz", "w:gz") as archive:
        archive.add(source, "source")
    logs(tmp_path / "suite", tmp_path / "runs.tar.gz")
    assert {path.name for path in kept(tmp_path / "suite").parent.iterdir()} == {
        "train.log",
        "run.json",
        "config.yaml",
        "hparams.yaml",
    }


def test_a_configuration_that_may_be_of_another_log_is_not_ingested(tmp_path: Path) -> None:
    source = training(tmp_path / "source", "config.yaml")
    (source / "other.log").write_text("text\n", encoding="utf-8")
    logs(tmp_path / "suite", source)
    assert not [*(tmp_path / "suite").rglob("config.yaml")]


def test_a_configuration_that_is_too_large_or_a_link_is_not_ingested(tmp_path: Path) -> None:
    source = training(tmp_path / "source", "config.yaml")
    (source / "config.yaml").write_text(YAML + "x" * LARGEST)
    (source / "args.json").symlink_to(tmp_path / "secret.json")
    (tmp_path / "secret.json").write_text("{}")
    logs(tmp_path / "suite", source)
    assert {path.name for path in kept(tmp_path / "suite").parent.iterdir()} == {"train.log", "run.json"}


def test_a_configuration_is_scrubbed_like_its_log(tmp_path: Path) -> None:
    source = training(tmp_path / "source", "config.yaml")
    done = run("scrub", source / "train.log", "--out", tmp_path / "public")
    assert done.returncode == 0, done.stderr
    log = tmp_path / "public" / "train.log"
    text = log.with_name("config.yaml").read_text()
    assert "jdoerner" not in text and KEY not in text
    assert survey(log).facts["tensor_parallel"].value == 4


def test_a_page_does_not_follow_a_configuration_out_of_the_folder_of_logs(tmp_path: Path) -> None:
    source = training(tmp_path / "source")
    (tmp_path / "secret.yaml").write_text(YAML)
    (source / "config.yaml").symlink_to(tmp_path / "secret.yaml")
    assert leading_out(files_of_run(source / "train.log"), source) == source / "config.yaml"

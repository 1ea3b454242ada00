"""Facts come with their source; sources that contradict each other are reported, never silently resolved."""

import json
from pathlib import Path

import numpy as np
import pytest

from parsers.io.errors import LogError
from parsers.runs.facts import Fact, Facts, name_facts
from parsers.runs.provenance import FILE_NAME, PAGE, line
from parsers.runs.reading import Reading, read, survey
from parsers.runs.runfile import FROM_RUN_FILE
from report.measure.diagnostics import Code
from report.results.measured_log import measured_log
from tests.commandline import run
from tests.parsers.run_folders import make_run, put_gpu
from tests.parsers.toy_logs import step, write

CARDS = b"Num GPUs 2\n"
NAMES: dict[str, dict[str, object]] = {
    "PaddleClas_Toy_Net-1_bs64_fp32_DP_N4C32_log": {
        "framework": "PaddleClas",
        "model": "Toy_Net-1",
        "batch_size": 64,
        "precision": "fp32",
        "nodes": 4,
        "cards": 32,
    },
    "4n8g/rn50_b128_fp16_3.log": {
        "nodes": 4,
        "cards_per_node": 8,
        "model": "rn50",
        "batch_size": 128,
        "precision": "fp16",
        "repeat": 3,
    },
    "pytorch_gpu8_amp_bs256.txt": {"framework": "PyTorch", "cards": 8, "precision": "amp", "batch_size": 256},
    "Toy_FP32_BS4-N8.log": {"model": "Toy", "precision": "fp32", "batch_size": 4, "cards": 8},
    "toy_c8_fp16.log.gz": {"model": "toy", "cards": 8, "precision": "fp16"},
    "train.log": {},
    "caf\udce9.log": {},  # no UTF-8
}


def with_run(folder: Path, run: object) -> Reading:
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    return read(write(folder, step(1), CARDS))


@pytest.mark.parametrize(("name", "facts"), NAMES.items(), ids=NAMES)
def test_a_file_name_says_what_its_pattern_says(name: str, facts: dict[str, object]) -> None:
    assert {fact.name: fact.value for fact in name_facts(Path("logs") / name)} == facts


FLOAT32, BF16 = b"Overriding: dtype = float32\n", b"  params_dtype ...... torch.bfloat16\n"
ARGUMENTS = b"['DataLoader.Train.sampler.batch_size=48', 'DataLoader.Eval.sampler.batch_size=7']"
NANOGPT = b"iter 0: loss 1.5, time 250.00ms, mfu -100.00%\n"
FP8 = b"  fp8 .......... hybrid\n"
ON_TF32 = Fact("precision", "tf32", FROM_RUN_FILE)
# Lines, the name of the log, its format, what is known besides, and the fact that is believed without a warning.
BELIEVED: dict[str, tuple[list[bytes], str, str | None, list[Fact], Fact]] = {
    "a line": ([step(1), CARDS], "train.log", None, [], Fact("cards", 2, line(2))),
    "the first line": ([CARDS, step(1), CARDS], "train.log", None, [], Fact("cards", 2, line(1))),
    "a file name": ([step(1)], "toy_c8_fp16.log", None, [], Fact("cards", 8, FILE_NAME)),
    "many digits": ([step(1), b"Num GPUs %s\n" % (b"9" * 5000)], "a.log", None, [], Fact("cards", "9" * 5000, line(2))),
    "eight bits before sixteen": ([BF16, FP8], "a.log", "megatron_lm", [], Fact("precision", "fp8", line(2))),
    "sixteen bits before eight": ([FP8, BF16], "a.log", "megatron_lm", [], Fact("precision", "fp8", line(1))),
    "TF32 in float32": ([FLOAT32, NANOGPT], "a.log", "nanogpt", [ON_TF32], ON_TF32),
    "the batch of an evaluation": (
        [b"training_script_args: %s\n" % ARGUMENTS],
        "a.log",
        "paddleclas",
        [],
        Fact("batch_size", 48, line(1)),
    ),
    "thousands": (
        [b"  Total train batch size (w. parallel, distributed & accumulation) = 1,024\n"],
        "a.log",
        "hf_trainer",
        [],
        Fact("job_batch_size", 1024, line(1)),
    ),
}


@pytest.mark.parametrize(("lines", "name", "format", "known", "fact"), BELIEVED.values(), ids=BELIEVED)
def test_a_fact_has_its_source(
    tmp_path: Path, lines: list[bytes], name: str, format: str | None, known: list[Fact], fact: Fact
) -> None:
    reading = read(write(tmp_path, *lines, name=name), format=format, facts=known)
    assert (reading.facts[fact.name], reading.warnings) == (fact, ())


def test_a_count_of_none_is_no_fact_and_a_file_name_tells_what_lines_contradict_each_other_on(tmp_path: Path) -> None:
    assert "cards" not in read(write(tmp_path, b"Num GPUs 0\n", step(1))).facts
    log = write(tmp_path, CARDS, step(1), b"Num GPUs 4\n", name="toy_c8_fp16.log")
    assert read(log).facts["cards"] == Fact("cards", 8, FILE_NAME)


OTHER_SUM = {"sha256": "0" * 64}
RUN_FILES: dict[str, tuple[dict[str, object], str]] = {
    "a failure": ({"status": "failed", "exit_status": 137}, "137"),
    "another log": ({"status": "done", "log": {"file": "train.log", **OTHER_SUM}}, "SHA-256"),
    "a log beside that of the run": ({"log": {"file": "other.log", **OTHER_SUM}}, ""),
}


@pytest.mark.parametrize(("run", "said"), RUN_FILES.values(), ids=RUN_FILES)
def test_a_run_file_is_a_witness_of_its_log(tmp_path: Path, run: dict[str, object], said: str) -> None:
    reading = with_run(tmp_path, {"case": {"device": "cpu"}, **run})
    assert reading.facts["device"] == Fact("device", "cpu", FROM_RUN_FILE)
    assert (len(reading.warnings), said in "".join(map(str, reading.warnings))) == (bool(said), True)


COUNTS = (
    {"case": {name: count}} for name in ("cards", "nodes", "batch_size") for count in (0, -1, True, 2.0, "2", None)
)


@pytest.mark.parametrize("run", [[], {}, {"case": [1]}, {"case": None}, "text", None, *COUNTS], ids=str)
def test_a_run_file_of_another_shape_or_with_a_count_of_none_is_an_error_that_names_it(
    tmp_path: Path, run: object
) -> None:
    with pytest.raises(LogError, match=r"run\.json: "):
        with_run(tmp_path, run)


FOUR, ON_EIGHT = b"Num GPUs 4\n", "toy_c8_fp16.log"
TF32 = b"Overriding: dtype = tf32\n" + NANOGPT
# Lines, the name of the log, its format, what is known besides, and of each contradiction: the value that is used,
# the two that are told, and their sources.
CONTRADICTED: dict[str, tuple[list[bytes], str, str | None, list[Fact], list[object]]] = {
    "two lines": ([CARDS, step(1), FOUR], "train.log", None, [], [None, "2", "4", "line 1", "line 3"]),
    "a line and the file name": ([CARDS, step(1)], ON_EIGHT, None, [], [2, "2", "8", "line 1", "file name"]),
    "a line and the caller": (
        [CARDS, step(1)],
        "train.log",
        None,
        [Fact("cards", 16, PAGE)],
        [16, "16", "2", "page", "line 1"],
    ),
    "two lines, settled by the caller": (
        [CARDS, step(1), FOUR],
        "train.log",
        None,
        [Fact("cards", 4, PAGE)],
        [4, "4", "2", "page", "line 1"],
    ),
    "the precision of a page": (
        [FP8],
        "train.log",
        "megatron_lm",
        [Fact("precision", "bf16", PAGE)],
        ["bf16", "bf16", "fp8", "page", "line 1"],
    ),
    "the precision of a run": (
        [TF32],
        "train.log",
        "nanogpt",
        [Fact("precision", "fp32", FROM_RUN_FILE)],
        ["fp32", "fp32", "tf32", "run.json", "line 1"],
    ),
}


@pytest.mark.parametrize(("lines", "name", "format", "known", "told"), CONTRADICTED.values(), ids=CONTRADICTED)
def test_of_witnesses_that_contradict_each_other_both_are_named(
    tmp_path: Path, lines: list[bytes], name: str, format: str | None, known: list[Fact], told: list[object]
) -> None:
    reading = read(write(tmp_path, *lines, name=name), format=format, facts=known)
    (warning,) = reading.warnings
    said = [str(warning.values[key]) for key in ("value", "other", "source", "other_source")]
    fact = reading.facts.get(str(warning.values["fact"]))
    assert [fact and fact.value, *said] == told


def facts_of(told: dict[str, int | str]) -> Facts:
    facts = Facts(Fact(name, value, PAGE) for name, value in told.items())
    facts.derive()
    return facts


# What is known, and what follows: no batch size of a card is guessed.
DERIVED: dict[str, tuple[dict[str, int | str], str, int | None]] = {
    "cards from nodes": ({"nodes": 4, "cards_per_node": 8}, "cards", 32),
    "cards of one node": ({"cards_per_node": 8}, "cards", 8),
    "batch of a card": ({"job_batch_size": 448, "cards": 4}, "batch_size", 112),
    "batch of a card of nodes": ({"job_batch_size": 64, "nodes": 2, "cards_per_node": 4}, "batch_size", 8),
    "batch that does not divide": ({"job_batch_size": 450, "cards": 4}, "batch_size", None),
    "no cards": ({"job_batch_size": 448, "cards": 0}, "batch_size", None),
    "cards that are no count": ({"job_batch_size": 448, "cards": "many"}, "batch_size", None),
}


@pytest.mark.parametrize(("told", "name", "value"), DERIVED.values(), ids=DERIVED)
def test_a_fact_follows_from_others_or_not(told: dict[str, int | str], name: str, value: int | None) -> None:
    found = facts_of(told)
    assert (found[name].value if name in found else None) == value


def test_a_fact_that_follows_is_held_against_the_one_that_was_stated() -> None:
    ((believed, other),) = facts_of({"nodes": 4, "cards_per_node": 8, "cards": 16}).contradictions
    assert (believed.value, other.value) == (16, 32)


@pytest.mark.parametrize(
    ("first", "second", "contradict"),
    [("ResNet50", "resnet50", False), ("ResNet50", "ResNet101", True), ("fp16", "bf16", True)],
)
def test_names_in_other_letters_are_no_contradiction(first: str, second: str, contradict: bool) -> None:
    told = [Fact("model", name, line(number)) for number, name in enumerate((first, second), start=1)]
    assert bool(Facts(told).contradictions) is contradict


SECRET = b"what nobody is to publish\n"


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A run folder of a folder to be scrubbed, and a file elsewhere."""
    (tmp_path / "secret").write_bytes(step(1) + SECRET)
    make_run(tmp_path / "logs/case/1", step(1))
    return tmp_path / "logs"


def published(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", ["train.log", "gpu.csv", "clock.csv", "run.json"])
def test_scrub_copies_nothing_from_behind_a_link(name: str, shared: Path, tmp_path: Path) -> None:
    (shared / "case/1" / name).unlink(missing_ok=True)
    (shared / "case/1" / name).symlink_to(tmp_path / "secret")
    done = run("scrub", shared if name != "run.json" else shared / "case/1/train.log", "--out", tmp_path / "public")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is a link that leads out of the folder" in done.stderr
    assert SECRET not in published(tmp_path / "public")


def test_scrub_reads_a_link_that_is_named_itself(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(step(1))
    (tmp_path / "links").mkdir()
    (tmp_path / "links/b.log").symlink_to(tmp_path / "a.log")
    assert run("scrub", tmp_path / "links/b.log", "--out", tmp_path / "public").returncode == 0
    assert (tmp_path / "public/b.log").read_bytes() == step(1)


def test_ingest_takes_no_side_file_from_behind_a_link(shared: Path, tmp_path: Path) -> None:
    gpu = put_gpu(tmp_path / "train.log", "1,0,50,1000,100,1000,1000,50")
    (shared / "case/1/gpu.csv").symlink_to(gpu)
    done = run("ingest", shared / "case/1/train.log", "--into", tmp_path / "suite", "--json")
    left = [one["found"] for one in map(json.loads, done.stdout.splitlines()) if one["status"] == "skipped"]
    assert left == [f"{shared}/case/1/gpu.csv"]
    assert [path.name for path in (tmp_path / "suite").rglob("gpu.csv")] == []
    assert len(list((tmp_path / "suite").rglob("train.log"))) == 1


@pytest.mark.parametrize("name", ["..", "/", "a\0b", ""])
@pytest.mark.parametrize("command", ["show", "scrub"])
def test_a_run_json_that_names_no_file_as_its_log_is_one_sentence(command: str, name: str, tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", step(1)).parent
    (folder / "run.json").write_text(json.dumps({"case": {}, "log": {"file": name}}), encoding="utf-8")
    options = ("--out", tmp_path / "public") if command == "scrub" else ()
    done = run(command, folder, *options)
    assert (done.returncode, done.stderr.count("\n"), "Traceback" in done.stderr) == (2, 1, False)


def test_ingest_puts_no_run_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources/train.log").write_bytes(step(1))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite/sources__train").symlink_to(tmp_path / "elsewhere")
    done = run("ingest", tmp_path / "sources", "--into", tmp_path / "suite")
    assert (done.returncode, done.stderr.count("\n"), "is a link" in done.stderr) == (2, 1, True)
    assert list((tmp_path / "elsewhere").iterdir()) == []


GRAMMAR = r"""
start: step_line | epoch_line

step_line: "[step" step{"1"} "/" steps "] time" TIME "eta" remaining{seconds}
epoch_line: "epoch" epoch{"1"} "/" epochs "left" remaining{minutes}

TIME: /[0-9.]+/

%import .vocabulary (step, steps, epoch, epochs, remaining, seconds, minutes)
%import .vocabulary (NUMBER, INTEGER, BLANK)
%ignore BLANK
"""
PRINTED = GRAMMAR.replace("TIME ", "step_time{seconds, instant} ").replace(
    "remaining, s", "remaining, step_time, instant, s"
)
STEPS = [f"[step {n}/1000] time 0.7{n % 3} eta {(1000 - n) * 0.5}" for n in range(10, 500, 10)]
EPOCHS = [f"epoch {n}/40 left {(40 - n) * 2}" for n in range(1, 15)]


def read_own(folder: Path, lines: list[str], grammar: str = GRAMMAR) -> Reading:
    log, own = folder / "train.log", folder / "own.lark"
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    own.write_text(grammar, encoding="utf-8")
    return survey(log, format=str(own))


@pytest.mark.parametrize("lines", [[*STEPS, *EPOCHS], [*EPOCHS, *STEPS]], ids=["steps first", "epochs first"])
def test_lines_with_remaining_times_in_two_units_are_computed_each_by_its_own(tmp_path: Path, lines: list[str]) -> None:
    records = read_own(tmp_path, lines).records
    assert set(records["step_time"].dropna()) == {0.5}
    assert set(records["duration"].dropna()) == {120.0}
    assert np.isnan(records["duration"][records["record"] == "step"]).all()


@pytest.mark.parametrize(("grammar", "is_told"), [(GRAMMAR, True), (PRINTED, False)], ids=["predicted", "printed"])
def test_a_throughput_is_called_an_estimate_of_the_program_only_if_it_is_predicted(
    tmp_path: Path, grammar: str, is_told: bool
) -> None:
    found = measured_log(read_own(tmp_path, STEPS, grammar).path, format=str(tmp_path / "own.lark"))
    assert (Code.EXPECTED in {one.code for one in found.diagnostics}) == is_told

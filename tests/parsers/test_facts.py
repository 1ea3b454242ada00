"""Facts come with their witness; witnesses that contradict each other are reported, never silently resolved."""

import json
from pathlib import Path

import pytest

from parsers.io.errors import LogError
from parsers.runs.facts import Fact, Facts, name_facts
from parsers.runs.provenance import FILE_NAME, PAGE, line
from parsers.runs.reading import Reading, read
from parsers.runs.runfile import FROM_RUN_FILE
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
}


def with_run(folder: Path, run: object) -> Reading:
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    return read(write(folder, step(1), CARDS))


@pytest.mark.parametrize(("name", "facts"), NAMES.items(), ids=NAMES)
def test_a_file_name_says_what_its_pattern_says(name: str, facts: dict[str, object]) -> None:
    assert {fact.name: fact.value for fact in name_facts(Path("logs") / name)} == facts


def test_a_file_name_is_the_witness_of_its_facts() -> None:
    assert {str(fact.source) for fact in name_facts(Path("toy_c8_fp16.log"))} == {"file name"}


def test_a_file_name_that_is_no_utf_8_says_nothing() -> None:
    assert list(name_facts(Path("caf\udce9.log"))) == []


def test_a_line_is_the_witness_of_its_fact(tmp_path: Path) -> None:
    assert read(write(tmp_path, step(1), CARDS)).facts["cards"] == Fact("cards", 2, line(2))


def test_a_fact_stated_twice_comes_from_its_first_line(tmp_path: Path) -> None:
    assert read(write(tmp_path, CARDS, step(1), CARDS)).facts["cards"].source == line(1)


def test_a_count_of_none_is_not_reported(tmp_path: Path) -> None:
    assert "cards" not in read(write(tmp_path, b"Num GPUs 0\n", step(1))).facts


def test_a_file_name_tells_what_lines_contradict_each_other_on(tmp_path: Path) -> None:
    log = write(tmp_path, CARDS, step(1), b"Num GPUs 4\n", name="toy_c8_fp16.log")
    assert read(log).facts["cards"] == Fact("cards", 8, FILE_NAME)


def test_the_batch_size_is_that_of_the_training_when_the_evaluation_has_one_after_it(tmp_path: Path) -> None:
    said = b"training_script_args: ['DataLoader.Train.sampler.batch_size=48', 'DataLoader.Eval.sampler.batch_size=7']\n"
    assert read(write(tmp_path, said), format="paddleclas").facts["batch_size"].value == 48


@pytest.mark.parametrize("said", [0, -1, True, 2.0, "2", None])
@pytest.mark.parametrize("name", ["cards", "nodes", "batch_size"])
def test_a_run_file_whose_count_is_none_is_an_error_that_names_it(tmp_path: Path, name: str, said: object) -> None:
    with pytest.raises(LogError, match=rf"run\.json: {name} is .*; expected a whole number of at least 1\.$"):
        with_run(tmp_path, {"case": {name: said}})


def test_a_run_that_failed_is_a_warning(tmp_path: Path) -> None:
    reading = with_run(tmp_path, {"case": {}, "status": "failed", "exit_status": 137})
    (warning,) = reading.warnings
    assert "137" in str(warning)


def test_a_log_that_is_not_the_one_of_its_run_file_is_a_warning(tmp_path: Path) -> None:
    reading = with_run(tmp_path, {"case": {}, "status": "done", "log": {"file": "train.log", "sha256": "0" * 64}})
    (warning,) = reading.warnings
    assert "SHA-256" in str(warning)


def test_a_log_beside_the_one_of_the_run_file_is_not_spoken_of(tmp_path: Path) -> None:
    assert with_run(tmp_path, {"case": {}, "log": {"file": "other.log", "sha256": "0" * 64}}).warnings == ()


FOUR, ON_EIGHT, FP8 = b"Num GPUs 4\n", "toy_c8_fp16.log", b"  fp8 .......... hybrid\n"
TF32 = b"Overriding: dtype = tf32\niter 0: loss 1.5, time 250.00ms, mfu -100.00%\n"
# Lines, the name of the log, its format, what is known besides, and of each contradiction: the value that is used,
# the two that are told, and their witnesses.
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
    said = [str(warning.values[key]) for key in ("value", "other", "witness", "denier")]
    fact = reading.facts.get(str(warning.values["fact"]))
    assert [fact and fact.value, *said] == told


def test_a_run_file_beside_a_log_is_a_witness(tmp_path: Path) -> None:
    assert with_run(tmp_path, {"case": {"device": "cpu"}}).facts["device"] == Fact("device", "cpu", FROM_RUN_FILE)


@pytest.mark.parametrize("run", [[], {}, {"case": [1]}, {"case": None}, "text", None])
def test_a_run_file_of_another_shape_is_an_error_that_names_it(tmp_path: Path, run: object) -> None:
    with pytest.raises(LogError, match=r"run\.json: "):
        with_run(tmp_path, run)


DERIVED = {
    "cards from nodes": ({"nodes": 4, "cards_per_node": 8}, "cards", 32),
    "cards of one node": ({"cards_per_node": 8}, "cards", 8),
    "batch of a card": ({"job_batch_size": 448, "cards": 4}, "batch_size", 112),
    "batch of a card of nodes": ({"job_batch_size": 64, "nodes": 2, "cards_per_node": 4}, "batch_size", 8),
}
NOT_DERIVED = {
    "batch that does not divide": {"job_batch_size": 450, "cards": 4},
    "no cards": {"job_batch_size": 448, "cards": 0},
    "cards that are no count": {"job_batch_size": 448, "cards": "many"},
}


def facts_of(told: dict[str, int | str]) -> Facts:
    facts = Facts(Fact(name, value, PAGE) for name, value in told.items())
    facts.derive()
    return facts


@pytest.mark.parametrize(("told", "name", "value"), DERIVED.values(), ids=DERIVED)
def test_a_fact_follows_from_others(told: dict[str, int | str], name: str, value: int) -> None:
    assert facts_of(told)[name].value == value


@pytest.mark.parametrize("told", NOT_DERIVED.values(), ids=NOT_DERIVED)
def test_a_batch_size_of_a_card_is_not_guessed(told: dict[str, int | str]) -> None:
    assert "batch_size" not in facts_of(told)


def test_a_fact_that_follows_is_held_against_the_one_that_was_stated() -> None:
    ((believed, other),) = facts_of({"nodes": 4, "cards_per_node": 8, "cards": 16}).contradictions
    assert (believed.value, other.value) == (16, 32)


@pytest.mark.parametrize("digits", [b"9" * 30, b"9" * 5000])
def test_a_count_of_absurdly_many_digits_is_kept_as_text(tmp_path: Path, digits: bytes) -> None:
    assert read(write(tmp_path, step(1), b"Num GPUs " + digits + b"\n")).facts["cards"].value == digits.decode()


@pytest.mark.parametrize("lines", [(b"params_dtype", b"fp8"), (b"fp8", b"params_dtype")])
def test_a_training_in_eight_bits_is_not_contradicted_by_parameters_in_sixteen(
    tmp_path: Path, lines: tuple[bytes, bytes]
) -> None:
    said = {
        b"params_dtype": b"  params_dtype ...... torch.bfloat16\n",
        b"fp8": b"  fp8 .......... hybrid\n",
    }
    reading = read(write(tmp_path, *(said[name] for name in lines)), format="megatron_lm")
    assert (reading.facts["precision"].value, reading.warnings) == ("fp8", ())


def test_a_run_in_tf32_is_not_contradicted_by_a_log_that_says_float32(tmp_path: Path) -> None:
    log = write(tmp_path, b"Overriding: dtype = float32\niter 0: loss 1.5, time 250.00ms, mfu -100.00%\n")
    reading = read(log, format="nanogpt", facts=[Fact("precision", "tf32", FROM_RUN_FILE)])
    assert (reading.facts["precision"].value, reading.warnings) == ("tf32", ())


def test_a_count_may_have_thousands_separators(tmp_path: Path) -> None:
    said = b"  Total train batch size (w. parallel, distributed & accumulation) = 1,024\n"
    assert read(write(tmp_path, said), format="hf_trainer").facts["job_batch_size"].value == 1024


@pytest.mark.parametrize(
    ("first", "second", "contradict"),
    [("ResNet50", "resnet50", False), ("ResNet50", "ResNet101", True), ("fp16", "bf16", True)],
)
def test_names_in_other_letters_are_no_contradiction(first: str, second: str, contradict: bool) -> None:
    told = [Fact("model", name, line(number)) for number, name in enumerate((first, second), start=1)]
    assert bool(Facts(told).contradictions) is contradict

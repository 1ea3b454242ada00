"""What programs print that is easily taken for something else, and which format claims a line."""

from pathlib import Path

import pytest

from parsers.io.errors import GrammarError
from parsers.runs.reading import Reading, read, survey
from parsers.scanning.detection import VARIABLE, formats
from tests.commandline import run
from tests.parsers.golden_logs import GOLDEN
from tests.parsers.toy_logs import FORMAT, OTHER_NOISE, step, steps, write, write_grammar

TITAN = "[titan] 2031-02-03 04:05:01,002 - root - INFO - "
NCCL = "I0203 04:05:01.123456  1234 nccl_context.cc:83] init nccl context nranks: 8 local rank: 0 gpu id: 0 ring id: 0"


@pytest.mark.parametrize(
    ("golden", "line", "cards"),
    [
        ("torchtitan/new.log", f"{TITAN}Building 1-D device mesh with ['dp_shard'], [8]", 8),
        ("torchtitan/new.log", f"{TITAN}Building 2-D device mesh with ['dp_shard', 'tp'], [8, 4]", 32),
        (
            "torchtitan/new.log",
            f"{TITAN}Building device mesh with parallelism: pp=2, dp_replicate=1, dp_shard=4, cp=1, tp=2, ep=1, etp=1",
            16,
        ),
        ("paddleclas/amp_o2.log", NCCL, 8),
        ("paddleocr/first_release.log", NCCL, 8),
    ],
)
def test_a_line_says_how_many_cards_train(tmp_path: Path, golden: str, line: str, cards: int) -> None:
    log = tmp_path / "a.log"
    log.write_text(f"{line}\n{(GOLDEN / golden).read_text(encoding='utf-8')}", encoding="utf-8")
    assert read(log).facts["cards"].value == cards


PADDLECLAS = (
    "[2031/07/02 09:01:{at}0] ppcls INFO: [Train][Epoch 1/3][Iter: {at}0/60]lr: 0.01, CELoss: 6.5, loss: 6.5, "
    "batch_cost: 0.25000s, reader_cost: 0.00210, ips: 128.0 {unit}, eta: 0:01:10\n"
)
MINDFORMERS = (
    "2031-04-08 15:34:1{at},308 - mindformers[callback.py:314] - INFO - {{ Epoch:[  1/  2], step:[    {at}/   19], "
    "loss: 10.500, per_step_time: {took}ms, overflow cond: False, loss_scale: 65536.0\n"
)


def of_text(tmp_path: Path, text: str) -> Reading:
    log = tmp_path / "train.log"
    log.write_text(text, encoding="utf-8")
    return survey(log)


@pytest.mark.parametrize(("unit", "kind"), [("images/sec", "running_mean"), ("samples/s", "window_mean")])
def test_paddleclas_says_images_of_the_mean_of_the_epoch_and_samples_of_that_of_a_window(
    unit: str, kind: str, tmp_path: Path
) -> None:
    found = of_text(tmp_path, "".join(PADDLECLAS.format(at=at, unit=unit) for at in range(1, 4)))
    assert found.fields["step", "throughput"].kind == kind


def test_the_world_size_of_a_process_that_drives_all_cards_is_not_their_number(tmp_path: Path) -> None:
    text = (GOLDEN / "basicsr" / "one_process.log").read_text(encoding="utf-8")
    assert of_text(tmp_path, text).facts["cards"].value == 3
    assert "cards" not in of_text(tmp_path, text.replace("num_gpu: 3\n", "num_gpu: auto\n")).facts


def test_an_epoch_of_few_whole_seconds_has_no_duration(tmp_path: Path) -> None:
    records = of_text(tmp_path, "End of epoch 1 / 9 \t Time Taken: 9 sec\n" * 4).records
    assert records["duration"].isna().all()


def test_a_time_that_is_cut_to_a_few_whole_milliseconds_is_not_read(tmp_path: Path) -> None:
    found = of_text(
        tmp_path, "".join(MINDFORMERS.format(at=at, took=took) for at, took in enumerate((5000, 320, 99), 1))
    )
    assert found.records["step_time"].dropna().tolist() == [5000, 320]


def test_the_throughput_of_one_process_of_colossalai_is_not_read_without_how_many_there_are(tmp_path: Path) -> None:
    text = (GOLDEN / "colossalai" / "benchmark.log").read_text(encoding="utf-8")
    assert of_text(tmp_path, text).records["throughput"].tolist() == [31.99999999999]
    assert of_text(tmp_path, text.splitlines(keepends=True)[-1] * 4).format is None


def test_timm_names_its_precision_with_that_of_torch(tmp_path: Path) -> None:
    step = (
        "Train: 0 [   0/9 ( 11%)]  Loss: 6.9 (6.9)  Time: 2.0s,  9.0/s  (2.0s,  9.0/s)  LR: 1.0e-06  Data: 1.0 (1.0)\n"
    )
    found = of_text(tmp_path, "AMP not enabled. Training in torch.bfloat16.\n" + step)
    assert found.facts["precision"].value == "bf16"


# What programs without a grammar print and others do, too; the numbers are made up.
UNCLAIMED = {
    "a trainer of reinforcement learning that saves a model": [
        b"(TaskRunner pid=4711) step:1 - actor/loss:0.125 - perf/throughput:811.25 - timing_s/step:20.5\n",
        b"(WorkerDict pid=4712) Saving model to /toy/global_step_1/actor/model_world_size_8_rank_0.pt\n",
        b"Saving model to /toy/global_step_1/huggingface\n",
    ],
    "a small trainer that tells how long it took": [
        b"step 00010/00100 (10.00%) | loss: 9.125 | dt: 250.25ms | tok/sec: 2,100,000 | mfu: 41.25\n",
        b"Training time: 0:20:05\n",
        b"Training time 0:20:05\n",
    ],
    "a fine-tuning on questions": [
        b"01/02/2035 10:00:00 - INFO - __main__ -   ***** Running training *****\n",
        b"01/02/2035 10:00:00 - INFO - __main__ -     Num split examples = 4096\n",
        b"01/02/2035 10:05:00 - INFO - __main__ -   Saving model checkpoint to /toy\n",
        b"***** Running training *****\n",
    ],
}


@pytest.mark.parametrize("lines", UNCLAIMED.values(), ids=UNCLAIMED)
def test_events_that_many_programs_print_make_no_format(tmp_path: Path, lines: list[bytes]) -> None:
    found = survey(write(tmp_path, *lines))
    assert (found.format, found.account.matched, found.account.unmatched) == (None, 0, len(lines))


STEP = (
    b"DLL 2035-06-07 10:00:1%d.5 - Epoch: 0 Iteration: %d  train.loss : 6.5 None train.total_ips : 3832.25 images/s\n"
)
OTHERS = {
    "an evaluation": b"DLL 2035-06-07 10:00:20.5 - Epoch: 0 Iteration: 3  val.total_ips : 9831.25 images/s : :\n",
    "its mean": b"DLL 2035-06-07 10:00:20.5 - Epoch: 0  val.top1 : 6.75 val.compute_ips : 9931.25 : images/s\n",
    "a cut metric line": STEP[:90] % (1, 2) + b"\n",
    "computing alone": b"DLL 2035-06-07 10:00:20.5 - Epoch: 0 Iteration: 2 train.compute_ips : 3932.25 : img/s\n",
}


@pytest.mark.parametrize("line", OTHERS.values(), ids=OTHERS)
def test_a_cut_metric_line_is_broken_but_no_whole_line_that_tells_of_something_else(
    tmp_path: Path, line: bytes
) -> None:
    found = survey(write(tmp_path, STEP % (0, 1), line, STEP % (1, 2)))
    assert (found.account.unmatched, len(found.records)) == (1, 2)
    assert found.unmatched.broken == (line == OTHERS["a cut metric line"])


TOYS = [b"toy %d speed 2.5\n" % number for number in range(1, 4)]


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the user's own formats, with one in it."""
    folder = tmp_path / "own"
    folder.mkdir()
    write_grammar(folder, "toy")
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


def names(log: Path) -> list[str]:
    return [part.format.name for part in read(log).parts if part.format]


def test_a_format_of_the_users_own_takes_the_place_of_ours(own: Path) -> None:
    write_grammar(own, FORMAT)
    assert [fmt.path.parent for fmt in formats() if fmt.name == FORMAT] == [own]


@pytest.mark.parametrize("format", ["toy", FORMAT])
def test_a_format_that_is_named_is_read_beside_one_with_a_mistake(own: Path, tmp_path: Path, format: str) -> None:
    (own / "bad.lark").write_text("start: line\n", encoding="utf-8")
    log = write(tmp_path, *TOYS, *steps(3))
    assert len(read(log, format=format).records) == 3
    with pytest.raises(GrammarError, match=r"^bad\.lark: "):
        read(log)


def test_the_formats_are_listed_beside_one_with_a_mistake(own: Path) -> None:
    (own / "bad.lark").write_text("start: line\n", encoding="utf-8")
    (own / "odd.lark").write_bytes(b"\xff")
    listed = run("formats")
    assert (listed.returncode, "Toy format" in listed.stdout) == (2, True)
    assert listed.stderr.splitlines()[1] == "Error: odd.lark: is not UTF-8 text."


@pytest.mark.parametrize("before", [[step(0)], steps(60_000)], ids=["short", "a long beginning of the first"])
def test_the_lines_of_two_formats_are_both_read_with_their_physical_numbers(
    tmp_path: Path, before: list[bytes]
) -> None:
    reading = read(write(tmp_path, *before, TOYS[0], OTHER_NOISE, step(1), TOYS[1], step(2)))
    lines = {part.format.name: part.records["line"].tolist() for part in reading.parts if part.format}
    count = len(before)
    assert lines == {FORMAT: [*range(1, count + 1), count + 3, count + 5], "toy": [count + 1, count + 4]}


def test_a_format_that_is_asked_for_is_the_only_one(tmp_path: Path) -> None:
    reading = survey(write(tmp_path, *TOYS, *steps(2)), format=FORMAT)
    assert (len(reading.parts), reading.account.unmatched) == (1, 3)


def test_a_line_that_two_formats_match_is_that_of_the_one_with_more_fixed_text(own: Path, tmp_path: Path) -> None:
    special = (own / "toy.lark").read_text(encoding="utf-8").replace('"speed"', '"speed" throughput_of')
    special = special.replace(
        "\n\n%import", '\n\nthroughput_of: "of all"?\n\n%import'
    )  # the same line, and a word that it may have
    (own / "special.lark").write_text(special.replace("throughput_of:", "_of:").replace("throughput_of", "_of"))
    write_grammar(own, "more", word="toy 1")
    assert names(write(tmp_path, b"toy 1 2 speed 2.5\n"))[0] == "more"


def test_what_stands_in_a_torn_line_beside_one_format_is_read_by_the_other(tmp_path: Path) -> None:
    torn = step(1).rstrip(b"\n") + b" | " + TOYS[1]
    reading = read(write(tmp_path, step(0), TOYS[0], torn, step(2), TOYS[2]))
    assert {part.format.name: len(part.records) for part in reading.parts if part.format} == {FORMAT: 3, "toy": 3}

"""Facts come with their source and follow from others; contradictions are reported, never silently resolved."""

import json
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.io.errors import LogError
from parsers.runs.facts import (
    BATCH,
    CARDS,
    FIRST_USED,
    NEITHER_USED,
    SHARING,
    Fact,
    Facts,
    cards_of_replica,
    follows,
    name_facts,
)
from parsers.runs.provenance import FILE_NAME, PAGE, line
from parsers.runs.reading import Reading, read, survey
from parsers.runs.runfile import FROM_RUN_FILE
from parsers.scanning.detection import common
from report.measure.diagnostics import Code
from report.results.measured_log import measured_log
from tests.parsers.golden_logs import LOGS, name
from tests.parsers.judging import agree
from tests.parsers.toy_logs import step, write

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
    "llama_tp1-pp2-cp1-gbs512-mbs1/train.log": {
        **dict(zip(SHARING, (1, 2, 1), strict=True)),
        "micro_batch_size": 1,
        "job_batch_size": 512,
    },
    "TP8_PP4_MBS1_GBS1024.out": {
        "tensor_parallel": 8,
        "pipeline_parallel": 4,
        "micro_batch_size": 1,
        "job_batch_size": 1024,
    },
    "gpt_tp2pp4.log": {"tensor_parallel": 2, "pipeline_parallel": 4},
    "toy_gpus64_tp1_pp2_cp1_vpNone_ep1_etp1_mbs1_gbs512_0.out": {
        "cards": 64,
        **dict(zip(SHARING, (1, 2, 1), strict=True)),
        "expert_parallel": 1,
        "micro_batch_size": 1,
        "job_batch_size": 512,
    },
    "http2pp4.log": {},
    "tp2.log": {},
}


@pytest.mark.parametrize(("name", "facts"), NAMES.items(), ids=NAMES)
def test_a_file_name_says_what_its_pattern_says(name: str, facts: dict[str, object]) -> None:
    assert {fact.name: fact.value for fact in name_facts(Path("logs") / name)} == facts


# What any program may print, and all facts that follow from that line alone.
LINES: dict[str, dict[str, object]] = {
    "world_size: 8": {"cards": 8},
    "Namespace(lr=0.1, micro_batch_size=4, global_batch_size=128, x='y')": {
        "micro_batch_size": 4,
        "batch_size": 4,
        "job_batch_size": 128,
    },
    "  global_batch_size ............................... 256": {"job_batch_size": 256},
    "python -m torch.distributed.run --nproc_per_node=8 --nnodes 2": {
        "cards_per_node": 8,
        "nodes": 2,
        "cards": 16,
    },
    '  "train_micro_batch_size_per_gpu": 4,': {"micro_batch_size": 4, "batch_size": 4},
    "'--micro-batch-size', '1', '--x'": {"micro_batch_size": 1, "batch_size": 1},
    "export WORLD_SIZE=16": {"cards": 16},
    "gradient_accumulation_steps: 32": {"accumulation": 32},
    "accumulate_grad_batches: 4": {"accumulation": 4},
    "Namespace(batch=8, accum_iter=4)": {"accumulation": 4},
    "Gradient Accumulation steps = 4": {"accumulation": 4},
    "iters_to_accumulate = 4": {"accumulation": 4},
    "--grad-accum 4 --amp": {"accumulation": 4},
    "grad_acc_steps: 4": {"accumulation": 4},
    "{'update_freq': 4}": {"accumulation": 4},
    "backward_passes_per_step=4": {"accumulation": 4},
    "per_device_train_batch_size=8,": {"batch_size": 8},
    "[20350607 10:00:01][rank-1/8][INFO] [trainer.py:7] : begin": {"cards": 8},
    "[rank-0/16] global_batch_size: 64": {"job_batch_size": 64, "cards": 16, "batch_size": 4},
    "  tensor_model_parallel_size ...................... 4": {"tensor_parallel": 4},
    "arguments parallelism.pipeline_parallel_degree...... 2": {"pipeline_parallel": 2},
    '  "expert_model_parallel_size": 8,': {"expert_parallel": 8},
    "context_parallel_size: 2": {"context_parallel": 2},
    "'data_parallel_degree': 3,": {"data_parallel": 3},
    "virtual_pipeline_model_parallel_size ............ 5": {"virtual_pipeline": 5},
    "num_hidden_layers=30,": {"layers": 30},
    '  "vocab_size": 32000,': {"vocabulary_size": 32000},
    "hidden_size ..................................... 4096": {"hidden_size": 4096},
    "num_attention_heads: 32": {"attention_heads": 32},
    "recompute_granularity ........................... selective": {"recompute": "selective"},
    "attention_backend ............................... AttnBackend.flash": {"attention": "flash"},
    '_attn_implementation: "flash_attention_2",': {"attention": "flash_attention_2"},
    "  optimizer ....................................... adam": {"optimizer": "adam"},
    "virtual_pipeline_model_parallel_size ............ None": {},
    "recompute_granularity ........................... None": {},
    "encoder_tensor_model_parallel_size .............. 3": {},
    "num_layers_per_virtual_pipeline_stage ........... 2": {},
    "optimizer = dict(type='SGD', lr=0.02)": {},
    "timestep_size: 3": {},
    "tp_size: auto": {},
    "world_size: auto": {},
    "# $ torchrun --standalone --nproc_per_node=8 train.py": {},
    "  # --nnodes=2 for two of them": {},
    "my_global_batch_size_x 4.5": {},
    "batch_size: 32": {},
    "micro_batch_size=None": {},
    "nodes: 2": {},
    "accumulated: 4": {},
    "accumulate 4 of them": {},
    "train_acc_steps 0.25": {},
    "rank-1/8 of the matrix": {},
    "[frank-1/8] text": {},
    "[rank-1] text": {},
}


def told(folder: Path, *lines: str, name: str = "train.log") -> Reading:
    return survey(write(folder, "".join(f"{line}\n" for line in lines).encode(), name=name))


def values(reading: Reading) -> dict[str, Any]:
    return {name: fact.value for name, fact in reading.facts.items()}


@pytest.mark.parametrize(("line", "facts"), LINES.items(), ids=LINES)
def test_an_argument_that_means_the_same_everywhere_is_a_fact_and_lark_judges_its_line_so(
    tmp_path: Path, line: str, facts: dict[str, object]
) -> None:
    assert values(told(tmp_path, line)) == facts
    assert agree(common(), line.encode())


WORLD = ("world_size: 8", "global_batch_size: 128")
LAUNCH = "python -m torch.distributed.run --nproc_per_node=8 --nnodes 2"
# Lines of a log, its name, and what is believed: a world of one may be a default, which contradicts nobody.
SAID_BY_MORE: list[tuple[tuple[str, ...], str, str, int | None]] = [
    ((*WORLD, "gradient_accumulation_steps: 4"), "a.log", "batch_size", 4),
    ((*WORLD, "micro_batch_size: 4"), "a.log", "batch_size", 4),
    (("Namespace(lr=0.1, world_size=1, x=2)", LAUNCH), "a.log", "cards", 16),
    (("Namespace(lr=0.1, world_size=1, x=2)", "world_size: 16"), "a.log", "cards", 16),
    (("world_size=1",), "toy_c8_fp16.log", "cards", 8),
    (("world_size=1", "global_batch_size: 4"), "a.log", "batch_size", 4),
    (("world_size: 8", "world_size: 16", "world_size=1"), "a.log", "cards", None),
]


@pytest.mark.parametrize(("lines", "name", "fact", "value"), SAID_BY_MORE)
def test_of_several_lines_the_one_that_says_more_is_believed(
    tmp_path: Path, lines: tuple[str, ...], name: str, fact: str, value: int | None
) -> None:
    found = told(tmp_path, *lines, name=name)
    assert (fact in found.facts and found.facts[fact].value) == (value or False)
    assert (found.warnings == ()) == (value is not None)


CARDS_2, CARDS_4, ON_EIGHT = b"Num GPUs 2\n", b"Num GPUs 4\n", {"name": "toy_c8_fp16.log"}
FLOAT32, BF16 = b"Overriding: dtype = float32\n", b"  params_dtype ...... torch.bfloat16\n"
ARGUMENTS = b"['DataLoader.Train.sampler.batch_size=48', 'DataLoader.Eval.sampler.batch_size=7']"
NANOGPT = b"iter 0: loss 1.5, time 250.00ms, mfu -100.00%\n"
TF32, FP8 = b"Overriding: dtype = tf32\n", b"  fp8 .......... hybrid\n"
MEGATRON, ON_TF32 = {"format": "megatron_lm"}, Fact("precision", "tf32", FROM_RUN_FILE)
# Lines, how their log is read, and the fact that is believed without a warning.
BELIEVED: dict[str, tuple[list[bytes], dict[str, Any], Fact]] = {
    "a line": ([step(1), CARDS_2], {}, Fact("cards", 2, line(2))),
    "the first line": ([CARDS_2, step(1), CARDS_2], {}, Fact("cards", 2, line(1))),
    "a file name": ([step(1)], ON_EIGHT, Fact("cards", 8, FILE_NAME)),
    "many digits": ([step(1), b"Num GPUs %s\n" % (b"9" * 5000)], {}, Fact("cards", "9" * 5000, line(2))),
    "eight bits before sixteen": ([BF16, FP8], MEGATRON, Fact("precision", "fp8", line(2))),
    "sixteen bits before eight": ([FP8, BF16], MEGATRON, Fact("precision", "fp8", line(1))),
    "TF32 in float32": ([FLOAT32, NANOGPT], {"format": "nanogpt", "facts": [ON_TF32]}, ON_TF32),
    "the batch of an evaluation": (
        [b"training_script_args: %s\n" % ARGUMENTS],
        {"format": "paddleclas"},
        Fact("batch_size", 48, line(1)),
    ),
    "thousands": (
        [b"  Total train batch size (w. parallel, distributed & accumulation) = 1,024\n"],
        {"format": "hf_trainer"},
        Fact("job_batch_size", 1024, line(1)),
    ),
}


def read_lines(folder: Path, lines: list[bytes], name: str = "train.log", **how: Any) -> Reading:
    return read(write(folder, *lines, name=name), **how)


@pytest.mark.parametrize(("lines", "how", "fact"), BELIEVED.values(), ids=BELIEVED)
def test_a_fact_has_its_source(tmp_path: Path, lines: list[bytes], how: dict[str, Any], fact: Fact) -> None:
    reading = read_lines(tmp_path, lines, **how)
    assert (reading.facts[fact.name], reading.warnings) == (fact, ())


def test_a_count_of_none_is_no_fact(tmp_path: Path) -> None:
    assert "cards" not in read_lines(tmp_path, [b"Num GPUs 0\n", step(1)]).facts


def test_a_file_name_tells_what_lines_contradict_each_other_on(tmp_path: Path) -> None:
    reading = read_lines(tmp_path, [CARDS_2, step(1), CARDS_4], **ON_EIGHT)
    assert reading.facts["cards"] == Fact("cards", 8, FILE_NAME)


def with_run(folder: Path, run: object) -> Reading:
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    return read(write(folder, step(1), CARDS_2))


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


# Lines, how their log is read, and of a contradiction: the value that is used, the two that are told, their sources.
CONTRADICTED: dict[str, tuple[list[bytes], dict[str, Any], list[object]]] = {
    "two lines": ([CARDS_2, step(1), CARDS_4], {}, [None, "2", "4", "line 1", "line 3"]),
    "a line and the file name": ([CARDS_2, step(1)], ON_EIGHT, [2, "2", "8", "line 1", "file name"]),
    "a line and the caller": (
        [CARDS_2, step(1)],
        {"facts": [Fact("cards", 16, PAGE)]},
        [16, "16", "2", "page", "line 1"],
    ),
    "two lines, settled by the caller": (
        [CARDS_2, step(1), CARDS_4],
        {"facts": [Fact("cards", 4, PAGE)]},
        [4, "4", "2", "page", "line 1"],
    ),
    "a line and what follows from others": (
        [step(1), b"world_size: 24\n", b"nnodes: 2\n", b"nproc_per_node: 8\n"],
        {},
        [24, "24", "16", "line 2", "line 3 and line 4"],
    ),
    "the precision of a page": (
        [FP8],
        {**MEGATRON, "facts": [Fact("precision", "bf16", PAGE)]},
        ["bf16", "bf16", "fp8", "page", "line 1"],
    ),
    "the precision of a run": (
        [TF32, NANOGPT],
        {"format": "nanogpt", "facts": [Fact("precision", "fp32", FROM_RUN_FILE)]},
        ["fp32", "fp32", "tf32", "run.json", "line 1"],
    ),
}


@pytest.mark.parametrize(("lines", "how", "told"), CONTRADICTED.values(), ids=CONTRADICTED)
def test_of_witnesses_that_contradict_each_other_both_are_named(
    tmp_path: Path, lines: list[bytes], how: dict[str, Any], told: list[object]
) -> None:
    reading = read_lines(tmp_path, lines, **how)
    (warning,) = reading.warnings
    said = [str(warning.values[key]) for key in ("value", "other", "source", "other_source")]
    fact = reading.facts.get(str(warning.values["fact"]))
    assert [fact and fact.value, *said] == told


ALL = "tensor_parallel_size: 2\npipeline_parallel_size: 2\ncontext_parallel_size: 1\n"
BATCHES = "micro_batch_size: 4\nworld_size: 16\nglobal_batch_size: 64\n"
# What a log says, and what follows; None where it is not known how cards share a model.
FOLLOWING: dict[str, tuple[str, dict[str, int | None]]] = {
    "no replicas": ("world_size: 16\ntensor_parallel_size: 2\npipeline_parallel_size: 2\n", {"data_parallel": None}),
    **{
        f"no batch of a card: {one}": (f"{BATCHES}{one}\n", {"batch_size": None})
        for one in ("tensor_parallel_size: 2", "pp_size: 4", "context_parallel_size: 8")
    },
    "replicas are the cards divided by those that share a model": (f"world_size: 16\n{ALL}", {"data_parallel": 4}),
    "cards are the product of all that share them": (f"data_parallel_size: 4\n{ALL}", {"cards": 16}),
    "passes are the batch of the job divided by that of all replicas": (
        f"world_size: 16\n{ALL}micro_batch_size: 2\nglobal_batch_size: 64\n",
        {"accumulation": 8},
    ),
    "the batch of the job follows from that of a replica": (
        f"world_size: 16\n{ALL}micro_batch_size: 2\ngradient_accumulation_steps: 4\n",
        {"job_batch_size": 32},
    ),
    "the batch of a replica is that of a card where no cards share it": ("micro_batch_size: 4\n", {"batch_size": 4}),
    "cards of one node": ("nproc_per_node: 8\n", {"cards": 8}),
    "cards of nodes": ("nnodes: 4\nnproc_per_node: 8\n", {"cards": 32}),
    "batch of a card": ("global_batch_size: 448\nworld_size: 4\n", {"batch_size": 112}),
    "batch of a card of nodes": ("global_batch_size: 64\nnnodes: 2\nnproc_per_node: 4\n", {"batch_size": 8}),
    "batch that does not divide": ("global_batch_size: 450\nworld_size: 4\n", {"batch_size": None}),
    "no cards": ("global_batch_size: 448\nworld_size: 0\n", {"batch_size": None}),
    "cards that are no count": (f"global_batch_size: 448\nworld_size: {'9' * 5000}\n", {"batch_size": None}),
    "several arguments in a line": (
        "--tp-size 2 --pp_size=4 --micro-batch-size 1\n",
        {"tensor_parallel": 2, "pipeline_parallel": 4, "micro_batch_size": 1, "batch_size": None},
    ),
    "shapes of several models are those of none": (
        "hidden_size: 768\nhidden_size: 1024\nnum_layers: 12\n",
        {"hidden_size": None, "layers": 12},
    ),
}


@pytest.mark.parametrize(("text", "facts"), FOLLOWING.values(), ids=FOLLOWING)
def test_counts_follow_from_others(tmp_path: Path, text: str, facts: dict[str, int | None]) -> None:
    found = told(tmp_path, text)
    assert {name: values(found).get(name) for name in facts} == facts
    assert found.warnings == ()


# What is planted: arguments that cannot all be true.
PLANTED = {
    "cards of all kinds are more than there are": f"world_size: 8\ndata_parallel_size: 4\n{ALL}",
    "cards of all kinds are fewer than there are": f"world_size: 32\ndata_parallel_size: 4\n{ALL}",
    "batches of replicas do not make that of the job": (
        "micro_batch_size: 2\ndata_parallel_size: 4\ngradient_accumulation_steps: 2\nglobal_batch_size: 32\n"
    ),
    "passes contradict the batches": (
        f"world_size: 16\n{ALL}micro_batch_size: 2\nglobal_batch_size: 64\ngradient_accumulation_steps: 4\n"
    ),
    "nodes contradict the cards": "world_size: 24\nnnodes: 2\nnproc_per_node: 8\n",
    "lines state two numbers of cards for a layer": "tensor_parallel_size: 2\ntp_size: 4\n",
    "lines state two batches of a replica": "micro_batch_size: 2\ntrain_micro_batch_size_per_gpu: 4\n",
}


def contradictions(reading: Reading) -> list[str]:
    """The warnings of a reading that tell of counts that contradict each other."""
    return [str(said) for said in reading.warnings if said.key in (FIRST_USED, NEITHER_USED)]


@pytest.mark.parametrize("text", PLANTED.values(), ids=PLANTED)
def test_counts_that_contradict_each_other_are_told(tmp_path: Path, text: str) -> None:
    assert contradictions(told(tmp_path, text))


# Logs in which the name and the configuration, or the stages of a training, are meant to contradict each other.
MEANT = {
    "paddleseg/Toy_FP32_BS6-N2": ["batch_size is 5 according to line 19, but 6 according to file name; using 5."],
    "basicsr/stages": ["batch_size is 8 according to line 27, but 5 according to line 38; using neither."],
}


@pytest.mark.slow
def test_no_count_of_a_golden_log_is_contradicted() -> None:
    found = {name(log): contradictions(survey(log)) for log in LOGS}
    assert {log: said for log, said in found.items() if said} == MEANT


def test_the_world_size_of_deepspeed_is_that_of_its_replicas_where_cards_share_a_model(tmp_path: Path) -> None:
    head = next(path for path in LOGS if name(path) == "megatron_lm/ranks").read_text(encoding="utf-8")
    line = "[INFO] [config.py:1013:print]   world_size ................... {}\n"
    assert not contradictions(told(tmp_path, head + "\n" + line.format(2)))
    assert contradictions(told(tmp_path, head + "\n" + line.format(4)))


counts = st.integers(1, 64)


@given(st.tuples(counts, counts, counts, counts), st.tuples(counts, counts))
def test_counts_that_fit_follow_from_each_other(cards: tuple[int, ...], batch: tuple[int, int]) -> None:
    known = dict(zip((*SHARING, "data_parallel"), cards, strict=True)) | {"cards": prod(cards)}
    known |= dict(zip(("micro_batch_size", "accumulation"), batch, strict=True))
    known["job_batch_size"] = prod(batch) * known["data_parallel"]
    assert cards_of_replica(known) == prod(cards[:3])
    for missing, (whole, factors) in (("data_parallel", CARDS), ("cards", CARDS), ("accumulation", BATCH)):
        found = follows({key: value for key, value in known.items() if key != missing}, whole, factors)
        assert found is not None and found[:2] == (missing, known[missing])


@pytest.mark.parametrize(
    ("first", "second", "contradict"),
    [("ResNet50", "resnet50", False), ("ResNet50", "ResNet101", True), ("fp16", "bf16", True)],
)
def test_names_in_other_letters_are_no_contradiction(first: str, second: str, contradict: bool) -> None:
    told = [Fact("model", name, line(number)) for number, name in enumerate((first, second), start=1)]
    assert bool(Facts(told).contradictions) is contradict


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

"""How cards share a model is read from arguments and names, follows where it must, and contradictions are told."""

from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.runs.facts import BATCH, CARDS, FIRST_USED, NEITHER_USED, SHARING, cards_of_replica, follows, name_facts
from parsers.runs.reading import Reading, survey
from tests.parsers.golden_logs import LOGS, name

pytestmark = pytest.mark.slow

ARGUMENTS = {
    "  tensor_model_parallel_size ...................... 4": {"tensor_parallel": 4},
    "arguments parallelism.pipeline_parallel_degree...... 2": {"pipeline_parallel": 2},
    "--tp-size 2 --pp_size=4 --micro-batch-size 1": {
        "tensor_parallel": 2,
        "pipeline_parallel": 4,
        "micro_batch_size": 1,
    },
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
}
NAMES: dict[str, dict[str, object]] = {
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
ALL = "tensor_parallel_size: 2\npipeline_parallel_size: 2\ncontext_parallel_size: 1\n"


def told(folder: Path, text: str) -> Reading:
    log = folder / "train.log"
    log.write_text(text, encoding="utf-8")
    return survey(log)


def values(folder: Path, text: str) -> dict[str, Any]:
    return {name: fact.value for name, fact in told(folder, text).facts.items()}


@pytest.mark.parametrize(("line", "facts"), ARGUMENTS.items(), ids=ARGUMENTS)
def test_an_argument_states_how_cards_share_a_model(tmp_path: Path, line: str, facts: dict[str, object]) -> None:
    found = values(tmp_path, f"{line}\n")
    found.pop("batch_size", None)
    assert found == facts


@pytest.mark.parametrize(("name", "facts"), NAMES.items(), ids=NAMES)
def test_a_name_states_how_cards_share_a_model(name: str, facts: dict[str, object]) -> None:
    assert {fact.name: fact.value for fact in name_facts(Path("logs") / name)} == facts


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
}


@pytest.mark.parametrize(("text", "facts"), FOLLOWING.values(), ids=FOLLOWING)
def test_counts_follow_from_others(tmp_path: Path, text: str, facts: dict[str, int | None]) -> None:
    found = values(tmp_path, text)
    assert {name: found.get(name) for name in facts} == facts


def test_shapes_of_several_models_are_those_of_none(tmp_path: Path) -> None:
    found = told(tmp_path, "hidden_size: 768\nhidden_size: 1024\nnum_layers: 12\n")
    assert {name: fact.value for name, fact in found.facts.items()} == {"layers": 12}
    assert not found.warnings


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


def test_no_count_of_a_golden_log_is_contradicted() -> None:
    told = {name(log): contradictions(survey(log)) for log in LOGS}
    assert {log: said for log, said in told.items() if said} == MEANT


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

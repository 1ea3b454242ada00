"""The corpus of real logs, which lies beside the project and never enters it."""

import csv
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("TACHOGRAPH_CORPUS") or ROOT.parent / "shared" / "corpus")
ABSENT = "the corpus of real logs is neither at ../shared/corpus nor at $TACHOGRAPH_CORPUS"

FORMAT_OF = {
    "paddleclas": "paddleclas_static",
    "paddleseg": "paddleseg",
    "mmcv_text": "mmcv",
    "dllogger_stdout_pytorch_resnet": "dllogger_pytorch",
    "dllogger_stdout_tf_resnet": "dllogger_tensorflow",
    "dllogger_stdout_mxnet": "dllogger_mxnet",
    "dllogger_stdout_pytorch_bert": "dllogger_bert_pytorch",
    "dllogger_stdout_tf_bert": "dllogger_bert_tensorflow",
    "dle_transformer_fairseq_style": "transformer_pytorch",
    "mlperf_mllog_mixed_maskrcnn": "maskrcnn_benchmark",
    "tf_cnn_benchmarks": "tf_cnn_benchmarks",
    "gpu_temperature_poll_csv": "lambda_thermal",
    "mlperf_mllog_mixed_torchvision_metriclogger": "torchvision",
    "caffe_time": "caffe_time",
    "torch7_convnet_benchmarks": "torch7",
    "tf_convnet_benchmarks": "tensorflow_convnet",
    "nervana_neon_table": "neon",
}


@dataclass(frozen=True)
class RealLog:
    """One log of the corpus and the family that its index gives it."""

    family: str
    path: Path

    @property
    def format(self) -> str | None:
        """The format that it has, None for a family that no grammar describes."""
        return FORMAT_OF.get(self.family)


def _index() -> Sequence[RealLog]:
    index = CORPUS / "INDEX.csv"
    if not index.is_file():
        return []
    with index.open(encoding="utf-8", newline="") as file:
        return [RealLog(row["family"], CORPUS / row["path"]) for row in csv.DictReader(file)]


def _parameters(logs: Sequence[RealLog]) -> list[Any]:
    if not logs:
        return [pytest.param(None, marks=pytest.mark.skip(reason=ABSENT), id="absent")]
    return [pytest.param(log, id=f"{log.family}-{log.path.name}") for log in logs]


REAL_LOGS = _index()
every_real_log = pytest.mark.parametrize("log", _parameters(REAL_LOGS))
every_known_log = pytest.mark.parametrize("log", _parameters([log for log in REAL_LOGS if log.format]))
every_other_log = pytest.mark.parametrize("log", _parameters([log for log in REAL_LOGS if not log.format]))

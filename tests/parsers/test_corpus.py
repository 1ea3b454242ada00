"""Real logs: every line is accounted for, no metric line is overlooked, no other log is taken for one of ours."""

import re
import subprocess
from collections import Counter

from parsers.detect import formats
from parsers.reading import survey
from tests.parsers.corpus_logs import RealLog, every_known_log, every_other_log, every_real_log
from tests.parsers.judging import kinds, lines_of

# A look at the raw bytes that knows nothing of grammars: what each metric line of a family holds.
SIGNS = {
    "paddleclas": {"step": rb" train step:\d+ ", "epoch": rb" END epoch:"},
    "paddleseg": {"step": rb"\[TRAIN\] epoch"},
    "mmcv_text": {"step": rb" (?:Iter|Epoch) \[.* time: "},
    "dllogger_stdout_pytorch_resnet": {
        "step": rb"Iteration: \d+ .*train\.total_ips",
        "epoch": rb"Epoch: \d+  .*train\.(?:total_ips|data_time)",
        "summary": rb"Summary: .*train\.(?:total_ips|data_time)",
    },
    "dllogger_stdout_tf_resnet": {"step": rb"total_ips :", "summary": rb"train_throughput :"},
    "dllogger_stdout_mxnet": {
        "step": rb"Iteration: \d+ .*train\.ips",
        "epoch": rb"Epoch: \d+  .*train\.ips",
        "summary": rb"Summary: .*train\.ips",
    },
    "dllogger_stdout_pytorch_bert": {
        "step": rb"Training Iteration: \d+ .*(?:average|final)_loss",
        "summary": rb"training_sequences_per_second : ",
    },
    "dllogger_stdout_tf_bert": {
        "step": rb"Iteration: \d+ .*throughput_train : ",
        "summary": rb"-  (?:throughput_train|total_loss) : |Total Training Time|\(sentences/sec\) with overhead",
    },
    "dle_transformer_fairseq_style": {"step": rb"Transformer \| epoch \d+ \| step \d+ .*tokens/s"},
    "mlperf_mllog_mixed_maskrcnn": {"step": rb"eta: .* iter: \d+ .*max mem", "summary": rb"Total training time: "},
    "tf_cnn_benchmarks": {"step": rb"\n\d+\timages/sec: ", "summary": rb"total images/sec: "},
    "gpu_temperature_poll_csv": {"step": rb"(?:^|\n)\d{10}, [\d.]*, "},
    "mlperf_mllog_mixed_torchvision_metriclogger": {
        "step": rb"\nEpoch: \[\d+\]  \[.* time: ",
        "epoch": rb"\nEpoch: \[\d+\] Total time: ",
    },
    "caffe_time": {"step": rb" forward-backward time: ", "summary": rb"\] (?:Average F|Average B|Total Time)"},
    "torch7_convnet_benchmarks": {"summary": rb" :TOTAL:"},
    "tf_convnet_benchmarks": {"step": rb": step \d+, duration = ", "summary": rb": Forward-backward across "},
    "nervana_neon_table": {"summary": rb"\n\| iteration "},
}


def wc(log: RealLog) -> int:
    counted = subprocess.run(["wc", "-l", log.path], capture_output=True, check=True)
    return int(counted.stdout.split()[0])


@every_real_log
def test_the_account_of_a_real_log_adds_up_to_what_wc_counts(log: RealLog) -> None:
    account = survey(log.path).account
    cut = not log.path.read_bytes().endswith(b"\n")
    assert account.matched + account.ignored + account.unrecognised == account.total == wc(log) + cut


@every_known_log
def test_a_real_log_has_the_format_of_its_family(log: RealLog) -> None:
    found = survey(log.path).format
    assert found is not None
    assert found.name == log.format


@every_known_log
def test_no_metric_line_of_a_real_log_is_overlooked(log: RealLog) -> None:
    found = Counter(survey(log.path).records["record"])
    raw = log.path.read_bytes()
    assert found == {
        kind: len(re.findall(sign, raw)) for kind, sign in SIGNS[log.family].items() if re.search(sign, raw)
    }


@every_known_log
def test_no_real_line_is_of_two_kinds(log: RealLog) -> None:
    fmt = next(fmt for fmt in formats() if fmt.name == log.format)
    assert [line for line in lines_of(log.path) if len(kinds(fmt, line)) > 1] == []


@every_other_log
def test_a_log_of_another_family_is_taken_for_none_of_ours(log: RealLog) -> None:
    assert survey(log.path).format is None

"""Real logs of the corpus: how fast they are read, compared with a script, and how long small ones take."""

from functools import partial
from pathlib import Path

from parsers.runs.reading import read, survey
from tests.bench.speed import BEST_OF, MIB, Contender, cpu, found_by, speeds_of
from tests.corpus.fetch import SOURCES, sources

REAL = "Real logs, each repeated up to 100 MiB, compared with a script that extracts one field (`re.findall` per line):"

PERF = "PaddlePaddle-Perf"
MLPERF = "mlcommons-training_results_v2.1/ASUSTeK/results/ESC8000A-E11-8xA100-PCIE-80GB-NVBridge"
LAMBDA = "LambdaColdStorage-lambda-tensorflow-benchmark/logs/Gold_6230-Quadro_RTX_8000_XLA_trt_TF1_15.logs"
CHAT = "microsoft-DeepSpeedExamples/applications/DeepSpeed-Chat/training/step1_supervised_finetuning"
# The largest log of the corpus in these formats, and what finds the field of a script in it.
FAMILIES = {
    "deepspeed": (f"{CHAT}/training_log_output/opt-1.3b-globalBatchSize128.log", r"SamplesPerSec=(\S+)"),
    "dllogger_bert_pytorch": (
        f"{PERF}/Bert/OtherReports/PyTorch/logs/V100_LOG/bert_base_lamb_pretraining.pyt_bert_pretraining_phase1_fp16_bs96_gpu32.log",
        r"training_sequences_per_second : (\S+)",
    ),
    "dllogger_mxnet": (
        f"{PERF}/ResNet50V1.5/OtherReports/MxNet/logs/A100_LOG/mxnet_gpu8_fp32_bs256.txt",
        r"train.total_ips : (\S+)",
    ),
    "maskrcnn_benchmark, mlperf_mllog_own, mlperf_mllog": (f"{MLPERF}/maskrcnn/result_1.txt", r"time: (\S+)"),
    "mmcv": (f"{PERF}/HRNetW18/OtherReports/PyTorch/logs/hrnet_c32_fp16.log", r"time: (\S+),"),
    "mxnet_speedometer, mlperf_mllog": (f"{MLPERF}/resnet/result_0.txt", r"Speed: (\S+)"),
    "paddleclas_static": (
        f"{PERF}/ResNet50V1.5/logs/A100-LOG/PaddleClas_ResNet50_bs256_pure_fp16_DP_N1C8_log",
        r"ips: (\S+)",
    ),
    "paddledetection": ("OrionZJ-Fabric-Defect-Detection/log/workerlog.0", r"ips: (\S+)"),
    "paddlenlp_transformer": (f"{PERF}/Transformer/logs/V100_LOG/paddle_gpu32_fp16_bs5120", r"avg_speed: (\S+)"),
    "paddleocr": ("Saifulkamil-PaddleOCR-Training-Visualizer/log/workerlog.0", r"ips: (\S+)"),
    "paddleseg": (f"{PERF}/HRNetW18/logs/paddle/PaddleSeg_fcn_hrnetw18_bs8_fp32_DP_N1C8_log", r"ips=(\S+)"),
    "primus": (
        "AMD-AGI-Primus/deepseek-v4/develop/progress/p57/runs/p57_proxy_trace.log",
        r"elapsed time per iteration \(ms\): (\S+)",
    ),
    "tf_cnn_benchmarks": (
        f"{LAMBDA}/syn-replicated-fp16-8gpus/resnet50-512/throughput/1",
        r"images/sec: (\S+)",
    ),
    "torchtitan": ("AMD-AGI-Primus/ut_out/log.test_torchtitan_trainer-llama3_8B-FP8.txt", r"tps: (\S+)"),
    "transformer_pytorch": (
        f"{PERF}/Transformer/OtherReports/PyTorch/logs/V100_LOG/transformer_pytorch_bs5120_fp16_gpu8",
        r"wps=(\S+)",
    ),
}
FAMILY_SIZE = 100 * MIB


def families(corpus: Path, folder: Path) -> str:
    """Reading real logs, each repeated, compared with a script that extracts one field of it."""
    rows = ["| log of | MiB/s | x script |", "| --- | ---: | ---: |"]
    for name, (log, pattern) in FAMILIES.items():
        text, path = (corpus / log).read_bytes().removesuffix(b"\n") + b"\n", folder / "family.log"
        path.write_bytes(text * (FAMILY_SIZE // len(text)))
        contenders: dict[str, tuple[Contender, int]] = {
            "read": (read, path.stat().st_size),
            "script": (partial(found_by, pattern), path.stat().st_size),
        }
        speeds = speeds_of(contenders, path)
        rows.append(f"| {name} | {speeds['read']:.0f} | {speeds['read'] / speeds['script']:.2f} |")
    return "\n".join(rows)


def small(corpus: Path) -> str:
    """The time that a small log takes, when others of its kind were read before."""
    logs = [corpus / source.log for source in sources(SOURCES)]
    logs = [log for log in logs if log.is_file() and 20_000 < log.stat().st_size < 100_000]
    taken = []
    for _ in range(BEST_OF + 1):
        start = cpu()
        for log in logs:
            survey(log)
        taken.append(cpu() - start)
    mean = sum(log.stat().st_size for log in logs) / len(logs) / 1000
    return f"{len(logs)} small logs (mean {mean:.0f} kB): {min(taken) / len(logs) * 1000:.1f} ms each."

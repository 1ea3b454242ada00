"""Performance logs of ReFrame: a file for each number, a row a line."""

from collections.abc import Sequence

from .file_name import file_name
from .metric import Metric
from .run_time import moment
from .target import Files, Target, apart

# What ReFrame calls a system and a partition where its configuration names none.
SYSTEM, PARTITION = "generic", "default"
SEPARATOR = "|"
MISSING, PASSED = "null", "pass"
FIELDS = ("result", "job_completion_time", "descr", "environ", "name", "num_tasks", "partition", "perfvalues", "system")
OF_A_VALUE = ("value", "unit", "ref", "lower_thres", "upper_thres")


def files(metrics: Sequence[Metric]) -> Files:
    """The performance logs as the handler ``filelog`` writes them: ``SYSTEM/PARTITION/TEST.log``, headed by its fields.

    The format is ``%(check_result)s|%(check_job_completion_time)s|…`` of ``FIELDS``, and for each performance variable
    that of the default ``format_perfvars``: value, unit, reference and thresholds, where there is no reference 0 and
    None. ReFrame puts no text in quotes and cannot escape, so that a bar in a text is written as ``\\x7c``. ``descr``
    holds scope, protocol and log lines. Class MultiFileHandler in reframe/core/logging.py and ``handlers_perflog`` in
    reframe/core/settings.py of reframe-hpc 4.10.4.
    """
    names = apart("reframe", (file_name(metric.full_name) for metric in metrics))
    found = zip(names, metrics, strict=True)
    return {f"{SYSTEM}/{PARTITION}/{name}.log": _log(name, metric).encode() for name, metric in found}


def _log(name: str, metric: Metric) -> str:
    of_a_value = SEPARATOR.join(f"{metric.quantity}_{field}" for field in OF_A_VALUE)
    header = SEPARATOR.join(of_a_value if field == "perfvalues" else field for field in FIELDS)
    return f"{header}\n{SEPARATOR.join(_row(name, metric))}\n"


def _row(name: str, metric: Metric) -> list[str]:
    times = sorted((run.time for run in metric.runs if run.time), key=moment)
    told = {
        "result": PASSED,
        "job_completion_time": times[-1] if times else MISSING,
        "descr": "; ".join((metric.title, metric.scope, metric.protocol, *metric.proofs)),
        "environ": str(metric.case.get("framework", "")),
        "name": name,
        "num_tasks": str(metric.case.get("cards", "")),
        "partition": PARTITION,
        "system": SYSTEM,
    }
    values = [metric.digits, metric.unit, "0", "None", "None"]
    return [_plain(one) for field in FIELDS for one in (values if field == "perfvalues" else [told[field] or MISSING])]


def _plain(text: str) -> str:
    return text.replace(SEPARATOR, r"\x7c")


PERFLOG = Target("reframe", files, is_folder=True)

"""Write a performance log by the handler and the formatter of ReFrame: python reframe_perflog.py FOLDER TEST.

Run in an environment of its own that has reframe-hpc; the values are those of ``exported.EXAMPLE``.
"""

import json
import logging
import sys
from types import SimpleNamespace

from reframe.core.logging import CheckFieldFormatter, MultiFileHandler

FIELDS = ("result", "job_completion_time", "descr", "environ", "name", "num_tasks", "partition", "perfvalues", "system")
PERFORMANCE = (
    "%(check_perf_value)s|%(check_perf_unit)s|%(check_perf_ref)s|%(check_perf_lower_thres)s|%(check_perf_upper_thres)s|"
)

folder, told = sys.argv[1], json.loads(sys.argv[2])
format_ = "|".join(f"%(check_{field})s" for field in FIELDS)
handler = MultiFileHandler(f"{folder}/%(check_system)s/%(check_partition)s", fmt=format_, perffmt=PERFORMANCE)
handler.setFormatter(CheckFieldFormatter(format_, perffmt=PERFORMANCE))
record = logging.makeLogRecord({f"check_{name}": value for name, value in told.items()})
record.check_job_completion_time_unix = None
record.__rfm_loggable_attrs__ = []


class Check(SimpleNamespace):
    """What the handler asks of a test: its name, which is that of the file."""

    @classmethod
    def variant_name(cls) -> str:
        return str(told["name"])


record.__rfm_check__ = Check()
handler.emit(record)
handler.close()

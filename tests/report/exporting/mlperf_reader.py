"""Check descriptions of systems and read results by mlperf_logging: python mlperf_reader.py FOLDER.

Run in an environment of its own that has mlperf-logging; prints the verdicts on the descriptions, and what the results
say.
"""

import json
import sys
from pathlib import Path

from mlperf_logging.rcp_checker.rcp_checker import read_submission_file
from mlperf_logging.system_desc_checker.system_desc_checker import check_system_desc

folder = Path(sys.argv[1])
systems = [check_system_desc(file, "training", "5.1.0")[:2] for file in sorted(folder.glob("systems/*.json"))]
results = [read_submission_file(file, "5.1.0", False) for file in sorted(folder.glob("results/*/*/result_*.txt"))]
sys.stdout.write(json.dumps({"systems": systems, "results": results}))

"""Test folders of results by mlperf_logging: python rcp_checker.py POINTS FOLDER...

Run in an environment of its own that has mlperf-logging; prints a list of whether each passes.
"""

import json
import sys
from pathlib import Path

from mlperf_logging.rcp_checker import rcp_checker  # type: ignore[import-not-found]

points, *folders = sys.argv[1:]
found = []
for folder in folders:
    with Path(points).open(encoding="utf-8") as file:
        passed, *_ = rcp_checker.check_directory(folder, "training", "5.1.0", False, False, file, "pruned_rcps")
    found.append(bool(passed))
sys.stdout.write(f"{json.dumps(found)}\n")

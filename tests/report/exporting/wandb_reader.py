"""Read offline runs by the reader that wandb had in Python: python wandb_reader.py FILE...

Run in an environment of its own that has wandb of a version with it; prints what each file holds.
"""

import json
import sys
from typing import Any

from wandb.proto import wandb_internal_pb2
from wandb.sdk.internal.datastore import DataStore


def told(items: Any) -> dict[str, Any]:
    return {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in items}


found = []
for path in sys.argv[1:]:
    store = DataStore()
    run: dict[str, Any] = {}
    store.open_for_scan(path)
    while (data := store.scan_data()) is not None:
        record = wandb_internal_pb2.Record()
        record.ParseFromString(data)
        if record.HasField("run"):
            run |= {"name": record.run.display_name, "project": record.run.project, "host": record.run.host}
            run["config"] = told(record.run.config.update)
        if record.HasField("history"):
            run["history"] = told(record.history.item)
    found.append(run)
sys.stdout.write(json.dumps(found))

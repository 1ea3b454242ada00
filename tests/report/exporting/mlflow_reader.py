"""Read a file store by the client of MLflow: python mlflow_reader.py FOLDER.

Run in an environment of its own that has mlflow-skinny; prints a list of runs, each with what it holds.
"""

import json
import os
import sys

os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"

from mlflow import MlflowClient

client = MlflowClient(tracking_uri=sys.argv[1])
experiments = {one.experiment_id: one.name for one in client.search_experiments() if one.name != "Default"}
found = [
    {
        "experiment": experiments[run.info.experiment_id],
        "name": run.info.run_name,
        "start": run.info.start_time,
        "status": run.info.status,
        "metrics": run.data.metrics,
        "params": run.data.params,
        "tags": run.data.tags,
    }
    for run in client.search_runs([*experiments])
]
sys.stdout.write(json.dumps(found))

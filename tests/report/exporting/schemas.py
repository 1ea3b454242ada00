"""Schemas of formats that have no package of their own on PyPI, written down here from what their projects publish."""

TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}

# The interface BenchmarkResult in src/extract.ts of benchmark-action/github-action-benchmark at commit 04dcc2c; the
# action refuses an empty list.
ACTION = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "value": {"type": "number"},
            "unit": {"type": "string"},
            "range": {"type": "string"},
            "extra": {"type": "string"},
        },
        "required": ["name", "value", "unit"],
        "additionalProperties": False,
    },
}

# The columns of the table in clickhouse_db_schema/oss_ci_benchmark_v3/schema.sql of pytorch/test-infra at commit
# 3c0eb5c that the uploading action does not fill in: String, UInt32, Array(Float32) and Map(String, String).
DATABASE = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "benchmark": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "mode": {"enum": ["training", "inference"]},
                    "dtype": {"type": "string"},
                    "extra_info": TEXTS,
                },
                "required": ["name"],
                "additionalProperties": False,
            },
            "model": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "type": {"type": "string"},
                    "backend": {"type": "string"},
                    "origins": {"type": "array", "items": {"type": "string"}},
                    "extra_info": TEXTS,
                },
                "required": ["name"],
                "additionalProperties": False,
            },
            "runners": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "type": {"type": "string"},
                        "gpu_info": {"type": "string"},
                        "gpu_count": {"type": "integer", "minimum": 0, "maximum": 2**32 - 1},
                        "extra_info": TEXTS,
                    },
                    "additionalProperties": False,
                },
            },
            "metric": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "benchmark_values": {"type": "array", "items": {"type": "number"}, "minItems": 1},
                    "target_value": {"type": "number"},
                    "extra_info": TEXTS,
                },
                "required": ["name", "benchmark_values"],
                "additionalProperties": False,
            },
        },
        "required": ["benchmark", "model", "metric"],
        "additionalProperties": False,
    },
}

"""Schemas of formats that have no package of their own on PyPI, written down here from what their projects publish."""

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

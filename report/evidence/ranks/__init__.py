"""Evidence of ranks: the logs that each wrote one of, and what the telemetry of their cards says of them."""

"""Windows: how a protocol counts the stretches of a log that it skips, takes and drops."""

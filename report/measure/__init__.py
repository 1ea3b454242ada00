"""Measuring: the throughput of a log by one rule, or by a stated protocol, with what else the log says of it."""

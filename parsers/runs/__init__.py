"""Runs: what a log and the files beside it say as a whole, such as facts, events, health, clock and telemetry.

Scanned columns come in from ``scanning``; a reading goes out to the commands, to ingesting and to the reports.
"""

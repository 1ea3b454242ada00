"""Telemetry of a run: what its cards and processes did, in the window of a measurement."""

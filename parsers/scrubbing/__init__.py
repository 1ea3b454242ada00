"""Copies of logs that name nobody and still read as the logs do."""

"""Measuring: records and a protocol come in, and one throughput with the lines it was computed from goes out.

Records pass a window, a selection, an estimate, a scaling and a statistic; nothing here knows of pages.
"""

"""Quantities: records and facts of one run come in, and a number beside its throughput goes out with what made it.

Each is an object of one kind; peaks of cards and formulas of models are data.
"""

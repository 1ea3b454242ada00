"""Checking: a measurement held against what the program prints itself."""

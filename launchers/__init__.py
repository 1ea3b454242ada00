"""Thin shell launchers, one per native recipe, and the runner that executes them and fills run folders."""

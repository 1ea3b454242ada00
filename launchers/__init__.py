"""Thin shell launchers, one a native recipe, and the one runner that executes them and fills run folders."""

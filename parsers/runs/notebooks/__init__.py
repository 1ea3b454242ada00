"""Notebooks: what was read of a log as they show it."""

"""Logs of programs that no format describes: what their numbers measure, or one question with its answers."""

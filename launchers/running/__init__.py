"""Running: a recipe and its options come in, and a filled run folder goes out.

A series plans jobs, places start them, the runner captures what they print, and folders keep it.
"""

"""Native repositories: recipes and checkouts come in, and what the native programs accept goes out.

The check compares the options of a recipe with the source of its program; nothing of a checkout is run.
"""

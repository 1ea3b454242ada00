"""Native repositories: recipes and checkouts come in, and what the native programs accept goes out.

The check looks the options of a recipe up in the text of its program, which is not run unless its help is asked for.
"""

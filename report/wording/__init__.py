"""Wording: values come in, and sentences and Markdown in one language go out.

The catalogues of ``words/`` are read here, and nothing here decides what is true.
"""

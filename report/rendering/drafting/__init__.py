"""Drafting: logs come in, and a page file that publishes them goes out.

It stands in the wing of rendering because a draft is words in all languages around what evidence shows: it needs both.
"""

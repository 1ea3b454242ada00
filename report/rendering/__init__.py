"""Rendering: a page with its cells comes in, and Markdown in one language goes out.

Publishing reads page files, has them rendered, and writes the pages with their evidence files.
"""

"""The site: rendered pages come in, and a folder of HTML that needs no server goes out.

Pages, evidence panels, logs and an index are written by one build, and served on this machine while pages are edited.
"""

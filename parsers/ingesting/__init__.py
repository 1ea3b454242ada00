"""Ingesting: existing logs come in from files, archives, checkouts and URLs, and run folders go out.

Sources become candidates, candidates become staged run folders, and these are moved into a suite.
"""

"""Auditing: published pages and logs come in, and a verdict on each number goes out.

Numbers are matched with logs, protocols are recovered from them, and the judge compares.
"""

"""Auditing: documents and data files come in, and a ruling on each number goes out.

Every number is a claim. Rules, which say where the values of a group of claims come from, are held against them; one
judge, ``chance.explain``, says which rules explain them beyond accident.
"""

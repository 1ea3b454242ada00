"""Recovery: published digits and a log come in, and the protocol that gives them, or that none does, goes out.

A systematic table of protocols is computed for each log, and what is found is held against chance.
"""

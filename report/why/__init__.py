"""Explaining: one number comes in, and its whole derivation and an awk command with the same digits go out.

A derivation is made of a sample; from it come the sensitivity, the awk command and the explanation.
"""

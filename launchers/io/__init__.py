"""What this room says and writes: lines that stay lines, and files that are whole or absent.

Everything in this room may build on this wing, and it imports none of the others.
"""

"""What this room prints and writes: output of one line each, shell quoting, and files that are whole or absent.

Everything in this room may build on this wing, and it imports none of the others.
"""

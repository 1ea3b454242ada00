"""The scanner: bytes of a log in, typed columns out, with an account of every line.

It is given formats by ``grammar`` and finds those that a log has; ``runs`` makes a reading of what it finds.
"""

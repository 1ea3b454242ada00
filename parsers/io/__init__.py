"""Files, text and errors as they come from outside and go out: only regular files are read, files are written whole,
and text is made printable.

Everything in this room may build on this wing, and it imports none of the others.
"""

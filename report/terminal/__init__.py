"""The terminal: what is in a log comes in, and a summary or a view that follows a growing log goes out.

Records pass a meter and a progress of bounded memory to what is shown.
"""

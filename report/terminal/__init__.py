"""The terminal: what is in a log comes in, and its summary goes out, again and again where the log grows."""

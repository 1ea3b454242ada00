"""Page files: TOML comes in, and a validated page with its tables, columns and quotes goes out.

Measuring says what protocols and quantities are; the evidence of a page is found by the wings that import this one.
"""

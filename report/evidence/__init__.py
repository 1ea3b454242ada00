"""Evidence: a page and a folder of logs come in, and cells with numbers and what they were computed from go out.

Logs are found, read and measured once; cells are compared, and their evidence is written for programs.
"""

"""A page whose results are in groups."""

from tests.report.page_text import HEAD, column

PAGE = (
    HEAD
    + column("a", "a{tensor_parallel}-{attention}/*.log", "decimals=1")
    + """
[[tables]]
name = "t"
title = "Speeds"
case = { cards = 8, pipeline_parallel = 2 }
rows = { tensor_parallel = [1, 2], attention = ["flash", "eager"] }
columns = ["a"]
"""
)

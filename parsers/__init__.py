"""Logs in, tables out: one Lark grammar per log format, one compiler and scanner for all of them."""

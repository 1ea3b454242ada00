"""Logs in, tables out: one Lark grammar a log format, one compiler and scanner for all of them."""

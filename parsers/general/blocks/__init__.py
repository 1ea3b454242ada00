"""Blocks: records that stand over several lines, read as if each were one line."""

"""Comparing: two sides of runs are measured alike, and judged by the noise between repeats."""

"""Explaining: one number comes in, and the lines, the values, each step and what other rules would give go out."""

"""Ranks: the numbers of several processes that each print their own, side by side, and how far they are apart."""

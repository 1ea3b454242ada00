"""Recipes, and the native repositories that they are for: checkouts, and the options that the programs accept."""

"""Recipes, and the native repositories that they are for: their checkouts."""

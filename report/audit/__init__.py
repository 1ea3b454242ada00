"""Checking published pages against their logs, and finding the protocols of their numbers."""

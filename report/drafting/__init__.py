"""Logs to a page file that publishes them."""

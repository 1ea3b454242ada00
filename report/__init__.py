"""Protocols, measurements and pages: what is published, and the proof of every number."""

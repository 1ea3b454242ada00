"""Protocols, measurements and pages: published pages, and the evidence for every number."""

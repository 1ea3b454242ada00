"""Scrubbing: logs come in, and copies that identify nobody and read the same go out.

Identities are found, replaced by placeholders, and each copy is read again before it is kept.
"""

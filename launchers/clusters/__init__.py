"""Clusters: a job comes in, and what starts it goes out, here or on several machines, as a site wants it.

A place says what is executed, a site file what the users of a cluster must say of it each time.
"""

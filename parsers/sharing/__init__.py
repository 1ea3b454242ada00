"""Sharing: the work on many logs, done by the processes of this machine or of a cluster.

It is given a function and tasks by every wing and room that reads many logs; it knows nothing of logs itself.
"""

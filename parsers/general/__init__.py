"""The general reader: numbers of logs that no format claims, named by one vocabulary and read by a drafted grammar."""

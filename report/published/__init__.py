"""Published pages of others: their tables, what their labels say of each number, and the logs that they lead to."""

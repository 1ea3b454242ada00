"""Series: speeds in the order in which they were measured, and where their level changed."""

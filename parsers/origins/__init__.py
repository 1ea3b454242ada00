"""Origins: where files come from that are read: addresses of repositories, and archives that are unpacked."""

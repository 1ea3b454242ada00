"""The logs of other people, from files, folders, archives, checkouts and URLs, become run folders."""

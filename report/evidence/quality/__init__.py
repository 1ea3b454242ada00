"""Quality beside speed: whether the runs behind a number train as the reference that the page names."""

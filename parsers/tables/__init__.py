"""Tables that loggers of training write, a row a record: a header says what the columns are."""

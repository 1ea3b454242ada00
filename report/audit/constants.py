"""Every numeric constant of the engine, with its reason."""

# --- chance -----------------------------------------------------------------------------------------------------
# What accident would give more often than once in a hundred searches is no finding (that of today's recovery).
SIGNIFICANT = 0.01
# No single coincidence is called rarer than this: a logarithm must be finite.
LEAST_CHANCE = 1e-300
# How likely a claim that a rule hits may be none that it is true of, by what share it hits of those that accident hits
# about as often, at most so many times as often or as seldom.
MOST_FALSE = 0.25
ALIKE = 2
# Where any value of a log may be meant, a coincidence at least as likely as this shows nothing.
EVEN = 0.5
# Half-widths, as shares of a value, in which the density of the values that are searched is measured; the densest
# counts. Runs of one program differ by about half a per cent, those of one task by 5 %, numbers of one kind by 50 %.
NEARBY = (0.005, 0.05, 0.5)
# Fewer digits than these select nothing among the lines of a checkout: two such numbers on one line are 1 in 10^4.
ANCHOR_DIGITS = 3
# Steps: a value is hit rounded half up (1 step wide) or truncated (another half).
ROUNDINGS = 1.5
# Lines of a file with one number; a number that common selects nothing, and joining it costs.
MOST_OF_A_FILE = 2_000
# Candidates kept of a row: the best may fail where one that is nearer, or holds fewer numbers, is found.
KEPT = 3
# Float noise of printed decimals, as a share of the last digit: a decimal of 15 digits is exact to about 1e-3 of it.
FLOAT_NOISE = 1e-3

# --- reading ----------------------------------------------------------------------------------------------------
LONGEST_LINE = 4_000  # characters; longer lines are data dumps, whose numbers are no records
LARGEST_FILE = 16 << 20  # bytes, unpacked; longer files are traces, and are named in the account as not read
KNOWN_LINES = 1 << 17  # lines kept parsed: logs of one program repeat their source text and headers
KNOWN_SHAPES = 1 << 16  # lines without their numbers
HEAD = 8_192  # bytes of a file by which its encoding is known, and whether it is text
BINARY = 0.02  # share of control characters from which a file is no text: random bytes have a tenth, logs none
MOST_JOINED = 64  # logs of a folder that may be one repeated experiment (the longest board record has 40)

CAPTION_LINES = 8  # of text above a table that may say what it counts (PaddlePaddle/Perf names units 6 lines above)
WORDY = 24  # characters beside the number of a cell, from which the words there say what it counts, not the header
BEFORE = 60  # characters in front of a number that may name it
BEHIND = 60  # characters behind a number that may hold its unit
LONGEST_LABEL = 200  # characters of a heading, a key or a caption; more is text
LIST_NAME = 100  # characters in front of a list in which its name stands
MOST_NESTED = 100  # keys of a number of a JSON file; deeper files are made to cost
MOST_SPANNED = 16  # rows or columns of a cell of an HTML table (the widest of 467 seen spans 4); more is made to cost
DATA_SHEET = 2  # columns of a table that only data sheets have (price, TDP, clock), from which it is one

# --- protocols --------------------------------------------------------------------------------------------------
MOST_PROTOCOL_LOGS = 400  # of a checkout that are read by the protocol search; more are named as not searched

# Rates that are tried for a log: within this factor of what it prints (8 cards a node, scaled by name or label).
SCALED = 5

# --- tables -----------------------------------------------------------------------------------------------------
# A formula is the rule of a column where it explains more than half of it; then those it does not are exceptions.
MAJORITY = 0.5
FEW_VALUES = 3  # of a series that a run ends with, such as a score as printed and in full; means are of more
ROUND = 1_000  # from which a whole number that ends in zeros may be a rounded one; 100 is a percentage
ROWS_ABOVE = 20  # that a row may sum up (the longest board record with a row of means has 16)
LINES_BEHIND = 8  # a list, in which a document prints its statistics
TEST_BEHIND = 6  # lines behind a stated test, in which its p value is printed
COLUMNS_APART = 8  # of a number and what it is computed from: what is farther is another matter
KNOWN_LABELS = 1 << 12  # of columns

# --- what is no proof ------------------------------------------------------------------------------------------
# A value that is farther from a claim than this is not shown as what it "differs" from: it is another quantity.
OTHER_QUANTITY = 0.25

"""What reading an unknown log chooses, and why. All other tolerances follow from digits, counts and noise."""

# The judge (judge.py)
FEWEST_INTERVALS = 2  # one interval has no spread, so nothing tells its noise
MOST_UNACCOUNTED = 0.5  # below it most of the time between two records is not in the number: two readings remain
NEAREST_RIVAL = 2**0.5  # rival hypotheses differ by 2 or more (2 steps, 60 s, 1000 ms): half of that, as a ratio
MEAN_FITS_BETTER = 2.0  # a mean since the start must halve the spread: nothing more is needed where values drift
MOST_ROUNDING = 0.5  # a number of one digit is up to 50 % off (1 may be 0.5 to 1.5): beyond it, it says nothing
FASTEST_STEP = 1e-3  # seconds: launching the kernels of one step takes longer, so a reading that gives less is none
CLEARLY_WHOLE = 0.25  # a ratio is a whole number of cards only if its error is under that: else any is near one

# Tables and their columns (log.py, training.py)
NEARLY_ALL = 0.9  # of rows: one in ten may be cut off, overwritten or of another form
MAJORITY = 0.5  # of rows: what is true of most of them is true of the table
FEW = 3  # rows: fewer have no spread around their median, so nothing is concluded from how they vary
MINOR = 5  # lines that are less than a fifth of others are remarks among them, and no rival
SAMPLE = 50  # rows that are looked at for what all lines of one form share
HEAD_WORDS = 6  # of a line tell its kind: more of them are a sentence, which varies
HEAD_LINES = 3000  # of a text tell what it is
HEAD = 160  # letters in which a line says when it was printed, and of what it is
MOST_RECORDS = 1_000_000  # of one table: 400 MB of memory; more lines stay unmatched, which is said
LONGEST_NAME = 200  # letters before a number: what stands before them does not name it
MOST_TABLES = 300  # with most rows: programs print fewer kinds of lines, and each is held against each
MOST_COLUMNS = 300  # of a table: programs print fewer names, and each number is looked at
MOST_LETTERS = 600_000  # of distinct templates, 6,000 lines: a text with more is no log, and each takes 0.3 ms
LONGEST_LINE = 20_000  # letters; longer lines are data, such as a configuration in one line

# The answer (answer.py)
MOST_CANDIDATES = 3  # a person chooses among three without reading twice
APART = 1.25  # two candidates closer than this are the same number to a reader: a person rounds to 25 %
TYPICAL_STEP = 0.3  # seconds: between 10 ms and 10 s lie most steps; it orders candidates and decides nothing
LONG_BAR = 60.0  # seconds of all passes: bars of loading and downloading end sooner; others are only asked about
CLOCK_TICKS = 10  # an interval of so many ticks of a clock is off by at most 10 %, less than APART

# Moments (text.py)
DAY = 86_400.0  # seconds: stamps without a date that fall by more than half of it are past midnight
EPOCH_FIRST, EPOCH_LAST = 946_684_800, 4_102_444_800  # the years 2000 and 2100 in POSIX seconds: others are no stamps

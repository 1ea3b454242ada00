# `make report` renders every page that has a log or only quoted figures, `make site` makes a site of them in site/; `make
# test` runs the checks, `make test-slow` those that take longer. All of them set up .venv themselves, with what they use.

PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check
OLD = "Python 3.11 or newer is needed, and $(PYTHON) is not: make PYTHON=python3.12 takes another one."
NO_VENV = "$(PYTHON) cannot make a virtual environment: on Debian and Ubuntu, apt-get install python3-venv."

.PHONY: report pages site test test-slow floor bench corpus-fetch security fuzz constraints clean

report: .venv/report
	$(BIN)/tachograph report

# The pages that follow published reports, from their public logs.
PERF ?= ../Perf

pages: .venv/report
	test -d $(PERF) || git clone --quiet https://github.com/PaddlePaddle/Perf $(PERF)
	git -C $(PERF) checkout --quiet e7a07c4d39e04de5e24652daaf02d204f0209acb
	$(BIN)/tachograph report benchmark-guide vgg16 resnet50 deeplabv3p --logs $(PERF)

site: .venv/report
	$(BIN)/tachograph report --html --out site

test: .venv/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/shellcheck --external-sources --source-path=launchers launchers/*.sh
	$(BIN)/pytest -n auto --dist worksteal -m "not slow"

# The tests that take longer; .ci/run runs them after the others. Many wait for a job, so more run than there are cores.
test-slow: .venv/test
	$(BIN)/pytest -n 3 --dist worksteal -m slow

# How fast logs are read, compared with what docs/benchmark.md states; .ci/run fails below half of that.
floor: .venv/test
	$(BIN)/python -m tests.bench.floor

bench: .venv/test
	$(BIN)/python -m tests.bench.floor --write
	$(BIN)/python -m tests.bench.bench --write
	$(BIN)/python -m tests.bench.pages
	TMPDIR=/dev/shm $(BIN)/python -m tests.bench.commands --write
	$(BIN)/python -m tests.bench.adversarial --write

# The public logs that the tests are about, into CORPUS, by git at pinned commits.
CORPUS ?= ../shared/corpus

corpus-fetch: .venv/test
	$(BIN)/python -m tests.corpus.fetch $(CORPUS)

# What is dangerous in the code, beside what ruff's S rules find in `make test`.
security: .venv/test
	$(INSTALL) -e '.[security]'
	$(BIN)/bandit --quiet --configfile .ci/bandit.yaml --recursive launchers parsers report tachograph

# The seconds are shared by the targets; all of them, if none is named. Sets have the same order each time.
SECONDS ?= 30

fuzz: .venv/test
	$(INSTALL) --only-binary atheris -e '.[fuzz]' || echo 'no atheris: unguided'
	PYTHONHASHSEED=0 $(BIN)/python -m tests.fuzz.fuzz $(TARGET) --seconds $(SECONDS)

# The versions that CI installs.
constraints: .venv/test
	$(INSTALL) -e '.[security]'
	$(BIN)/pip freeze --exclude-editable > constraints.txt

.venv/report: setup.cfg $(wildcard setup.py parsers/scanning/shapes.c)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo $(OLD); exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2> /dev/null || { echo $(NO_VENV); exit 1; }
	$(PYTHON) -m venv .venv
	$(INSTALL) -e .
	touch $@

.venv/test: setup.cfg .venv/report
	$(INSTALL) -e '.[test]'
	touch $@

clean:
	rm -rf .venv build *.egg-info pages site parsers/scanning/*.so

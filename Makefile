# `make report` renders every page that has a log or quotes a figure, `make site` makes a site of them in site/; `make test`
# runs the checks, `make test-slow` those that take longer. All of them set up .venv themselves.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: report site test test-slow docs bench corpus audit-docs security fuzz clean

report: .venv/report
	$(BIN)/tachograph report

site: .venv/report
	$(BIN)/tachograph report --html --out site

test: .venv/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/shellcheck --external-sources --source-path=launchers launchers/*.sh launchers/slurm.bash
	$(BIN)/pytest -n auto -m "not slow"

# The tests that take longer; .ci/run runs them after the others.
test-slow: .venv/test
	$(BIN)/pytest -n auto -m slow

# What docs/ tells of the commands, page files and launchers, and what the commands of the tutorial print.
docs: .venv/test
	$(BIN)/pytest --update tests/reference tests/launchers/test_recipe_catalogue.py tests/test_tutorial.py

bench: .venv/test
	$(BIN)/python -m tests.bench.bench --gib --write
	TMPDIR=/dev/shm $(BIN)/python -m tests.bench.ingest --write
	$(BIN)/python -m tests.bench.page --write
	$(BIN)/python -m tests.bench.adversarial --write
	$(BIN)/python -m tests.bench.capture

corpus: .venv/test
	$(BIN)/python -m tests.corpus.outcome

# PERF and EXAMPLES are checkouts of PaddlePaddle/Perf and NVIDIA/DeepLearningExamples.
audit-docs: .venv/test
	$(BIN)/python -m tests.report.audit.outcome $(PERF) $(EXAMPLES)

# What is dangerous in the code, beside what ruff's S rules find in `make test`, and in the packages that it uses.
security: .venv/test
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[security]'
	$(BIN)/bandit --quiet --configfile .ci/bandit.yaml --recursive launchers parsers report tachograph.py
	$(BIN)/python -m tests.vulnerabilities

# The seconds are shared by the targets; all of them, if none is named.
SECONDS ?= 120

fuzz: .venv/test
	$(BIN)/pip install --quiet --disable-pip-version-check --only-binary atheris -e '.[fuzz]' || echo 'no atheris: unguided'
	$(BIN)/python -m tests.fuzz.fuzz $(TARGET) --seconds $(SECONDS)

.venv/report: setup.cfg
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	touch $@

.venv/test: setup.cfg .venv/report
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $@

clean:
	rm -rf .venv build *.egg-info pages site

# `make test` and `make train` set up everything they need in .venv, from a bare Python with venv.
#   another interpreter:       make PYTHON=python3.12 test
#   another environment:       make VENV=/tmp/venv42 test
#   some of the tests:         make test PYTEST_ARGS="-m 'not slow' tests/test_packaging.py"

.DEFAULT_GOAL := help
SHELL := /bin/sh

# The first interpreter that is new enough; PYTHON= on the command line or in the environment overrides it.
ENOUGH := import sys, venv; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in python3 python3.11 python3.12 python3.13; do \
	if $$python -c '$(ENOUGH)' 2>/dev/null; then echo $$python; break; fi; done)

VENV ?= .venv
BIN := $(abspath $(VENV))/bin
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt
# Two test files at a time; to run them one after the other, or to debug: make PYTEST_ARGS= test
PYTEST_ARGS ?= -n 2 --dist loadfile
ORACLE_HANDS ?= 20000

.PHONY: help venv test train lint typecheck wheel-test oracle bench integrations clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{ printf "%-12s %s\n", $$1, $$2 }'

venv: $(STAMP) ## the environment: .venv with the versions of constraints.txt

$(STAMP): pyproject.toml constraints.txt
	@if [ -z "$(PYTHON)" ] || ! $(PYTHON) -c '$(ENOUGH)'; then \
		echo "texas42 needs Python 3.11 or newer with its venv module; name one with: make PYTHON=python3.12 ..." >&2; \
		exit 2; fi
	@if ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
		echo "Creating $(VENV) with $(PYTHON)"; $(PYTHON) -m venv --clear $(VENV); fi
	@$(PIP) --upgrade pip
	@echo "Installing torch as pinned in constraints.txt (the largest download; a CPU build is enough)"
	@$(PIP) torch
	@echo "Installing texas42 with its development tools"
	@$(PIP) -e '.[dev]'
	@touch $@

test: venv ## run the tests
	$(BIN)/python -m pytest -q $(PYTEST_ARGS)

train: venv ## train configs/quick.yaml, evaluate it, and print where the results are
	$(BIN)/python scripts/quick_train.py

lint: venv ## ruff
	$(BIN)/python -m ruff check .

typecheck: venv ## mypy --strict over the packages, the tests and the scripts
	VENV_PYTHON=$(BIN)/python scripts/typecheck.sh

wheel-test: venv ## build the wheel and play a hand from it in an environment without extras
	VENV_PYTHON=$(BIN)/python scripts/wheel_test.sh

oracle: venv ## compare the engine with the slow rules reader on ORACLE_HANDS hands per preset
	TEXAS42_ORACLE_HANDS=$(ORACLE_HANDS) $(BIN)/python -m pytest -q -k oracle $(PYTEST_ARGS)

bench: venv ## measure speeds and write them to report/bench-*.json
	@mkdir -p report
	@for bench in engine observe env train; do \
		$(BIN)/texas42 bench $$bench --json report/bench-$$bench.json || exit $$?; done

integrations: ## try RLlib, TorchRL, Tianshou, AgileRL, OpenSpiel, SuperSuit, each in an environment of its own
	$(PYTHON) scripts/integrations/run.py

clean: ## remove the environment, build output and caches; runs/ stays
	rm -rf $(VENV) .integrations .types build dist texas42.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

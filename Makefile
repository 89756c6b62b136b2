# SPDX-License-Identifier: Apache-2.0
# Needs make, python3 (3.11 or newer) and pip. Everything else goes into .venv; nothing is activated.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# The first interpreter that is new enough and really starts (a version manager's shim may not).
ifndef PYTHON
PYTHON := $(shell for one in python3.11 python3.12 python3.13 python3; do \
	$$one -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$one; break; }; done)
endif
ifeq ($(PYTHON),)
$(error Fairtrial needs Python 3.11 or newer; set PYTHON=)
endif
VENV := .venv
BIN := $(VENV)/bin
HOST ?= 127.0.0.1
PORT ?= 8000
VAR ?= var
ARGS ?=
# Tests run in a shuffled order; whoever sees one fail gets the same order again. Try others: SEED=.
SEED ?= 3778808541
# Processes that share the tests among them: one a core, eight at most. One after another: WORKERS=0.
WORKERS ?= auto

# A set is ready when the stamp that carries the digest of what it was installed from exists. Of
# pyproject.toml that is the part above the tools' settings.
digest = $(shell { cat $(1); sed '/^\[tool\.ruff\]/q' pyproject.toml; } | $(PYTHON) -c "import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest()[:16])")
SERVICE_READY := $(VENV)/ready-service-$(call digest,requirements.txt)
DEV_READY := $(VENV)/ready-dev-$(call digest,requirements.txt requirements-dev.txt)

# Debian's python3 without python3-venv has no ensurepip: then the environment is made without pip and
# the machine's own pip installs into it from outside. Both ways install the same hashed files.
define install
	@if ! $(BIN)/python -c "" 2>/dev/null; then \
		$(PYTHON) -m venv --clear $(VENV) >/dev/null 2>&1 || $(PYTHON) -m venv --clear --without-pip $(VENV); \
	fi
	@if $(BIN)/python -m pip --version >/dev/null 2>&1; then pip="$(BIN)/python -m pip"; \
		else pip="$(PYTHON) -m pip --python $(BIN)/python"; fi; \
		$$pip install -qq --disable-pip-version-check --require-hashes -r $(1); \
		$$pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
endef

$(SERVICE_READY):
	$(call install,requirements.txt)
	@rm -f $(VENV)/ready-service-* && touch $@

$(DEV_READY):
	$(call install,requirements-dev.txt)
	@rm -f $(VENV)/ready-* && touch $@ $(SERVICE_READY)

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 14

.PHONY: setup
setup: $(DEV_READY) ## Make .venv with the service and the development tools, from hashed files
	@echo "ready: $(BIN)/fairtrial"

.PHONY: demo
demo: $(SERVICE_READY) ## Build the example ledger under ./var, serve it on 127.0.0.1:8000 (PORT=, HOST=, VAR=) and print its pages
	@$(BIN)/fairtrial demo --data-dir "$(VAR)" --host $(HOST) --port $(PORT) $(ARGS)

.PHONY: demo-run
demo-run: $(SERVICE_READY) ## Serve the example ledger that `make demo` built
	@FAIRTRIAL_DATA_DIR="$(abspath $(VAR))" $(BIN)/fairtrial serve --host $(HOST) --port $(PORT) $(ARGS)

.PHONY: test
# What is compiled once need not be compiled in each of hundreds of processes.
test: export PYTHONDONTWRITEBYTECODE :=
test: $(DEV_READY) ## Run every test, with branch coverage; the core and the use cases must reach 100 %
	@$(BIN)/python -m pytest --randomly-seed=$(SEED) \
		--numprocesses=$(WORKERS) --maxprocesses=8 --dist=loadfile --no-loadscope-reorder \
		--cov --cov-report=term:skip-covered $(ARGS)
	@$(BIN)/python -m coverage report --skip-covered --show-missing --fail-under=100 \
		--include='app/core/*,app/service/*'

.PHONY: check
check: $(DEV_READY) ## Check format, lint, types, imports, schemas and docs, each once
	@failed=0; step() { echo "== $$*"; local tool=$$1; shift; "$(BIN)/$$tool" "$$@" || failed=1; }; \
	step ruff format --check --quiet .; \
	step ruff check --quiet .; \
	step mypy; \
	step lint-imports --no-cache --no-logo; \
	step python -m tests.tools.check_schemas; \
	step python -m tests.tools.check_docs; \
	exit $$failed

.PHONY: crash
crash: $(DEV_READY) ## Kill workers under load, 60 rounds a database (ROUNDS=), and fail flushes one by one (needs strace)
	@FAIRTRIAL_CRASH_ROUNDS=$(or $(ROUNDS),60) FAIRTRIAL_CRASH_FLUSHES=$(or $(ROUNDS),20) \
		$(BIN)/python -m pytest tests/functional/test_crash.py tests/functional/test_disk_errors.py -s $(ARGS)

.PHONY: hammer
hammer: $(DEV_READY) ## Verify 10,000 proofs a database while writers append (PROOFS=)
	@FAIRTRIAL_HAMMER_PROOFS=$(or $(PROOFS),10000) $(BIN)/python -m pytest tests/functional/test_hammer.py -s $(ARGS)

.PHONY: fuzz
fuzz: $(DEV_READY) ## Run the property tests long, with fresh seeds
	@FAIRTRIAL_HYPOTHESIS_PROFILE=nightly $(BIN)/python -m pytest -m property $(ARGS)

.PHONY: mutants
mutants: $(DEV_READY) ## Change one thing in the scoring at a time and print what no test notices (ONLY=); a stopped run goes on
	@FAIRTRIAL_HYPOTHESIS_PROFILE=mutants nice -n 15 $(BIN)/python -m tests.tools.mutants $(ARGS) $(ONLY)

.PHONY: bench
bench: $(DEV_READY) ## Print what things cost, as ratios of one run; nothing passes or fails by it
	@$(BIN)/python -m benchmarks

.PHONY: growth
growth: $(DEV_READY) ## Print receipts a second, start and memory on a log of 10,000 entries and of a million (ENTRIES=)
	@$(BIN)/python -m benchmarks.growth $(ENTRIES)

.PHONY: docs
docs: $(DEV_READY) ## Write the generated parts of the docs again
	@$(BIN)/python -m tests.tools.check_docs --write

# The development set is resolved first and binds the service's: one resolution, two files.
# Neither names an index: pip uses the one its own machine is set up with.
LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--custom-compile-command 'make lock' $(ARGS) pyproject.toml

.PHONY: lock
lock: ## Resolve the dependencies again (ARGS=--upgrade takes the newest)
	@test -x $(BIN)/uv || { echo "make setup first: uv comes with it" >&2; exit 2; }
	@$(LOCK) --extra build --extra dev --output-file requirements-dev.txt
	@$(LOCK) --extra build --constraint requirements-dev.txt --output-file requirements.txt

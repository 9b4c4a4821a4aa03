# make demo   install, ingest, evaluate, print where the report is
# make demo-llm  the same with a small real model on this machine; fetches 1.1 GB once
# make test   install, run every test, one process a core; BROWSER=0 leaves out those that need Chromium
# make test-fast  the tests that take no time: no browser, no killed processes, no large corpora
# make check  lint, types, the longest modules
# make bench  measure what docs/benchmarks.md says
# make corpora  build the shipped documents, databases and tasks from corpora/src
# make docs   remake the parts of the documentation that a program writes

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python scripts/install.py
WORKERS ?= auto

export TOKENIZERS_PARALLELISM := false
export LITELLM_LOCAL_MODEL_COST_MAP := True

.DEFAULT_GOAL := help
.PHONY: help demo demo-llm test test-fast check lint types bench corpora records clean

help:
	@sed -n 's/^# //p' Makefile

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(BIN)/python pyproject.toml constraints.txt
	@echo "The first time this takes some minutes: 0.7 GB are fetched, and 2.3 GB unpacked into $(VENV)."
	@$(INSTALL) Installing ragbench -- -c constraints.txt --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	@$(INSTALL) Installing what the tests need -- -c constraints.txt --editable '.[dev]'
	@touch $@

# The default model is exported once from its verified weights into the user's cache folder.
$(VENV)/model: $(VENV)/installed
	$(BIN)/python -m ragbench.ingest.minilm
	@touch $@

demo: $(VENV)/installed $(VENV)/model
	$(BIN)/ragbench ingest corpora/banking_knowledge --collection banking
	$(BIN)/ragbench search "What does it cost to send money abroad?" --collection banking -k 3
	$(BIN)/ragbench diagnose domains/mock/recorded/labels.jsonl --domain mock
	$(BIN)/ragbench eval --domain banking_knowledge --split demo

$(VENV)/installed-demo-llm: $(VENV)/installed
	@$(INSTALL) Installing a server of small models -- -c constraints.txt --editable '.[demo-llm]'
	@touch $@

demo-llm: $(VENV)/installed-demo-llm
	$(BIN)/python scripts/demo_llm.py

test: $(VENV)/installed-dev $(VENV)/model
ifeq ($(BROWSER),0)
	@echo "Left out: $$($(BIN)/python -m pytest --collect-only -q -m browser 2>/dev/null | grep -c ::) tests that need Chromium"
endif
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(if $(filter 0,$(BROWSER)),-m "not browser") $(ARGS)

test-fast: $(VENV)/installed-dev $(VENV)/model
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not slow and not browser" $(ARGS)

check: lint types
	@echo "Longest modules:"
	@git ls-files '*.py' | grep -v ^tests/ | xargs wc -l | sort -rn | sed -n '2,6p'

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# Type checkers do not follow the editable finder: check a folder of links with the import layout.
types: $(VENV)/installed-dev
	@rm -rf build/types && mkdir -p build/types
	@cp -rs "$(CURDIR)/ragbench" build/types/ragbench
	@for part in ingest domains corpora; do ln -s "$(CURDIR)/$$part" "build/types/ragbench/$$part"; done
	cd build/types && ../../$(BIN)/mypy --config-file ../../pyproject.toml --cache-dir ../../.mypy_cache ragbench

bench: $(VENV)/installed-dev $(VENV)/model
	$(BIN)/python bench/run.py

corpora: $(VENV)/installed-dev
	$(BIN)/python scripts/build_corpora.py

records: $(VENV)/installed-dev $(VENV)/model
	$(BIN)/python scripts/record_mock.py

clean:
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache

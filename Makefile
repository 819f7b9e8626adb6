# Needs Python 3.11 to 3.13 and make; everything else goes into .venv. `make` alone lists the verbs.
#
#   PYTHON=python3.12     the interpreter that .venv is made from
#   TORCH_INDEX=<url>     a package index to look for torch in as well: the CPU index that PyTorch's install page names
#   ARGS='-k rope'        handed on to pytest, or to the benchmark

PYTHON ?= python3
TORCH_INDEX ?=
ARGS ?=

# Always run as modules of this interpreter: a script's own first line breaks when the folder is moved.
VENV := .venv/bin/python
STAMP := .venv/setup.stamp

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint docs bench

help: ## list these verbs
	@sed -n 's/^\([a-z][a-z]*\):.*## /\1|/p' Makefile | while IFS='|' read -r verb what; do \
	  printf '  make %-7s %s\n' "$$verb" "$$what"; done

setup: ## make .venv and install posemb with pinned versions; does nothing when nothing changed
	@key="$$(cat pyproject.toml constraints.txt | cksum) $$(pwd)"; \
	if [ -x $(VENV) ] && [ "$$(cat $(STAMP) 2>/dev/null)" = "$$key" ]; then exit 0; fi; \
	set -e; \
	$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null || { \
	  echo "posemb needs Python 3.11, 3.12 or 3.13; $(PYTHON) is: $$($(PYTHON) --version 2>&1 | head -n 1)" >&2; \
	  echo "Name another interpreter: make setup PYTHON=python3.12" >&2; exit 1; }; \
	if ! $(VENV) -m pip --version >/dev/null 2>&1; then $(PYTHON) -m venv --clear .venv; fi; \
	rm -f $(STAMP); \
	echo "Installing posemb into .venv (once; torch is large, so this can take some minutes)" >&2; \
	if [ -t 1 ]; then quiet=; else quiet=--quiet; fi; \
	$(VENV) -m pip install $$quiet --disable-pip-version-check $(if $(TORCH_INDEX),--extra-index-url '$(TORCH_INDEX)') \
	  -c constraints.txt -e '.[dev]'; \
	printf '%s\n' "$$key" > $(STAMP)

demo: setup ## set up, then compare ape, rpe and rope over three seeds: table, curve and report (under three minutes)
	@$(VENV) -m posemb.cli sweep --experiment demo

test: setup ## set up, then run the tests
	@$(VENV) -m pytest -n auto --dist loadfile --no-loadscope-reorder $(ARGS)

lint: setup ## style, formatting and types
	@$(VENV) -m ruff check .
	@$(VENV) -m ruff format --check .
	@$(VENV) -m mypy

docs: setup ## write the pages that are generated: methods, tasks, command line
	@$(VENV) scripts/write_docs.py

bench: setup ## compare a training step with x-transformers, side by side
	@$(VENV) -c 'import x_transformers' 2>/dev/null || \
	  $(VENV) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	@$(VENV) scripts/bench_step.py $(ARGS)

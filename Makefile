# Everything starts here: `make demo` to see it, `make test` to change it.

PYTHON ?= python3
RUN := .venv/bin/python -m

export APP

.PHONY: help set-up demo test check bench coverage screenshots lock clean

help:
	@echo "make demo         build the demo data set, audit it, open it in the App (APP=0: no App)"
	@echo "make test         formatting, lint, types and every test, the browser's too"
	@echo "make check        formatting, lint and types only"
	@echo "make bench        benchmarks"
	@echo "make coverage     how often intervals of tau* hold the truth (ten minutes)"
	@echo "make screenshots  take pictures of every panel, and those of the README, anew"
	@echo "make lock         pin the newest versions of all dependencies"
	@echo "make clean        remove .venv and all data of demo and tests"

set-up:
	@$(PYTHON) scripts/set_up.py

demo: set-up
	@$(RUN) scripts.demo

check: set-up
	$(RUN) ruff format --check
	$(RUN) ruff check
	$(RUN) mypy

test:
	@$(PYTHON) scripts/set_up.py --browser --clip
	@$(MAKE) --no-print-directory check
	$(RUN) pytest -n logical --maxprocesses 4 --dist loadfile

bench: set-up
	@$(RUN) benchmarks.engine
	@$(RUN) benchmarks.million
	@$(RUN) benchmarks.read
	@$(RUN) benchmarks.calibration
	@$(RUN) benchmarks.diagnosis
	@$(RUN) benchmarks.noise
	@$(RUN) benchmarks.audit
	@$(RUN) benchmarks.panels

coverage: set-up
	@$(RUN) benchmarks.coverage

screenshots:
	@$(PYTHON) scripts/set_up.py --browser
	@$(RUN) scripts.screenshots

lock: set-up
	$(RUN) pip install --quiet uv
	$(RUN) uv pip compile --quiet --universal --python-version 3.10 --upgrade \
		--custom-compile-command "make lock" \
		requirements-dev.in --output-file requirements-dev.txt

clean:
	rm -rf .venv .kalos

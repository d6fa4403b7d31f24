# What there is to do here. Needs git, make and Python 3.11 or newer with venv; no root.

PYTHON ?= python3
PORT ?= 8000
BENCHMARK ?=
WORKERS ?= 4

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --no-input
ASIDE := SONOVQA_VAR=$(VENV)/check-var

# Python keeps what it compiles, also where an image forbids it: else every process of the site
# and of the tests compiles each module again, and only to collect the tests takes 27 s, not 9 s.
unexport PYTHONDONTWRITEBYTECODE

# A test that failed is run once more with nothing beside it: browsers, workers and servers share
# the cores, and what the load alone broke passes then. What is broken fails twice.
define or_alone
|| { test $$? -eq 1 || exit 1; \
	  echo "Failed once, see above. Each of these again, alone:"; \
	  $(BIN)/python -m pytest -v -p no:randomly -o cache_dir=.pytest_cache/$(1) \
	    --last-failed --last-failed-no-failures none --maxfail 1; }
endef

.PHONY: run test test-sqlite test-postgres check format install

run: ## make the demo and start everything: make run [BENCHMARK=FOLDER] [PORT=8000]
	@$(PYTHON) sonovqa/start_check.py $(PORT)
	@$(MAKE) --no-print-directory install
	@$(BIN)/python manage.py prepare $(if $(BENCHMARK),--benchmark "$(BENCHMARK)")
	@exec $(BIN)/python manage.py up --port $(PORT)

test: test-sqlite test-postgres ## everything that proves it; parts that this machine lacks are skipped

test-sqlite: $(VENV)/.test-installed
	$(BIN)/python -m pytest -n $(WORKERS) -o cache_dir=.pytest_cache/sqlite $(call or_alone,sqlite)

test-postgres: $(VENV)/.test-installed ## what touches the database, again on PostgreSQL
	export SONOVQA_TEST_DB=postgres; \
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -o cache_dir=.pytest_cache/postgres \
	  $(call or_alone,postgres)

check: $(VENV)/.test-installed ## style, types, import contract, migrations, deployment settings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(ASIDE) $(BIN)/mypy .
	$(BIN)/lint-imports
	$(BIN)/djhtml --check --tabwidth 2 templates
	$(ASIDE) $(BIN)/python manage.py makemigrations --check --dry-run
	$(ASIDE) SONOVQA_HTTPS=1 SONOVQA_SECRET_KEY= $(BIN)/python manage.py check --deploy --fail-level WARNING

format: $(VENV)/.test-installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/djhtml --tabwidth 2 templates

install: $(VENV)/.installed
	@:

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed; name one: make run PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "Python's venv module is missing; install it: apt install python3-venv" >&2; exit 1; }
	@echo "Making a virtual environment in $(VENV) ..."
	@$(PYTHON) -m venv --clear $(VENV) || { \
	  echo "The folder $(VENV) cannot be made: is the disk full, or the folder not writable?" >&2; \
	  exit 1; }
	@touch $@

$(VENV)/.installed: requirements.txt | $(VENV)/.made
	@echo "Installing the requirements (once, about a minute) ..."
	@$(PIP) -r requirements.txt || { \
	  echo "The requirements cannot be installed: is the package registry reachable, the disk full?" >&2; \
	  exit 1; }
	@touch $@

$(VENV)/.test-installed: tests/requirements.txt requirements.txt | $(VENV)/.made
	@$(PIP) -r tests/requirements.txt || { \
	  echo "The requirements cannot be installed: is the package registry reachable, the disk full?" >&2; \
	  exit 1; }
	@touch $@

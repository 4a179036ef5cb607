# Everything that is needed is set up on the way: `make run` and `make test` work in a fresh clone.
# Options: PYTHON=/path/to/python3, CHROMIUM=/path/to/chrome, ARGS="further arguments of the command";
# TIECORE_HYPOTHESIS=thorough gives every property many more examples, and new ones each time.

export PYTHON CHROMIUM
unexport PYTHONDONTWRITEBYTECODE  # else each of the many processes would compile all libraries anew
python := .venv/bin/python
# Types of tests are a third of the time and guard nothing that running the tests does not: CI and test-all check them.
typed := $(if $(CI),,tiecore dashboard/tiecore_dashboard)

.DEFAULT_GOAL := help
.PHONY: help run test test-all lowest check format docs bench package constraints clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

run:  ## open the dashboard on the sample data
	@tools/setup.sh dashboard
	@$(python) -m tiecore dashboard $(ARGS)

test: check  ## check, then every test that guards a change; where CI is set, with coverage
	@tools/setup.sh browser
	@$(python) -m tools.test

test-all: typed :=
test-all: check lowest  ## the same with the slow tests, all libraries with plug-ins, more examples, and the lowest versions
	@tools/setup.sh test-all
	@tools/setup.sh browser
	@$(python) -m tools.test --all

lowest:  ## test tiecore with the lowest versions of what it needs (Python 3.11 or 3.12, for which those were made)
	@PYTHON="python3.11 python3.12" tools/setup.sh test-tiecore .venv-lowest lowest
	@.venv-lowest/bin/python -m pytest -q -n auto --dist loadfile -m "not slow" --ignore-glob='*dashboard*' \
		$(addprefix --ignore=tests/,browser project spark test_escape.py) $(ARGS)

check:  ## format, lint and types; where CI is set, those of the tests too
	@tools/setup.sh test
	@$(python) -m ruff format --check .
	@$(python) -m ruff check .
	@$(python) -m mypy $(typed)

format:  ## format the code and mend what the linter can mend
	@tools/setup.sh test
	@$(python) -m ruff format .
	@$(python) -m ruff check --fix .

docs:  ## build the documentation with the reference into build/docs
	@tools/setup.sh docs
	@NO_MKDOCS_2_WARNING=1 $(python) -m mkdocs build --strict --quiet

bench:  ## measure speed and values against other tools
	@tools/setup.sh bench .venv-bench /dev/null
	@.venv-bench/bin/python -m bench $(ARGS)

package:  ## build wheel and source archive, and try them in an empty environment
	@tools/setup.sh package
	@rm -rf dist
	@$(python) -m hatchling build -d dist
	@TIECORE_PACKAGING=download $(python) -m pytest tests/project/test_archives.py tests/project/test_packaging.py -q --timeout=1200 $(ARGS)

constraints:  ## test with the newest versions of everything, and write these down for the set-up
	@rm -rf .venv && : >constraints.txt
	@tools/setup.sh docs
	@tools/setup.sh package
	@$(MAKE) --no-print-directory test
	@$(python) -m tools.versions used >constraints.txt

clean:  ## remove everything that make has made
	rm -rf .venv .venv-bench .venv-lowest build dist .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find tiecore dashboard tests -name __pycache__ -type d -prune -exec rm -rf {} +

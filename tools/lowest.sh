#!/usr/bin/env bash
# Runs the tests of tiecore with the lowest versions of its libraries that pyproject.toml allows, and without the
# dashboard's. Those versions are read from pyproject.toml, so that a floor cannot be promised and forgotten.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/setup.sh lowest

# What is about the dashboard, the archives and the documents needs other libraries, or their present versions.
elsewhere=(browser dashboard spark cli/test_dashboard.py)
elsewhere+=(test_bench.py test_docs.py test_escape.py test_packaging.py test_readme.py test_walks.py)
echo "With $(paste -sd ' ' .venv-lowest/floors.txt):"
exec .venv-lowest/bin/python -m pytest -q -n auto --dist loadfile "${elsewhere[@]/#/--ignore=tests/}" "$@"

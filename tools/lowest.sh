#!/usr/bin/env bash
# Runs the tests of tiecore with the lowest versions of its libraries that pyproject.toml allows, and without the
# dashboard's. Those versions are read from pyproject.toml, so that a floor cannot be promised and forgotten.
#
#   tools/lowest.sh quick         what meets the libraries: readers, collections, tables, the command, plug-ins
#   tools/lowest.sh ARGUMENTS …   all tests of tiecore, with further arguments of pytest
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/setup.sh lowest

# What is about the dashboard, the archives and the documents needs other libraries, or their present versions.
elsewhere=(browser dashboard spark cli/test_dashboard.py)
elsewhere+=(test_bench.py test_docs.py test_escape.py test_packaging.py test_readme.py test_walks.py)
[[ "${1:-}" == quick ]] && set -- -m "not slow" tests/{formats,collection,counts,cli,evaluation,plugins}
echo "With $(paste -sd ' ' .venv-lowest/floors.txt):"
exec .venv-lowest/bin/python -m pytest -q -n auto --dist loadfile "${elsewhere[@]/#/--ignore=tests/}" "$@"

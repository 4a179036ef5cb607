#!/usr/bin/env bash
# Runs the whole test suite under coverage and holds tiecore at 100 %; with arguments, what they say and no coverage.
# Pytest's closing line is repeated at the end, below the coverage table, where a person and a CI look for it.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

color=no
[[ -t 1 && -z "${NO_COLOR:-}" ]] && color=yes
log=.venv/pytest.log

# One worker a processor; the tests of one file stay together, since they share what is costly to make.
options=(-n auto --dist loadfile --color="$color")
(($# == 0)) || exec .venv/bin/python -m pytest "${options[@]}" "$@"
.venv/bin/python -m coverage erase
.venv/bin/python -m coverage run -m pytest "${options[@]}" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
.venv/bin/python -m coverage combine --quiet

echo
echo "dashboard: $(.venv/bin/python -m coverage report --include='dashboard/*' --format=total 2>/dev/null) % covered"
if .venv/bin/python -m coverage report --include='tiecore/*' --fail-under=100 >.venv/coverage.log 2>&1; then
    echo "tiecore: every line and branch is covered"
else
    cat .venv/coverage.log
    echo "tiecore is not covered to 100 %: the lines above have no test"
    ((status == 0)) && status=1
fi
grep -aE '(passed|failed|error|no tests ran).* in [0-9.]+s' "$log" | tail -n 1
exit "$status"

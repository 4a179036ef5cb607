#!/usr/bin/env bash
# Runs the tests in two parts, one after the other: those without a browser, under coverage that holds tiecore at 100 %;
# then those with a browser, alone, so that nothing else keeps it waiting.
#
#   tools/test.sh quick           what guards a change
#   tools/test.sh all             the slow ones too, and more examples of every property
#   tools/test.sh ARGUMENTS …     what pytest makes of the arguments, without coverage
#
# One closing line counts both parts and is the last, where a person and a CI look for it.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Modules are compiled once, for all workers and for every command that tests start, wherever they might not be kept.
unset PYTHONDONTWRITEBYTECODE

# Matrices of tests are small. The threads that wait for large ones cost every process that is started a tenth of a
# second, which is a third of what most of them cost.
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}"

python=.venv/bin/python
options=(--color=no)
[[ -t 1 && -z "${NO_COLOR:-}" ]] && options=(--color=yes)

# As many tests at a time as there are processors; those of one file stay together, since they share what is costly.
parallel=(-n auto --dist loadfile)
choice="not slow"
case "${1:-}" in
    quick) ;;
    all)
        choice="slow or not slow"
        options+=(--timeout=3600) # a property with many more examples takes its time
        export TIECORE_HYPOTHESIS="${TIECORE_HYPOTHESIS:-thorough}"
        ;;
    "")
        echo "usage: tools/test.sh quick | all | ARGUMENTS of pytest" >&2
        exit 2
        ;;
    *) exec "$python" -m pytest "${parallel[@]}" "${options[@]}" "$@" ;;
esac

covered=("$python" -m coverage run -m pytest "${options[@]}" -m "$choice")
logs=()
"$python" -m coverage erase
if [[ "$1" == quick ]]; then
    # Two halves at the same time. Workers that share all tests would each load all of them, and report each to a
    # process of its own: a tenth of what the quick tests cost.
    surfaces=(tests/cli tests/dashboard)
    logs+=(.venv/pytest-inside.log .venv/pytest-surfaces.log)
    "${covered[@]}" "${surfaces[@]/#/--ignore=}" --ignore=tests/browser >"${logs[0]}" 2>&1 &
    inside=$!
    trap 'kill "$inside" 2>/dev/null' EXIT
    "${covered[@]}" "${surfaces[@]}" 2>&1 | tee "${logs[1]}"
    status=${PIPESTATUS[0]}
    wait "$inside"
    inside_status=$?
    trap - EXIT
    cat "${logs[0]}"
    ((status == 0)) && status=$inside_status
else
    logs+=(.venv/pytest-alone.log)
    "${covered[@]}" "${parallel[@]}" --ignore=tests/browser 2>&1 | tee "${logs[0]}"
    status=${PIPESTATUS[0]}
fi
"$python" -m coverage combine --quiet
logs+=(.venv/pytest-browser.log)
"$python" -m pytest "${options[@]}" -m "browser and ($choice)" tests/browser 2>&1 | tee "${logs[-1]}"
browser_status=${PIPESTATUS[0]}
((status == 0)) && status=$browser_status

echo
if "$python" -m coverage report --fail-under=100 >.venv/coverage.log 2>&1; then
    echo "tiecore: every line and branch is covered"
else
    cat .venv/coverage.log
    echo "tiecore is not covered to 100 %: the lines above have no test"
    ((status == 0)) && status=1
fi

# "= 12 passed, 1 skipped in 3.45s (0:00:03) =" of each part becomes one such line, with the seconds of all this.
sed 's/\x1b\[[0-9;]*m//g' "${logs[@]}" | grep -aE '^=* ?([0-9]+ .*(passed|failed|error|skipped|deselected).*|no tests ran) in [0-9.]+s' |
    awk -v seconds="$SECONDS" '{
        for (word = 2; word <= NF; word++) {
            kind = $word; sub(/,$/, "", kind); sub(/^errors$/, "error", kind); sub(/^warnings$/, "warning", kind)
            if ($(word - 1) ~ /^[0-9]+$/ && kind != "deselected") count[kind] += $(word - 1)
        }
    } END {
        kinds = split("failed passed skipped xfailed xpassed error warning", order, " ")
        for (k = 1; k <= kinds; k++) if (order[k] in count) line = line (line ? ", " : "") count[order[k]] " " order[k]
        printf "%s in %.2fs\n", line ? line : "no tests ran", seconds
    }'
exit "$status"

#!/usr/bin/env bash
# Prepares what a make target needs, and does nothing where all is there.
#
#   tools/setup.sh EXTRA [FOLDER [FILE]]   an environment in FOLDER (.venv) with tiecore and an extra of pyproject.toml,
#                                          in the versions that FILE names (constraints.txt), or in the `lowest`
#   tools/setup.sh browser                 Chromium, and the rules of accessibility that pages are checked against
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
say() { printf '%s\n' "$@" >&2; }
give_up() { say "" "$@" && exit 1; }

# A name on PATH is only believed after it has run: version managers put some there that fail when called.
find_python() {
    for python in ${PYTHON:-python3 python3.13 python3.12 python3.11 python}; do
        "$python" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && return
    done
    give_up "${PYTHON:-python3} is no Python 3.11 or newer that can make virtual environments." \
        "Name another one with make PYTHON=/path/to/python3, or install it; on Debian and Ubuntu:" \
        "    sudo apt-get install python3 python3-venv"
}

# Python compiles what it imports; to compile all that is installed takes half of the time.
install() { "$venv/bin/python" -m pip install --quiet --no-input --no-compile --disable-pip-version-check "$@"; }
no_network="pip could not install; is the network there, and PIP_INDEX_URL right?"

prepare() {
    local extra=$1 venv=$2 versions=$3 made wanted
    # What is installed holds the path of this checkout, so one that was moved or copied is set up anew.
    made="$PWD ${PYTHON:-}"
    wanted="$made $(cat pyproject.toml hatch_build.py tiecore/kernel/kernel.c $([[ "$versions" == lowest ]] || echo "$versions") | cksum)"
    [[ "$(cat "$venv/ready-$extra" 2>/dev/null)" != "$wanted" ]] || return 0
    if [[ "$(cat "$venv/made" 2>/dev/null)" != "$made" ]]; then
        find_python
        say "Making $venv with $("$python" --version) …"
        "$python" -m venv --clear "$venv"
        install --upgrade pip || give_up "$no_network"  # the one that comes with Python 3.11 takes twice the time
        echo "$made" >"$venv/made"
    fi
    if [[ "$versions" == lowest ]]; then
        versions=$venv/lowest.txt
        "$venv/bin/python" -m tools.versions lowest >"$versions"
    fi
    say "Installing tiecore and what \`$extra\` needs into $venv (about a minute the first time) …"
    install --constraint "$versions" --editable ".[$extra]" || give_up "$no_network"
    # Tests use what beir and mteb evaluate with, which needs nothing of the gigabytes that they ask for.
    [[ "$extra" != test* || "$extra" == test-tiecore ]] ||
        install --no-deps --constraint "$versions" beir $([[ "$extra" == test ]] || echo mteb) ||
        say "Without these, some tests of plug-ins are skipped."
    echo "$wanted" >"$venv/ready-$extra"
}

prepare_browser() {
    if [[ ! -f .venv/node_modules/axe-core/axe.min.js ]]; then
        npm install --silent --no-audit --no-fund --prefix .venv axe-core@4 </dev/null ||
            say "Without axe-core, which npm installs, tests/browser/test_accessibility.py is skipped."
    fi
    for name in "${CHROMIUM:-chromium}" chromium-browser google-chrome google-chrome-stable; do
        command -v "$name" >/dev/null && return
    done
    if [[ "$(id -u)" == 0 ]] && apt-get update -q && apt-get install -qy --no-install-recommends chromium; then return; fi
    say "No Chromium was found, so the tests in the browser cannot run. Install it" \
        "(on Debian: sudo apt-get install chromium), or name it: make CHROMIUM=/path/to/chrome test"
}

case "${1:-}" in
    browser) prepare_browser ;;
    "") give_up "usage: tools/setup.sh EXTRA [FOLDER [FILE]] | browser" ;;
    *) prepare "$1" "${2:-.venv}" "${3:-constraints.txt}" ;;
esac

#!/usr/bin/env bash
# Prepares what a make target needs, or says what is missing and how to get it. Does nothing when all is there.
#
#   tools/setup.sh dashboard   .venv with tiecore and its dashboard
#   tools/setup.sh test        the same with the tools of the test suite
#   tools/setup.sh test-all    the same with every library that has a plug-in
#   tools/setup.sh lowest      .venv-lowest with tiecore, its tests, and the lowest versions that pyproject.toml allows
#   tools/setup.sh bench       .venv-bench with the tools that tiecore is measured against
#   tools/setup.sh browser     a Chromium for the browser tests
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '%s\n' "$@" >&2; }
give_up() {
    say "" "$@"
    exit 1
}

# A candidate is only believed after it has run: version managers put names on PATH that fail when called.
is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }
can_make_venv() { "$1" -c 'import ensurepip, venv' >/dev/null 2>&1; }
# The interpreter of an existing environment, which must be of the version that PYTHON asks for.
is_usable() { is_new_enough "$1" && [[ -z "${PYTHON:-}" || "$(version_of "$1")" == "$(version_of "$PYTHON")" ]]; }
version_of() { "$1" -c 'import platform; print(platform.python_version())'; }

wanted_python="Python 3.11 or newer"
candidates=(python3 python3.13 python3.12 python3.11 python3.14 python)

# Sets `python` to the first interpreter that can build a virtual environment: the one that PYTHON names, if it does.
find_python() {
    local candidate without_venv=""
    [[ -z "${PYTHON:-}" ]] || candidates=("$PYTHON")
    for candidate in "${candidates[@]}"; do
        # Every place on PATH, since a broken name may hide a good one further on.
        while IFS= read -r python; do
            is_new_enough "$python" || continue
            can_make_venv "$python" && return
            without_venv="${without_venv:-$python}"
        done < <(type -aP "$candidate")
    done
    if [[ -n "$without_venv" ]]; then
        local name
        name="python$("$without_venv" -c 'import sys; print("%d.%d" % sys.version_info[:2])')-venv"
        give_up "$without_venv (Python $(version_of "$without_venv")) cannot make virtual environments:" \
            "its modules venv and ensurepip are missing. On Debian and Ubuntu:" \
            "    sudo apt-get install $name" \
            "then run make again."
    fi
    [[ -z "${PYTHON:-}" ]] || give_up "PYTHON=$PYTHON is no $wanted_python that runs."
    give_up "No $wanted_python was found on PATH." \
        "Install one (https://www.python.org/downloads, or on Debian and Ubuntu:" \
        "    sudo apt-get install python3 python3-venv)," \
        "or name it: make PYTHON=/path/to/python3 …"
}

# Prints the lowest version of each library that pyproject.toml allows, in the form that pip's --constraint reads.
floors() {
    "$1" - <<'END'
import re, tomllib
for requirement in tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"]:
    print("{}=={}".format(*re.match(r"([\w-]+)>=([\d.]+)", requirement).groups()))
END
}

# prepare_venv FOLDER EXTRA [lowest]: an editable install of this checkout with an extra of pyproject.toml.
prepare_venv() {
    local venv=$1 extra=$2 versions=${3:-} log=$1/install.log constraint=() wanted included
    # Scripts and the editable install hold the absolute path, so a checkout that was moved or copied is set up anew.
    # So is one whose compiled part (tiecore/kernel) is of an older state.
    wanted="$PWD $(cat pyproject.toml hatch_build.py tiecore/kernel/kernel.c | cksum)"
    if ! is_usable "$venv/bin/python" || [[ "$(cat "$venv/made-in" 2>/dev/null)" != "$PWD" ]]; then
        find_python
        say "Making $venv with Python $(version_of "$python") …"
        rm -rf "$venv"
        "$python" -m venv "$venv" || give_up "$python -m venv failed; what it said stands above."
        echo "$PWD" >"$venv/made-in"
    fi
    [[ "$(cat "$venv/ready-$extra" 2>/dev/null)" != "$wanted" ]] || return 0
    say "Installing tiecore and what \`$extra\` needs into $venv (about a minute the first time) …"
    if [[ "$versions" == lowest ]]; then
        floors "$venv/bin/python" >"$venv/floors.txt"
        constraint=(--constraint "$venv/floors.txt")
    fi
    if ! "$venv/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
        "${constraint[@]}" --editable ".[$extra]" >"$log" 2>&1; then
        tail -n 15 "$log" >&2
        if grep -qE 'NewConnectionError|ConnectTimeout|NameResolution|ProxyError|Could not find a version' "$log"; then
            give_up "The Python package index could not be reached, or lacks a package named above." \
                "Check the network (and PIP_INDEX_URL or the proxy settings, if you use them), then run make again."
        fi
        give_up "pip could not install; the whole log is in $log."
    fi
    case "$extra" in
        test) included=(dashboard) ;;
        test-all) included=(dashboard test) ;;
        *) included=() ;;
    esac
    # tests call their evaluation alone, which needs nothing of the gigabytes that they ask for
    local evaluations=()
    case "$extra" in
        test) evaluations=('beir>=2.2,<3') ;;
        test-all) evaluations=('beir>=2.2,<3' 'mteb>=2,<3') ;;
    esac
    if ((${#evaluations[@]})); then
        "$venv/bin/python" -m pip install --quiet --no-input --disable-pip-version-check --no-deps "${evaluations[@]}" \
            >>"$log" 2>&1 || say "${evaluations[*]} could not be installed, so tests are skipped; the log is in $log."
    fi
    for extra in "$extra" "${included[@]}"; do
        echo "$wanted" >"$venv/ready-$extra"
    done
}

# The rules that pages are checked against in the browser. Without npm that one test skips, and says so.
prepare_axe() {
    [[ -f .venv/node_modules/axe-core/axe.min.js ]] && return
    command -v npm >/dev/null || return 0
    npm install --silent --no-audit --no-fund --fetch-retries=1 --fetch-timeout=20000 --prefix .venv axe-core@4 >"$1" 2>&1 </dev/null ||
        say "npm could not install axe-core, so tests/browser/test_accessibility.py will skip; the log is in $1."
}

prepare_browser() {
    local name
    for name in ${CHROMIUM:+"$CHROMIUM"} chromium chromium-browser google-chrome google-chrome-stable; do
        command -v "$name" >/dev/null && return
    done
    if command -v apt-get >/dev/null && [[ "$(id -u)" == 0 ]]; then
        say "Installing Chromium for the browser tests (apt-get) …"
        if { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium; } \
            >"$1" 2>&1 </dev/null; then
            return
        fi
        tail -n 5 "$1" >&2
        say "apt-get could not install Chromium; the whole log is in $1."
    fi
    # Not fatal here: the tests themselves skip, or fail where REQUIRE_BROWSER=1 asks for a browser.
    say "No Chromium was found, so the browser tests cannot run. Install one" \
        "(on Debian: sudo apt-get install chromium), or name it: make CHROMIUM=/path/to/chrome test"
}

case "${1:-}" in
    dashboard) prepare_venv .venv dashboard ;;
    test) prepare_venv .venv test ;;
    test-all)
        prepare_venv .venv test-all
        # Not fatal: the tests of Spark skip themselves.
        command -v java >/dev/null || [[ -n "${JAVA_HOME:-}" ]] ||
            say "Java is missing, so Spark cannot be tested. On Debian: sudo apt-get install openjdk-17-jre-headless"
        ;;
    lowest) # the libraries of that time were made for these versions of Python alone
        unset PYTHON
        wanted_python="Python 3.11 or 3.12"
        candidates=(python3.11 python3.12)
        prepare_venv .venv-lowest test-tiecore lowest
        ;;
    bench) prepare_venv .venv-bench bench ;;
    browser)
        prepare_axe .venv/axe.log
        prepare_browser .venv/browser.log
        ;;
    *) give_up "usage: tools/setup.sh dashboard|test|test-all|lowest|bench|browser" ;;
esac

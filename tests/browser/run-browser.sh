#!/usr/bin/env bash
# The flame graph page in Chromium, and its modules in Node.
#
#   run-browser.sh BUILD_DIR [CAPTURES_DIR]
#
# Pages are made from samples; where BUILD_DIR has a binprof-convert that knows --flamegraph, also from the captures in
# CAPTURES_DIR, tests/captures unless given. Pages and screenshots go to BUILD_DIR/browser, or to the folder that
# BINPROF_CI_OUTPUT names. Exits 77 where there can be no browser (see setup-browser.sh).
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(cd -- "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../peers/common.sh
. "$here/../peers/common.sh"

find_browser() {
    local status=0
    modules=$(peers_cache)/browser
    "$here/setup-browser.sh" "$modules" || status=$?
    if ((status == unavailable)); then
        skip_all
    elif ((status != 0)); then
        exit "$status"
    fi
    chromium=$("$here/find-chromium.sh")
}

# Sets `real` to what the test needs to look at real captures; nothing where the tool can't make pages.
find_captures() {
    real=()
    local convert
    if convert=$(find_tool "$1" binprof-convert 2>/dev/null) && "$convert" --list-formats | grep -qw flamegraph; then
        real=("$convert" "$captures"/*.bin)
    fi
}

main() {
    if [[ $# -lt 1 || $# -gt 2 ]]; then
        printf 'usage: run-browser.sh BUILD_DIR [CAPTURES_DIR]\n' >&2
        exit 2
    fi
    captures=$(realpath -- "${2:-$root/tests/captures}")
    find_browser
    find_captures "$1"
    output=${BINPROF_CI_OUTPUT:-$1/browser}
    mkdir -p -- "$output"
    output=$(realpath -- "$output")
    cmake "-DVIEWER=$root/collectors/flamegraph/viewer" "-DHTML=$output/template.html" -P "$root/cmake/viewer.cmake"

    node --test "$here/viewer_test.mjs" >"$output/modules.log" 2>&1 || {
        grep -E -A 12 '^ *not ok' "$output/modules.log" | head -n 60
        printf 'FAILED: the modules; see %s\n' "$output/modules.log"
        exit 1
    }
    node "$here/browser.mjs" "$modules" "$chromium" "$output/template.html" "$output" "${real[@]}"
}

main "$@"

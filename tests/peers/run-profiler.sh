#!/usr/bin/env bash
# binprof's Gecko output in the Firefox Profiler's own code.
#
#   run-profiler.sh BUILD_DIR [CAPTURES_DIR]
#
# CAPTURES_DIR is tests/captures unless given. Exits 77 where the profiler can't be had (see setup-profiler.sh).
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$here/common.sh"

find_profiler() {
    local dir status=0
    dir=$(peers_cache)/profiler
    "$here/setup-profiler.sh" "$dir" || status=$?
    if ((status == unavailable)); then
        skip_all
    elif ((status != 0)); then
        exit "$status"
    fi
    node=$dir/bin/node
    client=$dir/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js
}

# The profiler's daemon keeps its socket here: the path has to be short, and nobody else's session is touched. Nothing is
# asked of a symbol server.
make_work() {
    work=$(mktemp -d /tmp/binprof.XXXXXX)
    log=$work/log
    export PROFILER_CLI_SESSION_DIR=$work/sessions
    export PROFILER_CLI_NO_SYMBOLICATE=1
    export NODE_COMPILE_CACHE=$work/compiled
    trap 'rm -rf -- "$work"' EXIT
}

# In these modes threads are only sampled while they are in the state that the mode is about.
mode_leaves_gaps() {
    [[ $1 == cpu-all || $1 == exception ]]
}

same_in_profiler() {
    local capture=$1
    shift
    rm -f -- "$work/profile.json"
    "$convert" --gecko -o "$work/profile.json" "$capture" &&
        "$dump" --samples --json "$capture" >"$work/samples.jsonl" &&
        "$dump" --frames --json "$capture" >"$work/frames.jsonl" &&
        "$dump" --strings --json "$capture" >"$work/strings.jsonl" &&
        "$node" "$here/profiler.mjs" "$@" "$client" "$work/profile.json" \
            "$work/samples.jsonl" "$work/frames.jsonl" "$work/strings.jsonl"
}

check_captures() {
    local path name options
    for path in "$captures"/*.bin; do
        name=$(basename -- "$path" .bin)
        options=()
        if mode_leaves_gaps "$name"; then
            options=(--gaps)
        fi
        check "$name" same_in_profiler "$path" "${options[@]}"
    done
}

main() {
    if [[ $# -lt 1 || $# -gt 2 ]]; then
        printf 'usage: run-profiler.sh BUILD_DIR [CAPTURES_DIR]\n' >&2
        exit 2
    fi
    captures=$(realpath -- "${2:-$here/../captures}")
    convert=$(find_tool "$1" binprof-convert)
    dump=$(find_tool "$1" binprof-dump)
    find_profiler
    make_work
    check_captures
    finish
}

main "$@"

# shellcheck shell=bash
# Counting and messages shared by the run-*.sh scripts here; sourced, not run.

# Exit status by which a peer says that it can't be had on this machine (the usual one for a skipped test).
readonly unavailable=77

passed=0
failed=0

# What the command under `check` says; a script may name a file of its own.
log=/dev/null

pass() {
    passed=$((passed + 1))
}

# fail MESSAGE [FILE]: counts a failed check; FILE's first lines tell more.
fail() {
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$1"
    if [[ -n ${2:-} && -s $2 ]]; then
        head -n 12 -- "$2" | cut -c 1-400 | sed 's/^/    /'
    fi
}

# check NAME COMMAND...: passes when the command does; what it said is shown when it fails. Its output goes to the file
# $log, so that nothing but a failure makes noise.
check() {
    local name=$1
    shift
    if "$@" >"$log" 2>&1; then
        pass
    else
        fail "$name" "$log"
    fi
}

# The whole run can't be made, as the setup script has said: ends it.
skip_all() {
    printf '0 passed, 0 failed, 1 skipped\n'
    exit "$unavailable"
}

# The closing line; the script's exit status is its own. A run that checked nothing has not passed.
finish() {
    printf '%d passed, %d failed\n' "$passed" "$failed"
    ((failed == 0 && passed > 0))
}

# find_tool BUILD_DIR NAME: prints where the build put the tool.
find_tool() {
    local candidate
    for candidate in "$1/$2" "$1/tools/$2" "$1/bin/$2"; do
        if [[ -x $candidate && -f $candidate ]]; then
            realpath -- "$candidate"
            return
        fi
    done
    printf 'no %s in %s: build it first\n' "$2" "$1" >&2
    return 1
}

# Where the peers are kept between runs, unless the caller says otherwise.
peers_cache() {
    printf '%s\n' "${BINPROF_PEERS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/binprof-peers}"
}

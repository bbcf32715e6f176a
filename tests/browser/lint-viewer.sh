#!/usr/bin/env bash
# ESLint on the viewer of the flame graph page and on its tests; the rules are in eslint.config.mjs.
#
#   lint-viewer.sh
#
# Exits 77, with the reason, where ESLint can't be had: no npm, no registry, too old a Node.
set -euo pipefail

# @eslint/js has the recommended rules; its version is that of the rules, not of ESLint.
readonly eslint_version=10.15.0
readonly eslint_js_version=10.0.1

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../peers/common.sh
. "$here/../peers/common.sh"

cannot() {
    printf 'lint-viewer: no ESLint: %s\n' "$1" >&2
    exit "$unavailable"
}

works() {
    [[ $(node "$eslint" --version 2>/dev/null) == "v$eslint_version" ]]
}

install_eslint() {
    command -v npm >/dev/null || cannot "npm is not installed"
    mkdir -p -- "$dir"
    npm install --prefix "$dir" --no-save --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error \
        "eslint@$eslint_version" "@eslint/js@$eslint_js_version" >"$dir/npm.log" 2>&1 ||
        cannot "npm could not install it; see $dir/npm.log"
    works || cannot "what npm installed does not run here"
}

main() {
    dir=$(peers_cache)/browser/eslint
    eslint=$dir/node_modules/eslint/bin/eslint.js
    works || install_eslint
    cd -- "$here/../.."
    BINPROF_BROWSER_DIR=$dir node "$eslint" --config tests/browser/eslint.config.mjs --max-warnings 0 \
        collectors/flamegraph/viewer tests/browser
}

main "$@"

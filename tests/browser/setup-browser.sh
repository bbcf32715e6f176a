#!/usr/bin/env bash
# Sees to a Chromium, and installs what drives it, playwright-core from npm, into DIR.
#
#   setup-browser.sh DIR
#
# Does nothing when DIR already holds this version. Exits 77, with the reason, where one of them can't be had: no npm, no
# registry, no package, no right to install it.
set -euo pipefail

readonly playwright_version=1.65.1
readonly node_major_needed=20

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../../scripts/packages.sh
. "$here/../../scripts/packages.sh"

say() {
    printf 'setup-browser: %s\n' "$1" >&2
}

cannot() {
    say "no browser test: $1"
    exit 77
}

node_is_new_enough() {
    [[ $(node -p 'process.versions.node.split(".")[0]' 2>/dev/null) -ge $node_major_needed ]]
}

# works DIR: whether DIR has the right version.
works() {
    local manifest=$1/node_modules/playwright-core/package.json
    [[ -f $manifest && $(node -p 'require(process.argv[1]).version' "$manifest") == "$playwright_version" ]]
}

install_chromium() {
    # Debian's chromium is the browser itself; elsewhere one of another name may be there.
    if ! "$here/find-chromium.sh" >/dev/null; then
        need_packages chromium >&2 || cannot "Chromium could not be installed"
        "$here/find-chromium.sh" >/dev/null || cannot "there is no Chromium that runs"
    fi
}

main() {
    if [[ $# -ne 1 || -z $1 ]]; then
        printf 'usage: setup-browser.sh DIR\n' >&2
        exit 2
    fi
    local dir=$1
    node_is_new_enough || cannot "Node $node_major_needed or later is not installed"
    install_chromium
    if works "$dir"; then
        say "$dir is ready"
        return
    fi
    command -v npm >/dev/null || cannot "npm is not installed"
    mkdir -p -- "$dir"
    say "installing into $dir"
    # playwright-core needs no other package; its own browsers are not fetched.
    if ! npm install --prefix "$dir" --no-save --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error \
        "playwright-core@$playwright_version" >"$dir/npm.log" 2>&1; then
        cannot "npm could not install it; see $dir/npm.log"
    fi
    works "$dir" || cannot "what npm installed does not run here"
    say "$dir is ready"
}

main "$@"

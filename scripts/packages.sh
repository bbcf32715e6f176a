# shellcheck shell=sh
# Sourced by the commands that set themselves up: sees to it that packages are installed.

# Usage: need_packages PACKAGE...
# Installs those of the Debian packages that are missing. Elsewhere, and without the rights to
# install, it only says what is needed: the packages may be there under other names.
need_packages() {
    command -v dpkg-query >/dev/null 2>&1 || {
        echo "Not a Debian system; this needs what Debian calls: $*"
        return 0
    }
    missing=
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
            missing="$missing $package"
    done
    [ -n "$missing" ] || return 0

    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        as_root=sudo
        command -v sudo >/dev/null 2>&1 || {
            echo "Please install, as root:$missing" >&2
            return 1
        }
    fi
    echo "Installing:$missing"
    # shellcheck disable=SC2086 # a list of words
    $as_root apt-get update -qq &&
        $as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# What building the library and the tools takes.
BUILD_PACKAGES="cmake ninja-build gcc libc6-dev pkg-config libzstd-dev libjansson-dev zlib1g-dev
    libxxhash-dev"
# What the tests take besides.
# shellcheck disable=SC2034 # used by who sources this
TEST_PACKAGES="$BUILD_PACKAGES libcmocka-dev python3"

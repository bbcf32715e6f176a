#!/usr/bin/env bash
# Makes DIR a root directory with CPython 3.15, from Debian's packages, for run-cpython.sh to enter by chroot.
#
#   setup-cpython.sh DIR
#
# Does nothing when a python3.15 that can write captures is on PATH, or when DIR already holds one. Exits 77, with the
# reason, where CPython 3.15 can't be had: not root, not Debian, no network.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)

say() {
    printf 'setup-cpython: %s\n' "$1" >&2
}

cannot() {
    say "no CPython 3.15: $1"
    exit 77
}

# works [chroot DIR]: whether python3.15, there, can read and write captures.
works() {
    "$@" python3.15 - probe <"$here/cpython.py" >/dev/null 2>&1
}

is_debian() {
    [[ -r /etc/os-release ]] && (. /etc/os-release && [[ " ${ID:-} ${ID_LIKE:-} " == *" debian "* ]])
}

# The mirror that this machine takes its own Debian packages from. apt knows, however its sources are written down;
# the suites of other repositories (security, updates, backports, third parties) have other names or components.
mirror() {
    local codename
    codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-sid}")
    # shellcheck disable=SC2016 # apt fills these in, not the shell
    apt-get indextargets --format '$(COMPONENT) $(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
        awk -v codename="$codename" '
            $1 == "main" && ($2 == codename || $2 ~ /^(oldstable|stable|testing|unstable|sid)$/) && $3 ~ /^(https?|file):/ {
                print $3
                exit
            }'
}

install_debootstrap() {
    command -v debootstrap >/dev/null && return
    say "installing debootstrap"
    { apt-get update && apt-get install -y --no-install-recommends debootstrap; } >&2 ||
        cannot "debootstrap could not be installed"
}

mount_proc() {
    mountpoint -q "$1/proc" && return
    mount -t proc proc "$1/proc" 2>/dev/null ||
        say "note: /proc could not be mounted in $1; reading and writing captures works without"
}

# Removes what an interrupted run left behind, and nothing that is mounted there.
discard() {
    if [[ -d $1 ]]; then
        if mountpoint -q "$1/proc"; then
            umount "$1/proc"
        fi
        rm -rf --one-file-system -- "$1"
    fi
}

# Everything happens in DIR.new, so that a DIR that exists is complete.
build_root() {
    local dir=$1 from=$2 proxy
    proxy=$(apt-config dump --format '%v' Acquire::http::Proxy)
    if [[ -n $proxy && $proxy != DIRECT ]]; then
        export http_proxy=$proxy
    fi
    discard "$dir.new"
    mkdir -p -- "$dir.new"
    say "making $dir (a minute or two)"
    if ! debootstrap --variant=minbase --include=python3.15 sid "$dir.new" "$from" >"$dir.new.log" 2>&1; then
        discard "$dir.new"
        cannot "debootstrap failed with '$(tail -n 1 -- "$dir.new.log")'; see $dir.new.log"
    fi
    mv -T -- "$dir.new" "$dir"
    rm -f -- "$dir.new.log"
}

main() {
    if [[ $# -ne 1 || -z $1 ]]; then
        printf 'usage: setup-cpython.sh DIR\n' >&2
        exit 2
    fi
    local dir from
    dir=$(realpath -m -- "$1")
    if works; then
        say "python3.15 on PATH will do"
        return
    fi
    [[ $(id -u) -eq 0 ]] || cannot "there is none on PATH, and making a root directory for it needs root"
    if [[ -d $dir ]] && works chroot "$dir"; then
        mount_proc "$dir"
        say "$dir is ready"
        return
    fi
    if [[ -d $dir ]] && ! rmdir -- "$dir" 2>/dev/null; then
        say "$dir exists, but has no CPython 3.15 that works; name another folder or remove it"
        exit 1
    fi
    is_debian || cannot "there is none on PATH, and this is not Debian"
    from=$(mirror)
    [[ -n $from ]] || cannot "apt names no Debian mirror"
    install_debootstrap
    build_root "$dir" "$from"
    mount_proc "$dir"
    works chroot "$dir" || cannot "Debian's python3.15 has no profiling.sampling that works here"
    say "$dir is ready"
}

main "$@"

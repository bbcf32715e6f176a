#!/usr/bin/env bash
# Prints the path of a Chromium that runs here; fails without one. BINPROF_CHROMIUM names another.
set -euo pipefail

for name in ${BINPROF_CHROMIUM:+"$BINPROF_CHROMIUM"} chromium chromium-browser google-chrome; do
    if path=$(command -v "$name") && "$path" --version >/dev/null 2>&1; then
        printf '%s\n' "$path"
        exit
    fi
done
exit 1

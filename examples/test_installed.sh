#!/bin/sh
# Installs the library into a new directory and builds an example against it in each of the ways
# that the README shows.
# Usage: test_installed.sh BUILD_DIR SOURCE_DIR COMPILER
set -eu
build=$1
source=$2
compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/usr" >/dev/null
library=$(dirname "$(find "$work/usr" -name libbinprof.a)")
flags=$(cmake -L -N "$build" | sed -n 's/^BINPROF_SANITIZE:[A-Z]*=\(..*\)/-fsanitize=\1/p')

echo "shared, by pkg-config"
export PKG_CONFIG_PATH="$library/pkgconfig"
# shellcheck disable=SC2046,SC2086 # lists of words
"$compiler" $flags "$source/write_capture.c" $(pkg-config --cflags --libs binprof) -o "$work/shared"
LD_LIBRARY_PATH=$library "$work/shared" "$work/shared.bin"

echo "static, by CMake"
mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.20)
project(example C)
find_package(binprof REQUIRED)
add_executable(example $source/write_capture.c)
target_link_libraries(example binprof::static)
EOF
cmake -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$work/usr" \
    -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$flags" >/dev/null
cmake --build "$work/project/build" >/dev/null
"$work/project/build/example" "$work/static.bin"

"$work/usr/bin/binprof-dump" --verify "$work/shared.bin"
"$work/usr/bin/binprof-dump" --verify "$work/static.bin"

#!/usr/bin/env bash
# Tests what scripts/run does before it starts the program, in a project of one file: builds changes, prints only if
# that takes long, and configures again if a tool was installed.
#   tests/prepare_test.sh SOURCE-FOLDER
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir tools
PATH="$scratch/tools:$PATH"
cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(toy NONE)
file(GLOB parts CONFIGURE_DEPENDS *.part)
add_custom_command(OUTPUT done COMMAND sleep 2.5 COMMAND touch done DEPENDS input.part)
add_custom_target(toy ALL DEPENDS done)
EOF
cat >CMakePresets.json <<'EOF'
{ "version": 6,
  "configurePresets": [{ "name": "toy", "generator": "Ninja", "binaryDir": "${sourceDir}/build/toy" }],
  "buildPresets": [{ "name": "toy", "configurePreset": "toy" }] }
EOF
touch input.part
. "$1/scripts/prepare.sh"
expect() {
    configure_and_build toy 2>said
    [ "$(sed 's/ .*//' said | xargs)" = "$1" ] || { echo "$2, yet it said:"; cat said; exit 1; }
    [ build/toy/done -nt input.part ] || { echo "$2, and it did not build"; exit 1; }
}
expect "Configuring Building" "Nothing was there"
expect "" "Nothing has changed"
printf '#!/bin/sh\n' >tools/mpicc
chmod +x tools/mpicc
expect "Configuring" "A compiler for MPI has come"
expect "" "It was there before"
touch input.part
expect "Building" "A source has changed"

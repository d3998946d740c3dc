#!/usr/bin/env bash
# Without FFTW, features that need it fail with one line, and the rest runs.
#   tests/no_fftw_test.sh PROGRAM
set -euo pipefail
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
touch "$scratch"/libfftw3{,f}.so.3
export LD_LIBRARY_PATH=$scratch${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
run() { "$program" run --backend cpu --size 20 --steps 2 --quiet --out "$scratch/out" "$@"; }

fails() {
    local said
    if said=$(run "$@" 2>&1); then echo "run $*: succeeded" >&2; exit 1; fi
    echo "$said"
    [[ $said == *"FFTW is needed"* && $said != *$'\n'* ]]
}

run --initial gaussian
fails --initial jagged
fails --initial gaussian --method spectral
fails --initial gaussian --method spectral --dtype float64
fails --model allen-cahn --stepper imex
fails --initial gaussian --export spectrum.csv

said=$("$program" verify --quick | tail -n 4)
[[ $said == *"comparisons are right"*"comparisons are left out: FFTW is needed"* ]] || { echo "verify said: $said" >&2; exit 1; }

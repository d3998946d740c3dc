#!/usr/bin/env bash
# The package of a build: made, looked over, unpacked, and its program run.   tests/package_test.sh BUILD-FOLDER
# Status 4 where this is no system for it.
set -euo pipefail
command -v dpkg-shlibdeps >/dev/null || exit 4
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "$*" >&2; exit 1; }

cpack --config "$build/CPackConfig.cmake" -B "$scratch/cpack" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "cpack failed"; }
package=$(echo "$scratch"/cpack/*.deb)
dpkg-deb --field "$package" Depends | grep "libc6 (>= " >/dev/null || fail "dependencies were not worked out"
dpkg-deb --extract "$package" "$scratch/root"
cd "$scratch/root/usr"
bin/stencilscope --version | tee "$scratch/version"
# With CUDA a program names the folder of the toolkit, which that of the preset `package` does not.
if command -v lintian >/dev/null && grep -q "CUDA: no" "$scratch/version"; then
    lintian --allow-root --fail-on error "$package"
fi
bin/stencilscope run --model share/stencilscope/models/heat.txt --size 20 --steps 2 --quiet --out "$scratch/out"
[ -s "$scratch/out/field.npy" ] || fail "the program wrote no field"
zcat share/man/man1/stencilscope.1.gz | grep '^.SH "stencilscope run"' >/dev/null || fail "the manual page has no run"
for file in bash-completion/completions/stencilscope zsh/vendor-completions/_stencilscope \
    fish/vendor_completions.d/stencilscope.fish doc/stencilscope/copyright doc/stencilscope/changelog.gz; do
    [ -s "share/$file" ] || fail "share/$file is missing"
done

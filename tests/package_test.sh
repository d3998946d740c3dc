#!/usr/bin/env bash
# Makes the package of a build, checks and unpacks it, and runs its program.
#   tests/package_test.sh BUILD-FOLDER
# Exits with 4 on systems without Debian's tools.
set -euo pipefail
command -v dpkg-shlibdeps >/dev/null || exit 4
build=$1
source=$(dirname "$(dirname "$(realpath "$0")")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "$*" >&2; exit 1; }

cpack --config "$build/CPackConfig.cmake" -B "$scratch/cpack" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "cpack failed"; }
package=$(echo "$scratch"/cpack/*.deb)
dpkg-deb --field "$package" Depends | grep "libc6 (>= " >/dev/null || fail "dependencies were not worked out"
dpkg-deb --extract "$package" "$scratch/root"
cd "$scratch/root/usr"
bin/stencilscope --version | tee "$scratch/version"
# With CUDA the program's RPATH names the toolkit's folder, which lintian rejects; the preset `package` has none.
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
# A file manager opens runs and models, and a software centre shows the program, where the build has the window.
if [ -e share/applications/stencilscope.desktop ]; then
    grep -q "version=\"$(sed -n 's/^stencilscope \([0-9.]*\).*/\1/p' "$scratch/version")\"" share/metainfo/*.metainfo.xml ||
        fail "the metadata have another version than the program"
    if command -v appstreamcli >/dev/null; then appstreamcli validate --no-net share/metainfo/*.xml; fi
    if grep -F .invalid share/metainfo/*.xml; then fail "a link of the metadata leads nowhere"; fi
    for picture in $(sed -n 's#.*<image>@STENCILSCOPE_HOMEPAGE_URL@/\(.*\)</image>#\1#p' "$source/assets/package/stencilscope.metainfo.xml.in"); do
        # Software centres show no pictures that are narrower than 620 pixels; bytes 16 to 19 of a PNG are its width.
        [ "$((16#$(od -An -tx1 -j16 -N4 "$source/$picture" | tr -d ' ')))" -ge 620 ] || fail "$picture is too small for a screenshot"
    done
    if command -v desktop-file-validate >/dev/null; then desktop-file-validate share/applications/*.desktop; fi
    for type in $(sed -n 's/^MimeType=\(.*\);/\1/p' share/applications/*.desktop); do
        grep -qF "type=\"$type\"" share/mime/packages/stencilscope.xml || fail "no package of MIME types has $type"
    done
fi

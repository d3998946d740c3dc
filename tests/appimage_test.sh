#!/usr/bin/env bash
# Packs a small folder as an AppImage, and starts it.
#   tests/appimage_test.sh SOURCE-FOLDER
# Exits with 4 where the libraries for it are missing.
set -euo pipefail
[ -e /usr/include/squashfuse/squashfuse.h ] && [ -e /usr/include/zstd.h ] && command -v mksquashfs >/dev/null || exit 4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "$*" >&2; exit 1; }

mkdir -p "$scratch/folder/a folder"
printf '#!/bin/sh\nprintf "%%s\\n" "$APPDIR" "$APPIMAGE" "$@"\n' >"$scratch/folder/AppRun"
chmod +x "$scratch/folder/AppRun"
head -c 3000001 /dev/urandom >"$scratch/folder/a folder/large"
touch "$scratch/folder/empty"
ln -s "a folder/large" "$scratch/folder/link"
file=$scratch/try.AppImage
"$1/scripts/packaging/pack_appimage" "$scratch/folder" stencilscope/try "$file"

export XDG_CACHE_HOME="$scratch/cache"
for start in first second; do
    mapfile -t said < <("$file" "two words" --option)
    [ "${said[*]:1}" = "$file two words --option" ] || fail "at the $start start it said: ${said[*]}"
    diff -r "$scratch/folder" "${said[0]}" || fail "it unpacked something else"
done
[ "$(ls "$scratch/cache/stencilscope" | wc -l)" = 1 ] || fail "it was unpacked twice, or left something behind"
(cd "$scratch" && "$file" --appimage-extract && diff -r folder squashfs-root) || fail "--appimage-extract unpacked something else"
[ "$(head -c 11 "$file" | tail -c 3)" = $'AI\2' ] || fail "it does not have the mark of an AppImage"
[ "$(tail -c +"$(($("$file" --appimage-offset) + 1))" "$file" | head -c 4)" = hsqs ] || fail "--appimage-offset is not where the image begins"

# What cannot be unpacked says so, and leaves nothing behind.
head -c 2500000 "$file" >"$scratch/cut.AppImage"
chmod +x "$scratch/cut.AppImage"
export XDG_CACHE_HOME="$scratch/other"
! "$scratch/cut.AppImage" 2>"$scratch/said" || fail "half of it started"
grep -q "could not" "$scratch/said" || fail "half of it said: $(cat "$scratch/said")"
[ -z "$(ls "$scratch/other/stencilscope")" ] || fail "half of it left something behind"
! XDG_CACHE_HOME=/proc "$file" 2>"$scratch/said" || fail "it was unpacked into /proc"
[ "$(wc -l <"$scratch/said")" = 1 ] || fail "without a folder it said: $(cat "$scratch/said")"

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
truncate -s 100M "$scratch/folder/zeros"  # takes a while to unpack
file=$scratch/try.AppImage
"$1/scripts/packaging/pack_appimage" "$scratch/folder" stencilscope/try "$file"

export XDG_CACHE_HOME="$scratch/cache" TMPDIR="$scratch/temporary"
mkdir "$TMPDIR"
for start in first second; do
    mapfile -t said < <("$file" "two words" --option)
    [ "${said[*]:1}" = "$file two words --option" ] || fail "at the $start start it said: ${said[*]}"
    diff -r --exclude .whole "$scratch/folder" "${said[0]}" || fail "it unpacked something else"
done
[ "$(ls -A "$scratch/cache/stencilscope" | wc -l)" = 1 ] || fail "it was unpacked twice, or left something behind"
(cd "$scratch" && "$file" --appimage-extract && diff -r folder squashfs-root) || fail "--appimage-extract unpacked something else"
[ "$(head -c 11 "$file" | tail -c 3)" = $'AI\2' ] || fail "it does not have the mark of an AppImage"
[ "$(tail -c +"$(($("$file" --appimage-offset) + 1))" "$file" | head -c 4)" = hsqs ] || fail "--appimage-offset is not where the image begins"

# What cannot be unpacked says so, and leaves nothing behind.
head -c 2500000 "$file" >"$scratch/cut.AppImage"
chmod +x "$scratch/cut.AppImage"
export XDG_CACHE_HOME="$scratch/other"
! "$scratch/cut.AppImage" 2>"$scratch/said" || fail "half of it started"
grep -q "could not" "$scratch/said" || fail "half of it said: $(cat "$scratch/said")"
[ -z "$(ls -A "$scratch/other/stencilscope")" ] || fail "half of it left something behind"
! XDG_CACHE_HOME=/proc TMPDIR=/proc "$file" 2>"$scratch/said" || fail "it was unpacked into /proc"
[ "$(wc -l <"$scratch/said")" = 1 ] || fail "without a folder it said: $(cat "$scratch/said")"

# What other users could have written is not run, and what is in a folder of their own is.
place=$(basename "$("$file" | head -n 1)")
forge() {  # forge FOLDER: the image's place there has other code
    mkdir -p "$1/$place"
    printf '#!/bin/sh\necho forged\n' >"$1/$place/AppRun"
    chmod +x "$1/$place/AppRun"
    touch "$1/$place/.whole"
}
runs_in() {  # runs_in FOLDER WORDS...: it is unpacked there, and started
    local where
    where=$(cd "$scratch" && env "${@:2}" "$file" | head -n 1) || fail "with ${*:2} it did not start"
    [ "$where" = "$1/$place" ] || fail "with ${*:2} it was started in $where, not in $1"
    cmp -s "$scratch/folder/AppRun" "$where/AppRun" || fail "with ${*:2} another AppRun was started"
}
own=stencilscope-$(id -u) shared=$scratch/shared
mkdir "$shared"
forge "$shared/stencilscope"
runs_in "$shared/stencilscope" XDG_CACHE_HOME="$shared"
rm -rf "$shared/stencilscope"
forge "$shared/stencilscope"
chmod 777 "$shared/stencilscope"
runs_in "$shared/$own" XDG_CACHE_HOME="$shared"
rm -rf "$shared/stencilscope"
forge "$scratch/elsewhere"
ln -s "$scratch/elsewhere" "$shared/stencilscope"
runs_in "$shared/$own" XDG_CACHE_HOME="$shared"
rm "$shared/stencilscope"
mkdir "$shared/stencilscope"
ln -s "$scratch/elsewhere/$place" "$shared/stencilscope/$place"
runs_in "$shared/stencilscope" XDG_CACHE_HOME="$shared"
[ -e "$scratch/elsewhere/$place/AppRun" ] || fail "what a link led to was removed"
chmod 777 "$shared"
runs_in "$TMPDIR/$own" XDG_CACHE_HOME="$shared"
if [ "$(id -u)" = 0 ]; then
    rm -rf "$shared/stencilscope"
    forge "$shared/stencilscope"
    chown -R 65534 "$shared/stencilscope"
    chmod 1777 "$shared"
    runs_in "$shared/$own" XDG_CACHE_HOME="$shared"
fi
forge "$scratch/relative/stencilscope"
runs_in "$scratch/home/.cache/stencilscope" XDG_CACHE_HOME=relative HOME="$scratch/home"
runs_in "$TMPDIR/$own" -u XDG_CACHE_HOME -u HOME

# What a tidying program took comes back.
whole=$XDG_CACHE_HOME/stencilscope
for part in AppRun "a folder/large" link .whole; do
    rm "$whole/$place/$part"
    runs_in "$whole" XDG_CACHE_HOME="$XDG_CACHE_HOME"
    diff -r --exclude .whole "$scratch/folder" "$whole/$place" || fail "without $part it was not unpacked again"
done
truncate -s 5 "$whole/$place/a folder/large"
runs_in "$whole" XDG_CACHE_HOME="$XDG_CACHE_HOME"
cmp "$scratch/folder/a folder/large" "$whole/$place/a folder/large" || fail "what was cut off was not unpacked again"

# A start that is ended while it unpacks leaves nothing, at once or, where it was killed, after the next start.
for signal in INT TERM HUP QUIT KILL; do
    rm -rf "$whole"
    env --default-signal=INT,QUIT "$file" >/dev/null &
    until [ -s "$(echo "$whole"/stencilscope-unpacked-*/zeros)" ]; do kill -0 $! || fail "it was unpacked too soon"; done
    kill -$signal $!
    wait $! && status=0 || status=$?
    [ "$status" = "$((128 + $(kill -l $signal)))" ] || fail "SIG$signal: it ended with $status"
    if [ $signal = KILL ]; then
        [ -n "$(ls -A "$whole")" ] || fail "it could clean up after SIGKILL"
        runs_in "$whole" XDG_CACHE_HOME="$XDG_CACHE_HOME"
        [ "$(ls -A "$whole")" = "$place" ] || fail "SIGKILL left something behind for ever"
    else
        [ -z "$(ls -A "$whole")" ] || fail "SIG$signal left something behind"
    fi
done
rm -rf "$whole"
! (ulimit -f 10000; "$file" 2>"$scratch/said") || fail "it was unpacked beyond the limit of files"
grep -q "could not: .*large" "$scratch/said" || fail "at the limit of files it said: $(cat "$scratch/said")"
[ -z "$(ls -A "$whole")" ] || fail "the limit of files left something behind"
flock "$whole" sleep 20 &
locked=$!
sleep 0.5
"$file" >"$scratch/said" &
sleep 0.5
kill -TERM $!
wait $! && fail "it started after SIGTERM"
kill $locked

# Starts at the same time unpack it once.
"$file" >"$scratch/first" & "$file" >"$scratch/second" & wait
cmp "$scratch/first" "$scratch/second" || fail "two starts at once are not the same"
[ "$(ls -A "$whole")" = "$place" ] || fail "two starts at once left something behind"

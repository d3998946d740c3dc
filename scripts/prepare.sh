# Sourced by scripts/run and scripts/test: finds or installs the build's requirements, and defines configure_and_build.

# Debian 12 and Ubuntu 22.04 / 24.04 use the same package names.
packages=(g++ cmake ninja-build pkg-config libfmt-dev libcli11-dev nlohmann-json3-dev libcairo2-dev libexpat1-dev libfftw3-dev
    libopenblas-dev libeigen3-dev libhwy-dev libxxhash-dev libstb-dev libpng-dev libjpeg-dev zlib1g-dev hdf5-tools netcdf-bin libtiff-tools libpangocairo-1.0-0 catch2 fonts-dejavu-core libglfw3-dev
    libimgui-dev python3-glad python3-pkg-resources fonts-roboto-unhinted fonts-font-awesome)
# AppImages are packed by these.
appimage_packages=(squashfs-tools libsquashfuse-dev libzstd-dev)
# Tests of the window need a virtual screen and input, the test of the package needs lintian, and several processes need
# MPI (optional). Pages that runs are exported as are tested in Chromium, which Ubuntu has as a snap alone.
test_packages=(xvfb xdotool x11-xkb-utils dpkg-dev lintian openmpi-bin libopenmpi-dev "${appimage_packages[@]}")
if grep -qs '^ID=debian$' /etc/os-release; then test_packages+=(chromium); fi
needed_cmake=3.25

say() { printf '%s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

missing_packages() {
    local package
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || printf '%s\n' "$package"
    done
}

# Installs packages through apt; elsewhere it only checks for programs, and lists the packages if one is missing.
install_packages() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        local program
        for program in c++ cmake ninja pkg-config; do
            command -v "$program" >/dev/null ||
                die "This is no Debian or Ubuntu system and '$program' is missing. Needed, by their Debian names: $*"
        done
        return
    fi
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [ "${#missing[@]}" -gt 0 ] || return 0
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "Please install as root: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    say "Installing: ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

newer_or_same() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

# Ubuntu 22.04 packages CMake 3.22, so there it comes from PyPI, into a folder of this checkout.
find_cmake() {
    local version
    version=$(cmake --version 2>/dev/null | sed -n 's/^cmake version \([0-9.]*\).*/\1/p')
    if [ -n "$version" ] && newer_or_same "$needed_cmake" "$version"; then return; fi
    if [ ! -x .tools/cmake/bin/cmake ]; then
        say "CMake ${version:-(none)} is older than $needed_cmake: installing a newer one into .tools"
        install_packages python3-venv
        python3 -m venv .tools/cmake
        .tools/cmake/bin/pip install --quiet "cmake>=$needed_cmake,<5"
    fi
    PATH="$PWD/.tools/cmake/bin:$PATH"
}

# Makes a virtual environment in .tools/python, where CMake looks first, with packages from PyPI, because Debian 12 has
# no nanobind. Without PyPI the module and its tests are skipped.
prepare_python() {
    local ready=.tools/python/ready
    if [ -e "$ready" ] && cmp -s app/python/requirements.txt "$ready"; then return; fi
    install_packages python3-dev python3-venv
    local python=/usr/bin/python3
    [ -x "$python" ] || python=python3
    say "Installing what the Python module needs into .tools/python"
    if "$python" -m venv .tools/python && .tools/python/bin/pip install --quiet -r app/python/requirements.txt; then
        .tools/python/bin/pip install --quiet h5py h5netcdf vtk mypy pyright anywidget matplotlib sympy tqdm xarray pandas ||
            say "note: some of the Python packages that are optional are missing: what needs them is not tested"
        cp app/python/requirements.txt "$ready"
    else
        say "note: PyPI cannot be reached: the Python module is left out"
    fi
}

# Lists optional tools, which may be installed after CMake has looked for them.
optional_tools() {
    realpath -eq /dev/nvidia0 /usr/lib/wsl/lib/nvidia-smi {"${CUDA_HOME:-}","${CUDA_PATH:-}",/usr/local/cuda}/bin/nvcc \
        $(command -v nvcc nvidia-smi mpicc) || true
}

# configure_and_build PRESET [TARGET]: quiet unless it takes long or fails; configures again if optional tools were
# added or removed.
configure_and_build() {
    local preset=$1
    local log=build/$preset.log tools=build/$preset/tools.txt
    mkdir -p build
    if [ ! -e "build/$preset/build.ninja" ] || [ "$(optional_tools)" != "$(cat "$tools" 2>/dev/null)" ]; then
        say "Configuring ($preset) ..."
        cmake --preset "$preset" -U CMAKE_CUDA_COMPILER -U 'MPI*' >"$log" 2>&1 || { cat "$log" >&2; die "Configuring failed."; }
        grep -E "CUDA backend|Window:|Python module:" "$log" >&2 || true
        optional_tools >"$tools"
    fi
    { sleep 2 >/dev/null 2>&1 && say "Building ($preset); the first time takes a few minutes ..."; } &
    local notice=$! status=0
    disown "$notice"
    cmake --build --preset "$preset" ${2:+--target "$2"} >"$log" 2>&1 || status=$?
    kill "$notice" 2>/dev/null || true
    [ "$status" -eq 0 ] || { cat "$log" >&2; die "Building failed."; }
}

#include "sim/machine/kernel_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/equation/cuda/nvrtc.h"
#include "sim/field/field_hash.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/files/input_file.h"
#include "sim/text/error.h"

namespace stencil {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t(64) << 20;
constexpr std::string_view kEnding = ".kernels";

std::uint64_t hash_of(std::string_view text) {
    return xxh64(std::as_bytes(std::span(text)));
}

// What stands in a file before its key and its bytes.
struct Header {
    std::array<char, 8> name{'s', 't', 'n', 'c', 'l', 'k', 'r', '1'};
    std::uint64_t key_size = 0;
    std::uint64_t hash = 0;  ///< of all that follows
};

// The bytes of a file with this key; empty where it is anything else.
std::optional<std::string> bytes_in(std::string_view file, std::string_view key) {
    Header header;
    if (file.size() < sizeof(Header)) return std::nullopt;
    std::memcpy(&header, file.data(), sizeof(Header));
    file.remove_prefix(sizeof(Header));
    if (header.name != Header().name || header.hash != hash_of(file) || header.key_size != key.size() ||
        !file.starts_with(key))
        return std::nullopt;
    return std::string(file.substr(key.size()));
}

}  // namespace

fs::path KernelCache::path_of(std::string_view key) const {
    return folder_ / fmt::format("{:016x}{}", hash_of(key), kEnding);
}

std::optional<std::string> KernelCache::find(std::string_view key) const {
    const fs::path path = path_of(key);
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return std::nullopt;
    try {
        std::optional<std::string> bytes = bytes_in(InputFile(path).read_text(kMostBytes), key);
        if (bytes) fs::last_write_time(path, fs::file_time_type::clock::now(), error);
        return bytes;
    } catch (const InputError&) {
        return std::nullopt;
    }
}

void KernelCache::keep(std::string_view key, std::string_view bytes) const {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) return;
    const std::string rest = std::string(key).append(bytes);
    const Header header{.key_size = key.size(), .hash = hash_of(rest)};
    try {
        AtomicFile file(path_of(key));
        file.write(std::as_bytes(std::span(&header, 1)));
        file.write(rest);
        file.commit();
    } catch (const MachineError&) {
        return;  // the kernels are there all the same
    }
    drop_oldest();
}

void KernelCache::drop_oldest() const {
    remove_leftovers(folder_);
    std::vector<std::pair<fs::file_time_type, fs::path>> files;
    std::error_code ignored;
    for (fs::directory_iterator at(folder_, ignored), end; at != end; at.increment(ignored)) {
        std::error_code gone;
        const fs::file_time_type used = at->last_write_time(gone);
        if (!gone && at->path().extension() == kEnding) files.emplace_back(used, at->path());
    }
    if (files.size() <= most_files_) return;
    std::ranges::sort(files);
    files.resize(files.size() - most_files_);
    for (const auto& [used, path] : files) fs::remove(path, ignored);
}

std::string compiled_kernels(const std::string& text, int compute_capability) {
    using namespace equation;
    const auto folder = user_cache_folder();
    if (!folder) return compile_cuda(text, compute_capability).cubin;
    const KernelCache cache(*folder / "kernels");
    const std::string key =
        fmt::format("{} {}\n{}", nvrtc_version(), nvrtc_options(compute_capability), text);
    if (auto kept = cache.find(key)) return *std::move(kept);
    std::string cubin = compile_cuda(text, compute_capability).cubin;
    cache.keep(key, cubin);
    return cubin;
}

std::future<void> warm_up_compiler() {
    return std::async(std::launch::async, [] {
        const int capability = default_compute_capability();
        if (capability == 0 || !equation::why_no_nvrtc().empty()) return;
        try {
            equation::compile_cuda("extern \"C\" __global__ void nothing() {}", capability);
        } catch (const std::exception&) {
            // The first equation will say why.
        }
    });
}

}  // namespace stencil

#include "sim/machine/kernel_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/equation/cuda/nvrtc.h"
#include "sim/field/field_hash.h"
#include "sim/files/atomic_file.h"
#include "sim/files/descriptor.h"
#include "sim/files/folder.h"
#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t(64) << 20;
constexpr std::string_view kEnding = ".kernels";

std::uint64_t hash_of(std::string_view text) {
    return xxh64(std::as_bytes(std::span(text)));
}

// Layout of a cache file: header, key, bytes.
struct Header {
    std::array<char, 8> name{'s', 't', 'n', 'c', 'l', 'k', 'r', '1'};
    std::uint64_t key_size = 0;
    std::uint64_t hash = 0;  ///< hash of key and bytes
};

// The cached bytes if the file is intact and has this key.
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

// Cached code is executed only if no other user could have written it.
bool is_private(const struct stat& status) {
    return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

struct Opened {
    Descriptor file;
    struct stat status = {};
};

// Links are not followed, as they may lead to another user's file.
Opened open_to_read(int folder, const char* name, int flags) {
    Opened opened{Descriptor(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags))};
    if (opened.file && ::fstat(opened.file.number(), &opened.status) != 0) opened.file.close();
    return opened;
}

std::optional<std::string> read_all(const Opened& opened) {
    if (std::uintmax_t(opened.status.st_size) > kMostBytes) return std::nullopt;
    std::string text(std::size_t(opened.status.st_size), '\0');
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t n = ::pread(opened.file.number(), text.data() + done, text.size() - done, off_t(done));
        if (n > 0)
            done += std::size_t(n);
        else if (n == 0 || errno != EINTR)
            return std::nullopt;
    }
    return text;
}

// The error number if a folder could not be created; 0 if all exist.
int make_private_folders(const fs::path& folder) {
    std::error_code ignored;
    if (folder.has_relative_path() && !fs::exists(folder.parent_path(), ignored))
        if (const int failed = make_private_folders(folder.parent_path())) return failed;
    return ::mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST ? 0 : errno;
}

std::string not_kept(std::string_view reason) {
    return fmt::format("compiled code is not kept: {}", reason);
}

// The first reason why the cache was not used.
class FirstReason {
  public:
    void note(const std::string& reason) {
        const std::lock_guard guard(lock_);
        if (reason_.empty()) reason_ = reason;
    }
    std::string get() {
        const std::lock_guard guard(lock_);
        return reason_;
    }

  private:
    std::mutex lock_;
    std::string reason_;
};
FirstReason first_reason;

std::optional<KernelCache> user_cache() {
    const auto folder = user_cache_folder();
    return folder ? std::optional<KernelCache>(*folder / "kernels") : std::nullopt;
}

}  // namespace

std::string KernelCache::why_unsafe() const {
    const Opened folder = open_to_read(AT_FDCWD, folder_.c_str(), O_DIRECTORY);
    const auto sentence = [&](const char* what) {
        return not_kept(fmt::format("{} {}", printable(folder_.string()), what));
    };
    std::error_code ignored;
    if (!folder.file) return fs::is_symlink(folder_, ignored) ? sentence("is a link") : "";
    if (folder.status.st_uid != ::geteuid()) return sentence("belongs to another user");
    if (!is_private(folder.status)) return sentence("may be written by others (chmod 700 mends it)");
    return "";
}

bool KernelCache::is_safe() const {
    const std::string reason = why_unsafe();
    first_reason.note(reason);
    return reason.empty();
}

fs::path KernelCache::path_of(std::string_view key) const {
    return folder_ / fmt::format("{:016x}{}", hash_of(key), kEnding);
}

std::optional<std::string> KernelCache::find(std::string_view key) const {
    if (!is_safe()) return std::nullopt;
    const Opened folder = open_to_read(AT_FDCWD, folder_.c_str(), O_DIRECTORY);
    if (!folder.file || !is_private(folder.status)) return std::nullopt;
    const Opened opened = open_to_read(folder.file.number(), path_of(key).filename().c_str(), 0);
    if (!opened.file || !S_ISREG(opened.status.st_mode) || !is_private(opened.status)) return std::nullopt;
    const auto text = read_all(opened);
    std::optional<std::string> bytes = text ? bytes_in(*text, key) : std::nullopt;
    if (bytes) ::futimens(opened.file.number(), nullptr);
    return bytes;
}

bool KernelCache::keep(std::string_view key, std::string_view bytes) const {
    if (const int failed = make_private_folders(folder_)) {
        first_reason.note(
            not_kept(fmt::format("{}: {}", printable(folder_.string()), std::strerror(failed))));
        return false;
    }
    if (!is_safe()) return false;
    const std::string rest = std::string(key).append(bytes);
    const Header header{.key_size = key.size(), .hash = hash_of(rest)};
    std::error_code ignored;
    try {
        AtomicFile file(path_of(key));
        fs::permissions(file.open_name(), fs::perms::owner_read | fs::perms::owner_write, ignored);
        file.write(std::as_bytes(std::span(&header, 1)));
        file.write(rest);
        file.commit();
    } catch (const MachineError& error) {
        first_reason.note(not_kept(error.what()));
        return false;  // not an error, since caching is optional
    }
    drop_oldest();
    return true;
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

std::string compiled_kernels(const std::string& text, equation::CodeTarget target) {
    using namespace equation;
    const auto cache = user_cache();
    if (!cache) return compile_cuda(text, target).cubin;
    const std::string key = fmt::format("{} {}\n{}", nvrtc_version(), nvrtc_options(target), text);
    if (auto kept = cache->find(key)) return *std::move(kept);
    std::string cubin = compile_cuda(text, target).cubin;
    cache->keep(key, cubin);
    return cubin;
}

std::string fastest_kernel(const std::string& candidates) {
    const auto cache = user_cache();
    return cache ? cache->find("fastest of " + candidates).value_or("") : "";
}

void keep_fastest_kernel(const std::string& candidates, const std::string& name) {
    if (const auto cache = user_cache()) cache->keep("fastest of " + candidates, name);
}

std::string why_kernels_not_kept() {
    return first_reason.get();
}

Background<bool> warm_up_compiler() {
    Background<bool> work;
    work.start([](const std::stop_token&) {
        const int capability = default_compute_capability();
        if (capability == 0 || !equation::why_no_nvrtc().empty()) return false;
        try {
            equation::compile_cuda("extern \"C\" __global__ void nothing() {}", {capability});
            return true;
        } catch (const std::exception&) {
            return false;  // the problem is reported with the first equation
        }
    });
    return work;
}

}  // namespace stencil

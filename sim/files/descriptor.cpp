#include "sim/files/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "sim/text/error.h"

namespace stencil {
namespace {

[[noreturn]] void fail() {
    throw MachineError("a file in memory: {}", std::generic_category().message(errno));
}

template <class Write>
bool write_pieces(std::span<const std::byte> bytes, const Write& write) {
    while (!bytes.empty()) {
        const ssize_t written = write(bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written == 0) errno = ENOSPC;  // no progress and no reason given
        if (written <= 0) return false;
        bytes = bytes.subspan(std::size_t(written));
    }
    return true;
}

}  // namespace

bool write_all(int descriptor, std::span<const std::byte> bytes) {
    return write_pieces(bytes, [&](auto rest) { return ::write(descriptor, rest.data(), rest.size()); });
}

bool write_all(int descriptor, std::span<const std::byte> bytes, std::uint64_t offset) {
    return write_pieces(bytes, [&](auto rest) {
        const std::uint64_t done = bytes.size() - rest.size();
        return ::pwrite(descriptor, rest.data(), rest.size(), off_t(offset + done));
    });
}

bool flush(int descriptor) {
    while (::fsync(descriptor) != 0) {
        if (errno == EINVAL || errno == ENOTSUP) break;  // file systems without fsync()
        if (errno != EINTR) return false;
    }
    return true;
}

MemoryFile::MemoryFile(std::string_view bytes)
    : descriptor_(::memfd_create("stencilscope", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    if (!descriptor_ || !write_all(descriptor(), std::as_bytes(std::span(bytes)), 0)) fail();
}

MemoryFile MemoryFile::of_size(std::size_t bytes) {
    MemoryFile file;
    if (::ftruncate(file.descriptor(), off_t(bytes)) != 0 ||
        ::fcntl(file.descriptor(), F_ADD_SEALS, F_SEAL_GROW) != 0)
        fail();
    return file;
}

std::string MemoryFile::name() const {
    return fmt::format("/proc/self/fd/{}", descriptor());
}

std::string MemoryFile::text() const {
    std::string text;
    std::array<char, 4096> part;
    for (ssize_t n; (n = ::pread(descriptor(), part.data(), part.size(), off_t(text.size()))) > 0;)
        text.append(part.data(), std::size_t(n));
    return text;
}

}  // namespace stencil

#include "sim/files/memory_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "sim/text/error.h"

namespace stencil {
namespace {

[[noreturn]] void fail() {
    throw MachineError(fmt::format("a file in memory: {}", std::generic_category().message(errno)));
}

}  // namespace

MemoryFile::MemoryFile(std::string_view bytes)
    : descriptor_(::memfd_create("stencilscope", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    off_t end = 0;
    while (descriptor_ && std::size_t(end) < bytes.size()) {
        const ssize_t written =
            ::pwrite(descriptor(), bytes.data() + end, bytes.size() - std::size_t(end), end);
        if (written > 0)
            end += written;
        else if (errno != EINTR)
            break;
    }
    if (std::size_t(end) != bytes.size() || !descriptor_) fail();
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

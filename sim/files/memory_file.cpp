#include "sim/files/memory_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "sim/text/error.h"

namespace stencil {

MemoryFile::MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("stencilscope", MFD_CLOEXEC)) {
    off_t end = 0;
    while (descriptor_ >= 0 && std::size_t(end) < bytes.size()) {
        const ssize_t written =
            ::pwrite(descriptor_, bytes.data() + end, bytes.size() - std::size_t(end), end);
        if (written > 0)
            end += written;
        else if (errno != EINTR)
            break;
    }
    if (std::size_t(end) == bytes.size() && descriptor_ >= 0) return;
    const int error = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw MachineError(fmt::format("a file in memory: {}", std::generic_category().message(error)));
}

MemoryFile::~MemoryFile() {
    ::close(descriptor_);
}

std::string MemoryFile::name() const {
    return fmt::format("/proc/self/fd/{}", descriptor_);
}

std::string MemoryFile::text() const {
    std::string text;
    std::array<char, 4096> part;
    for (ssize_t n; (n = ::pread(descriptor_, part.data(), part.size(), off_t(text.size()))) > 0;)
        text.append(part.data(), std::size_t(n));
    return text;
}

}  // namespace stencil

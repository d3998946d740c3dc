#include "sim/files/temporary_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <string_view>
#include <system_error>
#include <vector>

#include "sim/text/error.h"

namespace stencil {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kStart = "stencilscope-compiler-";  // then the process, and letters of mkdtemp()
constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Whether a folder of this name belongs to a process that no longer runs.
bool is_left(const std::string& name) {
    if (!name.starts_with(kStart)) return false;
    pid_t process = 0;
    const auto [end, error] =
        std::from_chars(name.data() + kStart.size(), name.data() + name.size(), process);
    return error == std::errc() && *end == '-' && process > 0 && ::kill(process, 0) != 0 && errno == ESRCH;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
    std::error_code error;
    const fs::path room = fs::temp_directory_path(error);
    if (error) throw MachineError("the folder for temporary files: {}", error.message());
    path_ = (room / fmt::format("{}{}-XXXXXX", kStart, ::getpid())).string();
    if (!::mkdtemp(path_.data())) throw MachineError("{}: {}", path_, std::generic_category().message(errno));
    folder_ = Descriptor(::open(path_.c_str(), kOpenFolder));
    ::flock(folder_.number(), LOCK_EX | LOCK_NB);  // optional, as some file systems lack locks
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    // Programs that were just killed may make one more file.
    for (int tries = 0; tries < 10 && fs::exists(path_, ignored); ++tries) fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::bytes_of(const char* name) const {
    const Descriptor file(::openat(folder_.number(), name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    std::string bytes;
    std::array<char, 1 << 14> part;
    for (ssize_t n; file && (n = ::read(file.number(), part.data(), part.size())) > 0;)
        bytes.append(part.data(), std::size_t(n));
    return bytes;
}

void TemporaryFolder::remove_left() {
    std::error_code ignored;
    std::vector<fs::path> left;
    for (fs::directory_iterator at(fs::temp_directory_path(ignored), ignored), end; at != end;
         at.increment(ignored))
        if (is_left(at->path().filename().string())) left.push_back(at->path());
    for (const fs::path& path : left) {
        const Descriptor folder(::open(path.c_str(), kOpenFolder));
        struct stat status = {};
        // A process on another machine holds the lock.
        if (folder && ::fstat(folder.number(), &status) == 0 && status.st_uid == ::geteuid() &&
            ::flock(folder.number(), LOCK_EX | LOCK_NB) == 0)
            fs::remove_all(path, ignored);
    }
}

}  // namespace stencil

#include "sim/files/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <random>
#include <system_error>
#include <utility>

#include "sim/files/names_together.h"

namespace stencil {
namespace {

constexpr mode_t kMode = 0666;  // less the umask
constexpr std::string_view kHiddenStart = ".stencilscope-", kHiddenEnd = ".tmp";

std::filesystem::path folder_of(const std::filesystem::path& path) {
    return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// Whether the path is in /proc: the texts of its links to open files need not be paths.
bool in_proc(const std::filesystem::path& path) {
    struct statfs system = {};
    return ::statfs(folder_of(path).c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

// A unique name across machines. It leaves out the file's own name, which may already have the maximum
// length.
std::string hidden_name(const std::filesystem::path& folder) {
    static std::atomic<unsigned> count = 0;
    static const auto machine = std::uint64_t(std::random_device()()) << 32 | std::random_device()();
    const int process = ::getpid();
    return (folder / fmt::format("{}{}-{}-{:x}{}", kHiddenStart, process, count++, machine, kHiddenEnd))
        .string();
}

std::string descriptor_name(int descriptor) {
    return fmt::format("/proc/self/fd/{}", descriptor);
}

// The process id in a hidden name; 0 for other names.
pid_t process_of(std::string_view name) {
    if (!name.starts_with(kHiddenStart) || !name.ends_with(kHiddenEnd)) return 0;
    name.remove_prefix(kHiddenStart.size());
    pid_t process = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
    return error == std::errc() && *end == '-' && process > 0 ? process : 0;
}

// Opens a file without a name, which vanishes if the process is killed. Returns an empty Descriptor if the
// file system does not allow that or /proc is missing.
Descriptor open_nameless(const std::filesystem::path& folder) {
    Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kMode));
    if (file && ::access(descriptor_name(file.number()).c_str(), F_OK) != 0) file.close();
    return file;
}

void sync_folder(const std::filesystem::path& path) {
    const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder) ::fsync(folder.number());
}

// Opens a target that is no regular file. A descriptor of this process is duplicated: opening it anew would
// begin at the file's start, and is impossible for a socket.
Descriptor open_in_place(const std::filesystem::path& target) {
    const int number = descriptor_named(target);
    return Descriptor(number >= 0 ? ::fcntl(number, F_DUPFD_CLOEXEC, 0)
                                  : ::open(target.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC));
}

// Checks without opening: opening and closing a pipe would tell its reader that all has been written.
bool may_write_in_place(const std::filesystem::path& target) {
    const int number = descriptor_named(target);
    if (number < 0) return ::access(target.c_str(), W_OK) == 0;
    const int flags = ::fcntl(number, F_GETFL);
    if (flags >= 0) errno = EBADF;
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

}  // namespace

std::filesystem::path link_target(std::filesystem::path path) {
    constexpr int kMostLinks = 40;  // the kernel's limit
    std::error_code failed;
    for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(path, failed); ++links) {
        if (in_proc(path)) break;
        path = folder_of(path) / std::filesystem::read_symlink(path, failed);
    }
    return path;
}

int descriptor_named(const std::filesystem::path& path) {
    const std::filesystem::path target = link_target(path);
    std::error_code failed;
    if (!std::filesystem::equivalent(folder_of(target), "/proc/self/fd", failed)) return -1;
    const std::string name = target.filename().string();
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    return number;
}

AtomicFile::AtomicFile(std::filesystem::path path, Temporary temporary, Links links)
    : path_(std::move(path)), target_(links == Links::followed ? link_target(path_) : path_) {
    if (!target_.has_filename()) fail(EISDIR);
    struct stat older = {};
    const bool exists = ::lstat(target_.c_str(), &older) == 0, replaces = exists && S_ISREG(older.st_mode);
    if (exists && !replaces) {
        if (S_ISDIR(older.st_mode)) fail(EISDIR);
        // rename() would replace devices such as /dev/null.
        in_place_ = links == Links::followed || !S_ISLNK(older.st_mode);
        if (in_place_ && links == Links::replaced)
            throw FileError("cannot write {}: not a regular file", path_.string());
        if (in_place_ && !may_write_in_place(target_)) fail(errno);
    }
    const auto folder = in_place_ ? std::filesystem::temp_directory_path() : folder_of(target_);
    if (temporary == Temporary::nameless) descriptor_ = open_nameless(folder);
    while (!descriptor_) {
        std::string name = hidden_name(folder);
        descriptor_ = Descriptor(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
        if (descriptor_)
            temporary_ = std::move(name);
        else if (errno == ENOENT)
            throw FileError("cannot write {}: there is no folder {}", path_.string(), folder.string());
        else if (errno != EEXIST && errno != EINTR)
            fail(errno);
    }
    if (replaces) ::fchmod(descriptor_.number(), older.st_mode & 0777);
    ::flock(descriptor_.number(),
            LOCK_EX | LOCK_NB);  // held until close; optional, as some file systems lack locks
}

AtomicFile::~AtomicFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(int error_number) const {
    fail(std::generic_category().message(error_number));
}

void AtomicFile::fail(const std::string& reason) const {
    throw FileError("cannot write {}: {}", path_.string(), reason);
}

std::string AtomicFile::open_name() const {
    return temporary_.empty() ? fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor_.number()) : temporary_;
}

void AtomicFile::write(std::span<const std::byte> bytes) {
    if (!write_all(descriptor_.number(), bytes)) fail(errno);
}

void AtomicFile::commit() {
    if (in_place_) {
        const Descriptor target = open_in_place(target_);
        if (!target) fail(errno);
        std::array<std::byte, 1 << 16> bytes;
        off_t at = 0;
        ssize_t count = 0;
        while ((count = ::pread(descriptor_.number(), bytes.data(), bytes.size(), at)) > 0) {
            if (!write_all(target.number(), std::span(bytes).first(std::size_t(count)))) fail(errno);
            at += count;
        }
        if (count < 0) fail(errno);
        return;
    }
    if (!flush(descriptor_.number())) fail(errno);
    while (temporary_.empty()) {
        std::string name = hidden_name(folder_of(target_));
        const auto source = descriptor_name(descriptor_.number());
        if (::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
            temporary_ = std::move(name);
        else if (errno != EEXIST)
            fail(errno);
    }
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    temporary_.clear();
    sync_name(target_);
    // Linux releases the descriptor whatever close() returns.
    if (::close(descriptor_.release()) != 0 && errno != EINTR) fail(errno);
}

void sync_name(const std::filesystem::path& path) {
    if (!NamesTogether::note(folder_of(path))) sync_folder(folder_of(path));
}

namespace {
thread_local NamesTogether* names_together = nullptr;
}

NamesTogether::NamesTogether() : outer_(std::exchange(names_together, this)) {}

NamesTogether::~NamesTogether() {
    names_together = outer_;
    for (const std::filesystem::path& folder : folders_) sync_folder(folder);
}

bool NamesTogether::note(const std::filesystem::path& folder) {
    if (names_together != nullptr) names_together->folders_.insert(folder);
    return names_together != nullptr;
}

TemporaryFolder::TemporaryFolder() {
    std::error_code error;
    const auto room = std::filesystem::temp_directory_path(error);
    path_ = hidden_name(room);
    if (error || ::mkdir(path_.c_str(), S_IRWXU) != 0)
        throw MachineError("cannot make a folder in $TMPDIR: {}",
                           error ? error.message() : std::generic_category().message(errno));
    folder_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    ::flock(folder_.number(), LOCK_EX | LOCK_NB);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    // Programs that were just killed may make one more file.
    for (int tries = 0; tries < 10 && std::filesystem::exists(path_, ignored); ++tries)
        std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::bytes_of(const char* name) const {
    const Descriptor file(::openat(folder_.number(), name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    std::string bytes;
    char part[1 << 14];
    for (ssize_t n; file && (n = ::read(file.number(), part, sizeof part)) > 0;)
        bytes.append(part, std::size_t(n));
    return bytes;
}

void remove_leftovers(const std::filesystem::path& folder) {
    std::error_code ignored;
    for (std::filesystem::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
        const std::string name = at->path().filename().string();
        const pid_t process = process_of(name);
        if (process == 0 || ::kill(process, 0) == 0 || errno != ESRCH) continue;
        const Descriptor file(::open(at->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        struct stat status = {};
        if (!file || ::fstat(file.number(), &status) != 0) continue;
        const bool is_private = status.st_uid == ::geteuid() && (status.st_mode & 0777) == S_IRWXU;
        if ((S_ISREG(status.st_mode) || (S_ISDIR(status.st_mode) && is_private)) &&
            ::flock(file.number(), LOCK_EX | LOCK_NB) == 0)
            std::filesystem::remove_all(at->path(), ignored);
    }
}

void write_text_file(const std::filesystem::path& path, std::string_view text, Links links) {
    AtomicFile file(path, AtomicFile::Temporary::nameless, links);
    file.write(text);
    file.commit();
}

}  // namespace stencil

#include "sim/files/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <mutex>

#include "sim/files/folder.h"
#include "sim/files/names_together.h"
#include "tests/support/fields.h"

namespace {

// Files that were synchronised to disk, in order.
std::mutex syncing;
std::vector<ino_t> synced;

ino_t number_of(const std::filesystem::path& path) {
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

std::span<const std::byte> as_bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

// Limits file sizes of this process during its lifetime, like a full disk.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) {
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &before_);
        rlimit limit = before_;
        limit.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

  private:
    void (*handler_)(int) = nullptr;
    rlimit before_ = {};
};

pid_t ended_process() {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) ::_exit(0);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return child;
}

bool has_nameless_files(const std::filesystem::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_WRONLY, 0600);
    if (descriptor >= 0) ::close(descriptor);
    return descriptor >= 0;
}

}  // namespace

// Replaces the C library's function, and calls it.
extern "C" int fsync(int descriptor) {
    struct stat status = {};
    ::fstat(descriptor, &status);
    const std::lock_guard lock(syncing);
    synced.push_back(status.st_ino);
    return int(::syscall(SYS_fsync, descriptor));
}

TEST_CASE("A committed file is on the disk before its name, and its name is when commit() returns") {
    const ScratchFolder folder;
    synced.clear();
    write_text_file(folder / "file", "text");
    CHECK(synced == std::vector{number_of(folder / "file"), number_of(folder.path())});
    synced.clear();
    std::filesystem::create_directory(folder / "made");
    rename_folder(folder / "made", folder / "renamed");
    CHECK(synced == std::vector{number_of(folder.path())});
}

TEST_CASE("The folder of several files is flushed once, after the last of them") {
    const ScratchFolder folder, other;
    synced.clear();
    {
        const NamesTogether together;
        for (const char* name : {"a", "b"}) write_text_file(folder / name, "text");
        write_text_file(other / "c", "text");
        CHECK(synced ==
              std::vector{number_of(folder / "a"), number_of(folder / "b"), number_of(other / "c")});
        synced.clear();
    }
    std::ranges::sort(synced);
    std::vector folders{number_of(folder.path()), number_of(other.path())};
    std::ranges::sort(folders);
    CHECK(synced == folders);
}

TEST_CASE("A committed file holds what was written and nothing else is left in its folder") {
    Dice random;
    const ScratchFolder folder;
    const std::string first = random.bytes(300'001), second = random.bytes(7);
    const auto path = folder / "file";
    const bool replaces = GENERATE(false, true);
    if (replaces) write_bytes(path, random.bytes(500'000));

    AtomicFile file(path);
    file.write(as_bytes_of(first));
    file.write(std::string_view(second));
    CHECK(std::filesystem::exists(path) == replaces);
    file.commit();
    CHECK(read_bytes(path) == first + second);
    CHECK(folder.entries() == 1);
}

TEST_CASE("A file that was not committed leaves nothing and the older one stays") {
    Dice random;
    const ScratchFolder folder;
    const std::string older = random.bytes(1000);
    write_bytes(folder / "older", older);
    for (const auto* name : {"older", "new"}) {
        AtomicFile file(folder / name);
        file.write(std::string_view("half a file"));
    }
    CHECK(read_bytes(folder / "older") == older);
    CHECK(folder.entries() == 1);
}

TEST_CASE("A process that is killed while it writes leaves no half file") {
    const ScratchFolder folder;
    write_bytes(folder / "file", "older");
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        AtomicFile file(folder / "file");
        file.write(std::string_view("half a file"));
        ::raise(SIGKILL);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    CHECK(read_bytes(folder / "file") == "older");
    if (has_nameless_files(folder.path())) CHECK(folder.entries() == 1);
}

TEST_CASE("A new file has the permissions that the umask leaves") {
    const ScratchFolder folder;
    const mode_t mask = GENERATE(mode_t(022), mode_t(027), mode_t(077));
    const mode_t before = ::umask(mask);
    write_text_file(folder / "file", "text");
    ::umask(before);
    struct stat status = {};
    REQUIRE(::stat((folder / "file").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == (0666 & ~mask));
}

TEST_CASE("A full disk is an error with its reason, and the older file stays") {
    const ScratchFolder folder;
    write_bytes(folder / "file", "older");
    const auto path = folder / "file";
    const std::string message = message_of<MachineError>([&] {
        const FileSizeLimit limit(4096);
        write_text_file(path, Dice().bytes(32'768));
    });
    CHECK(contains(message, path.string()));
    CHECK(contains(message, "too large"));
    CHECK(read_bytes(path) == "older");
    CHECK(folder.entries() == 1);
}

TEST_CASE("What can't become a file is refused with a reason") {
    const ScratchFolder folder;
    const auto error_of = [](const std::filesystem::path& path) {
        return message_of<MachineError>([&] { write_text_file(path, "text"); });
    };
    write_bytes(folder / "plain", "text");
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    const std::pair<std::filesystem::path, const char*> cases[] = {
        {folder / "none" / "file", "no folder"},
        {folder.path(), "Is a directory"},
        {folder / "", "Is a directory"},
        {folder / "plain" / "file", "Not a directory"},
        {folder / std::string(300, 'n'), "too long"},
        {folder / "pipe", "regular"},
    };
    for (const auto& [path, part] : cases) {
        CHECK(contains(error_of(path), path.string()));
        CHECK(contains(error_of(path), part));
    }
    CHECK(std::filesystem::is_fifo(folder / "pipe"));
    CHECK(folder.entries() == 2);
}

TEST_CASE("A folder that takes the name before commit() is left alone") {
    const ScratchFolder folder;
    const auto path = folder / "file";
    {
        AtomicFile file(path);
        file.write(std::string_view("text"));
        std::filesystem::create_directory(path);
        CHECK(contains(message_of<MachineError>([&] { file.commit(); }), "Is a directory"));
    }
    CHECK(std::filesystem::is_directory(path));
    CHECK(folder.entries() == 1);
}

TEST_CASE("A symbolic link is replaced; one that the user named is followed and stays") {
    const ScratchFolder folder;
    const auto link = folder / "link";
    for (const char* target : {"file", "dangling", "second"}) {
        write_bytes(folder / "file", "older");
        std::filesystem::remove(folder / "second");
        std::filesystem::create_symlink("file", folder / "second");
        std::filesystem::remove(link);
        std::filesystem::create_symlink(target, link);
        write_text_file(link, "newer", Links::followed);
        CHECK(std::filesystem::is_symlink(link));
        CHECK(std::filesystem::is_symlink(folder / "second"));
        CHECK(read_bytes(folder / target) == "newer");
        write_text_file(link, "newest");
        CHECK_FALSE(std::filesystem::is_symlink(link));
        CHECK(read_bytes(folder / target) == "newer");
        CHECK(read_bytes(link) == "newest");
    }
}

TEST_CASE("What the user named and is no regular file is written to, and stays what it is") {
    const ScratchFolder folder;
    const auto pipe = folder / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const std::string text(200'000, 'x');
    CHECK_THROWS_AS(write_text_file(pipe, text), FileError);
    std::string read;
    std::thread reader([&] { read = read_bytes(pipe); });
    require_writable(pipe, Given{"json"}, Links::followed);  // which tells the reader nothing
    write_text_file(pipe, text, Links::followed);
    reader.join();
    CHECK(read == text);
    CHECK(std::filesystem::is_fifo(pipe));
    write_text_file("/dev/null", "text", Links::followed);
    CHECK(contains(message_of<FileError>([] { write_text_file("/dev/full", "text", Links::followed); }),
                   "space"));

    // An open file is written to where it is, whether it still has a name or not.
    const auto log = folder / "log";
    const int file = ::open(log.c_str(), O_RDWR | O_CREAT, 0600);
    REQUIRE(::write(file, "before\n", 7) == 7);
    std::filesystem::create_symlink("/dev/fd/" + std::to_string(file), folder / "out");
    CHECK(descriptor_named(folder / "out") == file);
    write_text_file(folder / "out", "text\n", Links::followed);
    std::filesystem::remove(log);
    write_text_file("/proc/self/fd/" + std::to_string(file), "more\n", Links::followed);
    CHECK(read_bytes("/proc/self/fd/" + std::to_string(file)) == "before\ntext\nmore\n");
    ::close(file);
    CHECK(folder.entries() == 2);
}

TEST_CASE("A name as long as names can be is written") {
    const ScratchFolder folder;
    const std::string name(255, 'n');
    write_text_file(folder / name, "text");
    CHECK(read_bytes(folder / name) == "text");
}

TEST_CASE("Of several writers of one name one wins whole") {
    const ScratchFolder folder;
    const std::string length(100'000, '.');
    std::vector<std::thread> threads;
    for (char writer = 'a'; writer < 'e'; ++writer)
        threads.emplace_back([&, writer] {
            for (int i = 0; i < 5; ++i) write_text_file(folder / "file", std::string(length.size(), writer));
        });
    for (auto& thread : threads) thread.join();
    const std::string text = read_bytes(folder / "file");
    REQUIRE(text.size() == length.size());
    CHECK(text == std::string(length.size(), text[0]));
    CHECK((text[0] >= 'a' && text[0] < 'e'));
    CHECK(folder.entries() == 1);
}

TEST_CASE("What a killed process left is removed, what a running one writes is not") {
    const ScratchFolder folder;
    const pid_t gone = ended_process();
    const auto hidden = [&](pid_t process, const char* rest) {
        return folder / (".stencilscope-" + std::to_string(process) + rest);
    };
    write_bytes(hidden(gone, "-0.tmp"), "left behind");
    write_bytes(hidden(gone, "-1.txt"), "of another kind");
    write_bytes(hidden(::getpid(), "-0.tmp"), "being written");
    write_bytes(folder / ".stencilscope-x-0.tmp", "of nobody");
    std::filesystem::create_directory(hidden(gone, "-2.tmp"));
    make_folder(folder.path(), "out");
    CHECK_FALSE(std::filesystem::exists(hidden(gone, "-0.tmp")));
    CHECK(folder.entries() == 4);
}

TEST_CASE("A hidden file whose writer is on another machine holds its lock and stays") {
    const ScratchFolder folder;
    const pid_t gone = ended_process();
    const auto file = write_bytes(folder / (".stencilscope-" + std::to_string(gone) + "-0.tmp"), "locked");
    const int writer = ::open(file.c_str(), O_WRONLY);
    REQUIRE(::flock(writer, LOCK_EX) == 0);
    remove_leftovers(folder.path());
    CHECK(folder.entries() == 1);
    ::close(writer);
    remove_leftovers(folder.path());
    CHECK(folder.entries() == 0);
}

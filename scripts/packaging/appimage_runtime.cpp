// The beginning of an AppImage. At the first start it unpacks the squashfs image that follows it into the
// user's cache, and then it starts the image's AppRun. Unlike the usual runtime it mounts nothing, so it
// needs no FUSE.
#include <elf.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

extern "C" {
#include <squashfuse/squashfuse.h>
}

namespace fs = std::filesystem;

constexpr std::string_view kFresh = "stencilscope-unpacked-";  // then the process, and letters of mkdtemp()
constexpr char kWhole[] = ".whole";                            // the file that is made last

static volatile std::sig_atomic_t told_to_end = 0;

static void check(bool good, const std::string& what) {
    if (!good) throw std::runtime_error(what + ": " + (errno ? strerror(errno) : "the image is damaged"));
}

static void check_signal() {
    if (told_to_end) throw std::runtime_error("it was told to end");
}

// Calls visit(image, path, inode) for what is in the image that begins at an offset of a file.
template <class Visit>
static void walk(const fs::path& file, std::size_t offset, const Visit& visit) {
    sqfs image;
    sqfs_traverse at;
    sqfs_err error = SQFS_OK;
    errno = 0;
    check(!sqfs_open_image(&image, file.c_str(), offset) &&
              !sqfs_traverse_open(&at, &image, sqfs_inode_root(&image)),
          file);
    while (sqfs_traverse_next(&at, &error)) {
        if (at.dir_end) continue;
        sqfs_inode inode;
        check(!sqfs_inode_get(&image, &inode, sqfs_dentry_inode(&at.entry)), at.path);
        visit(image, fs::path(at.path), inode);
    }
    check(!error, file);
}

// Unpacks the image into a folder that is there.
static void unpack(const fs::path& file, std::size_t offset, const fs::path& folder) {
    std::string block(1 << 20, 0);
    walk(file, offset, [&](sqfs& image, const fs::path& name, sqfs_inode& inode) {
        const fs::path path = folder / name;
        if (S_ISDIR(inode.base.mode)) {
            fs::create_directory(path);
        } else if (S_ISLNK(inode.base.mode)) {
            std::size_t length = block.size();
            check(!sqfs_readlink(&image, &inode, block.data(), &length), path);
            fs::create_symlink(block.c_str(), path);
        } else {
            std::ofstream out(path, std::ios::binary);
            for (sqfs_off_t at = 0, part = 0; at < sqfs_off_t(inode.xtra.reg.file_size); at += part) {
                check_signal();
                part = sqfs_off_t(block.size());
                check(!sqfs_read_range(&image, &inode, at, &part, block.data()) && part > 0, path);
                out.write(block.data(), part);
            }
            out.close();
            check(out.good(), path);
            fs::permissions(path, fs::perms(inode.base.mode & 0777));
        }
    });
}

// Whether a folder that was unpacked still has all its files: programs that tidy up take some.
static bool is_whole(const fs::path& file, std::size_t offset, const fs::path& folder) {
    struct stat found;
    bool whole = lstat((folder / kWhole).c_str(), &found) == 0;
    walk(file, offset, [&](sqfs&, const fs::path& name, sqfs_inode& inode) {
        whole = whole && lstat((folder / name).c_str(), &found) == 0 &&
                (found.st_mode & S_IFMT) == (inode.base.mode & S_IFMT) &&
                (!S_ISREG(found.st_mode) || found.st_size == off_t(inode.xtra.reg.file_size));
    });
    return whole;
}

// Why other users could have written to a folder, asked as by sim/machine/kernel_cache.cpp; empty if they
// could not.
static std::string why_unsafe(const fs::path& folder) {
    struct stat found;
    const std::string name = folder.string() + ' ';
    if (lstat(folder.c_str(), &found) != 0) return name + "cannot be made";
    if (!S_ISDIR(found.st_mode)) return name + "is a link or a file";
    if (found.st_uid != geteuid()) return name + "belongs to another user";
    if (found.st_mode & (S_IWGRP | S_IWOTH)) return name + "may be written by others";
    return access(folder.c_str(), W_OK) == 0 ? "" : name + "may not be written";
}

// Locked as long as this process is what it is now.
static bool is_locked(const fs::path& folder, int how) {
    return flock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), how) == 0;
}

// A private folder, removed with the object unless it has another name by then.
struct Fresh {
    explicit Fresh(const fs::path& room)
        : path((room / kFresh).string() + std::to_string(getpid()) + "-XXXXXX") {
        check(mkdtemp(path.data()), path);
        is_locked(path, LOCK_EX | LOCK_NB);
    }
    ~Fresh() { fs::remove_all(path, ignored); }
    Fresh(const Fresh&) = delete;

    std::string path;
    std::error_code ignored;
};

// Removes what processes left that were killed while they unpacked. One on another machine holds its lock.
static void remove_left(const fs::path& room) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(room)) {
        const std::string name = entry.path().filename();
        const pid_t process = name.starts_with(kFresh) ? atoi(name.c_str() + kFresh.size()) : 0;
        if (process > 0 && kill(process, 0) != 0 && errno == ESRCH && why_unsafe(entry.path()).empty() &&
            is_locked(entry.path(), LOCK_EX | LOCK_NB))
            fs::remove_all(entry.path(), ignored);
    }
}

// Unpacks the image into this place, unless it is there.
static void provide(const fs::path& place, const fs::path& file, std::size_t offset) {
    const fs::path room = place.parent_path();
    is_locked(room, LOCK_EX);  // one start unpacks, and others wait for it
    check_signal();
    remove_left(room);
    if (why_unsafe(place).empty() && is_whole(file, offset, place)) return;
    const Fresh fresh(room);
    unpack(file, offset, fresh.path);
    // All files are on the disk before the one that says so.
    check(syncfs(open(fresh.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == 0, fresh.path);
    std::ofstream(fresh.path + '/' + kWhole).close();
    check_signal();
    fs::remove_all(place);
    fs::rename(fresh.path, place);
}

// The first folder for images that no other user could have written to, below the user's cache or, where
// several users share one or there is none, by the user's number.
static fs::path room_for(const fs::path& name) {
    const auto folder = [](const char* variable, const char* below) {
        const char* value = getenv(variable);
        return value && *value == '/' ? std::string(value) + below : "";
    };
    const std::string cache = folder("XDG_CACHE_HOME", ""), home = folder("HOME", "/.cache");
    const std::string given = folder("TMPDIR", ""), own = name.string() + '-' + std::to_string(geteuid());
    const std::string root = cache.empty() ? home : cache, temporary = given.empty() ? "/tmp" : given;
    std::string reasons;
    for (const fs::path& room : {root / name, root / fs::path(own), temporary / fs::path(own)}) {
        std::error_code error;
        struct stat found;
        if (!room.is_absolute()) continue;
        fs::create_directories(room, error);
        std::string why = why_unsafe(room);
        if (stat(room.parent_path().c_str(), &found) == 0 && (found.st_mode & S_IWOTH) &&
            !(found.st_mode & S_ISVTX))
            why = room.string() + " may be replaced by others";
        if (why.empty()) return room;
        reasons += (reasons.empty() ? "" : ", ") + why;
    }
    throw std::runtime_error(reasons);
}

int main(int count, char** words) try {
    const fs::path file = fs::read_symlink("/proc/self/exe");
    Elf64_Ehdr head{};
    std::ifstream(file, std::ios::binary).read(reinterpret_cast<char*>(&head), sizeof head);
    const std::size_t offset = head.e_shoff + std::size_t(head.e_shnum) * head.e_shentsize;
    const std::string first = count > 1 ? words[1] : "";
    if (first == "--appimage-offset") {
        std::cout << offset << '\n';
        return 0;
    }
    if (first == "--appimage-extract") {
        fs::create_directory("squashfs-root");
        unpack(file, offset, "squashfs-root");
        return 0;
    }
    struct sigaction note {};
    note.sa_handler = [](int signal) { told_to_end = signal; };
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
        if (std::signal(signal, SIG_IGN) != SIG_IGN) sigaction(signal, &note, nullptr);
    const auto at_limit = std::signal(SIGXFSZ, SIG_IGN);  // writing fails
    const mode_t mask = umask(077);
    const fs::path name(APPIMAGE_PLACE), place = room_for(name.parent_path()) / name.filename();
    provide(place, file, offset);
    umask(mask);
    std::signal(SIGXFSZ, at_limit);
    setenv("APPIMAGE", file.c_str(), 1);
    setenv("APPDIR", place.c_str(), 1);
    execv((place / "AppRun").c_str(), words);
    check(false, place / "AppRun");
} catch (const std::exception& error) {
    if (told_to_end) {
        std::signal(told_to_end, SIG_DFL);
        raise(told_to_end);
    }
    std::cerr << "This AppImage unpacks itself into XDG_CACHE_HOME or ~/.cache, and could not: "
              << error.what() << '\n';
    return 1;
}

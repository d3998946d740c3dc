// The beginning of an AppImage. At the first start it unpacks the squashfs image that follows it into the
// user's cache, and then it starts the image's AppRun. Unlike the usual runtime it mounts nothing, so it
// needs no FUSE.
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

extern "C" {
#include <squashfuse/squashfuse.h>
}

namespace fs = std::filesystem;

static void check(bool good, const std::string& what) {
    if (!good) throw std::runtime_error(what + ": " + (errno ? strerror(errno) : "the image is damaged"));
}

// Unpacks the image that begins at an offset of a file into a folder that is there.
static void unpack(const fs::path& file, std::size_t offset, const fs::path& folder) {
    sqfs image;
    sqfs_traverse walk;
    sqfs_err error = SQFS_OK;
    errno = 0;
    check(!sqfs_open_image(&image, file.c_str(), offset) &&
              !sqfs_traverse_open(&walk, &image, sqfs_inode_root(&image)),
          file);
    std::string block(1 << 20, 0);
    while (sqfs_traverse_next(&walk, &error)) {
        if (walk.dir_end) continue;
        const fs::path path = folder / walk.path;
        sqfs_inode inode;
        check(!sqfs_inode_get(&image, &inode, sqfs_dentry_inode(&walk.entry)), path);
        if (S_ISDIR(inode.base.mode)) {
            fs::create_directory(path);
        } else if (S_ISLNK(inode.base.mode)) {
            std::size_t length = block.size();
            check(!sqfs_readlink(&image, &inode, block.data(), &length), path);
            fs::create_symlink(block.c_str(), path);
        } else {
            std::ofstream out(path, std::ios::binary);
            for (sqfs_off_t at = 0, part = 0; at < sqfs_off_t(inode.xtra.reg.file_size); at += part) {
                part = sqfs_off_t(block.size());
                check(!sqfs_read_range(&image, &inode, at, &part, block.data()) && part > 0, path);
                out.write(block.data(), part);
            }
            out.close();
            check(out.good(), path);
            fs::permissions(path, fs::perms(inode.base.mode & 0777));
        }
    }
    check(!error, file);
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
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const fs::path place =
        fs::path(cache && *cache ? cache : std::string(home ? home : "") + "/.cache") / APPIMAGE_PLACE;
    if (!fs::exists(place / "AppRun")) {
        fs::create_directories(place.parent_path());
        std::string fresh = place.string() + ".XXXXXX";
        check(mkdtemp(fresh.data()), fresh);
        std::error_code another;  // start may be the first to finish
        try {
            unpack(file, offset, fresh);
            fs::rename(fresh, place, another);
        } catch (...) {
            fs::remove_all(fresh, another);
            throw;
        }
        if (another) fs::remove_all(fresh);
    }
    setenv("APPIMAGE", file.c_str(), 1);
    setenv("APPDIR", place.c_str(), 1);
    execv((place / "AppRun").c_str(), words);
    check(false, place / "AppRun");
} catch (const std::exception& error) {
    std::cerr << "This AppImage unpacks itself into XDG_CACHE_HOME or ~/.cache, and could not: "
              << error.what() << '\n';
    return 1;
}

#include "sim/files/folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil {

namespace fs = std::filesystem;

namespace {

// The XDG specification says to ignore relative paths.
std::optional<fs::path> user_folder(const char* variable, const char* below_home) {
    for (const auto& [name, below] : {std::pair{variable, ""}, std::pair{"HOME", below_home}})
        if (const char* folder = std::getenv(name); folder && fs::path(folder).is_absolute())
            return fs::path(folder) / below / "stencilscope";
    return std::nullopt;
}

}  // namespace

void require_writable(const fs::path& file, const Given& given, Links links, std::string_view what) {
    try {
        const AtomicFile probe(
            file, AtomicFile::Temporary::nameless, links);  // never committed, so it leaves nothing behind
    } catch (const MachineError& error) {
        throw InputError(given, "this {} cannot be written ({})", what, error.what());
    }
}

void require_not_input(const fs::path& file, std::string_view setting, std::span<const std::string> inputs) {
    std::error_code ignored;
    for (const std::string& input : inputs)
        if (fs::equivalent(file, input, ignored))
            throw InputError(Given{setting, printable(file.string())}, "this file is read: name another");
}

void check_json_file(const fs::path& file, const fs::path& results, std::span<const std::string> inputs) {
    if (file.empty()) return;
    require_not_input(file, "json", inputs);
    std::error_code ignored;
    const fs::path folder = fs::absolute(link_target(file), ignored).parent_path();
    if (folder.filename().string().starts_with("checkpoint") && fs::exists(folder / "run.json", ignored))
        throw InputError(Given{"json", printable(file.string())},
                         "lies in a checkpoint, which it could replace");
    const bool beside = !results.empty() && fs::weakly_canonical(folder, ignored) ==
                                                fs::weakly_canonical(fs::absolute(results, ignored), ignored);
    if (beside && (file.extension() != ".json" || file.filename() == "spec.json"))
        throw InputError(Given{"json", printable(file.string())},
                         "in the folder of --out its name must end in .json and not be "
                         "spec.json, or it could replace a result");
    require_writable(file, Given{"json"}, Links::followed);
}

void make_folder(const fs::path& folder, std::string_view setting) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error || !fs::is_directory(folder))
        throw InputError(Given{setting, folder.string()},
                         "cannot make this folder: {}",
                         error ? error.message() : "a file of that name is in the way");
    // A unique name.
    require_writable(folder / fmt::format(".stencilscope-{}", ::getpid()),
                     Given{setting, folder.string()},
                     Links::replaced,
                     "folder");
    remove_leftovers(folder);
}

void make_inner_folder(const fs::path& folder, std::string_view setting) {
    std::error_code ignored;
    if (fs::is_symlink(folder, ignored))
        throw InputError(Given{setting, printable(folder.string())},
                         "a link, through which nothing is written: remove it");
    make_folder(folder, setting);
}

Descriptor lock_folder(const fs::path& folder, std::string_view setting) {
    Descriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (lock && ::flock(lock.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        throw InputError(Given{setting, printable(folder.string())},
                         "another run is writing into this folder; name another, or wait");
    return lock;
}

fs::path unused_folder(const fs::path& folder, std::span<const std::string> files) {
    fs::path plain = folder.lexically_normal();
    if (!plain.has_filename()) plain = plain.parent_path();  // strips the slash of "out/"
    const auto holds_any = [&](const fs::path& candidate) {
        std::error_code failed;
        return std::ranges::any_of(
            files, [&](auto& file) { return fs::exists(fs::symlink_status(candidate / file, failed)); });
    };
    if (!holds_any(folder)) return folder;
    for (int number = 2;; ++number) {
        fs::path next = plain;
        next += fmt::format("-{}", number);
        if (!holds_any(next)) return next;
    }
}

std::string expanded_home(std::string path) {
    const char* home = std::getenv("HOME");
    if (home && (path == "~" || path.starts_with("~/"))) path.replace(0, 1, home);
    return path;
}

std::optional<fs::path> user_file(const std::string& name) {
    const auto folder = user_folder("XDG_CONFIG_HOME", ".config");
    return folder ? std::optional(*folder / name) : std::nullopt;
}

std::optional<fs::path> user_cache_folder() {
    return user_folder("XDG_CACHE_HOME", ".cache");
}

void rename_folder(const fs::path& folder, const fs::path& name) {
    std::error_code error;
    fs::rename(folder, name, error);
    if (error) throw FileError("cannot rename {} to {}: {}", folder.string(), name.string(), error.message());
    sync_name(name);
}

}  // namespace stencil

#include "sim/files/folder.h"

#include <fmt/format.h>

#include "sim/files/atomic_file.h"
#include "sim/text/error.h"

namespace stencil {

namespace fs = std::filesystem;

void require_writable(const fs::path& file, const std::string& what) {
    try {
        const AtomicFile probe(file);  // never committed, so nothing is left of it
    } catch (const MachineError& error) {
        throw InputError(fmt::format("{} cannot be written ({})", what, error.what()));
    }
}

void make_folder(const fs::path& folder, const std::string& setting) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error || !fs::is_directory(folder))
        throw InputError(fmt::format("{} {}: cannot make this folder: {}",
                                     setting,
                                     folder.string(),
                                     error ? error.message() : "a file of that name is in the way"));
    require_writable(folder / "probe", fmt::format("{} {}: this folder", setting, folder.string()));
}

}  // namespace stencil

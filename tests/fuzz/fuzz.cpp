#include "tests/fuzz/fuzz.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <new>

#include "sim/text/error.h"

namespace stencil_fuzz {

Target::Target(const char* name_,
               void (*run_one_)(std::string_view),
               std::vector<std::string> (*seeds_)(),
               Repair* repair_)
    : name(name_), run_one(run_one_), seeds(seeds_), repair(repair_) {
    targets().push_back(*this);
}

std::vector<Target>& targets() {
    static std::vector<Target> all;
    return all;
}

std::filesystem::path as_file(std::string_view bytes) {
    static const int descriptor = ::memfd_create("input", 0);
    static const std::string path = fmt::format("/proc/self/fd/{}", descriptor);
    const bool written = ::ftruncate(descriptor, 0) == 0 &&
                         ::pwrite(descriptor, bytes.data(), bytes.size(), 0) == ssize_t(bytes.size());
    require(written, "a file in memory can be written");
    return path;
}

std::filesystem::path scratch_file() {
    static const std::filesystem::path memory = "/dev/shm";
    static const auto folder =
        ::access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
    static const auto path = folder / fmt::format("stencilscope-fuzz-{}", ::getpid());
    static const int removed_at_exit = std::atexit([] { ::unlink(path.c_str()); });
    static_cast<void>(removed_at_exit);
    return path;
}

std::string reference_bytes(const char* name) {
    std::ifstream file(std::filesystem::path(FUZZ_REFERENCE_DIR) / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool accepted(const std::function<void()>& read) {
    try {
        read();
        return true;
    } catch (const stencil::InputError& error) {
        const std::string_view text = error.what();
        require(!text.empty(), "a refusal says why");
    } catch (const stencil::MachineError&) {
    } catch (const std::bad_alloc&) {
    }
    return false;
}

void require(bool holds, const char* what, const std::string& was, const std::string& is) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n  [%s]\n  [%s]\n", what, was.c_str(), is.c_str());
    std::abort();
}

}  // namespace stencil_fuzz

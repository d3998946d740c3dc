#include "sim/machine/row_compiler.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>

#include "sim/files/atomic_file.h"
#include "sim/files/descriptor.h"
#include "sim/files/folder.h"
#include "sim/machine/background.h"
#include "sim/machine/child_process.h"
#include "sim/machine/host_memory.h"
#include "sim/machine/kernel_cache.h"
#include "sim/text/error.h"
#include "sim/text/shell_words.h"

namespace stencil {
namespace fs = std::filesystem;
namespace {

// Checks that the file is complete: the loader maps truncated files without checking, which ends in SIGBUS.
bool is_whole(std::string_view bytes) {
    const auto has = [&](std::uint64_t offset, std::uint64_t size) {
        return offset <= bytes.size() && size <= bytes.size() - offset;
    };
    ElfW(Ehdr) header;
    if (!has(0, sizeof header)) return false;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(ElfW(Phdr)) ||
        !has(header.e_phoff, header.e_phnum * sizeof(ElfW(Phdr))) ||
        !has(header.e_shoff, std::uint64_t(header.e_shnum) * header.e_shentsize))
        return false;
    std::vector<ElfW(Phdr)> segments(header.e_phnum);
    std::memcpy(segments.data(), bytes.data() + header.e_phoff, segments.size() * sizeof(ElfW(Phdr)));
    return std::ranges::all_of(segments, [&](const auto& s) { return has(s.p_offset, s.p_filesz); });
}

const std::string& require_whole(const std::string& bytes) {
    if (!is_whole(bytes)) throw MachineError("compiled rows cannot be loaded: no whole library");
    return bytes;
}

// Loads a shared library from memory, so that no folder needs to allow execution.
class Library {
  public:
    explicit Library(const std::string& bytes)
        : file_(require_whole(bytes)), library_(::dlopen(file_.name().c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (!library_) throw MachineError("compiled rows cannot be loaded: {}", ::dlerror());
    }
    ~Library() { ::dlclose(library_); }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    void* function(const std::string& name) const { return ::dlsym(library_, name.c_str()); }

  private:
    MemoryFile file_;  ///< must stay open while the library is loaded, which refers to it by name
    void* library_;
};

/// A library of rows, and its origin in words.
struct CompiledLibrary {
    std::unique_ptr<Library> library;
    std::string origin;
};

// Returns null if there is no entry or it cannot be loaded; the text is then compiled again.
std::unique_ptr<Library> load_kept(const KernelCache& cache, const std::string& key) {
    try {
        const auto kept = cache.find(key);
        return kept ? std::make_unique<Library>(*kept) : nullptr;
    } catch (const MachineError&) {
        return nullptr;
    }
}

CompiledLibrary make_library(const std::string& text,
                             std::uint64_t memory_limit,
                             const std::stop_token& stop) {
    const CCompiler compiler = find_c_compiler();
    const auto folder = user_cache_folder();
    const KernelCache cache(folder ? *folder / "kernels" : "");
    const std::string key = fmt::format("{}\n{}\n{}\n{}",
                                        compiler.identity,
                                        fmt::join(c_compiler_options(), " "),
                                        processor_identity(),
                                        text);
    const std::string path = cache.path_of(key).string();
    if (auto kept = folder ? load_kept(cache, key) : nullptr)
        return {std::move(kept), fmt::format("kept in {}", path)};
    std::error_code ignored;
    remove_leftovers(fs::temp_directory_path(ignored));
    const std::uint64_t left = memory_limit - std::min(memory_limit, process_bytes());
    const std::string bytes = compile_c(compiler, text, stop, kLongestCompilation, left);
    CompiledLibrary made{std::make_unique<Library>(bytes),
                         fmt::format("compiled by {}", fmt::join(compiler.command, " "))};
    // Only libraries that load are cached: a compiler may exit with 0 and produce nothing.
    if (folder && cache.keep(key, bytes)) made.origin += fmt::format(", kept in {}", path);
    return made;
}

class BackgroundRows : public equation::CompiledRows {
  public:
    BackgroundRows(const std::string& text, std::uint64_t memory_limit) {
        work_.start([=](const std::stop_token& stop) { return make_library(text, memory_limit, stop); });
    }

    State state() const override {
        take();
        return work_.busy() ? State::under_way : made_.library ? State::there : State::failed;
    }
    void wait() override {
        if (work_.busy()) take_result();
    }
    void* function(const std::string& name) const override { return made_.library->function(name); }
    std::string why_not() const override { return why_not_; }
    std::string origin() const override { return made_.origin; }

  private:
    void take() const {
        if (work_.busy() && !work_.running()) take_result();
    }
    void take_result() const {
        try {
            made_ = work_.get();
        } catch (const std::exception& error) {
            why_not_ = error.what();
        }
    }

    mutable CompiledLibrary made_;
    mutable std::string why_not_;
    mutable Background<CompiledLibrary> work_;
};

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

// Whether a line of compiler output states the error.
bool is_telling(std::string_view line) {
    return line.find("error") != line.npos || line.find("undefined") != line.npos;
}

}  // namespace

std::unique_ptr<equation::CompiledRows> compile_rows_in_background(const std::string& text) {
    return compiler_within(std::numeric_limits<std::uint64_t>::max())(text);
}

equation::RowCompiler compiler_within(std::uint64_t memory_limit) {
    return [=](const std::string& text) { return std::make_unique<BackgroundRows>(text, memory_limit); };
}

CCompiler find_c_compiler() {
    const std::string named = variable("CC");
    CCompiler compiler;
    try {
        compiler.command = shell_words(named);
    } catch (const InputError& error) {
        throw MachineError("$CC: {}", error.what());
    }
    if (compiler.command.empty()) compiler.command = {"cc"};
    const std::string path = find_program(compiler.command.front());
    if (path.empty()) throw MachineError("there is no C compiler `{}'", compiler.command.front());
    std::error_code error;
    const fs::path program = fs::canonical(path, error);
    compiler.command.front() = path;
    compiler.identity = fmt::format("{} {} {}",
                                    fmt::join(compiler.command, " "),
                                    fs::file_size(program, error),
                                    fs::last_write_time(program, error).time_since_epoch().count());
    return compiler;
}

std::string processor_identity() {
    std::ifstream file("/proc/cpuinfo");
    std::string identity;
    for (std::string line; std::getline(file, line) && !line.empty();)
        for (const char* name : {"model name", "flags", "CPU implementer", "CPU part", "Features"})
            if (line.starts_with(name)) identity += line + '\n';
    return identity;
}

std::vector<std::string> c_compiler_options() {
    return {
        "-x", "c", "-std=gnu11", "-O3", "-w", "-march=native",
#if defined(__x86_64__)
            "-mprefer-vector-width=512",
#endif
            "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-ffreestanding", "-fPIC",
            "-shared", "-nostdlib", "-Wl,-z,defs"
    };
}

std::string compile_c(const CCompiler& compiler,
                      const std::string& text,
                      const std::stop_token& stop,
                      double limit_seconds,
                      std::uint64_t most_bytes) {
    constexpr const char* kLibrary = "rows.so";
    const TemporaryFolder folder;
    ChildCommand command{compiler.command, text, limit_seconds, true, folder.path(), most_bytes};
    std::ranges::copy(c_compiler_options(), std::back_inserter(command.words));
    for (const std::string& word : {std::string("-o"), folder.path() + '/' + kLibrary, std::string("-")})
        command.words.push_back(word);
    // Prefers the line that states the error, else the first.
    std::string said;
    const auto take = [&](std::string_view line) {
        if (said.empty() || (is_telling(line) && !is_telling(said))) said = line;
    };
    const ChildEnd end = run_child(command, take, [&] { return stop.stop_requested(); });
    const std::string& name = command.words.front();
    if (end.how == ChildEnd::How::over_limit)
        throw MachineError("{} took more than {} s and was ended", name, limit_seconds);
    std::string bytes = folder.bytes_of(kLibrary);
    if (end.how != ChildEnd::How::exited || end.code != 0 || bytes.empty())
        throw MachineError("{}: {}", name, said.empty() ? "it made nothing" : said);
    return bytes;
}

}  // namespace stencil

#include "sim/machine/row_compiler.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "sim/files/folder.h"
#include "sim/files/memory_file.h"
#include "sim/machine/c_compiler.h"
#include "sim/machine/kernel_cache.h"
#include "sim/text/error.h"

namespace stencil {
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
        if (!library_) throw MachineError(fmt::format("compiled rows cannot be loaded: {}", ::dlerror()));
    }
    ~Library() { ::dlclose(library_); }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    void* function(const std::string& name) const { return ::dlsym(library_, name.c_str()); }

  private:
    MemoryFile file_;  ///< open as long as the library is loaded, which refers to it by name
    void* library_;
};

class BackgroundRows : public equation::CompiledRows {
  public:
    explicit BackgroundRows(const std::string& text) {
        try {
            thread_ = std::jthread([this, text](const std::stop_token& stop) { work(text, stop); });
        } catch (const std::system_error& error) {
            fail(error);
        }
    }

    State state() const override { return state_.load(std::memory_order_acquire); }
    void wait() override {
        if (thread_.joinable()) thread_.join();
    }
    void* function(const std::string& name) const override { return library_->function(name); }
    std::string why_not() const override { return why_not_; }
    std::string origin() const override { return origin_; }

  private:
    void work(const std::string& text, const std::stop_token& stop) {
        try {
            make(text, stop);
            state_.store(State::there, std::memory_order_release);
        } catch (const std::exception& error) {
            fail(error);
        }
    }
    void make(const std::string& text, const std::stop_token& stop) {
        const CCompiler compiler = find_c_compiler();
        const auto folder = user_cache_folder();
        const KernelCache cache(folder ? *folder / "kernels" : "");
        const std::string key = fmt::format("{}\n{}\n{}\n{}",
                                            compiler.identity,
                                            fmt::join(c_compiler_options(), " "),
                                            processor_identity(),
                                            text);
        const std::string path = cache.path_of(key).string();
        if (folder && load_kept(cache, key)) {
            origin_ = fmt::format("kept in {}", path);
            return;
        }
        const std::string bytes = compile_c(compiler, text, stop);
        library_.emplace(bytes);
        origin_ = fmt::format("compiled by {}", fmt::join(compiler.command, " "));
        // Only libraries that load are cached: a compiler may exit with 0 and produce nothing.
        if (folder && cache.keep(key, bytes)) origin_ += fmt::format(", kept in {}", path);
    }
    bool load_kept(const KernelCache& cache, const std::string& key) {
        const auto kept = cache.find(key);
        try {
            if (kept) library_.emplace(*kept);
        } catch (const MachineError&) {
            return false;  // it is recompiled
        }
        return kept.has_value();
    }
    void fail(const std::exception& error) {
        why_not_ = error.what();
        state_.store(State::failed, std::memory_order_release);
    }

    std::atomic<State> state_ = State::under_way;
    std::optional<Library> library_;
    std::string why_not_, origin_;
    std::jthread thread_;  ///< last member, because it uses the others
};

}  // namespace

std::unique_ptr<equation::CompiledRows> compile_rows_in_background(const std::string& text) {
    return std::make_unique<BackgroundRows>(text);
}

}  // namespace stencil

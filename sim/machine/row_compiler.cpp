#include "sim/machine/row_compiler.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <optional>
#include <system_error>
#include <thread>

#include "sim/files/folder.h"
#include "sim/files/memory_file.h"
#include "sim/machine/c_compiler.h"
#include "sim/machine/kernel_cache.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// From memory, so that no folder needs to allow what is in it to run.
class Library {
  public:
    explicit Library(const std::string& bytes)
        : file_(bytes), library_(::dlopen(file_.name().c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (!library_) throw MachineError(fmt::format("compiled rows cannot be loaded: {}", ::dlerror()));
    }
    ~Library() { ::dlclose(library_); }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    void* function(const std::string& name) const { return ::dlsym(library_, name.c_str()); }

  private:
    MemoryFile file_;  ///< open as long as the library, which the loader knows by this name
    void* library_;
};

/// A library's bytes, and in a line where they are from.
struct Made {
    std::string bytes, origin;
};

Made compiled(const std::string& text, const std::stop_token& stop) {
    const CCompiler compiler = find_c_compiler();
    const auto folder = user_cache_folder();
    const std::string by = fmt::format("compiled by {}", fmt::join(compiler.command, " "));
    if (!folder) return {compile_c(compiler, text, stop), by};
    const KernelCache cache(*folder / "kernels");
    const std::string key = fmt::format("{}\n{}\n{}\n{}",
                                        compiler.identity,
                                        fmt::join(c_compiler_options(), " "),
                                        processor_identity(),
                                        text);
    const std::string path = cache.path_of(key).string();
    if (auto kept = cache.find(key)) return {*std::move(kept), fmt::format("kept in {}", path)};
    Made made{compile_c(compiler, text, stop), fmt::format("{}, kept in {}", by, path)};
    cache.keep(key, made.bytes);
    return made;
}

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
            Made made = compiled(text, stop);
            library_.emplace(made.bytes);
            origin_ = std::move(made.origin);
            state_.store(State::there, std::memory_order_release);
        } catch (const std::exception& error) {
            fail(error);
        }
    }
    void fail(const std::exception& error) {
        why_not_ = error.what();
        state_.store(State::failed, std::memory_order_release);
    }

    std::atomic<State> state_ = State::under_way;
    std::optional<Library> library_;
    std::string why_not_, origin_;
    std::jthread thread_;  ///< the last member: it uses the others
};

}  // namespace

std::unique_ptr<equation::CompiledRows> compile_rows_in_background(const std::string& text) {
    return std::make_unique<BackgroundRows>(text);
}

}  // namespace stencil

#include "sim/machine/row_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
#include <tuple>
#include <utility>

#include "sim/files/folder.h"
#include "sim/machine/background.h"
#include "sim/machine/host_memory.h"
#include "sim/machine/kernel_cache.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace fs = std::filesystem;
namespace {

/// A library of rows, and its origin in words.
struct CompiledLibrary {
    std::unique_ptr<LoadedLibrary> library;
    std::string origin;
};

// Returns null if there is no entry or it cannot be loaded; the text is then compiled again.
std::unique_ptr<LoadedLibrary> load_kept(const KernelCache& cache, const std::string& key) {
    try {
        const auto kept = cache.find(key);
        return kept ? std::make_unique<LoadedLibrary>(*kept) : nullptr;
    } catch (const MachineError&) {
        return nullptr;
    }
}

CompiledLibrary make_library(const std::string& text,
                             std::uint64_t memory_limit,
                             const std::stop_token& stop) {
    const SystemCompiler compiler = find_c_compiler();
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
    CompiledLibrary made{std::make_unique<LoadedLibrary>(bytes),
                         fmt::format("compiled by {}", fmt::join(compiler.command, " "))};
    // Only libraries that load are cached: a compiler may exit with 0 and produce nothing.
    if (folder && cache.keep(key, bytes)) made.origin += fmt::format(", kept in {}", path);
    return made;
}

// Rows of one text, on their way or there.
class BackgroundRows : public equation::CompiledRows {
  public:
    BackgroundRows(const std::string& text, std::uint64_t memory_limit) {
        work_.start([=](const std::stop_token& stop) { return make_library(text, memory_limit, stop); });
    }

    State state() const override {
        const std::lock_guard lock(mutex_);
        if (work_.busy() && !work_.running()) take_result();
        return work_.busy() ? State::under_way : made_.library ? State::there : State::failed;
    }
    void wait() override {
        const std::lock_guard lock(mutex_);
        if (work_.busy()) take_result();
    }
    void* function(const std::string& name) const override { return made_.library->function(name); }
    std::string why_not() const override { return why_not_; }
    std::string origin() const override { return made_.origin; }

  private:
    void take_result() const {
        try {
            made_ = work_.get();
        } catch (const std::exception& error) {
            why_not_ = error.what();
        }
    }

    mutable std::mutex mutex_;
    mutable CompiledLibrary made_;
    mutable std::string why_not_;
    mutable Background<CompiledLibrary> work_;
};

// Tells compiled rows apart: the text, the memory limit, and the cache folder, CC and PATH, which decide how
// the text is compiled.
using RowsKey = std::tuple<std::string, std::uint64_t, std::string>;
RowsKey key_of(const std::string& text, std::uint64_t memory_limit) {
    std::string surroundings = user_cache_folder().value_or("").string();
    for (const char* name : {"CC", "PATH"})
        if (const char* value = std::getenv(name)) surroundings += std::string("\n") + name + value;
    return {text, memory_limit, surroundings};
}

// The rows that runs use, and those last made, so that the next run of a text steps by them from the start.
class RowsOfProcess {
  public:
    std::shared_ptr<BackgroundRows> of(const std::string& text, std::uint64_t memory_limit) {
        const std::lock_guard lock(mutex_);
        std::erase_if(in_use_, [](const auto& one) { return one.second.expired(); });
        std::weak_ptr<BackgroundRows>& place = in_use_[key_of(text, memory_limit)];
        auto rows = place.lock();
        if (!rows) place = rows = std::make_shared<BackgroundRows>(text, memory_limit);
        return rows;
    }
    void keep(std::shared_ptr<BackgroundRows> rows) {
        constexpr std::size_t kMost = 16;
        const std::lock_guard lock(mutex_);
        std::erase(kept_, rows);
        kept_.push_back(std::move(rows));
        if (kept_.size() > kMost) kept_.pop_front();
    }

  private:
    std::mutex mutex_;
    std::map<RowsKey, std::weak_ptr<BackgroundRows>> in_use_;
    std::deque<std::shared_ptr<BackgroundRows>> kept_;
};

RowsOfProcess& rows_of_process() {
    static auto& rows = *new RowsOfProcess;  // outlives all runs
    return rows;
}

// A user of rows that all runs of a text in this process share, so that many small runs compile once.
class SharedRows : public equation::CompiledRows {
  public:
    explicit SharedRows(std::shared_ptr<BackgroundRows> rows) : rows_(std::move(rows)) {}
    ~SharedRows() override {
        if (state() == State::there) rows_of_process().keep(std::move(rows_));
    }

    State state() const override { return rows_->state(); }
    void wait() override { rows_->wait(); }
    void* function(const std::string& name) const override { return rows_->function(name); }
    std::string why_not() const override { return rows_->why_not(); }
    std::string origin() const override { return rows_->origin(); }

  private:
    std::shared_ptr<BackgroundRows> rows_;
};

// Whether a line of compiler output states the error.
bool is_telling(std::string_view line) {
    return line.find("error") != line.npos || line.find("undefined") != line.npos;
}

}  // namespace

std::unique_ptr<equation::CompiledRows> compile_rows_in_background(const std::string& text) {
    return compiler_within(std::numeric_limits<std::uint64_t>::max())(text);
}

equation::RowCompiler compiler_within(std::uint64_t memory_limit) {
    return [=](const std::string& text) {
        return std::make_unique<SharedRows>(rows_of_process().of(text, memory_limit));
    };
}

SystemCompiler find_c_compiler() {
    return find_compiler("CC", "cc", "C");
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
            "-shared", "-nostdlib", "-Wl,-z,defs", "-"
    };
}

std::string compile_c(const SystemCompiler& compiler,
                      const std::string& text,
                      const std::stop_token& stop,
                      double limit_seconds,
                      std::uint64_t most_bytes) {
    const CompilerAnswer answer =
        compile_library(compiler, c_compiler_options(), text, stop, limit_seconds, most_bytes);
    if (!answer.library.empty()) return answer.library;
    // Prefers the line that states the error, else the first.
    const auto lines = split(answer.said, '\n');
    const auto telling = std::ranges::find_if(lines, is_telling);
    const std::string& said = telling == lines.end() ? lines.front() : *telling;
    throw MachineError("{}: {}", compiler.command.front(), said.empty() ? "it made nothing" : said);
}

}  // namespace stencil

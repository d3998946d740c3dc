#include "sim/machine/system_compiler.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/machine/child_process.h"
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
    if (!is_whole(bytes)) throw MachineError("what was compiled cannot be loaded: no whole library");
    return bytes;
}

}  // namespace

LoadedLibrary::LoadedLibrary(const std::string& bytes)
    : file_(require_whole(bytes)), library_(::dlopen(file_.name().c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!library_) throw MachineError("what was compiled cannot be loaded: {}", ::dlerror());
}

LoadedLibrary::~LoadedLibrary() {
    ::dlclose(library_);
}

void* LoadedLibrary::function(const std::string& name) const {
    return ::dlsym(library_, name.c_str());
}

SystemCompiler find_compiler(const char* variable, const char* usual, const char* language) {
    const char* named = std::getenv(variable);
    SystemCompiler compiler;
    try {
        compiler.command = shell_words(named ? named : "");
    } catch (const InputError& error) {
        throw MachineError("${}: {}", variable, error.what());
    }
    if (compiler.command.empty()) compiler.command = {usual};
    const std::string path = find_program(compiler.command.front());
    if (path.empty()) throw MachineError("there is no {} compiler `{}'", language, compiler.command.front());
    std::error_code error;
    const fs::path program = fs::canonical(path, error);
    compiler.command.front() = path;
    compiler.identity = fmt::format("{} {} {}",
                                    fmt::join(compiler.command, " "),
                                    fs::file_size(program, error),
                                    fs::last_write_time(program, error).time_since_epoch().count());
    return compiler;
}

CompilerAnswer compile_library(const SystemCompiler& compiler,
                               const std::vector<std::string>& options,
                               const std::string& text,
                               const std::stop_token& stop,
                               double limit_seconds,
                               std::uint64_t most_bytes) {
    constexpr const char* kLibrary = "made.so";
    constexpr std::size_t kMostSaid = 1'000'000;
    const TemporaryFolder folder;
    ChildCommand command{compiler.command, text, limit_seconds, true, folder.path(), most_bytes};
    command.words.insert(command.words.end(), {"-o", folder.path() + '/' + kLibrary});
    std::ranges::copy(options, std::back_inserter(command.words));
    CompilerAnswer answer;
    const auto take = [&](std::string_view line) {
        if (answer.said.size() < kMostSaid) (answer.said += line) += '\n';
    };
    const ChildEnd end = run_child(command, take, [&] { return stop.stop_requested(); });
    if (end.how == ChildEnd::How::over_limit)
        throw MachineError("{} took more than {} s and was ended", command.words.front(), limit_seconds);
    if (end.how == ChildEnd::How::exited && end.code == 0) answer.library = folder.bytes_of(kLibrary);
    return answer;
}

}  // namespace stencil

#include "sim/machine/c_compiler.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "sim/machine/child_process.h"
#include "sim/text/error.h"
#include "sim/text/shell_words.h"

namespace stencil {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kTemporary = "stencilscope-XXXXXX";

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

// A temporary file for the compiler's output, removed with the object.
class OutputFile {
  public:
    OutputFile() : path_((fs::temp_directory_path() / kTemporary).string()) {
        const int descriptor = ::mkostemp(path_.data(), O_CLOEXEC);
        if (descriptor < 0)
            throw MachineError(fmt::format("{}: {}", path_, std::generic_category().message(errno)));
        ::close(descriptor);
    }
    ~OutputFile() { ::unlink(path_.c_str()); }
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    const std::string& path() const { return path_; }
    std::string bytes() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

  private:
    std::string path_;
};

// Whether a line of compiler output states the error.
bool is_telling(std::string_view line) {
    return line.find("error") != line.npos || line.find("undefined") != line.npos;
}

}  // namespace

CCompiler find_c_compiler() {
    const std::string named = variable("CC");
    CCompiler compiler;
    try {
        compiler.command = shell_words(named);
    } catch (const InputError& error) {
        throw MachineError(fmt::format("$CC: {}", error.what()));
    }
    if (compiler.command.empty()) compiler.command = {"cc"};
    const std::string path = find_program(compiler.command.front());
    if (path.empty())
        throw MachineError(fmt::format("there is no C compiler `{}'", compiler.command.front()));
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
                      double limit_seconds) {
    const OutputFile library;
    ChildCommand command{compiler.command, text, limit_seconds, true};
    std::ranges::copy(c_compiler_options(), std::back_inserter(command.words));
    for (const std::string& word : {std::string("-o"), library.path(), std::string("-")})
        command.words.push_back(word);
    // Prefers the line that states the error, else the first.
    std::string said;
    const auto take = [&](std::string_view line) {
        if (said.empty() || (is_telling(line) && !is_telling(said))) said = line;
    };
    const ChildEnd end = run_child(command, take, [&] { return stop.stop_requested(); });
    const std::string& name = command.words.front();
    if (end.how == ChildEnd::How::over_limit)
        throw MachineError(fmt::format("{} said nothing for {} s and was ended", name, limit_seconds));
    std::string bytes = library.bytes();
    if (end.how != ChildEnd::How::exited || end.code != 0 || bytes.empty())
        throw MachineError(fmt::format("{}: {}", name, said.empty() ? "it made nothing" : said));
    return bytes;
}

}  // namespace stencil

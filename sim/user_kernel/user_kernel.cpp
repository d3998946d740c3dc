#include "sim/user_kernel/user_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>

#include "kernels/equation/cuda/nvrtc.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil::user_kernel {
namespace {

constexpr int kRegisters = 65536;  // per block, on every GPU since compute capability 3.5

/// An error of NVRTC: "heat.cu(12): error: identifier "cc" is undefined", or "heat.cu:12:5: error: ..." of
/// another compiler.
struct Mistake {
    std::string file;
    int line = 0;
    std::string what;
};

std::vector<Mistake> mistakes_in(const std::string& log) {
    static const std::regex form(
        R"(^(.*?)[(:](\d+)(?:\)|:\d+): (?:catastrophic |fatal )?error(?: #\S+)?: (.*)$)");
    static const std::regex unlinked(R"((?:.*ld(?:\.\w+)?: )?(?:/.*/)?(.*):(\d+): (undefined reference .*))");
    std::vector<Mistake> found;
    std::smatch parts;
    for (const std::string& line : split(log, '\n'))
        if (std::regex_match(line, parts, form) || std::regex_match(line, parts, unlinked))
            found.push_back({parts[1], std::atoi(parts[2].str().c_str()), parts[3]});
    return found;
}

std::string line_of(const std::string& text, int number) {
    const auto lines = split(text, '\n');
    if (number < 1 || std::size_t(number) > lines.size()) return "";
    const std::string& line = lines[std::size_t(number) - 1];
    return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

// Explains errors that are common when a file was written for nvcc or for another model; `whole` is the text
// with its declarations.
std::string hint_for(const Mistake& mistake, const std::string& whole) {
    static const std::regex no_member(R"(.*(?:class "|struct )(\w+)[^ ]* has no member.*)");
    std::smatch parts;
    if (std::regex_match(mistake.what, parts, no_member)) {
        const std::size_t begin = whole.find(fmt::format("struct {} {{", parts[1].str()));
        if (begin == std::string::npos) return "";
        return fmt::format(" ({})", printable(whole.substr(begin, whole.find('}', begin) + 1 - begin)));
    }
    if (mistake.what.find("open source file") == std::string::npos) return "";
    return " (only the kernel is compiled here, without the host's headers: leave this #include out; "
           "printf is there without)";
}

// Returns ptxas's error for valid code that is too large: "ptxas error : Entry function ... uses too much".
std::string assembler_error(const std::string& log) {
    static const std::regex form(R"(error[^:\n]*:\s*(.*))");
    std::smatch parts;
    return printable(std::regex_search(log, parts, form) ? parts[1].str() : log.substr(0, log.find('\n')));
}

int number_before(const std::string& report, const std::string& words) {
    std::smatch parts;
    return std::regex_search(report, parts, std::regex("(\\d+) " + words)) ? std::atoi(parts[1].str().c_str())
                                                                           : 0;
}

Usage required_usage(const std::string& log, const LaunchShape& shape, const std::string& file) {
    if (const auto usage = usage_of(log, shape.entry())) return *usage;
    throw InputError("{}: `{}` is not a kernel that can be found by its name: write {}",
                     printable(file),
                     shape.entry(),
                     signature(shape));
}

// The toolkit's headers provide half precision, bulk copies and the like.
std::vector<std::string> include_options() {
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* home = std::getenv(variable)) return {fmt::format("--include-path={}/include", home)};
    const std::string usual = "/usr/local/cuda/include";
    std::error_code ignored;
    if (std::filesystem::is_directory(usual, ignored)) return {"--include-path=" + usual};
    return {};
}

}  // namespace

void refuse(const LaunchShape& shape,
            const std::string& text,
            const std::string& file,
            const std::string& whole,
            const std::string& log) {
    const auto mistakes = mistakes_in(log);
    if (mistakes.empty()) throw InputError("{}: {}", printable(file), assembler_error(log));
    const Mistake& first = mistakes.front();
    if (first.file == kSignatureFile) {
        const auto says = [&](const char* words) { return first.what.find(words) != std::string::npos; };
        const bool none = says("undefined") || says("undeclared") || says("not declared");
        throw InputError("{}: {}: write {}",
                         printable(file),
                         none ? fmt::format("there is no kernel `{}`", shape.entry())
                              : fmt::format("`{}` has other parameters", shape.entry()),
                         signature(shape));
    }
    const std::string more =
        mistakes.size() == 1 ? "" : fmt::format(" (the first of {} mistakes)", mistakes.size());
    if (first.file != name_for_compiler(file))
        throw InputError("{}: {}, line {}: {}{}{}",
                         printable(file),
                         printable(first.file),
                         first.line,
                         printable(first.what),
                         hint_for(first, whole),
                         more);
    throw InputError("{}, line {}: {}{}: {}{}",
                     printable(file),
                     first.line,
                     printable(first.what),
                     hint_for(first, whole),
                     printable(line_of(text, first.line)),
                     more);
}

Method method_row(std::string_view name, const RunSpec& spec, int steps_a_launch) {
    Method row = *find_method("naive", Device::cuda, spec.family());
    row.name = name;
    row.steps_at_a_time = kLaunchesTogether * steps_a_launch;
    row.steps_fused = steps_a_launch;
    row.summary = "your kernel";
    return row;
}

bool fits(const Configuration& spec) {
    if (!spec.kernel || spec.backend == name_of(Device::cpu)) return false;
    const UserKernel& kernel = *spec.kernel;
    const bool same_boundary = kernel.entry.boundary == boundary_of(spec);
    return kernel.model == spec.model && kernel.integrator == spec.integrator && same_boundary &&
           kernel.entry.dtype == spec.dtype && kernel.spacing == spec.dx;
}

std::string stepped_by(const RunSpec& spec) {
    return fits(spec) ? spec.kernel->name : spec.method;
}

std::shared_ptr<const UserKernel> make_user_kernel(const RunSpec& spec,
                                                   const std::string& text,
                                                   const std::string& file,
                                                   int compute_capability) {
    auto kernel = std::make_shared<UserKernel>();
    kernel->name = std::filesystem::path(file).filename();
    kernel->entry = entry_of(spec);
    kernel->shape = read_launch_shape(text, kernel->name);
    kernel->compiled = compile(kernel->entry, kernel->shape, text, kernel->name, compute_capability);
    kernel->model = spec.model;
    kernel->integrator = spec.integrator;
    kernel->spacing = spec.dx;
    kernel->method = method_row(kernel->name, spec, kernel->shape.steps);
    return kernel;
}

std::optional<Usage> usage_of(const std::string& log, std::string_view kernel) {
    const std::string head = "Compiling entry function '";
    const std::size_t begin = log.find(fmt::format("{}{}'", head, kernel));
    if (begin == std::string::npos) return std::nullopt;
    const std::string report = log.substr(begin, log.find(head, begin + 1) - begin);
    return Usage{number_before(report, "registers"),
                 number_before(report, "bytes spill stores") + number_before(report, "bytes spill loads"),
                 number_before(report, "bytes stack frame"),
                 number_before(report, "bytes smem")};
}

std::string Compiled::summary() const {
    return fmt::format(
        "compiled for sm_{}: {} registers, {}{}",
        compute_capability,
        usage.registers,
        usage.spill_bytes == 0 ? "no spills" : fmt::format("{} bytes of spills", usage.spill_bytes),
        usage.shared_bytes == 0 ? "" : fmt::format(", {} bytes of shared memory", usage.shared_bytes));
}

Compiled compile(const Entry& entry,
                 const LaunchShape& shape,
                 const std::string& text,
                 const std::string& file,
                 int compute_capability) {
    const std::string whole = whole_text(entry, shape, text, file);
    equation::Compiled made =
        equation::try_compile_cuda({whole, file, include_options()}, compute_capability);
    if (made.cubin.empty()) refuse(shape, text, file, whole, made.log);
    Compiled compiled{std::move(made.cubin), required_usage(made.log, shape, file), compute_capability};
    const int threads = shape.block_x * shape.block_y;
    if (compiled.usage.registers * threads > kRegisters)
        throw InputError(
            "{}: a block of {}x{} threads with {} registers each needs {}, and there are {}: take smaller "
            "blocks or __launch_bounds__({})",
            printable(file),
            shape.block_x,
            shape.block_y,
            compiled.usage.registers,
            compiled.usage.registers * threads,
            kRegisters,
            threads);
    return compiled;
}

}  // namespace stencil::user_kernel

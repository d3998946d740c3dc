#include "kernels/equation/cuda/nvrtc.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/cpu/late_library.h"
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/cuda/profile_range.h"

namespace stencil::equation {
namespace {

constexpr int kFirstWithCache = 12090;

struct NvrtcProgram;  // as in nvrtc.h, which a build without the toolkit lacks

struct Nvrtc {
    void* library = nullptr;
    std::string why_none;
};

Nvrtc open_nvrtc() {
    // A driver loads cubins only from compilers of its own or an older major version.
    const int driver = query_cuda().driver_version;
    void* const library = driver > 0 && driver < 13000
                              ? load_library({"libnvrtc.so.12", "libnvrtc.so"})
                              : load_library({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"});
    if (!library)
        return {
            nullptr,
            "CUDA's run-time compiler was not found: typed equations on the GPU need libnvrtc.so.12 or .13 "
            "of the CUDA toolkit where the loader looks (LD_LIBRARY_PATH)"};
    int (*newest)(NvrtcProgram*, char*) = nullptr;
    if (!find_symbol(library, "nvrtcGetCUBIN", newest))
        return {nullptr, "CUDA's run-time compiler is older than 11.2: libnvrtc.so.12 or .13 is needed"};
    return {library, ""};
}

const Nvrtc& opened() {
    static const Nvrtc nvrtc = open_nvrtc();
    return nvrtc;
}

// Calls a function of nvrtc.h; the arguments must have exactly the types of its parameters.
template <class Result = int, class... Arguments>
Result call(const char* name, Arguments... arguments) {
    if (!opened().why_none.empty()) throw CudaError(opened().why_none);
    Result (*function)(Arguments...) = nullptr;
    find_symbol(opened().library, name, function);
    return function(arguments...);
}

std::string error_text(int error) {
    return call<const char*>("nvrtcGetErrorString", error);
}

void check(int error, const char* what) {
    if (error != 0) throw CudaError(std::string("NVRTC: ") + what + ": " + error_text(error));
}

// The first line of the log with an error.
std::string first_error(const std::string& log) {
    const std::size_t at = log.find("error");
    if (at == std::string::npos) return log.substr(0, log.find('\n'));
    const std::size_t begin = log.rfind('\n', at) + 1;
    return log.substr(begin, log.find('\n', at) - begin);
}

int version() {
    int major = 0, minor = 0;
    check(call("nvrtcVersion", &major, &minor), "its version");
    return 1000 * major + 10 * minor;
}

std::vector<int> known_architectures() {
    int count = 0;
    check(call("nvrtcGetNumSupportedArchs", &count), "its architectures");
    std::vector<int> known(std::size_t(count), 0);
    check(call("nvrtcGetSupportedArchs", known.data()), "its architectures");
    return known;
}

// The newest architecture that the compiler knows. Its cubin runs on newer GPUs of the same major version;
// for others PTX is generated.
std::string architecture_for(CodeTarget target) {
    int best = 0;
    for (const int one : known_architectures())
        if (one <= target.capability) best = std::max(best, one);
    if (best == 0) best = target.capability;  // the compiler will report it
    const bool same_kind = best / 10 == target.capability / 10;
    return (same_kind && !target.ptx ? "sm_" : "compute_") + std::to_string(best);
}

std::vector<std::string> usual_options(CodeTarget target) {
    std::vector<std::string> options{
        "--gpu-architecture=" + architecture_for(target), "--std=c++17", "--ptxas-options=-v"};
    // NVRTC's own cache initialises the driver, which takes longer than compiling an equation.
    if (version() >= kFirstWithCache) options.emplace_back("--no-cache");
    return options;
}

// Options for typed equations: no FMA contraction, because every operation is rounded on its own, unless the
// program is fast. Float32 subnormals are flushed either way: --use_fast_math does so, too.
std::vector<std::string> option_list(CodeTarget target) {
    std::vector<std::string> options = usual_options(target);
    if (target.fast) {
        options.emplace_back("--use_fast_math");
    } else {
        options.emplace_back("--fmad=false");
        options.emplace_back("--ftz=true");
    }
    return options;
}

struct OwnedProgram {
    NvrtcProgram* program = nullptr;
    ~OwnedProgram() { call("nvrtcDestroyProgram", &program); }
};

// Result codes of nvrtc.h.
constexpr int kRight = 0;
constexpr int kMistakes = 6;

// Returns the result and NVRTC's error code.
std::pair<Compiled, int> compile(const CudaSource& source) {
    const ProfileRange range("compile");
    OwnedProgram owned;
    const char* const* const none = nullptr;
    check(call("nvrtcCreateProgram", &owned.program, source.text.c_str(), source.file.c_str(), 0, none, none),
          "a program");
    NvrtcProgram* const created = owned.program;
    std::vector<const char*> words;
    for (const std::string& option : source.options) words.push_back(option.c_str());
    const int error = call("nvrtcCompileProgram", created, int(words.size()), words.data());
    Compiled compiled;
    std::size_t size = 0;
    check(call("nvrtcGetProgramLogSize", created, &size), "the log's size");
    compiled.log.resize(size);
    check(call("nvrtcGetProgramLog", created, compiled.log.data()), "the log");
    while (!compiled.log.empty() && compiled.log.back() == '\0') compiled.log.pop_back();
    if (error != kRight) return {compiled, error};
    check(call("nvrtcGetCUBINSize", created, &size), "the machine code's size");
    const bool only_ptx = size == 0;
    if (only_ptx) check(call("nvrtcGetPTXSize", created, &size), "the PTX's size");
    compiled.cubin.resize(size);
    check(call(only_ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN", created, compiled.cubin.data()),
          "the machine code");
    return {compiled, error};
}

}  // namespace

const std::string& why_no_nvrtc() {
    return opened().why_none;
}

int nvrtc_version() {
    return version();
}

CodeTarget code_target() {
    const int own = default_compute_capability(), wanted = gpu_facts().capability;
    if (own == 0 || wanted < own) return {wanted, own > 0 && wanted / 10 != own / 10};
    return {own};
}

bool nvrtc_compiles_for(int compute_capability) {
    if (!why_no_nvrtc().empty()) return false;
    const std::vector<int> known = known_architectures();
    return std::ranges::find(known, compute_capability) != known.end();
}

std::string nvrtc_options(CodeTarget target) {
    std::string words;
    for (const std::string& option : option_list(target)) words += option + ' ';
    return words;
}

Compiled compile_cuda(const std::string& text, CodeTarget target) {
    const auto [compiled, error] = compile({text, "equation.cu", option_list(target)});
    if (error != kRight)
        throw CudaError("NVRTC: the equation's kernels: " + error_text(error) + ": " +
                        first_error(compiled.log));
    return compiled;
}

Compiled try_compile_cuda(const CudaSource& source, int compute_capability) {
    CudaSource all = source;
    for (std::string& option : usual_options({compute_capability})) all.options.push_back(std::move(option));
    const auto [compiled, error] = compile(all);
    if (error != kRight && error != kMistakes)
        throw CudaError("NVRTC: " + source.file + ": " + error_text(error) + ": " +
                        first_error(compiled.log));
    return compiled;
}

}  // namespace stencil::equation

#include "sim/kernel_trial/cpu_kernel.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <regex>

#include "kernels/field/divide.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/machine/child_process.h"
#include "sim/text/embedded.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil::user_kernel {
namespace {

constexpr std::size_t kMostStaticShared = 48 * 1024;  // on every GPU

std::vector<std::string> cpp_options() {
    return {"-x",
            "c++",
            "-std=gnu++17",
            "-O1",
            "-g",
            "-w",
            "-fsanitize=thread",
            "-fno-exceptions",
            "-fno-rtti",
            "-ffp-contract=off",
            "-fPIC",
            "-fvisibility=hidden",
            "-shared",
            "-nostdlib",
            "-Wl,-z,defs,-Bsymbolic",
            "-",
            "-lm",
            "-lc",
            "-lgcc"};
}

// `extern __shared__ T name[];` is no C++: the name becomes a pointer. Headers of words that are there
// already are left out.
std::string in_cpp(const std::string& text) {
    static const std::regex form(
        R"(extern\s+__shared__\s+(?:(?:__align__|alignas)\s*\([^)]*\)\s*)?([\w:]+(?:\s+[\w:]+)*)\s+(\w+)\s*\[\s*\]\s*;)");
    static const std::regex known(
        R"(#\s*include\s*<(?:cuda_pipeline|cuda_pipeline_primitives|cuda_runtime)\.h>)");
    const std::string named =
        std::regex_replace(text, form, "static $1* const $2 = reinterpret_cast<$1*>(stencilscope_dynamic);");
    return std::regex_replace(named, known, "");
}

std::string text_for_cpu(const Entry& entry,
                         const LaunchShape& shape,
                         const std::string& text,
                         const std::string& file) {
    std::string all;
    for (const EmbeddedFile& words : embedded_words()) {
        std::string part(words.text);
        part.erase(
            0,
            part.find("#pragma once") == std::string::npos ? 0 : part.find('\n', part.find("#pragma once")));
        all += fmt::format("#line 1 \"{}\"\n{}\n", kDeclarationsFile, part);
    }
    // What follows the kernel's shared variables is never touched by a right one.
    all += "asm(\".pushsection stencilscope_shared,1,\\\"aw\\\",@progbits\\n.zero 4096\\n.popsection\");\n";
    const std::string own = in_cpp(text);
    if (own.find("stencilscope_dynamic") != std::string::npos)
        all += fmt::format(
            "static __attribute__((section(\"stencilscope_shared\"), aligned(128))) unsigned char "
            "stencilscope_dynamic[{}];\n",
            std::max(shape.shared_bytes, 1));
    all += whole_text(entry, shape, own, file);
    all += fmt::format(
        "STENCILSCOPE_SEEN STENCILSCOPE_PLAIN void stencilscope_launch(const void* const* a) {{\n"
        "    {}(*(const From*)a[0], *(const To*)a[1], *(const Size*)a[2], *(const Parameters*)a[3]{});\n"
        "}}\n",
        shape.entry(),
        shape.fused ? ", *(const int*)a[4]" : "");
    return all;
}

void* required(const LoadedLibrary& library, const char* name) {
    void* function = library.function(name);
    if (!function) throw MachineError("what was compiled has no {}", name);
    return function;
}

Place base_of(void* function) {
    Dl_info info;
    return dladdr(function, &info) != 0 ? Place(info.dli_fbase) : 0;
}

std::string words_of(const char* what, double times) {
    return fmt::format("{:.{}f} {}", times, times < 9.95 ? 1 : 0, what);
}

}  // namespace

SystemCompiler find_cpp_compiler() {
    return find_compiler("CXX", "c++", "C++");
}

std::string Traffic::words() const {
    std::string text = fmt::format("{} and {} a cell, {}",
                                   words_of("loads", loads_per_cell),
                                   words_of("stores", stores_per_cell),
                                   words_of("times the sectors that are needed", sectors));
    if (passes > 0) text += ", " + words_of("times the passes over banks", passes);
    return text;
}

CpuKernel::CpuKernel(const Entry& entry,
                     const LaunchShape& shape,
                     const std::string& text,
                     const std::string& file)
    : entry_(entry), shape_(shape), text_(text), file_(file) {
    const std::string whole = text_for_cpu(entry, shape, text, file);
    CompilerAnswer made = compile_library(find_cpp_compiler(), cpp_options(), whole);
    if (made.library.empty()) refuse(shape, text, file, whole, made.said);
    library_bytes_ = std::move(made.library);
    library_ = std::make_unique<LoadedLibrary>(library_bytes_);
    void* begin = required(*library_, "stencilscope_begin");
    base_ = base_of(begin);
    emulator_ = std::make_unique<Emulator>(begin, required(*library_, "stencilscope_launch"));
    if (emulator_->shared_bytes() - std::size_t(shape.shared_bytes) > kMostStaticShared)
        throw InputError(
            "{}: a block has {} bytes of shared variables, and may have {}: take dynamic ones (// "
            "stencilscope: shared)",
            printable(file),
            emulator_->shared_bytes() - std::size_t(shape.shared_bytes),
            kMostStaticShared);
    line_ = [this](Place place) {
        const int line = line_number(place);
        return line > 0 ? fmt::format("line {}", line) : std::string("a line");
    };
}

// Asks addr2line, which comes with compilers; 0 where it is not or does not know.
int CpuKernel::line_number(Place place) const {
    if (place < base_) return 0;
    const auto [found, is_new] = lines_.emplace(place, 0);
    if (!is_new) return found->second;
    std::string program = find_program("addr2line");
    if (program.empty()) program = find_program("llvm-addr2line");
    if (program.empty()) return 0;
    const TemporaryFolder folder;
    const std::string library = folder.path() + "/kernel.so";
    write_text_file(library, library_bytes_);
    // With -i, first the innermost function: one of CUDA's words, called by the kernel.
    const std::string head = name_for_compiler(file_) + ":";
    const auto take = [&](std::string_view said) {
        const std::size_t at = said.rfind(head);
        if (found->second == 0 && at != said.npos && (at == 0 || said[at - 1] == '/'))
            found->second = std::atoi(std::string(said.substr(at + head.size())).c_str());
    };
    ChildCommand command{{program, "-i", "-e", library, fmt::format("{:#x}", place - base_)}, ""};
    command.is_tool = true;
    try {
        run_child(command, take);
    } catch (const MachineError&) {  // a line less in a message
    }
    return found->second;
}

EmulatedGrid CpuKernel::grid_for(int nx, int ny) const {
    EmulatedGrid grid{};
    grid.threads_x = unsigned(shape_.block_x);
    grid.threads_y = unsigned(shape_.block_y);
    grid.blocks_x = unsigned(ceil_div(nx, shape_.tile_x));
    grid.blocks_y = unsigned(ceil_div(ny, shape_.tile_y));
    return grid;
}

template <class T>
std::string CpuKernel::run(const EmulatedGrid& grid,
                           int nx,
                           int ny,
                           int pitch,
                           std::vector<EmulatedField> from,
                           std::vector<EmulatedField> to,
                           const std::vector<double>& values,
                           int steps) {
    // The structs From, To, Size and Parameters have the memory layout of these arrays.
    std::vector<const void*> read, written;
    for (EmulatedField& field : from) read.push_back(field.first);
    for (EmulatedField& field : to) written.push_back(field.first);
    const SizeArgument size{nx, ny, pitch};
    const std::vector<T> parameters(values.begin(), values.end());
    const void* const arguments[] = {read.data(), written.data(), &size, parameters.data(), &steps};
    for (std::size_t c = 0; c < from.size(); ++c) {
        from[c].name = "from." + entry_.components[c];
        from[c].is_source = true;
        to[c].name = "to." + entry_.components[c];
    }
    from.insert(from.end(), to.begin(), to.end());
    return emulator_->run(grid, std::move(from), arguments, line_);
}

template <class T>
Launch<T> CpuKernel::launcher(const StepParameters& params, double spacing) {
    return [this, params, spacing](const GuardedShape& shape, auto& from, auto& to, int steps, double t) {
        using enum EmulatedGrid::Order;
        EmulatedGrid grid = grid_for(shape.nx, shape.ny);
        grid.order = std::array{forward, backward, random, random}[launches_ % 4];
        grid.seed = launches_++;
        // Rows begin on multiples of 128 bytes, as on a GPU.
        constexpr std::size_t kAlignment = 128;
        std::vector<std::vector<T>> memory;
        const auto aligned = [&](std::vector<Cells<T>>& arrays) {
            std::vector<EmulatedField> fields;
            for (Cells<T>& cells : arrays) {
                std::vector<T>& copy = memory.emplace_back(cells.size() + kAlignment / sizeof(T));
                const auto off =
                    (std::uintptr_t(copy.data() + shape.at(0, 0)) / sizeof(T)) % (kAlignment / sizeof(T));
                T* begin = copy.data() + (kAlignment / sizeof(T) - off) % (kAlignment / sizeof(T));
                std::ranges::copy(cells, begin);
                fields.push_back({"",
                                  reinterpret_cast<char*>(begin + shape.at(0, 0)),
                                  reinterpret_cast<char*>(begin),
                                  reinterpret_cast<char*>(begin + cells.size()),
                                  shape.nx,
                                  shape.ny,
                                  shape.pitch,
                                  int(sizeof(T)),
                                  false,
                                  true});
            }
            return fields;
        };
        memory.reserve(from.size() + to.size());
        const std::vector<EmulatedField> sources = aligned(from), results = aligned(to);
        const std::string fault = run<T>(grid,
                                         shape.nx,
                                         shape.ny,
                                         shape.pitch,
                                         sources,
                                         results,
                                         parameter_values(entry_, params, spacing, t),
                                         steps);
        if (!fault.empty()) throw KernelFault(fault);
        for (std::size_t c = 0; c < from.size(); ++c) {
            std::copy_n(reinterpret_cast<const T*>(sources[c].begin), from[c].size(), from[c].begin());
            std::copy_n(reinterpret_cast<const T*>(results[c].begin), to[c].size(), to[c].begin());
        }
    };
}

template Launch<float> CpuKernel::launcher<float>(const StepParameters&, double);
template Launch<double> CpuKernel::launcher<double>(const StepParameters&, double);

std::string CpuKernel::with_line(const std::string& fault) const {
    std::string more;
    if (fault.find("writes outside of the field") != std::string::npos)
        more = emulator_->outside_words(true, line_);
    if (fault.find("not a number") != std::string::npos) {
        more = emulator_->outside_words(false, line_);
        if (more.empty()) more = emulator_->unwritten_words(line_);
    }
    return more.empty() ? fault : fmt::format("{}: {}", fault, more);
}

template <class T>
Traffic CpuKernel::traffic_of(const StepParameters& params, double spacing) {
    const GuardedShape shape(std::max(shape_.tile_x, ceil_div(128, shape_.tile_x) * shape_.tile_x),
                             std::max(shape_.tile_y, ceil_div(64, shape_.tile_y) * shape_.tile_y));
    std::vector<Cells<T>> from(entry_.components.size(), Cells<T>(shape.cells(), T(0))), to = from;
    EmulatedGrid grid = grid_for(shape.nx, shape.ny);
    grid.counts = true;
    std::vector<EmulatedField> sources, results;
    std::vector<std::vector<T>> memory;
    const auto field = [&](Cells<T>& cells) {
        std::uintptr_t first = std::uintptr_t(cells.data() + 4096);
        first += (128 - first % 128) % 128;
        return EmulatedField{"",
                             reinterpret_cast<char*>(first),
                             reinterpret_cast<char*>(cells.data()),
                             reinterpret_cast<char*>(cells.data() + cells.size()),
                             shape.nx,
                             shape.ny,
                             shape.pitch,
                             int(sizeof(T)),
                             false,
                             false};
    };
    for (Cells<T>& cells : from) sources.push_back(field(cells));
    for (Cells<T>& cells : to) results.push_back(field(cells));
    const std::string fault = run<T>(grid,
                                     shape.nx,
                                     shape.ny,
                                     shape.pitch,
                                     sources,
                                     results,
                                     parameter_values(entry_, params, spacing, 0),
                                     shape_.steps);
    if (!fault.empty()) throw KernelFault(fault);
    Traffic traffic;
    long long moved[2] = {}, least[2] = {}, bytes[2] = {};
    std::pair<long long, Place> worst[2] = {};
    const double cells = double(shape.nx) * shape.ny * shape_.steps * sizeof(T) * double(from.size());
    for (const auto& [place, count] : emulator_->counts()) {
        moved[count.is_shared] += count.moved;
        least[count.is_shared] += count.least;
        if (!count.is_shared) bytes[count.writes] += count.bytes;
        worst[count.is_shared] =
            std::max(worst[count.is_shared], std::pair(count.moved - count.least, place));
    }
    const auto worst_line = [&](bool is_shared) {
        const auto& [excess, place] = worst[is_shared];
        if (excess == 0) return std::string();
        const PlaceCount& count = emulator_->counts().at(place);
        return fmt::format("{} takes {}",
                           line_(place),
                           words_of(is_shared ? "times the passes over banks" : "times the sectors",
                                    double(count.moved) / double(count.least)));
    };
    traffic.worst_global = worst_line(false);
    traffic.worst_shared = worst_line(true);
    traffic.loads_per_cell = double(bytes[0]) / cells;
    traffic.stores_per_cell = double(bytes[1]) / cells;
    if (least[0] > 0) traffic.sectors = double(moved[0]) / double(least[0]);
    if (least[1] > 0) traffic.passes = double(moved[1]) / double(least[1]);
    return traffic;
}

Traffic CpuKernel::traffic(const StepParameters& params, double spacing) {
    return entry_.dtype == DType::float64 ? traffic_of<double>(params, spacing)
                                          : traffic_of<float>(params, spacing);
}

namespace {

// Memory that takes room only where it is touched, amid as much that is nobody's: a wrong index leads there.
class SparseMemory {
  public:
    explicit SparseMemory(std::size_t bytes)
        : bytes_(bytes),
          memory_(mmap(nullptr, 3 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
        if (memory_ == MAP_FAILED) throw MachineError("no address space for a large field");
        mprotect(data(), bytes, PROT_READ | PROT_WRITE);
    }
    ~SparseMemory() { munmap(memory_, 3 * bytes_); }
    SparseMemory(const SparseMemory&) = delete;
    SparseMemory& operator=(const SparseMemory&) = delete;
    char* data() const { return static_cast<char*>(memory_) + bytes_; }

  private:
    std::size_t bytes_;
    void* memory_;
};

}  // namespace

template <class T>
std::string CpuKernel::large_fault_of(const StepParameters& params, double spacing) {
    constexpr int kSide = 60'000, kPitch = 60'032;  // 3.6e9 cells
    constexpr std::size_t kGuard = std::size_t(1) << 20;
    const std::size_t bytes = std::size_t(kPitch) * kSide * sizeof(T) + 2 * kGuard;
    std::vector<std::unique_ptr<SparseMemory>> memory;
    std::vector<EmulatedField> fields[2];
    for (auto& list : fields)
        for (std::size_t c = 0; c < entry_.components.size(); ++c) {
            char* data = memory.emplace_back(std::make_unique<SparseMemory>(bytes))->data();
            list.push_back(
                {"", data + kGuard, data, data + bytes, kSide, kSide, kPitch, int(sizeof(T)), false, false});
        }
    EmulatedGrid grid = grid_for(kSide, kSide);
    grid.last_block_only = true;
    const std::string fault = run<T>(grid,
                                     kSide,
                                     kSide,
                                     kPitch,
                                     fields[0],
                                     fields[1],
                                     parameter_values(entry_, params, spacing, 0),
                                     shape_.steps);
    return fault.empty() ? "" : fmt::format("on {0}x{0} cells: {1}", kSide, fault);
}

std::string CpuKernel::large_field_fault(const StepParameters& params, double spacing) {
    return entry_.dtype == DType::float64 ? large_fault_of<double>(params, spacing)
                                          : large_fault_of<float>(params, spacing);
}

}  // namespace stencil::user_kernel

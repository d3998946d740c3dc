#include "sim/code/generated_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/equation/cuda/nvrtc.h"
#include "kernels/equation/fused/fused_compiler.h"
#include "kernels/equation/fused/fused_shape.h"
#include "kernels/equation/operations.h"
#include "kernels/equation/rows/row_text.h"
#include "kernels/equation/text/cuda_text.h"
#include "sim/code/program_text.h"
#include "sim/model/step/stages.h"
#include "sim/problem/start.h"
#include "sim/text/names.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {
using namespace equation;
namespace {

user_kernel::LaunchShape block_of(int threads, int shared_bytes) {
    user_kernel::LaunchShape shape;
    shape.block_x = threads;
    shape.block_y = 1;
    shape.shared_bytes = shared_bytes;
    return shape;
}

user_kernel::LaunchShape launch_of(const FusedProgram& program, bool float64, const KernelShape& kernel) {
    if (const auto* fused = std::get_if<FusedShape>(&kernel))
        return block_of(32 * fused->warps, fused_shared_bytes(program, float64, *fused, fused->warps));
    const auto* block = std::get_if<BlockShape>(&kernel);
    const PatchShape& patches = block ? *block : std::get<ResidentShape>(kernel).patches;
    return block_of(patches.threads, patches.shared_bytes);
}

void add_cuda_texts(GeneratedCode& code, const Program& program, const RunSpec& spec, const GpuFacts& gpu) {
    const bool float64 = spec.dtype == DType::float64;
    code.texts.push_back({name_of_launches(program.stages.size()),
                          "CUDA",
                          cuda_text(program, float64),
                          block_of(CudaBlock::kThreadsX * CudaBlock::kThreadsY, 0),
                          program.fast});
    const FusedProgram fused(program);
    const auto [nx, ny] = spec.size.value_or(Size{});
    const KernelShapes shapes = kernel_shapes(fused, float64, {nx, ny}, gpu);
    code.why_single = shapes.why_none;
    for (const KernelShape& shape : shapes.all)
        code.texts.push_back({name_of(shape),
                              "CUDA",
                              text_of(fused, float64, {nx, ny}, shape),
                              launch_of(fused, float64, shape),
                              program.fast});
}

}  // namespace

GeneratedCode generated_code(const RunSpec& spec, Device device, const GpuFacts& gpu) {
    const bool float64 = spec.dtype == DType::float64;
    const Method* method = method_of(spec);
    const bool fast = method && method->fast && device == Device::cuda;
    const auto made = planned_equations(spec)->step(spec.integrator, float64, spec.time_step(), false, fast);
    const Program& program = *made;
    GeneratedCode code;
    code.stages = program_text(program, names_of(spec.model->parameters));
    code.operations = operations_of_cell(program);
    code.bytes = 2.0 * double(spec.model->components.size() * bytes_of(spec.dtype));
    if (device == Device::cuda) {
        add_cuda_texts(code, program, spec, gpu);
    } else {
        code.texts.push_back({"rows for the system's compiler", "C", row_text(program, float64)});
    }
    return code;
}

std::optional<CompilerFigures> compiler_figures(const CodeText& text, int compute_capability) {
    if (text.language != "CUDA" || !why_no_nvrtc().empty()) return std::nullopt;
    const std::string log =
        compile_cuda(text.text, {.capability = compute_capability, .fast = text.fast}).log;
    CompilerFigures most;
    int shared = 0;
    const auto add = [&](const std::string& kernel) {
        const auto usage = user_kernel::usage_of(log, kernel);
        if (!usage) return false;
        most.registers = std::max(most.registers, usage->registers);
        most.spilled_bytes = std::max(most.spilled_bytes, usage->local_bytes);
        shared = std::max(shared, usage->shared_bytes);
        return true;
    };
    add("fused");
    add("resident");
    add("block");
    for (std::size_t stage = 0; add(row_function_name(false, stage)); ++stage) {
    }
    most.occupancy = occupancy_of({most.registers, 0, 0, shared}, text.launch, compute_capability);
    return most;
}

std::vector<CodeRow> code_rows(const GeneratedCode& code, const ExecutionPath& way, int compute_capability) {
    std::vector<CodeRow> rows;
    for (const CodeText& text : code.texts)
        if (text.language == "CUDA") rows.push_back({.name = text.name});
    for (const TriedCode& tried : way.tried) {
        const auto is_its = [&](const CodeRow& row) { return tried.name == row.name; };
        auto row = std::ranges::find_if(rows, is_its);
        if (row == rows.end()) row = rows.insert(rows.end(), CodeRow());
        row->name = tried.name;
        row->registers = tried.registers;
        row->spilled_bytes = tried.spilled_bytes;
        row->blocks = tried.blocks;
        row->gcells_per_s = tried.gcells_per_s;
        row->used = tried.used;
        const auto text = std::ranges::find_if(code.texts, [&](const CodeText& one) {
            return one.language == "CUDA" && tried.name == one.name;
        });
        if (text == code.texts.end()) continue;
        // The driver's number of blocks counts.
        const auto occupancy = occupancy_of({tried.registers}, text->launch, compute_capability);
        if (occupancy && occupancy->blocks == tried.blocks) row->occupancy = occupancy;
    }
    return rows;
}

std::string figures_text(const CodeRow& row) {
    std::vector<std::string> parts;
    if (row.registers) parts.push_back(fmt::format("{} registers", *row.registers));
    if (row.spilled_bytes)
        parts.push_back(*row.spilled_bytes == 0 ? "none spilled"
                                                : fmt::format("{} bytes spilled", *row.spilled_bytes));
    if (row.occupancy)
        parts.push_back(to_text(*row.occupancy));
    else if (row.blocks)
        parts.push_back(fmt::format("{} block{} a multiprocessor", *row.blocks, *row.blocks == 1 ? "" : "s"));
    if (row.gcells_per_s)
        parts.push_back(*row.gcells_per_s > 0 ? fmt::format("{:.4g} GCells/s", *row.gcells_per_s)
                                              : "does not fit the field");
    return parts.empty() ? "not measured" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace stencil

#include "kernels/equation/fused/fused_text.h"

#include <algorithm>

#include "kernels/equation/fused/stage_text.h"
#include "kernels/equation/text/arguments.h"
#include "kernels/equation/text/cuda_text.h"
#include "kernels/equation/text/operation_text.h"
#include "kernels/field/divide.h"

namespace stencil::equation {
namespace {

// Batches in the ring of read-only rows. The last warp lags behind the first by all levels and by the batches
// in the rings between them, because the first loads the next batch as soon as there is room for its results.
int read_batches(const FusedProgram& program, const FusedShape& shape) {
    const int levels = int(program.stages.size()) * shape.steps;
    const int behind = (shape.warps - 1) * (2 * levels - 1) + 2 * (levels - 1);
    return program.only_read() > 0 ? ceil_div(behind, shape.batch) + 2 * shape.warps - 1 : 0;
}

class FusedText {
  public:
    FusedText(const FusedProgram& program, bool float64, const FusedShape& shape)
        : program_(program),
          lines_(cuda_lines(program.program)),
          float64_(float64),
          shape_(shape),
          levels_(program.stages.size() * std::size_t(shape.steps)) {}

    std::string whole(bool of_runs) {
        text_ = kPipeline;
        text_ += "using namespace stencil;\n";
        text_ += cuda_precision(float64_);
        append_sizes();
        text_ += cuda_arguments(program_.program);
        text_ += arguments::kCut;
        text_ += cuda_functions(float64_, program_.program.fast);
        text_ += kPipelineFunctions;
        append_indices("from_array", program_.from);
        append_indices("to_array", program_.program.next);
        if (program_.of_time)
            append(text_,
                   "__device__ __forceinline__ Real uniform_of_step(const LaneInputs& p, int step, int i) {\n"
                   "    return p.lines[step * p.values + %d * p.line + i - 1];\n}\n",
                   lines_.count);
        for (std::size_t s = 0; s < program_.stages.size(); ++s)
            text_ += stage_text({program_, lines_, shape_.columns, float64_}, s);
        if (leads()) text_ += leading_text({program_, lines_, shape_.columns, float64_});
        append_levels();
        append_iteration();
        text_ += kPipelineKernel;
        text_ += of_runs ? kOfRuns : kOfOneField;
        text_ += kPipelineBody;
        return std::move(text_);
    }

  private:
    void append_sizes() {
        define(text_, "kColumns", shape_.columns);
        define(text_, "kSteps", shape_.steps);
        define(text_, "kLevels", int(levels_));
        define(text_, "kWarps", shape_.warps);
        define(text_, "kBlocks", shape_.blocks());
        define(text_, "kBatch", shape_.batch);
        define(text_, "kComponents", program_.program.components);
        define(text_, "kOnlyRead", program_.only_read());
        define(text_, "kReadBatches", read_batches(program_, shape_));
        define(text_, "kAligned", int(program_.wraps_x || shape_.aligned));
        define(text_, "kSides", std::max(lines_.count, 1));
        define(text_, "kOfTime", int(program_.of_time));
        define(text_, "kWrapsX", int(program_.wraps_x));
        define(text_, "kWrapsY", int(program_.wraps_y));
    }

    // Emits a function from k, a compile-time constant there, to the k-th array.
    void append_indices(const char* name, const std::vector<int>& arrays) {
        append(text_, "__device__ __forceinline__ int %s(int k) { return ", name);
        for (std::size_t k = 0; k + 1 < arrays.size(); ++k) append(text_, "k == %zu ? %d : ", k, arrays[k]);
        append(text_, "%d; }\n", arrays.back());
    }

    const FusedStage& stage_of(std::size_t level) const {
        return program_.stages[level % program_.stages.size()];
    }

    // Every row has two sets of registers, alternately the newest and the previous one.
    void append_levels() {
        text_ += "struct Levels {\n";
        std::string clearing;
        const auto member = [&](const char* type, const std::string& name) {
            append(text_, "    %s %s;\n", type, name.c_str());
            append(clearing, "    clear(v.%s);\n", name.c_str());
        };
        for (std::size_t l = 0; l < levels_; ++l) {
            const FusedStage& stage = stage_of(l);
            const std::string level = "l" + std::to_string(l);
            for (std::size_t k = 0; k < stage.live.size(); ++k)
                for (const char* parity : {"_0", "_1"})
                    member("Cells", level + "row" + std::to_string(k) + parity);
            for (std::size_t k = 0; k < stage.carried.size(); ++k)
                member("Cells", level + "carried" + std::to_string(k));
            for (std::size_t k = 0; k < stage.kept.size(); ++k)
                member("Kept", level + "kept" + std::to_string(k));
        }
        text_ += "};\n__device__ __forceinline__ void clear(Levels& v) {\n" + clearing + "}\n";
    }

    // Last level first: each overwrites registers that the next one has finished with.
    void append_iteration() {
        for (const int now : {0, 1}) {
            append(text_,
                   "template <bool kEdge>\n__device__ __forceinline__ void iterate%d(Levels& v, const "
                   "Arguments& a, const Cut& cut, const LaneInputs& p, int newest, const Row* in, Row* out, "
                   "const "
                   "RowLayout& layout, const ReadOnlyRing& read_only, int row) {\n",
                   now);
            append_copies("loads_unpacked", [&](int k, const char* packed, const char* where) {
                append(text_, "        load_row%s(v.l0row%d_%d, in[%d]%s);\n", packed, k, now, k, where);
            });
            for (int k = 0; k < program_.program.components; ++k) append(text_, "    Cells done%d;\n", k);
            for (std::size_t l = levels_; l-- > 0;) {
                append_level(l, now);
                if (l + 1 < levels_) continue;
                append_copies("stores_unpacked", [&](int k, const char* packed, const char* where) {
                    append(text_, "        store_row%s(out[%d]%s, done%d);\n", packed, k, where, k);
                });
            }
            text_ += "}\n";
        }
    }

    void append_copies(const char* end, const auto& append_line) {
        append(text_, "    if (layout.%s) {\n", end);
        for (int k = 0; k < program_.program.components; ++k) append_line(k, "", " + layout.cell");
        text_ += "    } else {\n";
        for (int k = 0; k < program_.program.components; ++k) append_line(k, "_packed", ", layout.lane");
        text_ += "    }\n";
    }

    bool leads() const { return !program_.leading.outputs.empty(); }

    // Loads the newest row of read-only arrays.
    void append_reading(std::size_t l, int now) {
        const std::vector<int>& live = l % program_.stages.size() == 0 ? program_.from : stage_of(l).live;
        for (std::size_t k = 0; k < live.size(); ++k) {
            if (!program_.is_only_read(live[k])) continue;
            const auto found = std::ranges::find(program_.from, live[k]) - program_.from.begin();
            append(text_,
                   "    load_row(v.l%zurow%zu_%d, read_only.of_level[%zu][row + %d] + layout.cell);\n",
                   l,
                   k,
                   now,
                   l,
                   int(found) - program_.program.components);
        }
    }

    void append_level(std::size_t l, int now) {
        const std::size_t stages = program_.stages.size();
        const FusedStage& stage = stage_of(l);
        append_reading(l, now);
        if (leads() && l % stages == 0) {
            append(text_, "    lead(a, cut, p, %zu, newest - %zu", l / stages, 2 * l);
            for (std::size_t k = 0; k < stage.live.size(); ++k) append(text_, ", v.l%zurow%zu_%d", l, k, now);
            text_ += ");\n";
        }
        append(text_, "    stage%zu<kEdge>(a, cut, p, %zu, newest - %zu", l % stages, l / stages, 2 * l);
        for (std::size_t k = 0; k < stage.live.size(); ++k)
            append(text_, ", v.l%zurow%zu_%d, v.l%zurow%zu_%d", l, k, now, l, k, 1 - now);
        for (std::size_t k = 0; k < stage.carried.size(); ++k) append(text_, ", v.l%zucarried%zu", l, k);
        for (std::size_t k = 0; k < stage.kept.size(); ++k) append(text_, ", v.l%zukept%zu", l, k);
        for (std::size_t k = 0; k < program_.after(l % stages).size(); ++k)
            if (l + 1 < levels_)
                append(text_, ", v.l%zurow%zu_%d", l + 1, k, 1 - now);
            else
                append(text_, ", done%zu", k);
        text_ += ");\n";
    }

    const FusedProgram& program_;
    CudaLines lines_;
    bool float64_;
    FusedShape shape_;
    std::size_t levels_;
    std::string text_;
};

}  // namespace

std::string fused_text(const FusedProgram& program, bool float64, const FusedShape& shape, bool of_runs) {
    return FusedText(program, float64, shape).whole(of_runs);
}

int fused_shared_bytes(const FusedProgram& program, bool float64, const FusedShape& shape, int warps) {
    const int cell = float64 ? 8 : 4;
    const int barriers = 4 * shape.warps * 8;
    const int batch = shape.batch * (shape.width() * cell + 16);
    const int rings = (warps + 1) * 2 * program.program.components +
                      (read_batches(program, shape) + 1) * program.only_read();
    return (barriers + 127) / 128 * 128 + rings * batch;
}

}  // namespace stencil::equation

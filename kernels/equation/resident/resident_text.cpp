#include "kernels/equation/resident/resident_text.h"

#include <algorithm>
#include <set>

#include "kernels/equation/text/arguments.h"
#include "kernels/equation/text/operation_text.h"
#include "kernels/equation/text/window_text.h"

namespace stencil::equation {
namespace {

// Limits on registers and operations, up to which blocks get more threads or threads more rows.
constexpr double kLight = 70, kMedium = 120;

bool contains(const std::vector<int>& list, int value) {
    return std::ranges::find(list, value) != list.end();
}

std::vector<const Stage*> stages_of(const FusedProgram& program) {
    std::vector<const Stage*> stages;
    if (!program.leading.outputs.empty()) stages.push_back(&program.leading);
    for (const FusedStage& stage : program.stages) stages.push_back(&stage.stage);
    return stages;
}

class ResidentText {
  public:
    ResidentText(const FusedProgram& program, bool float64, const ResidentShape& shape)
        : program_(program),
          lines_(cuda_lines(program.program)),
          slots_(program),
          stages_(stages_of(program)),
          windows_{program.program, lines_, float64, "m", program.of_time ? "m" : "a"},
          float64_(float64),
          shape_(shape) {
        windows_.x = program.wraps_x ? "around(cx + l, a.grid.nx)" : "cx + l";
        windows_.y = program.wraps_y ? "around(cy + k, a.grid.ny)" : "cy + k";
    }

    std::string whole() {
        text_ = cuda_precision(float64_);
        append_sizes();
        text_ += cuda_arguments(program_.program);
        text_ += arguments::kPlan;
        text_ += cuda_functions(float64_, program_.program.fast);
        text_ += kWindowFunctions;
        text_ += kResidentInstructions;
        text_ += kTileFunctions;
        text_ += kGhostFunctions;
        for (std::size_t s = 0; s < stages_.size(); ++s) append_stage(s);
        append_kernel();
        return std::move(text_);
    }

  private:
    void append_sizes() {
        define(text_, "kColumns", ResidentShape::columns(float64_));
        define(text_, "kRows", shape_.rows);
        define(text_, "kRowsGoOn", 1);
        define(text_, "kThreads", shape_.threads);
        define(text_, "kLevels", int(program_.stages.size()));
        define(text_, "kComponents", program_.program.components);
        define(text_, "kLines", lines_.count);
        define(text_, "kFlag", kResidentFlag);
        define(text_, "kWrapsX", int(program_.wraps_x));
        define(text_, "kWrapsY", int(program_.wraps_y));
        define(text_, "kOfTime", int(program_.of_time));
    }

    std::string slot_parameters(const char* form) const {
        std::string text;
        for (int s = 0; s < slots_.count; ++s) append(text, form, s);
        return text;
    }

    void append_stage(std::size_t number) {
        const Stage& stage = *stages_[number];
        append(text_,
               "__device__ __forceinline__ void stage%zu(const Arguments& a, const StepInputs& m, const "
               "Tile& t, "
               "int beyond, Real* memory%s) {\n",
               number,
               slot_parameters(", int s%d").c_str());
        text_ += kPatchesBegin;
        for (std::size_t i = 0; i < program_.program.arrays.size(); ++i)
            if (reads(stage, int(i))) append_window(stage, int(i));
        append_edges(stage);
        text_ += results_text(windows_, stage);
        for (std::size_t i = 0; i < stage.outputs.size(); ++i)
            append(text_,
                   "    if (patch.exists) write(memory + s%d, t, patch, r%zu);\n",
                   slots_.of[std::size_t(stage.outputs[i].array)],
                   i);
        text_ += "    }\n}\n";
    }

    void append_window(const Stage& stage, int array) {
        const auto loads = [&](auto which) {
            return int(std::ranges::any_of(stage.operations, [&](const Operation& o) {
                return o.code == Code::load && o.index == array && which(o.dx != 0, o.dy != 0);
            }));
        };
        const bool in_place = std::ranges::any_of(stage.outputs, [&](const Output& output) {
            return slots_.of[std::size_t(output.array)] == slots_.of[std::size_t(array)];
        });
        append(text_,
               "    Window w%d;\n    read<%d, %d, %d, %d>(w%d, memory + s%d, t, patch);\n",
               array,
               loads([](bool, bool above) { return above; }),
               loads([](bool beside, bool) { return beside; }),
               loads([](bool beside, bool above) { return beside && above; }),
               int(in_place),
               array,
               slots_.of[std::size_t(array)]);
    }

    void append_edges(const Stage& stage) {
        if (program_.wraps_x && program_.wraps_y) return;
        append(text_,
               "    if (%s%s%s) {\n",
               program_.wraps_x ? "" : "cx == 0 || cx + kColumns >= a.grid.nx",
               program_.wraps_x || program_.wraps_y ? "" : " || ",
               program_.wraps_y ? "" : "cy == 0 || cy + kRows >= a.grid.ny");
        for (int i = 0; i < int(program_.program.arrays.size()); ++i)
            if (reads(stage, i, true)) append(text_, "    set_ghosts(w%d, a.grid, cx, cy);\n", i);
        text_ += finish_text(windows_, stage) + "    }\n";
    }

    void append_kernel() {
        const Program& program = program_.program;
        text_ += kResidentBegin;
        for (int s = 0; s < slots_.count; ++s) append(text_, "    int s%d = %d * plan.slot;\n", s, s);
        for (const int array : program_.from)
            append(text_,
                   "    fill(memory + s%d, a.arrays[%d], a.grid, t);\n",
                   slots_.of[std::size_t(array)],
                   array);
        std::string components;
        for (int c = 0; c < program.components; ++c)
            append(components, "%ss%d", c > 0 ? ", " : "", slots_.of[std::size_t(c)]);
        text_ += kStepsBegin;
        append(text_, "            const int slots[kComponents] = {%s};\n", components.c_str());
        text_ += kExchangeCall;
        const bool leads = stages_.size() > program_.stages.size();
        for (std::size_t s = 0; s < stages_.size(); ++s)
            append(text_,
                   "        stage%zu(a, m, t, %s, memory%s);\n        __syncthreads();\n",
                   s,
                   leads && s == 0 ? "beyond" : "--beyond",
                   slot_parameters(", s%d").c_str());
        append_rotation();
        text_ += "    }\n";
        for (int c = 0; c < program.components; ++c)
            append(text_,
                   "    keep(a.arrays[%d], memory + s%d, a.grid, t);\n",
                   program.next[std::size_t(c)],
                   slots_.of[std::size_t(c)]);
        text_ += "}\n";
    }

    // The next step expects components in the same slots, so the addresses are permuted.
    void append_rotation() {
        const Program& program = program_.program;
        std::vector<int> from(std::size_t(slots_.count), -1);
        for (int c = 0; c < program.components; ++c)
            from[std::size_t(slots_.of[std::size_t(c)])] =
                slots_.of[std::size_t(program.next[std::size_t(c)])];
        for (std::size_t s = 0; s < from.size(); ++s)
            if (from[s] < 0 && !contains(from, int(s))) from[s] = int(s);
        for (int s = 0, free = 0; s < slots_.count; ++s) {
            if (from[std::size_t(s)] >= 0) continue;
            while (contains(from, free)) ++free;
            from[std::size_t(s)] = free;
        }
        std::string moves;
        for (std::size_t s = 0; s < from.size(); ++s) {
            if (from[s] == int(s)) continue;
            append(text_, "        const int n%zu = s%d;\n", s, from[s]);
            append(moves, "        s%zu = n%zu;\n", s, s);
        }
        text_ += moves;
    }

    const FusedProgram& program_;
    CudaLines lines_;
    ResidentSlots slots_;
    std::vector<const Stage*> stages_;
    WindowSetup windows_;
    bool float64_;
    ResidentShape shape_;
    std::string text_;
};

}  // namespace

// An output takes the slot of an array last read here, at its own cell only, or a free slot.
ResidentSlots::ResidentSlots(const FusedProgram& program) : of(program.program.arrays.size(), -1) {
    const Program& p = program.program;
    const std::vector<const Stage*> stages = stages_of(program);
    std::set<int> free;
    const auto slot = [&](int array) -> int& { return of[std::size_t(array)]; };
    std::vector<int> held = program.from;
    for (const int array : held) slot(array) = count++;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const auto needed_later = [&](int array) {
            return contains(p.next, array) || (array >= p.components && contains(program.from, array)) ||
                   std::any_of(stages.begin() + std::ptrdiff_t(s) + 1, stages.end(), [&](const Stage* later) {
                       return reads(*later, array) ||
                              std::ranges::find(later->outputs, array, &Output::array) !=
                                  later->outputs.end();
                   });
        };
        const auto release = [&](bool also_read_around) {
            std::erase_if(held, [&](int array) {
                if (needed_later(array) || (!also_read_around && reads(*stages[s], array, true)))
                    return false;
                free.insert(slot(array));
                return true;
            });
        };
        release(false);
        for (const Output& output : stages[s]->outputs) {
            if (contains(held, output.array)) continue;
            slot(output.array) = free.empty() ? count++ : free.extract(free.begin()).value();
            held.push_back(output.array);
        }
        release(true);
    }
}

std::string name_of(const ResidentShape& shape) {
    return "resident, " + std::to_string(shape.threads) + " threads, " + std::to_string(shape.rows) + " rows";
}

std::vector<ResidentShape> resident_shapes(const FusedProgram& program, bool float64) {
    int windows = 0;
    for (const Stage* stage : stages_of(program)) {
        int arrays = 0;
        for (int a = 0; a < int(program.program.arrays.size()); ++a) arrays += int(reads(*stage, a, true));
        windows = std::max(windows, arrays);
    }
    constexpr int kRows = 2;
    const int words = float64 ? 2 : 1, window = (kRows + 2) * (ResidentShape::columns(float64) + 2);
    const double weight = (windows * window + program.operations()) * words;
    if (weight <= kLight) return {{kRows, 768}, {2 * kRows, 512}};
    if (weight <= kMedium) return {{kRows, 512}};
    return {{1, 512}};
}

std::string resident_text(const FusedProgram& program, bool float64, const ResidentShape& shape) {
    return ResidentText(program, float64, shape).whole();
}

}  // namespace stencil::equation

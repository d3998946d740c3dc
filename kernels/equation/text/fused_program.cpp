#include "kernels/equation/text/fused_program.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "kernels/equation/builder.h"
#include "kernels/equation/operations.h"

namespace stencil::equation {
namespace {

/// Whether an operation's value depends on the row above or below.
struct Reach {
    bool above = false, below = false;

    void add(const Reach& other) {
        above = above || other.above;
        below = below || other.below;
    }
};

std::vector<Reach> reaches_of(const Operations& operations) {
    std::vector<Reach> reaches(operations.size());
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const Operation& o = operations[i];
        if (o.code == Code::load) reaches[i] = {o.dy<0, o.dy> 0};
        for (const int arg : o.args)
            if (arg >= 0) reaches[i].add(reaches[std::size_t(arg)]);
    }
    return reaches;
}

// Merges a stage that reads no neighbours into the one before it, whose outputs it reads from registers. Sums
// of four are split into pairs, because neighbouring cells share the pairs.
void append_stage(Stage& to, const Stage& stage) {
    std::vector<int> number;
    const auto append = [&](const Operation& o) {
        to.operations.push_back(o);
        return int(to.operations.size()) - 1;
    };
    const auto sum = [&](int a, int b) { return append({Code::add, 0, 0, 0, 0, {a, b, -1, -1}}); };
    const std::vector<Output> before = to.outputs;
    for (Operation o : stage.operations) {
        for (int& arg : o.args)
            if (arg >= 0) arg = number[std::size_t(arg)];
        const auto& [a, b, c, d] = o.args;
        const auto made = std::ranges::find(before, o.index, &Output::array);
        if (o.code == Code::load && made != before.end())
            number.push_back(made->value);
        else
            number.push_back(o.code == Code::sum4 ? sum(sum(a, b), sum(c, d)) : append(o));
    }
    for (const Output& output : stage.outputs) {
        std::erase_if(to.outputs, [&](const Output& old) { return old.array == output.array; });
        to.outputs.push_back({number[std::size_t(output.value)], output.array});
    }
}

// Removes outputs that nothing reads, and the operations that only they need.
void prune(Stage& stage, const std::set<int>& read) {
    std::erase_if(stage.outputs, [&](const Output& output) { return !read.contains(output.array); });
    std::vector<int> values;
    for (const Output& output : stage.outputs) values.push_back(output.value);
    stage.operations = without_dead_code(stage.operations, values);
    for (std::size_t i = 0; i < values.size(); ++i) stage.outputs[i].value = values[i];
}

// Values that depend on the row above but not below, and that are outputs or used by operations which depend
// on the row below. They can be computed one row ahead.
std::vector<int> carried_by(const Stage& stage) {
    const std::vector<Reach> reaches = reaches_of(stage.operations);
    const auto is_old = [&](int i) {
        return reaches[std::size_t(i)].above && !reaches[std::size_t(i)].below;
    };
    std::set<int> carried;
    for (const Operation& o : stage.operations) {
        const int number = int(&o - stage.operations.data());
        if (is_old(number)) continue;
        for (const int arg : o.args)
            if (arg >= 0 && is_old(arg)) carried.insert(arg);
    }
    for (const Output& output : stage.outputs)
        if (is_old(output.value)) carried.insert(output.value);
    return {carried.begin(), carried.end()};
}

std::vector<int> kept_by(const Stage& stage) {
    std::set<int> arrays;
    for (const Operation& o : stage.operations)
        if (o.code == Code::load && o.dy < 0) arrays.insert(o.index);
    return {arrays.begin(), arrays.end()};
}

}  // namespace

FusedProgram::FusedProgram(const Program& original) : program(original) {
    wraps_x = wrapping(program, 0) == Wrapping::all;
    wraps_y = wrapping(program, 1) == Wrapping::all;
    of_time = program.uniforms.of_time || has_ghosts_of_time(program);
    std::set<int> made, read;
    for (const Stage& stage : program.stages) {
        if (!arrays_read(stage, true).empty()) stages.emplace_back();
        append_stage(stages.empty() ? leading : stages.back().stage, stage);
        read.merge(arrays_read(stage));
        for (const Output& output : stage.outputs) made.insert(output.array);
    }
    if (stages.empty()) stages.push_back({std::exchange(leading, {}), {}, {}, {}});
    for (int c = 0; c < program.components; ++c) from.push_back(c);
    for (const int array : read)
        if (array >= program.components && !made.contains(array)) from.push_back(array);
    find_live();
    for (FusedStage& stage : stages) {
        stage.carried = carried_by(stage.stage);
        stage.kept = kept_by(stage.stage);
        if (stage.kept.size() < stage.carried.size())
            stage.carried.clear();
        else
            stage.kept.clear();
    }
}

std::string why_single_steps(const Program& program) {
    if (!program.linear.empty()) return "what transforms make reaches all cells";
    if (couples_all_cells(program)) return "values of the whole field depend on all cells";
    if (!may_fuse_steps(program)) return "the integrator keeps more than the components";
    if (wrapping(program, 0) == Wrapping::some || wrapping(program, 1) == Wrapping::some)
        return "along an axis some arrays are periodic and others are not";
    return "";
}

void FusedProgram::find_live() {
    const auto only_read = [&](int array) { return is_only_read(array); };
    std::set<int> live(program.next.begin(), program.next.end());
    for (std::size_t s = stages.size(); s-- > 0;) {
        Stage& stage = stages[s].stage;
        std::erase_if(live, only_read);
        prune(stage, live);
        for (const Output& output : stage.outputs) live.erase(output.array);
        live.merge(arrays_read(stage));
        stages[s].live.assign(live.begin(), live.end());
        std::stable_partition(stages[s].live.begin(), stages[s].live.end(), std::not_fn(only_read));
    }
    // A step starts with all components in the order in which the previous one ends. Results of `leading`
    // take the slots of arrays that are no longer needed.
    prune(leading, live);
    for (const Output& output : leading.outputs) live.erase(output.array);
    std::vector<int>& first = stages.front().live;
    first = from;
    for (const Output& output : leading.outputs) {
        const auto done = std::ranges::find_if(first, [&](int array) { return !live.contains(array); });
        if (done == first.end())
            first.push_back(output.array);
        else
            *done = output.array;
        live.insert(output.array);
    }
}

bool FusedProgram::is_even(int array, std::size_t side) const {
    const Ghosts& ghosts = program.arrays[std::size_t(array)].ghosts[side];
    return !ghosts.coefficients.of_time &&
           std::ranges::none_of(ghosts.coefficients.operations,
                                [](const Operation& o) { return o.code == Code::x || o.code == Code::y; });
}

bool FusedProgram::is_only_read(int array) const {
    return std::find(from.begin() + program.components, from.end(), array) != from.end();
}

int FusedProgram::held_rows() const {
    std::size_t rows = 0;
    for (const FusedStage& s : stages) {
        rows += 2 * s.live.size() + s.carried.size() + s.kept.size();
        // The newest row of arrays that are only read is loaded when it is needed.
        rows -= std::size_t(std::ranges::count_if(s.live, [&](int a) { return is_only_read(a); }));
    }
    return int(rows);
}

std::vector<int> FusedProgram::after(std::size_t stage) const {
    if (stage + 1 == stages.size()) return {program.next.begin(), program.next.end()};
    std::vector<int> arrays = stages[stage + 1].live;
    std::erase_if(arrays, [&](int array) { return is_only_read(array); });
    return arrays;
}

double FusedProgram::operations() const {
    const auto weight = [](const Stage& stage) {
        double sum = 0;
        for (const Operation& o : stage.operations)
            if (const OperationRow* row = row_of(o.code)) sum += row->instructions;
        return sum;
    };
    double count = weight(leading);
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const Stage& stage = stages[s].stage;
        count += weight(stage);
        // Rows that a stage passes through unchanged cost a move.
        count += double(after(s).size()) - double(stage.outputs.size());
        // Carried values were computed for a neighbouring row already.
        count -= double(stages[s].carried.size());
    }
    return count;
}

}  // namespace stencil::equation

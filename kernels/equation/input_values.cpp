#include "kernels/equation/input_values.h"

#include <algorithm>

#include "kernels/equation/operations.h"
#include "kernels/equation/rows/row_machine.h"
#include "kernels/equation/rows/scalar_machine.h"

namespace stencil::equation {
namespace {

// Evaluates inputs at one point, in float64.
std::vector<double> evaluate(const Inputs& inputs, const std::vector<double>& scalars, double x, double y) {
    std::vector<double> values(inputs.operations.size()), results;
    run_operations(inputs.operations, values.data(), [&](const Operation& o) {
        return o.code == Code::x ? x : o.code == Code::y ? y : scalars[std::size_t(o.index)];
    });
    for (const int output : inputs.outputs) results.push_back(values[std::size_t(output)]);
    return results;
}

}  // namespace

template <class T>
InputValues<T>::InputValues(const Program& program)
    : program_(program), globals_(std::size_t(program.globals)), ghosts_(program.arrays.size()) {}

template <class T>
std::vector<double> InputValues<T>::scalars_of(const EquationSetup& setup,
                                               long long step,
                                               double time) const {
    std::vector<double> values(kParameters);
    values[kTime] = time;
    values[kStep] = double(step);
    values[kDt] = setup.dt;
    values[kPast] = setup.past_dt > 0 ? setup.dt / setup.past_dt : 0;
    values[kSpacing] = setup.spacing;
    values[kColumns] = setup.nx;
    values[kRows] = setup.slab.whole() ? setup.ny : setup.slab.field_rows;
    values.insert(values.end(), setup.parameters.begin(), setup.parameters.end());
    values.insert(values.end(), globals_.begin(), globals_.end());
    return values;
}

template <class T>
bool InputValues<T>::update(const EquationSetup& setup, long long step, double time, bool all) {
    const std::vector<double> scalars = scalars_of(setup, step, time);
    bool changed = all;
    if (all || program_.uniforms.of_time) {
        const std::vector<double> values = evaluate(program_.uniforms, scalars, 0, 0);
        uniforms_.assign(values.begin(), values.end());
        changed = true;
    }
    if (all) {
        linear_.clear();
        const std::vector<double> own(scalars.begin(), scalars.end() - std::ptrdiff_t(globals_.size()));
        for (const LinearPart& part : program_.linear)
            linear_.push_back(part.kernels.empty() ? evaluate(part.coefficients, scalars, 0, 0) : own);
    }
    if (all) update_lines(setup, scalars);
    return update_ghosts(setup, scalars, all) || changed;
}

template <class T>
void InputValues<T>::update_globals(const EquationSetup& setup,
                                    long long step,
                                    double time,
                                    const std::vector<double>& globals) {
    globals_ = globals;
    update_ghosts(setup, scalars_of(setup, step, time), false);
}

template <class T>
bool InputValues<T>::update_ghosts(const EquationSetup& setup, const std::vector<double>& scalars, bool all) {
    bool changed = false;
    for (std::size_t a = 0; a < program_.arrays.size(); ++a)
        changed = update_ghosts(setup, int(a), scalars, all) || changed;
    return changed;
}

template <class T>
bool InputValues<T>::of_time() const {
    return program_.uniforms.of_time || has_ghosts_of_time(program_);
}

// Along a periodic axis, entries beyond a side are those of the wrapped cell.
template <class T>
void InputValues<T>::update_lines(const EquationSetup& setup, const std::vector<double>& scalars) {
    const auto along = [&](const Inputs& inputs, int n, bool is_x) {
        const Slab slab = is_x ? Slab() : setup.slab;
        std::vector<std::vector<T>> lines(inputs.outputs.size(),
                                          std::vector<T>(std::size_t(n + 2 + kLeastTile<T>)));
        for (int i = -1; i <= n; ++i) {
            const auto values = [&](int cell) {
                const double position = (cell + 0.5) * setup.spacing;
                return evaluate(inputs, scalars, is_x ? position : 0, is_x ? 0 : position);
            };
            const int wrapped = slab.field_row(i, n);
            const std::vector<double> there = values(slab.first + i),
                                      around = wrapped == slab.first + i ? there : values(wrapped);
            for (std::size_t k = 0; k < there.size(); ++k)
                lines[k][std::size_t(i + 1)] = T(inputs.wraps[k] ? around[k] : there[k]);
        }
        return lines;
    };
    columns_ = along(program_.columns, setup.nx, true);
    rows_ = along(program_.rows, setup.ny, false);
}

template <class T>
bool InputValues<T>::update_ghosts(const EquationSetup& setup,
                                   int array,
                                   std::vector<double> scalars,
                                   bool all) {
    const ArrayInfo& info = program_.arrays[std::size_t(array)];
    scalars[kTime] += info.time * setup.dt;
    bool changed = false;
    for (std::size_t side = 0; side < info.ghosts.size(); ++side) {
        const Ghosts& ghosts = info.ghosts[side];
        if (ghosts.periodic || !(all || ghosts.coefficients.of_time)) continue;
        GhostLine<T>& line = ghosts_[std::size_t(array)][side];
        const bool upright = side < 2;
        const int n = upright ? setup.ny : setup.nx;
        const int rows = setup.slab.whole() ? setup.ny : setup.slab.field_rows;
        const double far = side % 2 == 0 ? 0 : setup.spacing * (upright ? setup.nx : rows);
        line.alpha.resize(std::size_t(n + 2));
        line.beta.resize(std::size_t(n + 2));
        const Operations& operations = ghosts.coefficients.operations;
        const bool differs =
            std::ranges::find(operations, upright ? Code::y : Code::x, &Operation::code) != operations.end();
        std::vector<double> values;
        // The side ends at periodic sides, so its outer entries wrap.
        const bool goes_on = info.ghosts[upright ? 2 : 0].periodic;
        for (int i = -1; i <= n; ++i) {
            const int first = upright ? setup.slab.first : 0;
            const int cell = !goes_on ? first + i : upright ? setup.slab.field_row(i, n) : (i + n) % n;
            const double position = (cell + 0.5) * setup.spacing;
            if (i < 0 || differs)
                values = evaluate(
                    ghosts.coefficients, scalars, upright ? far : position, upright ? position : far);
            line.alpha[std::size_t(i + 1)] = T(values[0]);
            line.beta[std::size_t(i + 1)] = T(values[1]);
        }
        changed = true;
    }
    return changed;
}

template class InputValues<float>;
template class InputValues<double>;

}  // namespace stencil::equation

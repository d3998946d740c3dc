#include "sim/model/stability/linearisation.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "sim/model/operations.h"
#include "sim/model/sides.h"
#include "sim/model/step/linear_part.h"

namespace stencil::equation {
namespace {

double leaf_value(const Expression& e, const UniformState& state) {
    switch (e.op) {
        case Op::number:
            return e.number;
        case Op::parameter:
            return state.parameters[std::size_t(e.index)];
        case Op::component:
            return state.components[std::size_t(e.index)];
        case Op::x:
            return state.x;
        case Op::y:
            return state.y;
        case Op::t:
            return state.t;
        case Op::dt:
            return state.dt;
        case Op::spacing:
            return state.spacing;
        case Op::columns:
            return state.nx;
        case Op::rows:
            return state.ny;
        case Op::limiter:
            return state.for_limit ? 0.5 * e.index : 1;
        case Op::data:
            return std::size_t(e.index) < state.data.size() ? state.data[std::size_t(e.index)] : 1;
        default:
            return 0;
    }
}

// Differences vanish at a uniform state; on a wave they act as a multiple (its symbol). Global values are
// those of the uniform state.
Slopes difference(Op op, double a, double cells) {
    if (op == Op::total) return {cells * a, {cells}};
    if (op == Op::passes) return {1, {}};
    if (op == Op::neighbour || op == Op::stored || is_global(op)) return {a, {1}};
    if (op == Op::divergence) return {0, {0, 2 * a}};
    return {0, {1}};
}

// The response u / a of factor * u + a = 0; 0 if the factor is 0 and leaves u undetermined.
double inverse_of(double factor) {
    return factor == 0 ? 0 : -1 / factor;
}

// An operator's value at a cell whose neighbours along all axes have the same value.
Complex at_lone_cell(Op op, const Complex& cell, const Complex& neighbours, double axes) {
    switch (op) {
        case Op::neighbour:
            return neighbours;
        case Op::laplacian:
        case Op::divergence:
            return 2 * axes * (neighbours - cell);
        case Op::laplacian9:
            return (axes == 1 ? 12.0 : 20.0) * (neighbours - cell);
        case Op::difference_xx:
        case Op::difference_yy:
            return 2.0 * (neighbours - cell);
        default:
            return 0;
    }
}

}  // namespace

// Arguments have smaller numbers than their expressions, so one pass in node order is enough.
Linearisation::Linearisation(const Equations& equations, const std::vector<Node>& formulas)
    : equations_(equations),
      formulas_(formulas),
      columns_(
          int(std::ranges::count_if(equations.components, [](const Evolving& c) { return !c.tangent_of; }))),
      value_(equations.graph.size()),
      part_(equations.graph.size(), -1) {
    const Graph& g = equations.graph;
    std::vector<bool> reached(g.size());
    const auto reach = [&](Node formula) { g.walk(formula, [&](Node node) { reached[node] = true; }); };
    for (const Node formula : formulas) reach(formula);
    for (const Elliptic& equation : equations.elliptic)
        for (const LinearTerm& term : equation.terms) reach(term.coefficient);
    const auto add_edge = [&](Node node, const EdgeCondition& edge) {
        if (!reached[node] || !equations.inside || !edge || is_insulated(g, *edge)) return;
        edges_[node] = *edge;
        reach(edge->value);
        reach(edge->flux);
    };
    for (Node node = 0; node < g.size(); ++node)
        if (g[node].op == Op::component && g[node].index < columns_)
            add_edge(node, equations.components[std::size_t(g[node].index)].edge);
    for (const Defined& definition : equations.definitions)
        if (g[definition.formula].op == Op::stored) add_edge(definition.formula, definition.edge);
    for (Node node = 0; node < g.size(); ++node)
        if (reached[node]) order_.push_back(node);
    for (const Node node : order_)
        if (g[node].op == Op::convolved)
            lowered_.try_emplace(g[node].index, lowered_kernel(equations, g[node].index));
}

void Linearisation::find_kernels(const UniformState& state) {
    if (lowered_.empty()) return;
    std::vector<double> scalars(kParameters);
    scalars[kDt] = state.dt;
    scalars[kSpacing] = state.spacing;
    scalars[kColumns] = state.nx;
    scalars[kRows] = state.ny;
    scalars.insert(scalars.end(), state.parameters.begin(), state.parameters.end());
    if (scalars == scalars_) return;
    // With sides that are not periodic a convolution also reads beyond them, so its table is twice as long.
    const auto cells = [&](std::size_t side, int n) {
        return flat_axis(state.nx, state.ny) == side / 2 ||
                       std::ranges::all_of(equations_.components,
                                           [&](const Evolving& c) { return c.sides[side].periodic; })
                   ? n
                   : 2 * n;
    };
    for (const auto& [index, kernel] : lowered_)
        kernels_[index] = KernelSymbol::of(
            kernel, cells(0, state.nx), cells(2, state.ny), scalars, equations_.kernels.size());
    scalars_ = std::move(scalars);
}

void Linearisation::move_to(const UniformState& state) {
    const Graph& g = equations_.graph;
    find_kernels(state);
    axes_ = flat_axis(state.nx, state.ny) ? 1 : 2;
    directed_ = false;
    parts_.assign(std::size_t(columns_), {});
    // The left side of an elliptic equation for a uniform field of value 1.
    const auto of_uniform = [&](int index) {
        double sum = 0;
        for (const LinearTerm& term : equations_.elliptic[std::size_t(index)].terms)
            if (term.x_power == 0 && term.y_power == 0) sum += value_[term.coefficient];
        return sum;
    };
    for (const Node node : order_) {
        const Expression& e = g[node];
        part_[node] = -1;
        if (e.count == 0) {
            value_[node] = leaf_value(e, state);
            if (e.op == Op::component && e.index < columns_) part_[node] = e.index;
            continue;
        }
        const auto arg = [&](std::size_t i) { return i < e.count ? value_[e.args[i]] : 0.0; };
        const OpRow* row = row_of(e.op);
        Slopes local = row ? row->at.value(arg(0), arg(1), arg(2))
                           : difference(e.op, arg(0), double(state.nx) * state.ny);
        if (e.op == Op::convolved) {
            const KernelSymbol& kernel = *kernels_.at(e.index);
            local = {arg(0) * kernel.sum(), {1}};
            directed_ = directed_ || kernel.directed();
        }
        if (e.op == Op::solved) local = {arg(0) * inverse_of(of_uniform(e.index)), {1}};
        value_[node] = local.value;
        Part change;
        change.op = row ? Op::stored : e.op;
        change.index = e.index;
        change.column = e.column;
        change.row = e.row;
        for (std::size_t i = 0; i < e.count; ++i)
            if (part_[e.args[i]] >= 0 && local.partial[i] != 0)
                change.terms[std::size_t(change.count++)] = {part_[e.args[i]], local.partial[i]};
        if (change.count == 0) continue;
        part_[node] = int(parts_.size());
        const bool odd = e.op == Op::difference_x || e.op == Op::difference_y || e.op == Op::difference_xy ||
                         e.op == Op::neighbour;
        directed_ = directed_ || odd;
        parts_.push_back(change);
    }
    mirrors_.clear();
    for (const auto& [node, edge] : edges_) {
        const double flux = value_[edge.flux] / state.spacing, value = value_[edge.value] / 2;
        if (part_[node] >= 0) mirrors_[part_[node]] = (flux - value) / (flux + value);
    }
    elliptic_.clear();
    for (const Elliptic& equation : equations_.elliptic) elliptic_.push_back(coefficients(equation));
    roots_.clear();
    values_.clear();
    for (const Node formula : formulas_) {
        roots_.push_back(part_[formula]);
        values_.push_back(value_[formula]);
    }
}

std::vector<double> Linearisation::coefficients(const Elliptic& equation) const {
    std::vector<double> values;
    for (const LinearTerm& term : equation.terms) values.push_back(value_[term.coefficient]);
    return values;
}

Matrix Linearisation::at(double kx, double ky, bool without_globals) const {
    const double cx = 2 * std::cos(kx) - 2, cy = 2 * std::cos(ky) - 2;
    const Complex i(0, 1);
    // Most symbols are real, and a product with a real number takes a fourth of the time.
    const auto real_symbol = [&](Op op) -> std::optional<double> {
        switch (op) {
            case Op::stored:
                return 1;
            case Op::laplacian:
            case Op::divergence:
                return cx + cy;
            case Op::laplacian9:
                return 6 * (cx + cy) + cx * cy;
            case Op::difference_xx:
                return cx;
            case Op::difference_yy:
                return cy;
            default:
                return std::nullopt;
        }
    };
    const auto symbol = [&](const Part& part) -> Complex {
        switch (part.op) {
            case Op::neighbour:
                return std::polar(1.0, kx * part.column + ky * part.row);
            case Op::convolved:
                return kernels_.at(part.index)->at(kx, ky);
            case Op::solved: {
                double sum = 0;
                const std::vector<double>& coefficients = elliptic_[std::size_t(part.index)];
                const auto& terms = equations_.elliptic[std::size_t(part.index)].terms;
                for (std::size_t t = 0; t < terms.size(); ++t)
                    sum += coefficients[t] * std::pow(cx, terms[t].x_power) * std::pow(cy, terms[t].y_power);
                return inverse_of(sum);
            }
            case Op::difference_x:
                return 2.0 * i * std::sin(kx);
            case Op::difference_y:
                return 2.0 * i * std::sin(ky);
            case Op::difference_xy:
                return -4 * std::sin(kx) * std::sin(ky);
            case Op::mean:
            case Op::total:
            case Op::least:
            case Op::largest:
                return kx == 0 && ky == 0 && !without_globals ? 1 : 0;
            default:
                return 1;
        }
    };
    const std::size_t n = std::size_t(columns_);
    const auto fill = [&]<class Number>(std::vector<Number>& slopes) {
        slopes.assign(parts_.size() * n, 0);
        for (std::size_t c = 0; c < n; ++c) slopes[c * n + c] = 1;
        for (std::size_t p = n; p < parts_.size(); ++p) {
            const auto add = [&](const auto& times) {
                for (int t = 0; t < parts_[p].count; ++t) {
                    const auto& [of, factor] = parts_[p].terms[std::size_t(t)];
                    const auto by = times * factor;
                    for (std::size_t c = 0; c < n; ++c)
                        slopes[p * n + c] += by * slopes[std::size_t(of) * n + c];
                }
            };
            if (const auto real = real_symbol(parts_[p].op))
                add(*real);
            else if constexpr (std::is_same_v<Number, Complex>)
                add(symbol(parts_[p]));
        }
    };
    thread_local std::vector<Complex> slopes;  // of thousands of waves in turn
    thread_local std::vector<double> real_slopes;
    if (std::ranges::all_of(parts_, [&](const Part& part) { return real_symbol(part.op).has_value(); })) {
        fill(real_slopes);
        slopes.assign(real_slopes.begin(), real_slopes.end());
    } else {
        fill(slopes);
    }
    return rows_of(slopes);
}

Matrix Linearisation::at_edge() const {
    const std::size_t n = std::size_t(columns_);
    // The response of each part in the cell, and in the ghost cells around it.
    std::vector<Complex> slopes(parts_.size() * n), beyond(parts_.size() * n);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const Part& part = parts_[p];
        const auto mirror = mirrors_.find(int(p));
        for (std::size_t c = 0; c < n; ++c) {
            Complex cell = p == c ? 1 : 0, ghost = cell;
            for (int t = 0; t < part.count; ++t) {
                const auto& [of, factor] = part.terms[std::size_t(t)];
                cell += factor * slopes[std::size_t(of) * n + c];
                ghost += factor * beyond[std::size_t(of) * n + c];
            }
            // Ghost cells of a derivative repeat its value in the cell unless it has its own condition.
            if (reaches_neighbours(part.op)) cell = ghost = at_lone_cell(part.op, cell, ghost, axes_);
            if (mirror != mirrors_.end()) ghost = mirror->second * cell;
            slopes[p * n + c] = cell;
            beyond[p * n + c] = ghost;
        }
    }
    return rows_of(slopes);
}

Matrix Linearisation::rows_of(const std::vector<Complex>& slopes) const {
    Matrix rows(int(roots_.size()), columns_);
    for (int r = 0; r < rows.rows; ++r)
        for (int c = 0; c < columns_; ++c)
            if (const int part = roots_[std::size_t(r)]; part >= 0)
                rows(r, c) = slopes[std::size_t(part * columns_ + c)];
    return rows;
}

double value_at(const Equations& equations, Node formula, const UniformState& state) {
    if (const auto number = equations.graph.number_of(formula)) return *number;
    return Linearisation(equations, {formula}, state).value(0);
}

std::vector<Node> formulas_of(const Equations& equations) {
    std::vector<Node> formulas;
    for (const Evolving& component : equations.components)
        if (!component.tangent_of) formulas.push_back(component.formula);
    return formulas;
}

}  // namespace stencil::equation

#include "sim/model/step/lowering.h"

#include <utility>

#include "sim/model/operations.h"

namespace stencil::equation {
namespace {

int scalar_index(const Expression& e) {
    switch (e.op) {
        case Op::parameter:
            return kParameters + e.index;
        case Op::step:
            return kStep;
        case Op::dt:
            return kDt;
        case Op::past:
            return kPast;
        case Op::spacing:
            return kSpacing;
        case Op::columns:
            return kColumns;
        default:
            return kRows;
    }
}

// Lowers expressions of scalars and of one coordinate.
class InputLowering {
  public:
    InputLowering(const Graph& graph, const GlobalTable* globals) : g_(graph), globals_(globals) {}

    int at(Node node, double time) {
        const auto known = done_.find({node, time});
        if (known != done_.end()) return known->second;
        if (is_global(g_[node].op))
            return done_[{node, time}] = builder.input(Code::scalar, globals_->scalar_of(node));
        return done_[{node, time}] = lowered(g_[node], time);
    }

    Builder builder;

  private:
    int lowered(const Expression& e, double time) {
        if (e.op == Op::number) return builder.constant(e.number);
        if (e.op == Op::x || e.op == Op::offset_x) return builder.input(Code::x);
        if (e.op == Op::y || e.op == Op::offset_y) return builder.input(Code::y);
        if (e.op == Op::limiter) return builder.constant(1);
        if (e.op == Op::t) {
            const int start = builder.input(Code::scalar, kTime);
            return time == 0 ? start
                             : builder.fma(builder.constant(time), builder.input(Code::scalar, kDt), start);
        }
        if (e.count == 0) return builder.input(Code::scalar, scalar_index(e));
        std::array<int, 3> v{-1, -1, -1};
        for (int i = 0; i < e.count; ++i) v[std::size_t(i)] = at(e.args[std::size_t(i)], time);
        return equation::lowered(builder, true, g_, e, v);
    }

    const Graph& g_;
    const GlobalTable* globals_;
    std::map<std::pair<Node, double>, int> done_;
};

template <class Roots>
Inputs lower_roots(const Graph& graph, const Roots& roots, const GlobalTable* globals = nullptr) {
    InputLowering lowering(graph, globals);
    Inputs inputs;
    for (const auto& [node, time] : roots) {
        inputs.outputs.push_back(lowering.at(node, time));
        inputs.of_time = inputs.of_time || graph.depends(node).time;
        inputs.of_globals = inputs.of_globals || graph.depends(node).global;
    }
    inputs.operations = finish(lowering.builder.operations(), inputs.outputs);
    return inputs;
}

}  // namespace

std::pair<Code, int> InputTable::find(Node node, double time, Wraps wraps) {
    const Dependence& d = g_.depends(node);
    if (g_.radius(node) > 0 || d.global) return {Code::load, -1};
    if (!d.time) time = 0;
    if (d.uniform()) return {Code::uniform, index_in(uniforms_, node, time, false)};
    if (d.column && !d.row && !d.cell && !d.time)
        return {Code::column, index_in(columns_, node, time, wraps[0])};
    if (d.row && !d.column && !d.cell && !d.time) return {Code::row, index_in(rows_, node, time, wraps[1])};
    return {Code::load, -1};
}

int InputTable::index_in(Table& table, Node node, double time, bool wraps) {
    return table.try_emplace({node, time, wraps}, int(table.size())).first->second;
}

Inputs InputTable::lowered(const Table& table) const {
    std::vector<std::pair<Node, double>> roots(table.size());
    std::vector<bool> around(table.size());
    for (const auto& [key, index] : table) {
        const auto& [node, time, wraps] = key;
        roots[std::size_t(index)] = {node, time};
        around[std::size_t(index)] = wraps;
    }
    Inputs inputs = lower_roots(g_, roots);
    inputs.wraps = std::move(around);
    return inputs;
}

void InputTable::take(Program& program) {
    program.uniforms = lowered(uniforms_);
    program.columns = lowered(columns_);
    program.rows = lowered(rows_);
}

Inputs lower_inputs(const Graph& graph, const std::vector<Node>& roots, const GlobalTable* globals) {
    std::vector<std::pair<Node, double>> at_once;
    for (const Node root : roots) at_once.emplace_back(root, 0.0);
    return lower_roots(graph, at_once, globals);
}

Lowering::Lowering(const Graph& graph,
                   InputTable& inputs,
                   Reflections& reflections,
                   bool float64,
                   bool fast,
                   Bindings source)
    : g_(graph),
      inputs_(inputs),
      reflections_(reflections),
      float64_(float64),
      source_(std::move(source)),
      builder_(fast && !float64),
      wraps_(reflections.wraps()) {}

Stage Lowering::stage(std::vector<Output> outputs) const {
    std::vector<int> values;
    for (const Output& output : outputs) values.push_back(output.value);
    Stage stage;
    stage.operations = finish(builder_.operations(), values);
    for (std::size_t i = 0; i < outputs.size(); ++i) stage.outputs.push_back({values[i], outputs[i].array});
    return stage;
}

// Reads a neighbour. The cell's own value replaces a neighbour outside of `inside`, which makes the flux 0,
// unless the argument of the operator has a condition at the edge.
int Lowering::reached(Node node, int dx, int dy) {
    const int there = at(node, dx, dy);
    if (source_.inside.empty() || (dx == 0 && dy == 0)) return there;
    const int inside = source_.inside.at(wraps_);
    int beyond = has_edge_ ? beyond_edge(node, dx, dy) : at(node, 0, 0);
    if (g_[node].op == Op::stored && g_[node].index == kTurned) beyond = builder_.make(Code::negate, beyond);
    return builder_.select(builder_.input(Code::load, inside, dx, dy), there, beyond);
}

// The ghost cell so many columns and rows beyond the cell at (dx, dy), by the condition that the expression
// has on the face between them; empty if it has none.
std::optional<int> Lowering::ghost(Node node, std::size_t side, int dx, int dy, int columns, int rows) {
    const Expression e = g_[node];
    const double ahead =
        e.op == Op::component && !source_.ahead.empty() ? source_.ahead[std::size_t(e.index)] : 0;
    const auto ghosts = reflections_.cell_ghosts(node, side, columns, rows, ahead);
    if (!ghosts) return std::nullopt;
    const auto [alpha, beta] = *ghosts;
    if (g_.number_of(alpha) == 0.0) return at(beta, dx, dy);
    const int value = at(node, dx, dy);
    if (g_.number_of(alpha) == 1.0 && g_.number_of(beta) == 0.0) return value;
    return builder_.fma(at(alpha, dx, dy), value, at(beta, dx, dy));
}

// Whether the array's ghost cells beyond a side do not hold the expression.
bool Lowering::is_made_there(Node node, std::size_t side) {
    return reflections_.is_in_cell(node, side) ||
           (g_[node].op == Op::stored && reflections_.of(node, side).kind == Reflection::Kind::none);
}

// Replaces the value at (dx, dy) in cells for which that place is beyond the side.
int Lowering::beyond_side(Node node, std::size_t side, int dx, int dy, int value) {
    const int columns = side < 2 ? dx : 0, rows = side < 2 ? 0 : dy;
    const Wraps before = std::exchange(wraps_, Wraps{});
    const int beyond = at(reflections_.is_beyond(side), dx, dy);
    wraps_ = before;
    const auto own = ghost(node, side, dx - columns, dy - rows, columns, rows);
    return builder_.select(beyond, own ? *own : at(g_[node].args[0], dx, dy), value);
}

// The value of the ghost cell beyond the edge, from the formula's parts: known formulas are evaluated there,
// components and definitions follow their conditions, and all others keep their value in the cell.
int Lowering::beyond_edge(Node node, int dx, int dy) {
    if (!g_.depends(node).cell) return at(node, dx, dy);
    const std::tuple key{node, dx, dy, wraps_};
    const auto known = beyond_edge_.find(key);
    if (known != beyond_edge_.end()) return known->second;
    const Expression e = g_[node];
    int value = 0;
    if (const auto own = ghost(node, kAtEdge, 0, 0, dx, dy)) {
        value = *own;
    } else if (e.op == Op::stored) {
        value = beyond_edge(e.args[0], dx, dy);
    } else if (e.count == 0 || reaches_neighbours(e.op)) {
        value = at(node, 0, 0);
    } else {
        std::array<int, 3> v{-1, -1, -1};
        for (int i = 0; i < e.count; ++i) v[std::size_t(i)] = beyond_edge(e.args[std::size_t(i)], dx, dy);
        value = source_.differenced.contains(node) ? builder_.uncontracted_product(v[0], v[1])
                                                   : lowered(builder_, float64_, g_, e, v);
    }
    return beyond_edge_[key] = value;
}

int Lowering::at(Node node, int dx, int dy) {
    const Wraps wraps = dx == 0 && dy == 0 ? reflections_.wraps() : wraps_;
    const std::tuple key{node, dx, dy, wraps};
    const auto known = done_.find(key);
    if (known != done_.end()) return known->second;
    const Expression e = g_[node];  // a copy: conditions at the edge add expressions
    int value = 0;
    const auto stored = source_.stored.find(node);
    if (stored != source_.stored.end())
        value = builder_.input(Code::load, stored->second, dx, dy);
    else if (e.op == Op::number)
        value = builder_.constant(e.number);
    else if (e.op == Op::component)
        value = builder_.input(Code::load, source_.components[std::size_t(e.index)], dx, dy);
    else if (e.op == Op::data)
        value = builder_.input(Code::load, source_.data[std::size_t(e.index)], dx, dy);
    else if (e.op == Op::unknown)
        value = builder_.input(Code::load, source_.unknowns.at(e.index), dx, dy);
    else if (e.op == Op::random)
        value = builder_.input(Code::random, e.index);
    else if (is_global(e.op))
        value = builder_.input(Code::global, source_.globals->index_of(node));
    else if (const auto [code, index] = inputs_.find(node, source_.time, wraps); code != Code::load)
        value = builder_.input(code, index, code == Code::column ? dx : 0, code == Code::row ? dy : 0);
    else if (source_.differenced.contains(node))
        value = builder_.uncontracted_product(at(e.args[0], dx, dy), at(e.args[1], dx, dy));
    else
        value = operation(e, dx, dy);
    // In a corner the condition at the top or bottom is applied to the ghost cell at the left or right.
    const std::size_t across = dx < 0 ? 0 : 1, along = dy < 0 ? 2 : 3;
    const bool left_or_right = dx != 0 && is_made_there(node, across);
    if (left_or_right) value = beyond_side(node, across, dx, dy, value);
    if (dy != 0 && (is_made_there(node, along) ||
                    (left_or_right && reflections_.of(node, along).kind != Reflection::Kind::periodic)))
        value = beyond_side(node, along, dx, dy, value);
    // If the field wraps around but the operator as a whole does not, its neighbour beyond the side may lie
    // outside of the shape.
    if ((dx != 0 || dy != 0) && !source_.inside.empty() &&
        (e.op == Op::component || e.op == Op::unknown || stored != source_.stored.end()) &&
        g_.depends(node).evolving)
        if (const Wraps own = reflections_.wraps_of(node); own != wraps_)
            value = builder_.select(
                builder_.input(Code::load, source_.inside.at(own), dx, dy), value, beyond_edge(node, dx, dy));
    return done_[key] = value;
}

int Lowering::operation(const Expression& e, int dx, int dy) {
    if (e.op == Op::stored) return at(e.args[0], dx, dy);
    if (reaches_neighbours(e.op)) {
        if (e.op == Op::passes && (source_.inside.empty() || reflections_.has_edge(e.args[0])))
            return builder_.constant(1);
        const Wraps before = std::exchange(wraps_, reflections_.wraps_within(e));
        bool edge = reflections_.has_edge(e.args[0]);
        if (e.op == Op::divergence) edge = edge || reflections_.has_edge(e.args[1]);
        const bool edge_before = std::exchange(has_edge_, edge && !source_.inside.empty());
        const int value = e.op == Op::neighbour ? reached(e.args[0], e.column, e.row)
                          : e.op == Op::passes
                              ? builder_.input(Code::load, source_.inside.at(wraps_), e.column, e.row)
                              : difference(e);
        wraps_ = before;
        has_edge_ = edge_before;
        return value;
    }
    std::array<int, 3> v{-1, -1, -1};
    for (int i = 0; i < e.count; ++i) v[std::size_t(i)] = at(e.args[std::size_t(i)], dx, dy);
    return lowered(builder_, float64_, g_, e, v);
}

// Sums in pairs that a neighbouring cell shares: north + east here is west + south of the cell to the
// north-east.
int Lowering::sum_around(const Expression& e) {
    Builder& b = builder_;
    const Node u = e.args[0];
    const int sides =
        b.make(Code::sum4, reached(u, 0, -1), reached(u, 1, 0), reached(u, -1, 0), reached(u, 0, 1));
    if (e.op == Op::laplacian) return sides;
    const int diagonals =
        b.make(Code::sum4, reached(u, -1, -1), reached(u, 1, -1), reached(u, -1, 1), reached(u, 1, 1));
    return b.fma(b.constant(4), sides, diagonals);
}

int Lowering::neighbours(Node laplacian) {
    only_neighbours_ = true;
    return operation(g_[laplacian], 0, 0);
}

int Lowering::difference(const Expression& e) {
    Builder& b = builder_;
    const Node u = e.args[0];
    if (std::exchange(only_neighbours_, false)) return sum_around(e);
    switch (e.op) {
        case Op::laplacian:
        case Op::laplacian9:
            return b.fma(b.constant(e.op == Op::laplacian ? -4 : -20), reached(u, 0, 0), sum_around(e));
        case Op::difference_x:
            return b.subtract(reached(u, 1, 0), reached(u, -1, 0));
        case Op::difference_y:
            return b.subtract(reached(u, 0, 1), reached(u, 0, -1));
        case Op::difference_xx:
            return b.fma(b.constant(-2), reached(u, 0, 0), b.add(reached(u, 1, 0), reached(u, -1, 0)));
        case Op::difference_yy:
            return b.fma(b.constant(-2), reached(u, 0, 0), b.add(reached(u, 0, 1), reached(u, 0, -1)));
        case Op::difference_xy:
            return b.subtract(b.add(reached(u, 1, 1), reached(u, -1, -1)),
                              b.add(reached(u, 1, -1), reached(u, -1, 1)));
        default:
            break;
    }
    // Twice the net flux through the four faces. Each face's flux is a separate uncontracted product,
    // identical for both cells beside it, so kernels can share it.
    const Node d = e.args[0], g = e.args[1];
    const auto through = [&](int x, int y, int from_x, int from_y) {
        return b.uncontracted_product(b.add(reached(d, x, y), reached(d, from_x, from_y)),
                                      b.subtract(reached(g, x, y), reached(g, from_x, from_y)));
    };
    return b.add(b.subtract(through(0, 1, 0, 0), through(0, 0, 0, -1)),
                 b.subtract(through(1, 0, 0, 0), through(0, 0, -1, 0)));
}

}  // namespace stencil::equation

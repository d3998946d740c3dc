// From expressions to operations.
#pragma once

#include <map>
#include <tuple>

#include "kernels/equation/builder.h"
#include "sim/model/equations.h"
#include "sim/model/step/reflections.h"

namespace stencil::equation {

/// The inputs of a program: what is the same for all cells, a column or a row is worked out apart.
class InputTable {
  public:
    InputTable(const Graph& graph, bool float64) : g_(graph), float64_(float64) {}

    /// The operation code and index of an expression that needs no cell, at a time in steps; empty codes
    /// (load) where it is none of the three. Beyond sides that it `wraps` around it is what it is at the
    /// field's other end.
    std::pair<Code, int> find(Node node, double time, Wraps wraps);
    /// Moves what was asked for into the program.
    void take(Program& program);

  private:
    using Table = std::map<std::tuple<Node, double, bool>, int>;
    static int index_in(Table& table, Node node, double time, bool wraps);
    Inputs lowered(const Table& table) const;

    const Graph& g_;
    bool float64_;
    Table uniforms_, columns_, rows_;
};

/// Expressions of scalars and the place as inputs.
Inputs lower_inputs(const Graph& graph, const std::vector<Node>& roots);

/// Where an expression finds its values: arrays of the components, of data and of what is stored.
struct Bindings {
    std::vector<int> components, data;
    std::map<Node, int> stored;
    /// The arrays that are not 0 where the field is, by how what reads them wraps; empty: it is everywhere.
    std::map<Wraps, int> inside;
    double time = 0;  ///< of the values, in steps after the step's beginning
};

/// The operations of one stage.
class Lowering {
  public:
    Lowering(const Graph& graph, InputTable& inputs, Reflections& reflections, bool float64, Bindings source);

    /// The operation that is worth the expression at a cell.
    int value(Node node) { return at(node, 0, 0); }
    Builder& builder() { return builder_; }
    bool is_stored(Node node) const { return source_.stored.contains(node); }
    /// Ends it.
    Stage stage(std::vector<Output> outputs) const;

  private:
    /// Values beyond the sides are read as the operator `e` has them, until the object goes.
    class Within;

    int at(Node node, int dx, int dy);
    int sum_around(const Expression& laplacian);
    int reached(Node node, int dx, int dy);
    int operation(const Expression& e, int dx, int dy);
    int difference(const Expression& e);

    const Graph& g_;
    InputTable& inputs_;
    Reflections& reflections_;
    bool float64_;
    Bindings source_;
    Builder builder_;
    Wraps wraps_;
    std::map<std::tuple<Node, int, int, Wraps>, int> done_;
};

}  // namespace stencil::equation

// From expressions to operations.
#pragma once

#include <map>
#include <tuple>

#include "kernels/equation/builder.h"
#include "sim/model/equations.h"

namespace stencil::equation {

/// The inputs of a program: what is the same for all cells, a column or a row is worked out apart.
class InputTable {
  public:
    InputTable(const Graph& graph, bool float64) : g_(graph), float64_(float64) {}

    /// The operation code and index of an expression that needs no cell, at a time in steps; empty codes
    /// (load) where it is none of the three.
    std::pair<Code, int> find(Node node, double time);
    /// Moves what was asked for into the program.
    void take(Program& program);

  private:
    using Table = std::map<std::pair<Node, double>, int>;
    static int index_in(Table& table, Node node, double time);
    Inputs lowered(const Table& table) const;

    const Graph& g_;
    bool float64_;
    Table uniforms_, columns_, rows_;
};

/// Expressions of scalars and the place as inputs; others stand `instead` of some.
Inputs lower_inputs(const Graph& graph,
                    const std::vector<Node>& roots,
                    const std::map<Node, Node>& instead = {});

/// Where an expression finds its values: arrays of the components, of data and of what is stored.
struct Source {
    std::vector<int> components, data;
    std::map<Node, int> stored;
    int inside = -1;  ///< the array that is not 0 where the field is; -1: everywhere
    double time = 0;  ///< of the values, in steps after the step's beginning
};

/// The operations of one stage.
class Lowering {
  public:
    Lowering(const Graph& graph, InputTable& inputs, bool float64, Source source);

    /// The operation that is worth the expression at a cell.
    int value(Node node) { return at(node, 0, 0); }
    Builder& builder() { return builder_; }
    bool is_float64() const { return float64_; }
    bool is_stored(Node node) const { return source_.stored.contains(node); }
    /// The neighbours' part of a Laplacian, and what its middle is multiplied by, less that.
    int neighbours(const Expression& laplacian);
    static double middle_weight(Op laplacian) { return laplacian == Op::laplacian ? 4 : 20; }
    /// Ends it.
    Stage stage(std::vector<Output> outputs) const;

  private:
    int at(Node node, int dx, int dy);
    int reached(Node node, int dx, int dy);
    int operation(const Expression& e, int dx, int dy);
    int difference(const Expression& e);

    const Graph& g_;
    InputTable& inputs_;
    bool float64_;
    Source source_;
    Builder builder_;
    std::map<std::tuple<Node, int, int>, int> done_;
};

}  // namespace stencil::equation

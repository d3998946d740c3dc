// Lowering of expressions to instructions.
#pragma once

#include <map>
#include <set>
#include <tuple>

#include "kernels/equation/builder.h"
#include "sim/model/equations.h"
#include "sim/model/step/reflections.h"

namespace stencil::equation {

/// Inputs of a program that are computed once per step or per line: uniforms, columns (functions of x) and
/// rows (of y).
class InputTable {
  public:
    InputTable(const Graph& graph, bool float64) : g_(graph), float64_(float64) {}

    /// The opcode and index of an expression that is uniform or depends on x or y alone, at a time in steps
    /// after the step's start; {load, -1} if it is neither. Beyond an axis that `wraps` it takes the value at
    /// the opposite end.
    std::pair<Code, int> find(Node node, double time, Wraps wraps);
    /// Moves the collected inputs into the program.
    void take(Program& program);

  private:
    using Table = std::map<std::tuple<Node, double, bool>, int>;
    static int index_in(Table& table, Node node, double time, bool wraps);
    Inputs lowered(const Table& table) const;

    const Graph& g_;
    bool float64_;
    Table uniforms_, columns_, rows_;
};

/// The global values of a program.
class GlobalTable {
  public:
    /// For a model with this number of parameters.
    explicit GlobalTable(std::size_t parameters) : first_scalar_(kParameters + int(parameters)) {}

    /// Numbers each global value in a formula and in the arguments of global values.
    void add(const Graph& graph, Node formula) {
        graph.walk(formula, [&](Node part) {
            if (is_global(graph[part].op) && indices_.try_emplace(part, count_).second) ++count_;
        });
    }
    /// Reserves a number for a global value that is no expression.
    int add() { return count_++; }

    int index_of(Node global) const { return indices_.at(global); }
    int scalar_of(Node global) const { return first_scalar_ + index_of(global); }
    /// The global values with their indices, arguments before users.
    const std::map<Node, int>& indices() const { return indices_; }
    int count() const { return count_; }

  private:
    int first_scalar_, count_ = 0;
    std::map<Node, int> indices_;
};

/// Lowers expressions of scalars and position to inputs. Ghost cells may also depend on global values.
Inputs lower_inputs(const Graph& graph, const std::vector<Node>& roots, const GlobalTable* globals = nullptr);

/// The arrays that hold an expression's components, data and stored intermediates.
struct Bindings {
    std::vector<int> components, data;
    std::map<Node, int> stored;
    /// The masks of `inside`, by the wrapping that their readers need; empty: no mask.
    std::map<Wraps, int> inside;
    double time = 0;  ///< time of the values, in steps after the start of the step
    /// Products that are read at several cells. They are rounded separately: contracted into a difference on
    /// one side only, they would give a flat field a derivative.
    std::set<Node> differenced = {};
    /// For each component the time of its values, in steps after `time`; empty: 0.
    std::vector<double> ahead = {};
    const GlobalTable* globals = nullptr;
    /// For each elliptic equation, an array of zeros with the ghost cells of its field.
    std::map<int, int> unknowns = {};
};

/// Lowers the expressions of one stage.
class Lowering {
  public:
    Lowering(const Graph& graph,
             InputTable& inputs,
             Reflections& reflections,
             bool float64,
             bool fast,
             Bindings source);

    /// The instruction that computes the expression at the cell.
    int value(Node node) { return at(node, 0, 0); }
    /// The same of the neighbours that a Laplacian (laplacian or laplacian9) sums, without its middle.
    int neighbours(Node laplacian);
    bool is_float64() const { return float64_; }
    Builder& builder() { return builder_; }
    bool is_stored(Node node) const { return source_.stored.contains(node); }
    bool is_differenced(Node node) const { return source_.differenced.contains(node); }
    /// Finishes the stage.
    Stage stage(std::vector<Output> outputs) const;

  private:
    int at(Node node, int dx, int dy);
    int sum_around(const Expression& laplacian);
    int reached(Node node, int dx, int dy);
    std::optional<int> ghost(Node node, std::size_t side, int dx, int dy, int columns, int rows);
    int beyond_side(Node node, std::size_t side, int dx, int dy, int value);
    bool is_made_there(Node node, std::size_t side);
    int beyond_edge(Node node, int dx, int dy);
    int operation(const Expression& e, int dx, int dy);
    int difference(const Expression& e);

    const Graph& g_;
    InputTable& inputs_;
    Reflections& reflections_;
    bool float64_;
    Bindings source_;
    Builder builder_;
    Wraps wraps_;  ///< which axes wrap around for neighbours read within the current operator
    bool only_neighbours_ = false;  ///< the next difference leaves its middle out
    bool has_edge_ = false;  ///< whether conditions at the edge of `inside` affect the current operator
    std::map<std::tuple<Node, int, int, Wraps>, int> done_, beyond_edge_;
};

}  // namespace stencil::equation

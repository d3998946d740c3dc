// The arrays of a program, with the ghost cells of each.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/equation/program.h"
#include "sim/model/equations.h"
#include "sim/model/step/lowering.h"
#include "sim/model/step/reflections.h"

namespace stencil::equation {

/// The functions that add an array return its index.
class ArrayTable {
  public:
    ArrayTable(Equations& model, Reflections& reflections, const GlobalTable& globals)
        : model_(model), g_(model.graph), reflections_(reflections), globals_(globals) {}

    /// Adds an array for a component's value at a time within the step.
    int add_component(int c, const std::string& suffix, double time);
    /// Adds an array for a component's value at a stage. Stages with the same number share the array, unless
    /// its ghost cells depend on time.
    int add_stage(int c, int number, double time);
    /// Adds an array without conditions: ghost cells repeat the edge cell, or wrap around. `data` is the
    /// index of the picture or array that fills it, -1 for none.
    int add_insulated(const std::string& name, Wraps wraps, int data = -1);
    /// Adds an array for a coefficient that depends on position alone; its ghost cells are the formula at
    /// their centres.
    int add_coefficient(Node node);
    /// The array of a materialised intermediate: one for all stages, or one per time if its ghost cells
    /// depend on time.
    int stored(Node node, double time);

    /// Adds an array of zeros with the ghost cells of an elliptic equation's field.
    int add_unknown(int equation, double time);

    /// Returns all arrays. Those whose neighbours the program never reads get the wrapping of the others.
    std::vector<ArrayInfo> take(const Program& program);

  private:
    /// Adds an array whose ghost cells follow from an expression.
    int add(ArrayInfo info, Node node);
    void insulate(Ghosts& side, bool periodic);
    /// The time that an array's ghost cells belong to; 0 for all if they do not depend on time.
    double time_of_ghosts(Node node, double time);

    Equations& model_;
    Graph& g_;
    Reflections& reflections_;
    const GlobalTable& globals_;
    std::vector<ArrayInfo> arrays_;
    std::map<std::pair<Node, double>, int> stored_, unknowns_;
    std::map<std::tuple<int, int, double>, int> of_stages_;
    int coefficients_ = 0;
};

/// The lowest component that the expression contains; -1 if there is none.
int first_component(const Graph& graph, Node node);

}  // namespace stencil::equation

// The arrays of a program, with what stands beyond the sides of each.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/equation/program.h"
#include "sim/model/equations.h"
#include "sim/model/step/reflections.h"

namespace stencil::equation {

/// Functions that add an array return its index.
class ArrayTable {
  public:
    ArrayTable(Equations& model, Reflections& reflections)
        : model_(model), g_(model.graph), reflections_(reflections) {}

    /// For a component's value at a time of the step.
    int add_component(int c, const std::string& suffix, double time);
    /// Without conditions: what is outside is as the cell at the edge, or the field's other side. `data` is
    /// given from outside; -1: it is not.
    int add_insulated(const std::string& name, Wraps wraps, int data = -1);
    /// For a formula of the place, whose ghost cells are the formula at their centres.
    int add_place(Node node);
    /// For what is stored on the way: one array for all stages, or one for each time at which its ghost cells
    /// are others.
    int stored(Node node, double time);

    /// Those of which the program reads no neighbours get ghost cells like others.
    std::vector<ArrayInfo> take(const Program& program);

  private:
    /// With the ghost cells of an expression.
    int add(ArrayInfo info, Node node);
    void insulate(Ghosts& side, bool periodic);

    Equations& model_;
    Graph& g_;
    Reflections& reflections_;
    std::vector<ArrayInfo> arrays_;
    std::map<std::pair<Node, double>, int> stored_;
    int places_ = 0;
};

/// -1 where the expression is made of none.
int first_component(const Graph& graph, Node node);

}  // namespace stencil::equation

// The plan of a step while it is made: its stages, and the arrays between them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/model/step/arrays.h"
#include "sim/model/step/lowering.h"
#include "sim/model/step/reflections.h"
#include "sim/model/step/stages.h"

namespace stencil::equation {

/// Integrators (integrators.cpp) add their stages to a plan.
class StepPlan {
  public:
    /// The indices of arrays, one for each component.
    using Arrays = std::vector<int>;

    StepPlan(const Equations& equations,
             const Integrator& integrator,
             bool float64,
             double dt = 1,
             bool errors = false,
             bool fast = false);

    Program plan();
    ViewProgram plan_view(std::vector<Node> formulas);
    Program plan_start();

    Equations& model() { return model_; }
    Graph& graph() { return g_; }
    const Integrator& integrator() const { return integrator_; }
    int components() const { return components_; }
    bool has_shape() const { return !inside_.empty(); }

    /// The arrays of the state at the step's start.
    Arrays present() const;
    /// The arrays that a step ends in: the components, then the rates of a multistep method, then the
    /// estimated errors.
    const Arrays& next() const { return program_.next; }
    int next_rate(int c) const { return program_.next[std::size_t(components_ + c)]; }
    int next_error(int c) const { return program_.next[std::size_t(components_ + program_.past + c)]; }
    bool estimates_errors() const { return program_.errors > 0; }

    /// Adds arrays for a state at a time in steps after the step's start.
    Arrays state_at(const std::string& suffix, double time);
    /// Adds arrays for the state at a stage; stages with the same number share them where possible.
    Arrays state_of_stage(int number, double time);
    /// Adds arrays for values that are read only in the cell itself, such as rates.
    Arrays values(const std::string& suffix);

    /// Begins a stage that evaluates the rates of a state at its time: first adds the stages that materialise
    /// what they need.
    Lowering rates_of(const Arrays& state, double time);
    /// Begins a stage that evaluates the rate of one component, where each other component is `ahead` of the
    /// time by its own amount.
    Lowering rate_of_one(int c, const Arrays& state, const std::vector<double>& ahead);
    /// Begins a stage that reads arrays but evaluates no rates.
    Lowering values_of_arrays() { return reading({}); }
    void add(const Lowering& lowering, const std::vector<Output>& outputs) {
        program_.stages.push_back(lowering.stage(outputs));
    }
    /// Adds the stage that writes combine(lowering, c) for each component c, where the rates are those of a
    /// state at its time.
    template <class Combine>
    void add_stage(const Arrays& from, double time, const Arrays& to, Combine&& combine) {
        Lowering lowering = rates_of(from, time);
        std::vector<Output> outputs;
        for (int c = 0; c < components_; ++c) {
            const int value = combine(lowering, c);
            outputs.push_back({kept_inside(lowering, value, c), to[std::size_t(c)]});
        }
        add(lowering, outputs);
    }
    /// Adds the linear parts of the rates, of which `share` of dt is implicit.
    void add_linear_parts(double share);
    /// Adds the stages that write combine(lowering, c) to `right` for each component c, as add_stage() does,
    /// and solve the linear parts for `solution`.
    template <class Combine>
    void add_solves(
        const Arrays& from, double time, const Arrays& right, const Arrays& solution, Combine&& combine) {
        const Bindings source = prepare(formulas(), from, time);
        for (std::size_t p = 0; p < implicit_.size(); ++p) {
            Lowering lowering = reading(source);
            std::vector<Output> outputs;
            Solve solve{{}, {}, int(p)};
            for (const int c : implicit_[p]) {
                outputs.push_back({combine(lowering, c), right[std::size_t(c)]});
                solve.from.push_back(right[std::size_t(c)]);
                solve.to.push_back(solution[std::size_t(c)]);
            }
            add(lowering, outputs);
            program_.stages.back().solve = std::move(solve);
        }
    }

    /// The value of component c, base + factor * dt * rate; without a base, the increment alone.
    int advanced(Lowering& lowering, int c, double factor, std::optional<int> base);
    /// The rate of component c, for integrators that keep rates.
    int rate(Lowering& lowering, int c);
    /// dt * slope, for integrators that keep rates.
    int increment(Lowering& lowering, int slope);
    /// The state of component c at the step's start + dt * slope.
    int added(Lowering& lowering, int c, int slope);
    /// In cells of the shape the value, in others the component's value.
    int kept_inside(Lowering& lowering, int value, int c) const;
    /// In cells of the shape the value, in others 0.
    int zero_outside(Lowering& lowering, int value) const;

  private:
    Node continued(Node formula);
    Program finished();
    std::vector<Node> formulas() const;
    Lowering reading(Bindings source) {
        return Lowering(g_, inputs_, reflections_, float64_, program_.fast, std::move(source));
    }
    std::vector<Stage>& stages_of_inside();
    void store_inside(std::vector<Stage>& stages);
    void store_coefficients();
    void use_coefficients(Bindings& source, const std::vector<Node>& formulas, const std::vector<Node>& cut);
    Bindings prepare(const std::vector<Node>& formulas,
                     const Arrays& from,
                     double time,
                     std::vector<double> ahead = {});
    std::set<Node> differenced(const std::vector<Node>& formulas) const;
    std::vector<std::vector<Node>> levels_of(const std::vector<Node>& cut);

    // global_stages.cpp
    void find_globals();
    void add_globals(std::vector<Stage>& counting);
    void add_stage_of_globals(const std::vector<Node>& nodes, std::vector<Stage>& counting);
    void count_inside(std::vector<Stage>& stages);
    int scratch(std::size_t i);

    // whole_field_stages.cpp
    void bind_unknowns(Bindings& source, const std::vector<Node>& formulas);
    void add_whole_fields(const std::vector<Node>& nodes, Bindings& source);
    void solve(Node node, Bindings& source);
    void convolve(const std::vector<Node>& nodes, Bindings& source);

    Equations model_;
    Graph& g_;
    Integrator integrator_;
    bool float64_, rounds_increments_;
    InputTable inputs_;
    Reflections reflections_;
    GlobalTable globals_;
    ArrayTable arrays_;
    Program program_;     ///< complete except for its arrays
    int components_ = 0;  ///< of the model
    Arrays data_, scratch_;
    int cells_inside_ = -1;  ///< the global value that is the number of cells inside
    bool globals_of_sides_ = false;
    std::map<Wraps, int> inside_;
    bool keeps_coefficients_ = false;  ///< only for time steps, not for views or initial values
    std::map<Node, int> coefficients_;
    std::vector<std::vector<int>> implicit_;  ///< the components of the first linear parts, which steps solve
    std::map<int, int> part_of_;              ///< the linear part of each elliptic equation that is solved
    int right_ = -1;                          ///< the array of right sides that all elliptic solves share
    /// The linear part of each set of kernels with the outsides of the convolved field.
    std::map<std::pair<std::vector<int>, std::array<Outside, 2>>, int> part_of_kernels_;
    int convolved_ = -1;  ///< the array of the argument, which all convolutions share
};

}  // namespace stencil::equation

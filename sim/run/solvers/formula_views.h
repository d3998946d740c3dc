// Formulas of the state and their Laplacians, evaluated on the solver's device.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/run/solvers/typed_run.h"

namespace stencil {

/// `Device` is CpuDevice or CudaDevicePart: it makes executors and copies arrays.
template <class Device>
class FormulaViews : public Device {
  public:
    using Device::Device;

  protected:
    using T = typename Device::Cell;
    using Stepper = typename Device::Stepper;
    using Device::setup_;
    using Device::step_;
    static constexpr bool kFloat64 = sizeof(T) == sizeof(double);

    /// The plain field of a component, halo rows included.
    virtual PlainView<const T> plain(std::size_t component) = 0;
    virtual void copy_component(std::size_t component, FieldView<T> to) = 0;
    /// Clock at the next step.
    virtual equation::Clock clock() const = 0;

    const TypedRun& run() const { return *setup_.typed; }
    std::size_t components() const { return setup_.components(); }

    /// Must be called after every change of the state or the parameters.
    void changed() {
        for (auto& view : views_) view->value.stale = view->laplacian.stale = true;
    }
    /// Evaluators are compiled for a boundary, so they are dropped.
    void boundary_changed() { views_.clear(); }

    void load_data(Stepper& stepper) {
        for (std::size_t d = 0; d < run().data.size(); ++d)
            this->write(part_of(*run().data[d]), stepper.data(int(d)));
    }

    QuantitySource<T> source_of(const std::string& formula, Quantity& quantity) override {
        const bool laplacian = quantity == Quantity::laplacian;
        const auto component = component_of(formula);
        // Diffusion methods have one boundary, which Quantity::laplacian handles; other models need an
        // evaluator.
        if (component && (!laplacian || !setup_.is_general()))
            return {plain(*component), setup_.params.boundary, {}};
        View& view = view_of_formula(formula);
        const FieldView<const T> cells = evaluated(view, laplacian);
        if (laplacian) quantity = Quantity::value;
        return {PlainView<const T>(cells), setup_.params.boundary, {}};
    }

    /// The component that a formula equals; empty if it is another formula.
    std::optional<std::size_t> component_of(const std::string& formula) {
        if (formula.empty() || !setup_.typed) return 0;
        const auto& all = run().equations.components;
        const auto named = std::ranges::find(all, formula, &equation::Evolving::name);
        if (named != all.end()) return std::size_t(named - all.begin());
        return view_of_formula(formula).formula.component;
    }

  private:
    struct Evaluator {
        int array = 0;
        std::unique_ptr<Stepper> stepper = nullptr;
        bool stale = true;
    };
    struct View {
        std::string text;
        Shown formula;
        Evaluator value = {}, laplacian = {};
    };

    // Finds or makes a view; most recently used last.
    View& view_of_formula(std::string text) {
        constexpr std::size_t kMostViews = 8;
        if (text.empty()) text = run().equations.components.front().name;
        const auto known = std::ranges::find(views_, text, [](const auto& view) { return view->text; });
        if (known != views_.end()) {
            std::rotate(known, known + 1, views_.end());
            return *views_.back();
        }
        // Diffusion methods may change boundary between steps; for other models that makes a new solver.
        const auto boundary = setup_.is_general() ? std::nullopt : std::optional(setup_.params.boundary);
        auto made = std::make_unique<View>(View{text, Shown(run(), text, boundary)});
        if (views_.size() == kMostViews) views_.erase(views_.begin());
        return *views_.emplace_back(std::move(made));
    }

    void compile(Evaluator& evaluator, const View& view, bool laplacian) {
        auto made = view.formula.program(laplacian, kFloat64);
        if (setup_.halo) require_reach(made, view.text, setup_.halo->depth());
        make_room(double(made.program.arrays.size()) * setup_.nx * setup_.ny * sizeof(T));
        evaluator = {made.arrays.front(), this->make_stepper(std::move(made.program))};
        load_data(*evaluator.stepper);
    }

    // Drops old evaluators: solver_bytes() counts one value and one Laplacian; small fields may keep more.
    void make_room(double bytes) {
        constexpr double kBytes = 64e6;
        std::vector<Evaluator*> compiled;
        for (auto& view : views_)
            for (Evaluator* each : {&view->value, &view->laplacian})
                if (each->stepper) compiled.push_back(each);
        const std::size_t most = std::max<std::size_t>(2, std::size_t(kBytes / bytes));
        for (std::size_t i = 0; i + most <= compiled.size(); ++i) *compiled[i] = {};
    }

    FieldView<const T> evaluated(View& view, bool laplacian) {
        Evaluator& evaluator = laplacian ? view.laplacian : view.value;
        if (!evaluator.stepper) compile(evaluator, view, laplacian);
        Stepper& stepper = *evaluator.stepper;
        if (evaluator.stale) {
            this->refresh_halo();
            for (std::size_t c = 0; c < components(); ++c) copy_component(c, stepper.component(int(c)));
            stepper.set_parameters(setup_.params.values);
            stepper.set_dt(setup_.params.dt);
            stepper.resume(clock(), step_);
            stepper.advance(1);
            evaluator.stale = false;
        }
        return FieldView<const T>(stepper.array(evaluator.array));
    }

    // The slab's part of an array, halo rows included.
    Field part_of(const Array<double>& whole) const {
        Array<double> part(setup_.nx, setup_.ny);
        for (int y = 0; y < setup_.ny; ++y)
            std::copy_n(whole.view().row(setup_.slab.field_row(y, setup_.ny)), setup_.nx, part.view().row(y));
        return part;
    }

    std::vector<std::unique_ptr<View>> views_;
};

}  // namespace stencil

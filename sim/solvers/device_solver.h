// The part of a solver that is the same for every method and device: observing, formulas, stored states.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/view/view.h"
#include "sim/problem/typed_run.h"
#include "sim/solvers/solver.h"

namespace stencil {

/// A solver whose field is stepped by this process alone.
class LocalSolver : public Solver {
  public:
    using Solver::set_base;
    using Solver::Solver;
    void set_base(Solver& other, const std::string& formula = {}) override {
        auto* local = dynamic_cast<LocalSolver*>(&other);
        if (!local || local->setup_.method->device != setup_.method->device)
            return set_base(other.field(formula));
        local->copy_field(formula, make_base());
    }

  protected:
    /// Returns when the copy is complete.
    virtual void copy_field(const std::string& formula, FieldView<double> out) = 0;
    /// The base field, allocated at first use.
    virtual FieldView<double> make_base() = 0;

    /// The rows without halo.
    template <class View>
    View own(const View& view) const {
        return view.rows(setup_.slab.above, setup_.local_rows());
    }

    // Interpolation between two cells may need a halo row, which the base field does not have.
    bool samples_halo(const Observable& what) const {
        return !setup_.slab.whole() && !needs_base(what.quantity);
    }
    Sampling sampling(const Observable& what, bool smooth) const {
        return {smooth, samples_halo(what) ? setup_.slab.first : first_row(), setup_.slab.field_rows};
    }
};

/// `Device` is CpuDevice or CudaDevicePart: it makes executors, copies arrays and reads views.
template <class Device>
class DeviceSolver : public Device {
  public:
    using Device::Device;

    equation::Clock clock() const override { return clock_; }
    void set_clock(const equation::Clock& clock) override {
        clock_ = clock;
        changed();
    }

    void load_fields(const RowSource& start) override {
        fill_components(start, 0);
        loaded();
    }

    std::vector<Field> fields() override {
        return setup_.is_general() ? copies(setup_.dtype) : Device::fields();
    }

    InnerState inner(bool with_cells) override {
        InnerState state{{}, numbers()};
        for (const auto& [name, c] : inner_arrays())
            state.arrays.emplace(
                name, with_cells ? this->download(FieldView<const T>(own(component(c)))) : Field());
        return state;
    }

    bool take_inner(const InnerRows& inner) override {
        const std::vector<InnerArray> arrays = inner_arrays();
        for (const auto& [name, c] : arrays)
            if (const auto array = inner.find(name);
                !array || !this->matches(inner.arrays, *array, dtype_of<T>))
                return false;
        if (!take_numbers(inner.numbers)) return false;
        for (const auto& [name, c] : arrays) fill(component(c), inner.arrays, *inner.find(name));
        touched();
        return true;
    }

    void read_rows(const SolverArray& array, const RowSink& sink) override {
        using Kind = SolverArray::Kind;
        if (array.kind == Kind::observable) return Device::read_rows(array, sink);
        if (array.kind == Kind::component && !setup_.is_general()) return Device::read_rows({}, sink);
        const bool inner = array.kind == Kind::inner;
        const std::vector<InnerArray> all = inner_arrays();
        const auto c =
            inner ? std::ranges::find(all, array.inner, &InnerArray::name)->component : array.component;
        this->give_rows(FieldView<const T>(own(component(c))), inner ? dtype_of<T> : setup_.dtype, sink);
    }

    std::unique_ptr<SavedState> save() override {
        auto saved = std::make_unique<Saved>();
        for (std::size_t c = 0; c < stored_components(); ++c) saved->kept.push_back(keep(component(c)));
        saved->numbers = numbers();
        saved->clock = clock();
        saved->step = step_;
        return saved;
    }

    void restore(const SavedState& state) override {
        const auto& saved = dynamic_cast<const Saved&>(state);
        step_ = saved.step;
        for (std::size_t c = 0; c < stored_components(); ++c) take_back(saved.kept[c], component(c));
        if (!take_numbers(saved.numbers)) throw std::logic_error("a state of another method");
        set_clock(saved.clock);
        touched();
        this->forget_largest();
    }

    PartialStatistics sums(const Observable& what, Summand summand) override {
        return stencil::sums(view_of(what), summand, first_row());
    }
    std::vector<double> percentiles(const Observable& what, std::span<const double> q) override {
        return stencil::percentiles(view_of(what), q, setup_.sum);
    }
    std::vector<std::uint64_t> histogram(const Observable& what, double low, double high, int bins) override {
        return stencil::histogram(view_of(what), {low, high, bins});
    }
    std::vector<double> sample(const Observable& what,
                               std::span<const SamplePoint> points,
                               bool smooth) override {
        return stencil::sample(view_of(what, this->samples_halo(what)), points, this->sampling(what, smooth));
    }

    void paint_piece(const BrushPiece& piece, std::size_t c) override {
        paint_cells(own(component(c)), piece);
        forget_past();
        touched();
    }

    double largest_value(const StepParameters&) const override {
        return std::numeric_limits<double>::infinity();
    }

  protected:
    using T = typename Device::Cell;
    using Stepper = typename Device::Stepper;
    using View = typename Device::View;
    using Device::first_row;
    using Device::own;
    using Device::setup_;
    using Device::step_;
    static constexpr bool kFloat64 = sizeof(T) == sizeof(double);

    /// The stored array of a component, halo rows included, and its plain field.
    virtual FieldView<T> component(std::size_t c) = 0;
    virtual PlainView<const T> plain(std::size_t c) {
        return PlainView<const T>(FieldView<const T>(component(c)));
    }
    virtual void copy_component(std::size_t c, FieldView<T> to) { this->copy_array(component(c), to); }
    /// Number of the state's arrays: the components and, behind them, the arrays that a multistep integrator
    /// keeps.
    virtual std::size_t stored_components() const { return components(); }
    /// The arrays of the state that are not part of the plain fields.
    struct InnerArray {
        std::string name;
        std::size_t component;
    };
    virtual std::vector<InnerArray> inner_arrays() const { return {}; }
    /// Called after cells were changed other than by a step: discards what the next step would use of
    /// previous ones.
    virtual void forget_past() {}
    /// State of the method besides its arrays. take_numbers() returns false if the numbers belong to another
    /// method.
    virtual InnerNumbers numbers() const { return {}; }
    virtual bool take_numbers(const InnerNumbers&) { return true; }
    /// Called after components were loaded.
    virtual void loaded() = 0;

    const TypedRun& run() const { return *setup_.typed; }
    std::size_t components() const { return setup_.components(); }

    /// Must be called after every change of the state or the parameters.
    void changed() {
        for (auto& formula : formulas_) formula->value.stale = formula->laplacian.stale = true;
    }
    /// Must be called after cells were changed other than by a step.
    void touched() {
        halo_.spoil();
        changed();
    }
    /// Evaluators are compiled for a boundary, so they are dropped.
    void boundary_changed() { formulas_.clear(); }

    void paint_cells(const PlainView<T>& cells, const BrushPiece& piece) {
        stencil::paint(cells, piece, this->runner(), first_row());
    }

    std::vector<HaloRows> stored() {
        std::vector<HaloRows> all;
        for (std::size_t c = 0; c < stored_components(); ++c)
            all.push_back({component(c).data, std::size_t(component(c).pitch) * sizeof(T)});
        return all;
    }
    /// Updates the halo of the state from the neighbouring slabs.
    void refresh_halo() {
        halo_.refresh([this] { return stored(); });
    }

    std::vector<Field> copies(DType dtype) {
        std::vector<Field> all;
        for (std::size_t c = 0; c < components(); ++c) {
            Field field = this->download(FieldView<const T>(own(component(c))));
            all.push_back(field.dtype() == dtype ? std::move(field) : field.to(dtype));
        }
        return all;
    }

    typename Device::Kept keep(FieldView<T> cells) {
        typename Device::Kept kept(cells.nx, cells.ny);
        this->copy_array(cells, kept.view());
        this->finish_copies();
        return kept;
    }
    void take_back(const typename Device::Kept& kept, FieldView<T> to) {
        this->copy_array(kept.view(), to);
        this->finish_copies();
    }

    /// Fills the local rows of an array from a field of a source.
    void fill(FieldView<T> array, const RowSource& source, std::size_t field) {
        for_pieces(source, field, first_row(), setup_.local_rows(), [&](int first, const Field& piece) {
            this->write(piece, own(array).rows(first - first_row(), piece.ny()));
        });
    }
    /// Fills all components, piece by piece, from the fields of a source that begin with `field`.
    void fill_components(const RowSource& source, std::size_t field) {
        const auto take = [&](std::size_t c, int first, const Field& piece) {
            this->write(piece, own(component(c)).rows(first - first_row(), piece.ny()));
        };
        for_pieces(source, field, components(), first_row(), setup_.local_rows(), take);
    }

    void load_data(Stepper& stepper) {
        for (std::size_t d = 0; d < run().data.size(); ++d)
            this->write(part_of(*run().data[d]), stepper.data(int(d)));
    }

    View view_of(const Observable& what, bool with_halo = false) override {
        Quantity quantity = what.quantity;
        if (needs_base(quantity) && base_.size() == 0)
            throw std::logic_error("a solver without a base field");
        const bool laplacian_of_slab = quantity == Quantity::laplacian && !setup_.slab.whole();
        if (with_halo || laplacian_of_slab) refresh_halo();
        QuantitySource<T> source = source_of(what.formula, quantity);
        if (quantity == Quantity::laplacian && !setup_.slab.whole()) {
            // Computed with halo rows, so that local rows have their neighbours.
            if (laplacian_.size() == 0) laplacian_ = typename Device::Kept(setup_.nx, setup_.ny);
            read(this->view(source, quantity), laplacian_.view());
            source.field = FieldView<const T>(laplacian_.view());
            quantity = Quantity::value;
        }
        if (!with_halo) source.field = own(source.field);
        source.base = base_.view();
        return this->view(source, quantity);
    }

    void copy_field(const std::string& formula, FieldView<double> out) override {
        read(view_of(formula), out);
        this->finish_copies();
    }

    FieldView<double> make_base() override {
        if (base_.size() == 0) base_ = typename Device::Base(setup_.nx, setup_.local_rows());
        return base_.view();
    }

    /// The component that a formula is the name of; empty for any other formula.
    std::optional<std::size_t> component_of(const std::string& formula) {
        if (formula.empty() || !setup_.typed) return 0;
        const auto& all = run().equations.components;
        const auto named = std::ranges::find(all, formula, &equation::Evolving::name);
        if (named != all.end()) return std::size_t(named - all.begin());
        return shown_formula(formula).formula.component;
    }

    equation::Clock clock_;  ///< set at the last change of dt
    HaloKeeper halo_{setup_.halo, this->stream_of_steps()};

  private:
    struct Saved : SavedState {
        std::size_t bytes() const override { return kept.size() * kept.front().size() * sizeof(T); }

        std::vector<typename Device::Kept> kept;  ///< indexed by component
        InnerNumbers numbers;
        equation::Clock clock;
        long long step = 0;
    };
    struct Evaluator {
        int array = 0;
        std::unique_ptr<Stepper> stepper = nullptr;
        bool stale = true;
    };
    struct ShownFormula {
        std::string text;
        Shown formula;
        Evaluator value = {}, laplacian = {};
    };

    // The field to read for a formula and, in `quantity`, which quantity of it.
    QuantitySource<T> source_of(const std::string& formula, Quantity& quantity) {
        const bool laplacian = quantity == Quantity::laplacian;
        const auto component = component_of(formula);
        // Diffusion methods have one boundary, which Quantity::laplacian handles; other models need an
        // evaluator.
        if (component && (!laplacian || !setup_.is_general()))
            return {plain(*component), setup_.params.boundary, {}};
        const FieldView<const T> cells = evaluated(shown_formula(formula), laplacian);
        if (laplacian) quantity = Quantity::value;
        return {PlainView<const T>(cells), setup_.params.boundary, {}};
    }

    // Finds or parses a formula; most recently used last.
    ShownFormula& shown_formula(std::string text) {
        constexpr std::size_t kMost = 8;
        if (text.empty()) text = run().equations.components.front().name;
        const auto known = std::ranges::find(formulas_, text, [](const auto& one) { return one->text; });
        if (known != formulas_.end()) {
            std::rotate(known, known + 1, formulas_.end());
            return *formulas_.back();
        }
        // Diffusion methods may change the boundary between steps; other models get a new solver for that.
        const auto boundary = setup_.is_general() ? std::nullopt : std::optional(setup_.params.boundary);
        auto made = std::make_unique<ShownFormula>(ShownFormula{text, Shown(run(), text, boundary)});
        if (formulas_.size() == kMost) formulas_.erase(formulas_.begin());
        return *formulas_.emplace_back(std::move(made));
    }

    void compile(Evaluator& evaluator, const ShownFormula& shown, bool laplacian) {
        const auto made = shown.formula.program(laplacian, kFloat64);
        if (setup_.halo) require_reach(*made, shown.text, setup_.halo->depth());
        make_room(program_bytes(setup_, made->program));
        evaluator = {made->arrays.front(), this->make_stepper({made, &made->program})};
        load_data(*evaluator.stepper);
    }

    // Drops old evaluators: solver_bytes() counts one value and one Laplacian; small fields may keep more.
    void make_room(double bytes) {
        constexpr double kBytes = 64e6;
        std::vector<Evaluator*> compiled;
        for (auto& formula : formulas_)
            for (Evaluator* each : {&formula->value, &formula->laplacian})
                if (each->stepper) compiled.push_back(each);
        const std::size_t most = std::max<std::size_t>(2, std::size_t(kBytes / bytes));
        for (std::size_t i = 0; i + most <= compiled.size(); ++i) *compiled[i] = {};
    }

    FieldView<const T> evaluated(ShownFormula& shown, bool laplacian) {
        Evaluator& evaluator = laplacian ? shown.laplacian : shown.value;
        if (!evaluator.stepper) compile(evaluator, shown, laplacian);
        Stepper& stepper = *evaluator.stepper;
        if (evaluator.stale) {
            refresh_halo();
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

    std::vector<std::unique_ptr<ShownFormula>> formulas_;
    typename Device::Base base_;       ///< empty until needed
    typename Device::Kept laplacian_;  ///< for slabs, empty until needed
};

}  // namespace stencil

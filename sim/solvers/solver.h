// The state of a run on one device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/equation/input_values.h"
#include "kernels/field/slab.h"
#include "kernels/methods/inner_state.h"
#include "kernels/methods/method.h"
#include "kernels/view/brush.h"
#include "kernels/view/quantity.h"
#include "kernels/view/resample.h"
#include "kernels/view/statistics/percentiles.h"
#include "sim/field/field.h"
#include "sim/field/pixels.h"
#include "sim/field/row_source.h"
#include "sim/problem/step_parameters.h"
#include "sim/solvers/halo.h"

namespace stencil {

struct RunSpec;
struct TypedRun;
class StripExchange;
namespace user_kernel {
struct UserKernel;
}
namespace equation {
template <class T>
class EquationStepper;
}

struct SolverSetup {
    const Method* method = nullptr;
    int nx = 0;
    int ny = 0;
    DType dtype = DType::float32;
    StepParameters params;
    int threads = 1;                                                  ///< host threads, also on CUDA
    std::shared_ptr<const TypedRun> typed = nullptr;                  ///< the model's equations
    std::shared_ptr<const user_kernel::UserKernel> kernel = nullptr;  ///< replaces the method

    /// For a slab of a distributed field (ny counts ghost rows): its rows and communication objects. Solvers
    /// load and return local rows only; percentiles are of the whole field.
    Slab slab = {};
    HaloExchange* halo = nullptr;
    StripExchange* strips = nullptr;
    SumOverSlabs sum = {};

    /// Number of the model's components; 1 for diffusion.
    std::size_t components() const;
    /// Whether the method steps typed equations.
    bool is_general() const { return method->model == kEquation; }
    /// Precision of the state.
    DType state_dtype() const { return method->float64_state ? DType::float64 : dtype; }
    int local_rows() const { return ny - slab.above - slab.below; }
    /// The shape that the method steps; spectral methods need no halo.
    FieldShape stepped_shape() const { return {nx, method->jumps ? local_rows() : ny}; }
};

/// The setup of a resolved spec. Throws InputError if a typed model's file cannot be read.
SolverSetup solver_setup(const RunSpec& spec);
/// The same without pictures and arrays, for estimates before they are read.
SolverSetup setup_without_data(const RunSpec& spec);

/// The setup for the executors of typed equations; on CUDA with their stream.
equation::EquationSetup equation_setup(const SolverSetup& setup, CudaStream* stream = nullptr);

/// A quantity of a component or formula, to be shown or measured.
struct Observable {
    Observable(Quantity q = Quantity::value) : quantity(q) {}
    Observable(std::string f, Quantity q = Quantity::value) : formula(std::move(f)), quantity(q) {}

    std::string formula;  ///< empty: the first component
    Quantity quantity;    ///< value, Laplacian ...
};

/// Selects an array of a solver: an observable, a component of the state, or an inner array.
struct SolverArray {
    enum class Kind : std::uint8_t { observable, component, inner } kind = Kind::observable;
    std::size_t component = 0;
    std::string inner = {};  ///< name of the inner array
    Observable observable = {};
};

/// A copy of a solver's state on its device, fast to save and restore.
class SavedState {
  public:
    virtual ~SavedState() = default;
    virtual std::size_t bytes() const = 0;
};

/// A kernel variant that autotuning has tried.
struct TriedCode {
    std::string name;
    int registers = 0, spilled_bytes = 0;  ///< per GPU thread; 0 on the CPU
    int blocks = 0;                        ///< resident per multiprocessor
    double gcells_per_s = 0;               ///< measured on this field; 0: does not fit
    bool used = false;                     ///< selected
};

/// Which executor makes the steps. All of them give the same bits.
struct ExecutionPath {
    std::string name = {};                ///< "compiled" etc.; empty if there is only one
    std::string why_not = {};             ///< why it is not the fastest, in one line
    bool compiling = false;               ///< a faster one is being compiled
    std::optional<int> steps_fused = {};  ///< if not Method::steps_fused
    double operations = 0;                ///< per cell, for typed equations: equation::operations_of_cell()
    std::string origin = {};              ///< compiler, or the cache entry used
    std::vector<TriedCode> tried = {};
};

/// A method's state besides the plain fields; empty for methods without such a state.
struct InnerState {
    std::map<std::string, Field> arrays;
    InnerNumbers numbers;
};

/// An InnerState whose arrays are fields of a source, beginning with `first`, in the order of `names`.
struct InnerRows {
    InnerNumbers numbers;
    std::vector<std::string> names;
    const RowSource& arrays;
    std::size_t first = 0;

    std::optional<std::size_t> find(std::string_view name) const {
        const auto found = std::ranges::find(names, name);
        if (found == names.end()) return std::nullopt;
        return first + std::size_t(found - names.begin());
    }
};

/// A portable copy of the state: host arrays, integers and doubles, the same on every machine.
struct SolverRecord {
    State plain;          ///< in the solver's precision; any solver can load it
    std::string method;   ///< name in the method table
    std::string backend;  ///< device of that method
    InnerState inner;     ///< usable only by the same method
    std::optional<equation::Clock> clock = {};
    /// Cells of the components and then of the inner arrays, unless they are in the members above.
    std::shared_ptr<const RowSource> arrays = nullptr;
};

// Convert a clock for checkpoints. take_clock() removes it from the numbers.
InnerNumbers numbers_of(const equation::Clock& clock);
std::optional<equation::Clock> take_clock(InnerNumbers& numbers);

using BatchMember =
    std::variant<std::monostate, equation::EquationStepper<float>*, equation::EquationStepper<double>*>;

class Solver {
  public:
    explicit Solver(const SolverSetup& setup) : setup_(setup) {}
    virtual ~Solver() = default;

    /// Loads an initial state and its step: fields of the whole size, rounded to the setup's precision. The
    /// overload for a Field is for models with one component.
    void load(const RowSource& start, long long step = 0);
    void load(const State& start) { load(FieldRows(pointers_to(start.components)), start.step); }
    void load(const Field& start, long long step = 0) { load(FieldRows({&start}), step); }
    /// Loads another solver's state of the same model and size, rounded to this precision.
    virtual void load(Solver& other) { load(other.state().to(setup_.dtype)); }
    /// Takes component c from component `kept[c]` of another model's solver, on the device, or from the
    /// initial state if that is -1. Returns false and changes nothing if the two store cells differently.
    virtual bool go_on_from(Solver& /*other*/, std::span<const int> /*kept*/, const RowSource& /*start*/) {
        return false;
    }

    /// The plain fields in the setup's precision, and the step.
    State state();
    long long step() const { return step_; }
    /// The step and time from which the time of further steps is computed. load() resets it for a run with
    /// the present dt; a solver that takes over from another one continues its clock.
    virtual equation::Clock clock() const = 0;
    virtual void set_clock(const equation::Clock& clock) = 0;
    double time() const { return clock().time + double(step_ - clock().step) * setup_.params.dt; }

    /// Applies from the next step on.
    virtual void set_params(const StepParameters& params) = 0;

    /// Advances by `steps` >= 0. On CUDA it may return before they are done.
    void advance(long long steps);

    /// Makes the next steps estimate their errors, which does not change their results by a bit. Returns
    /// false if the solver cannot.
    virtual bool estimate_errors(bool /*on*/) { return false; }
    /// Sums over component c's estimated errors in the last step.
    virtual PartialStatistics error_sums(std::size_t c, Summand summand);
    /// The estimated error of the last step: the root mean square over the cells, relative to 1 + |u|, of the
    /// component with the largest one. NaN if a cell is not finite.
    double step_error();

    /// Waits for all steps and returns the seconds that those since the last call took, by device events on
    /// CUDA and the host's clock on the CPU.
    virtual double wait() = 0;

    /// The stepper on the CPU whose steps a batch may make elsewhere; empty: the method has none.
    virtual BatchMember batch_member() { return {}; }
    /// Counts steps that a batch has made with batch_member().
    void made_elsewhere(long long steps);

    /// Hints how many steps will follow, to decide whether compiling pays off; by default as many as so far.
    virtual void expect(long long /*steps*/) {}
    /// Waits for background compilation and autotuning, so that further steps are the fastest.
    virtual void wait_for_fastest() {}
    virtual ExecutionPath way() const { return {}; }
    /// Number of processes that step the field.
    virtual int processes() const { return 1; }

    // Observers do not change the state. They throw InputError for invalid formulas.

    /// A copy of the value or the Laplacian, in the setup's precision.
    virtual Field field(const Observable& what = {}) = 0;
    Field laplacian(const std::string& formula = {}) { return field({formula, Quantity::laplacian}); }
    /// Copies any array to `sink`, some rows at a time if that saves memory.
    virtual void read_rows(const SolverArray& array, const RowSink& sink);
    /// Writes the array as a .npy file and returns its field_hash(). Throws FileError and then leaves no
    /// file.
    virtual std::string write_npy(const std::filesystem::path& path, const SolverArray& array);
    /// A complete device copy, (ny, nx) without padding; null on the CPU and if the state has another
    /// precision than the setup.
    virtual CudaMemory device_copy(const Observable& /*value or laplacian*/) { return {}; }

    // The functions for the window do not copy the field to the host.

    /// Sets the base field of Quantity::difference and ::base, in float64: a field of the setup's size, or a
    /// formula of another solver on the same device with the same size.
    virtual void set_base(const Field& base) = 0;
    virtual void set_base(const RowSource& source, std::size_t field) {
        set_base(source.rows(field, 0, source.ny()));
    }
    virtual void set_base(Solver& other, const std::string& formula = {}) = 0;

    /// Resamples into `out`, enlarging it if needed. On CUDA the pixels stay on the device unless `to_host`.
    /// Returns when they are complete.
    virtual void resample(const Observable& what,
                          const ResampleRequest& request,
                          bool to_host,
                          Pixels& out) = 0;

    /// Sums over its own rows in float64, in an order that depends only on the shape of the whole field.
    virtual PartialStatistics sums(const Observable& what, Summand summand) = 0;
    Statistics statistics(const Observable& what) { return sums(what, Summand::value).statistics(); }
    /// The 2-norm over all cells; NaN if a cell is not finite.
    double norm(const Observable& what) { return sums(what, Summand::square).norm(); }

    /// Exact percentiles (NumPy's "linear") of the finite cells for each q in [0, 100]; empty if no cell is
    /// finite.
    virtual std::vector<double> percentiles(const Observable& what, std::span<const double> q) = 0;

    /// Counts finite cells in `bins` equal bins of [low, high], the last one closed; others are not counted.
    /// Needs low < high and 1 <= bins <= kMaxBins (kernels/view/statistics/histogram_bins.h).
    virtual std::vector<std::uint64_t> histogram(const Observable& what,
                                                 double low,
                                                 double high,
                                                 int bins) = 0;

    /// Values at points: nearest cell, or interpolated between cell centres as in resample(). NaN outside of
    /// the field.
    virtual std::vector<double> sample(const Observable& what,
                                       std::span<const SamplePoint> points,
                                       bool smooth) = 0;

    /// Paints on a component before the next step. Cells out of the brush's reach keep every bit.
    void paint(const BrushPiece& piece, std::size_t component = 0);

    /// The largest |value| of the finite cells.
    double measure_largest();
    /// Whether values up to `largest` stay in the precision's range during stable steps.
    bool fits(const StepParameters& params, double largest) const { return largest <= largest_value(params); }
    /// Whether the field's values stay in range with these parameters, or after this segment with the present
    /// parameters.
    bool fits(const StepParameters& params);
    bool fits(const BrushPiece& piece);
    double largest_allowed(const StepParameters& params) const { return largest_value(params); }

    /// Copies and restores the exact state, including the method's inner state, between solvers of the same
    /// setup.
    virtual std::unique_ptr<SavedState> save() = 0;
    virtual void restore(const SavedState& state) = 0;

    /// Portable copies. resume() takes one of any solver of this size. If method, backend and precision (for
    /// typed equations, the arrays) are the same, it takes the inner state and returns true, and further
    /// steps have the same bits; otherwise it takes the plain fields.
    SolverRecord snapshot();
    bool resume(const SolverRecord& snapshot);

    // State besides the plain fields, for snapshot() and resume().

    /// Empty if there is no such state. Without cells its arrays are empty.
    virtual InnerState inner(bool with_cells = true) = 0;
    /// Returns false and changes nothing if the state was not saved by such a solver.
    virtual bool take_inner(const InnerRows& inner) = 0;

  protected:
    virtual void load_fields(const RowSource& start) = 0;
    /// Index of the first local row in the whole field.
    int first_row() const { return setup_.slab.first + setup_.slab.above; }
    /// Whether the array has the whole field's size and this precision.
    bool matches(const RowSource& arrays, std::size_t field, DType dtype) const;
    /// All components in the setup's precision.
    virtual std::vector<Field> fields();
    virtual void advance_by(long long steps) = 0;
    virtual void changed_elsewhere() {}
    virtual void paint_piece(const BrushPiece& piece, std::size_t component) = 0;
    virtual double largest_value(const StepParameters& params) const = 0;
    void forget_largest() { largest_.reset(); }

    SolverSetup setup_;
    long long step_ = 0;

  private:
    void count(long long steps);
    double largest() { return largest_ ? *largest_ : measure_largest(); }
    double largest_with(const BrushPiece& piece);

    std::optional<double> largest_;  ///< an upper bound, since stable steps never raise it
};

/// Makes the solver for a setup, whose method must be in this build. Throws CudaError and std::bad_alloc.
std::unique_ptr<Solver> make_solver(const SolverSetup& setup);

/// Bytes that such a solver, or a program of its equations, allocates on its device.
double solver_bytes(const SolverSetup& setup);
double program_bytes(const SolverSetup& setup, const equation::Program& program);

// Called by make_solver().
std::unique_ptr<Solver> make_cpu_solver(const SolverSetup& setup);
std::unique_ptr<Solver> make_cuda_solver(const SolverSetup& setup);

}  // namespace stencil

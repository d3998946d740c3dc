// One state on one device.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/field/slab.h"
#include "kernels/methods/method.h"
#include "kernels/view/brush.h"
#include "kernels/view/quantity.h"
#include "kernels/view/resample.h"
#include "kernels/view/statistics/percentiles.h"
#include "sim/field/pixels.h"
#include "sim/field/row_source.h"
#include "sim/field/state.h"
#include "sim/run/solvers/halo.h"
#include "sim/run/solvers/solver_snapshot.h"
#include "sim/run/solvers/step_parameters.h"

namespace stencil {

struct TypedRun;
class StripExchange;
namespace user_kernel {
struct UserKernel;
}

struct SolverSetup {
    const Method* method = nullptr;
    int nx = 0;
    int ny = 0;
    DType dtype = DType::float32;
    StepParameters params;
    int threads = 1;  ///< of the CPU backend; on CUDA too, for what the host does
    std::shared_ptr<const TypedRun> typed = nullptr;                  ///< the model's equations
    std::shared_ptr<const user_kernel::UserKernel> kernel = nullptr;  ///< steps instead of the method

    /// Of a part of a field, whose ny rows are its own and the halo's, what joins it to the others. What a
    /// solver takes and gives is of its own rows alone; percentiles are of the whole field.
    Slab slab = {};
    HaloExchange* halo = nullptr;
    StripExchange* strips = nullptr;  ///< where the method jumps
    SumOfParts sum = {};

    /// Of the model; diffusion has one.
    std::size_t components() const;
    /// The method steps any typed equations.
    bool is_general() const { return method->model == kEquation; }
    /// Of what is stepped.
    DType state_dtype() const { return method->float64_state ? DType::float64 : dtype; }
    int own_rows() const { return ny - slab.above - slab.below; }
    /// What the method works on: what jumps needs no halo.
    FieldShape stepped_shape() const { return {nx, method->jumps ? own_rows() : ny}; }
};

/// What is looked at: a component by its name, or another formula of the model's names.
struct Observable {
    Observable(Quantity q = Quantity::value) : quantity(q) {}
    Observable(std::string f, Quantity q = Quantity::value) : formula(std::move(f)), quantity(q) {}

    std::string formula;  ///< empty: the first component
    Quantity quantity;    ///< of it
};

/// Which of a solver's arrays: what is looked at, a component of the state, or an inner array.
struct SolverArray {
    enum class Kind : std::uint8_t { observable, component, inner } kind = Kind::observable;
    std::size_t component = 0;
    std::string inner = {};  ///< its name
    Observable observable = {};
};

/// A solver's state at one moment, kept where the solver keeps its own: quick to take and to come back to.
class SavedState {
  public:
    virtual ~SavedState() = default;
    virtual std::size_t bytes() const = 0;
};

/// Compiled code that steps could be made with.
struct TriedCode {
    std::string name;
    int registers = 0, spilled_bytes = 0;  ///< of a thread of the GPU; 0 and 0 on the CPU
    int blocks = 0;                        ///< on a multiprocessor at a time
    double gcells_per_s = 0;               ///< timed on the field as it was then; 0: does not fit it
    bool used = false;                     ///< makes the steps now
};

/// How a solver steps where there are several ways to the same bits.
struct SteppingWay {
    std::string name = {};                ///< "compiled"; empty where there is one way
    std::string why_not = {};             ///< what keeps it from the fastest, in a line
    bool compiling = false;               ///< a faster one is on its way
    std::optional<int> steps_fused = {};  ///< where they are not the method's: Method::steps_fused
    double operations = 0;                ///< of typed equations: equation::operations_of_cell()
    std::string origin = {};              ///< of compiled code: what made it, or where it was kept
    std::vector<TriedCode> tried = {};
};

class Solver {
  public:
    explicit Solver(const SolverSetup& setup) : setup_(setup) {}
    virtual ~Solver() = default;

    /// The state to start from: a field of the size of the whole for each component, rounded to the setup's
    /// precision, and its step. `load(field)` is of one component.
    void load(const RowSource& start, long long step = 0);
    void load(const State& start) { load(FieldRows(pointers_to(start.components)), start.step); }
    void load(const Field& start, long long step = 0) { load(FieldRows({&start}), step); }
    /// What another solver of the same model and size has, rounded to this one's precision.
    virtual void load(Solver& other) { load(other.state().to(setup_.dtype)); }
    /// Component c goes on from component `kept[c]` of a solver of another model, on its device, or from the
    /// start where that is -1. False, and nothing has changed, where the two do not keep cells alike.
    virtual bool go_on_from(Solver& /*other*/, std::span<const int> /*kept*/, const RowSource& /*start*/) {
        return false;
    }

    /// The plain fields, in the setup's precision, and the step.
    State state();
    long long step() const { return step_; }

    /// From the next step on.
    virtual void set_params(const StepParameters& params) = 0;

    /// Advances by `steps` >= 0. On CUDA it may return before they are done.
    void advance(long long steps);

    /// Waits for all steps so far and returns the seconds that those since the last call took: device events
    /// on CUDA, the host's clock on the CPU.
    virtual double wait() = 0;

    /// About so many steps are to come: what compiling code for them is worth. Until that is said, as many as
    /// were made.
    virtual void expect(long long /*steps*/) {}
    /// Waits for what becomes ready while it steps, so that further steps are the fastest that it has.
    virtual void wait_for_fastest() {}
    virtual SteppingWay way() const { return {}; }
    /// That step the field together.
    virtual int processes() const { return 1; }

    // Looking changes nothing. A formula that cannot be read throws InputError.

    /// A copy of the value or the Laplacian, in the setup's precision.
    virtual Field field(const Observable& what = {}) = 0;
    Field laplacian(const std::string& formula = {}) { return field({formula, Quantity::laplacian}); }
    /// A copy of any of its arrays, some rows at a time where that takes less memory.
    virtual void read_rows(const SolverArray& array, const RowSink& sink);
    /// The same as a .npy file; its field_hash(). Throws FileError, and leaves no file then.
    virtual std::string write_npy(const std::filesystem::path& path, const SolverArray& array);
    /// The same on the device, (ny, nx) without padding, there when this returns; null on the CPU, and of a
    /// solver that steps in another precision than the setup's.
    virtual CudaMemory device_copy(const Observable& /*value or laplacian*/) { return {}; }

    // What the window asks for. Nothing here copies the field to the host.

    /// The base field of Quantity::difference and ::base, in float64: a field of the setup's size, or a
    /// formula of what another solver of the same device and size holds now.
    virtual void set_base(const Field& base) = 0;
    virtual void set_base(const RowSource& source, std::size_t field) {
        set_base(source.rows(field, 0, source.ny()));
    }
    virtual void set_base(Solver& other, const std::string& formula = {}) = 0;

    /// Resamples into `out`, which it makes large enough. On CUDA the pixels stay on the device unless
    /// `to_host`; they are there when this returns.
    virtual void resample(const Observable& what,
                          const ResampleRequest& request,
                          bool to_host,
                          Pixels& out) = 0;

    /// Over all cells, in float64.
    virtual Statistics statistics(const Observable& what) = 0;

    /// The 2-norm over all cells, in float64; NaN where a cell is no finite number.
    virtual double norm(const Observable& what) = 0;

    /// NumPy's percentile (linear) of the finite cells, exactly, for each q in [0, 100]; empty where no cell
    /// is finite. The extremes are percentiles 0 and 100.
    virtual std::vector<double> percentiles(const Observable& what, std::span<const double> q) = 0;

    /// How many finite cells fall into each of `bins` equal parts of [low, high], the last one closed;
    /// those outside are not counted. low < high; 1 <= bins <= kMaxBins
    /// (kernels/view/statistics/histogram_bins.h).
    virtual std::vector<std::uint64_t> histogram(const Observable& what,
                                                 double low,
                                                 double high,
                                                 int bins) = 0;

    /// At points of the field: the cell that holds the point, or interpolated between cell centres as
    /// resample() does. NaN beyond the field.
    virtual std::vector<double> sample(const Observable& what,
                                       std::span<const SamplePoint> points,
                                       bool smooth) = 0;

    /// On a component before the next step. The cells that the brush does not reach keep every bit.
    void paint(const BrushPiece& piece, std::size_t component = 0);

    /// The largest |value| of the finite cells.
    double measure_largest();
    /// Whether stable steps of values up to `largest` stay in the range of the precision.
    bool fits(const StepParameters& params, double largest) const { return largest <= largest_value(params); }
    /// Whether those of the field do with these parameters, or with the present ones after this piece.
    bool fits(const StepParameters& params);
    bool fits(const BrushPiece& piece);
    double largest_allowed(const StepParameters& params) const { return largest_value(params); }

    /// To the bit, what the method keeps inside included. restore() takes what a solver of the same setup has
    /// saved.
    virtual std::unique_ptr<SavedState> save() = 0;
    virtual void restore(const SavedState& state) = 0;

    /// The same, portable. resume() takes what any solver of this size gave: of the same method, backend and
    /// precision it takes the inner state, and all further steps have the bits that they would have had, and
    /// the result is true; of any other it takes the plain fields.
    SolverSnapshot snapshot();
    bool resume(const SolverSnapshot& snapshot);

    // What snapshot() and resume() take besides the plain fields.

    /// Empty where the plain fields are all there is. Without cells its arrays are empty.
    virtual InnerState inner(bool with_cells = true) = 0;
    /// False, and nothing is changed, where that is not this solver's.
    virtual bool take_inner(const InnerRows& inner) = 0;

  protected:
    virtual void load_fields(const RowSource& start) = 0;
    /// The row of the whole field that is the first of its own.
    int first_row() const { return setup_.slab.first + setup_.slab.above; }
    /// It has the size of the whole field, and this precision.
    bool matches(const RowSource& arrays, std::size_t field, DType dtype) const;
    /// All components, in the setup's precision.
    virtual std::vector<Field> fields();
    virtual void advance_by(long long steps) = 0;
    virtual void paint_piece(const BrushPiece& piece, std::size_t component) = 0;
    virtual double largest_value(const StepParameters& params) const = 0;
    void forget_largest() { largest_.reset(); }

    SolverSetup setup_;
    long long step_ = 0;

  private:
    double largest() { return largest_ ? *largest_ : measure_largest(); }
    double largest_with(const BrushPiece& piece);

    std::optional<double> largest_;  ///< a bound, since stable steps never raise it
};

/// Throws CudaError and std::bad_alloc. The method must be one that this build has.
std::unique_ptr<Solver> make_solver(const SolverSetup& setup);

/// Bytes that a solver of this kind allocates on its device.
double solver_bytes(const SolverSetup& setup);

// Made by make_solver().
std::unique_ptr<Solver> make_cpu_solver(const SolverSetup& setup);
std::unique_ptr<Solver> make_cuda_solver(const SolverSetup& setup);
std::unique_ptr<Solver> make_equation_solver(const SolverSetup& setup);
std::unique_ptr<Solver> make_cuda_equation_solver(const SolverSetup& setup);
std::unique_ptr<Solver> make_cuda_kernel_solver(const SolverSetup& setup);

}  // namespace stencil

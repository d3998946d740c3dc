#include "sim/solvers/solver.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/cuda/profile_range.h"
#include "kernels/equation/equation_stepper.h"
#include "kernels/methods/spectral/zero_jump.h"
#include "kernels/view/paint_cell.h"
#include "sim/files/npy_rows.h"
#include "sim/problem/start.h"
#include "sim/problem/typed_run.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {

namespace {

std::vector<BrushPiece> parts_of_fill(const BrushPiece& fill, const Field& field) {
    if (!(fill.x0 >= 0 && fill.y0 >= 0 && fill.x0 < field.nx() && fill.y0 < field.ny())) return {};
    std::vector<BrushPiece> parts;
    field.visit([&](const auto& cells) {
        for (const CellBox& box : flood_fill(cells.view(), int(fill.x0), int(fill.y0), fill.brush.radius)) {
            BrushPiece part{fill.brush, double(box.x), double(box.y), 0, 0, false};
            part.brush.shape = BrushShape::rectangle;
            part.x1 = box.x + box.nx;
            part.y1 = box.y + box.ny;
            parts.push_back(part);
        }
    });
    return parts;
}

SolverSetup setup_of(const RunSpec& spec, bool with_data) {
    SolverSetup setup{method_of(spec), spec.size->nx, spec.size->ny, spec.dtype, spec.params(), spec.threads};
    setup.typed = typed_run(spec, with_data);
    if (user_kernel::fits(spec)) setup.kernel = spec.kernel;
    return setup;
}

}  // namespace

SolverSetup solver_setup(const RunSpec& spec) {
    return setup_of(spec, true);
}

SolverSetup setup_without_data(const RunSpec& spec) {
    return setup_of(spec, false);
}

equation::EquationSetup equation_setup(const SolverSetup& setup, CudaStream* stream) {
    equation::EquationSetup made;
    made.nx = setup.nx;
    made.ny = setup.ny;
    made.slab = setup.slab;
    made.spacing = setup.typed->equations.spacing;
    made.dt = setup.params.dt;
    made.parameters = setup.params.values;
    made.seed = setup.typed->seed;
    made.plain = setup.method->float64_state;
    made.sum_over_slabs = setup.sum;
    made.fill_halos = [halo = setup.halo, stream](std::span<const ByteRows> arrays) {
        std::vector<HaloRows> rows;
        for (const ByteRows& array : arrays) rows.push_back({array.data, array.pitch});
        halo->exchange(rows, stream);
    };
    made.strips = setup.strips;
    return made;
}

InnerNumbers numbers_of(const equation::Clock& clock) {
    InnerNumbers numbers{{"clock_step", std::int64_t(clock.step)}, {"clock_time", clock.time}};
    if (clock.past_dt > 0) numbers.emplace("clock_past_dt", clock.past_dt);
    return numbers;
}

std::optional<equation::Clock> take_clock(InnerNumbers& numbers) {
    const auto step = numbers.extract("clock_step"), time = numbers.extract("clock_time"),
               past = numbers.extract("clock_past_dt");
    if (!step || !time) return std::nullopt;
    const auto* whole = std::get_if<std::int64_t>(&step.mapped());
    const auto* real = std::get_if<double>(&time.mapped());
    if (!whole || !real) return std::nullopt;
    const auto* past_dt = past ? std::get_if<double>(&past.mapped()) : nullptr;
    return equation::Clock{*whole, *real, past_dt ? *past_dt : 0};
}

std::size_t SolverSetup::components() const {
    return typed ? typed->equations.components.size() : 1;
}

void Solver::load(const RowSource& start, long long step) {
    step_ = step;
    load_fields(start);
    forget_largest();
}

std::vector<Field> Solver::fields() {
    std::vector<Field> one;
    one.push_back(field());
    return one;
}

State Solver::state() {
    return {fields(), step_};
}

void Solver::advance(long long steps) {
    const ProfileRange range(std::string(setup_.method->name));
    advance_by(steps);
    count(steps);
}

void Solver::made_elsewhere(long long steps) {
    changed_elsewhere();
    count(steps);
}

void Solver::count(long long steps) {
    step_ += steps;
    const double coefficient = setup_.params.coefficient;
    if (coefficient < 0 || coefficient > kStabilityLimit) forget_largest();
}

void Solver::paint(const BrushPiece& piece, std::size_t component) {
    if (largest_) largest_ = largest_with(piece);
    // A brush that blends the component towards a value blends its sensitivities towards 0. For slabs the
    // solver of the whole field does so.
    std::vector<std::size_t> tangents;
    if (setup_.typed && setup_.slab.whole() && !piece.brush.add)
        for (std::size_t c = 0; c < setup_.components(); ++c)
            if (setup_.typed->equations.components[c].tangent_of == int(component)) tangents.push_back(c);
    const bool fills = piece.brush.shape == BrushShape::fill;
    for (BrushPiece part : fills ? parts_of_fill(piece, fields()[component]) : std::vector{piece}) {
        paint_piece(part, component);
        part.brush.value = 0;
        for (const std::size_t tangent : tangents) paint_piece(part, tangent);
    }
}

PartialStatistics Solver::error_sums(std::size_t, Summand) {
    throw std::logic_error("steps without estimated errors");
}

double Solver::step_error() {
    const int rows = setup_.slab.whole() ? setup_.ny : setup_.slab.field_rows;
    double largest = 0;
    for (std::size_t c = 0; c < setup_.components() && !std::isnan(largest); ++c) {
        const double error =
            error_sums(c, Summand::square).norm() / std::sqrt(double(setup_.nx) * double(rows));
        if (!(error <= largest)) largest = error;
    }
    return largest;
}

double Solver::measure_largest() {
    const Statistics all = statistics(Quantity::value);
    const double largest = std::max(std::abs(all.min), std::abs(all.max));
    largest_ = largest >= 0 ? largest : 0;  // 0 if no cell is finite
    return *largest_;
}

double Solver::largest_with(const BrushPiece& piece) {
    const double value = std::abs(piece.brush.value);
    return piece.brush.add ? largest() + value : std::max(largest(), value);
}

bool Solver::fits(const StepParameters& params) {
    return fits(params, largest()) || fits(params, measure_largest());
}

bool Solver::fits(const BrushPiece& piece) {
    if (fits(setup_.params, largest_with(piece))) return true;
    forget_largest();
    return fits(setup_.params, largest_with(piece));
}

void Solver::read_rows(const SolverArray& array, const RowSink& sink) {
    using Kind = SolverArray::Kind;
    if (array.kind == Kind::observable)
        sink(0, field(array.observable));
    else if (array.kind == Kind::component)
        sink(0, fields()[array.component]);
    else
        sink(0, inner().arrays.at(array.inner));
}

std::string Solver::write_npy(const std::filesystem::path& path, const SolverArray& array) {
    return write_npy_rows(path, setup_.nx, setup_.ny, [&](const RowSink& sink) { read_rows(array, sink); });
}

bool Solver::matches(const RowSource& arrays, std::size_t field, DType dtype) const {
    const int ny = setup_.slab.whole() ? setup_.ny : setup_.slab.field_rows;
    return arrays.dtypes()[field] == dtype && arrays.nx() == setup_.nx && arrays.ny() == ny;
}

SolverRecord Solver::snapshot() {
    return {state(),
            std::string(setup_.method->name),
            std::string(name_of(setup_.method->device)),
            inner(),
            clock()};
}

bool Solver::resume(const SolverRecord& snapshot) {
    std::vector<const Field*> in_memory = pointers_to(snapshot.plain.components);
    std::vector<std::string> names;
    for (const auto& [name, array] : snapshot.inner.arrays) {
        names.push_back(name);
        in_memory.push_back(&array);
    }
    const auto arrays = snapshot.arrays ? snapshot.arrays : std::make_shared<FieldRows>(in_memory);
    load(*arrays, snapshot.plain.step);
    const std::size_t components = arrays->count() - names.size();
    const bool same_executor =
        setup_.method->is_called(snapshot.method) && snapshot.backend == name_of(setup_.method->device);
    const bool same_bits = (same_executor || setup_.is_general()) &&
                           arrays->dtypes().front() == setup_.dtype &&
                           take_inner({snapshot.inner.numbers, std::move(names), *arrays, components});
    if (snapshot.clock) {
        equation::Clock clock = *snapshot.clock;
        if (!same_bits) clock.past_dt = 0;
        set_clock(clock);
    }
    return same_bits;
}

std::unique_ptr<Solver> make_solver(const SolverSetup& setup) {
    if (setup.method->device == Device::cpu) return make_cpu_solver(setup);
#if STENCILSCOPE_HAS_CUDA
    return make_cuda_solver(setup);
#else
    throw std::logic_error("a CUDA method in a build without CUDA");
#endif
}

// Rows are padded to whole cache lines, on the CPU by one more line.
namespace {
double row_bytes(const SolverSetup& setup) {
    return setup.nx * double(bytes_of(setup.state_dtype())) + 128;
}

// Number of fields that the operator needs besides the program's arrays: one for a transform, or the extended
// lines and spectra of convolutions, of which one kernel at a time is transformed in float64.
double fields_of(const equation::LinearPart& part, int nx, int ny) {
    if (part.kernels.empty()) return 1;
    const double kernels = double(part.kernels.size()),
                 longer = double(equation::torus_length(part.outside[0], nx)) / nx,
                 larger = longer * equation::torus_length(part.outside[1], ny) / ny;
    return (2 + 2 * kernels) * longer + (6 + 2 * kernels) * larger;
}

// Number of fields for the columns of a distributed field. A GPU convolves the whole field, to get the bits
// of a single process.
double strips_of(const equation::LinearPart& part, const SolverSetup& setup) {
    if (part.kernels.empty()) return part.fields + (setup.method->device == Device::cuda ? 1 : 0);
    const double kernels = double(part.kernels.size());
    if (setup.method->device == Device::cpu) return (1 + kernels) * 2;
    const double others = double(setup.slab.field_rows) / setup.ny - 1;
    return 2 + others * (2 + fields_of(part, setup.nx, setup.slab.field_rows));
}
}  // namespace

double program_bytes(const SolverSetup& setup, const equation::Program& program) {
    if (setup.method->device == Device::cuda)
        return double(program.arrays.size()) * row_bytes(setup) * setup.ny;
    using namespace equation;
    return setup.state_dtype() == DType::float64
               ? EquationStepper<double>::bytes(program, setup.nx, setup.ny, setup.threads)
               : EquationStepper<float>::bytes(program, setup.nx, setup.ny, setup.threads);
}

double solver_bytes(const SolverSetup& setup) {
    const Method& method = *setup.method;
    double fields = 2 + method.extra_arrays;
    const bool distributed = !setup.slab.whole();
    if (method.jumps && distributed) ++fields;  // the spectral method's columns
    if (method.jumps && method.device == Device::cpu) fields += zero_jump::kCpuArrays;
    double own = 0;
    // Adds the arrays for the shown formula and its Laplacian.
    if (setup.is_general()) {
        const std::size_t components = setup.typed->equations.components.size();
        const bool errors = setup.typed->controls_error;  // a rejected step is repeated from a copy
        const auto program = setup.typed->plans->step(setup.typed->scheme, false, setup.params.dt, errors);
        const std::size_t copied = errors ? components : 0;
        own = program_bytes(setup, *program);
        fields = double(2 * (components + 2) + copied);
        for (const equation::LinearPart& part : program->linear)
            fields += fields_of(part, setup.nx, setup.ny) + (distributed ? strips_of(part, setup) : 0);
    }
    return own + fields * row_bytes(setup) * setup.ny;
}

}  // namespace stencil

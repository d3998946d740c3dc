#include "sim/run/resolve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "kernels/cuda/cuda_library.h"
#include "kernels/equation/cuda/nvrtc.h"
#include "kernels/field/divide.h"
#include "kernels/methods/spectral/fftw.h"
#include "sim/distributed/partition.h"
#include "sim/figure/canvas.h"
#include "sim/figure/figure.h"
#include "sim/files/field_file.h"
#include "sim/files/held_arrays.h"
#include "sim/files/image.h"
#include "sim/initial/initial.h"
#include "sim/machine/communicator.h"
#include "sim/model/equations.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/start.h"
#include "sim/problem/typed_run.h"
#include "sim/run/choose_method.h"
#include "sim/run/output/exports.h"
#include "sim/run/output/frame_writer.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {
namespace {

bool on_cuda(const RunSpec& spec, const Machine& machine) {
    return spec.backend == "cuda" ||
           (spec.backend == "auto" && machine.has_cuda() && why_not_compiled(spec).empty());
}

std::string cpu_methods(std::string_view model) {
    std::vector<std::string_view> names{"auto"};
    for (const Method& method : methods(model))
        if (method.device == Device::cpu) names.push_back(method.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

bool solves_by_transforms(const RunSpec& spec) {
    return spec.is_general() && (spec.integrator->is_implicit || uses_transforms(*spec.model->equations));
}

// Checks the lazily loaded libraries that the spec needs.
void require_libraries(const RunSpec& spec, const Method& method) {
    const bool on_cuda = method.device == Device::cuda;
    if (on_cuda && !why_not_compiled(spec).empty())
        throw InputError(
            Given{"backend", "cuda"}, "{}; the CPU steps typed equations without it", why_not_compiled(spec));
    if (on_cuda || !solves_by_transforms(spec)) return;
    std::size_t bytes = method.float64_state ? sizeof(double) : bytes_of(spec.dtype);
    const bool convolves = !spec.model->equations->kernels.empty();  // kernels are transformed in float64
    if (convolves && why_no_fftw(bytes).empty()) bytes = sizeof(double);
    if (!why_no_fftw(bytes).empty())
        throw InputError(
            spec.integrator->is_implicit ? Given{"integrator", spec.integrator->name} : Given{"model"},
            "{}{}",
            spec.integrator->is_implicit ? ""
            : convolves                  ? "what is convolved by transforms: "
                                         : "what is solved for by transforms: ",
            why_no_fftw(bytes));
}

// Why the method does not fit the run's size now or after a scheduled change; empty if it does.
std::string why_unsupported(const Method& method, const RunSpec& spec) {
    if (!method.unsupported_reason) return "";
    RunSpec later = spec;
    std::string why = method.unsupported_reason({spec.size->nx, spec.size->ny}, bytes_of(spec.dtype));
    for (const Event& event : spec.edits) {
        if (!why.empty()) break;
        const SetSetting* set = event.setting();
        if (!set || kind_of(set->setting) != SettingKind::shape) continue;
        find_setting(set->setting).set(later, set->value);
        why = method.unsupported_reason({later.size->nx, later.size->ny}, bytes_of(later.dtype));
    }
    return why;
}

// The row of a method given by name, on the given backend or the machine's default.
const Method& named_method(const RunSpec& spec, const Machine& machine) {
    if (spec.is_general() || !runs_on_both(spec.method)) return *method_of(spec);
    require_backend(spec.backend, machine);
    return *find_method(spec.method, on_cuda(spec, machine) ? Device::cuda : Device::cpu);
}

const Method& decide_method(const RunSpec& spec, const Machine& machine, long long steps_per_call) {
    if (spec.method != "auto") {
        const Method& method = named_method(spec, machine);
        if (method.device == Device::cuda && !machine.has_cuda())
            throw InputError("--method {} needs CUDA, and {} (allowed here: {})",
                             method.name,
                             machine.cuda.why_none,
                             cpu_methods(method.model));
        if (const std::string why = why_unsupported(method, spec); !why.empty())
            throw InputError(Given{"method", method.name}, why);
        return method;
    }
    require_backend(spec.backend, machine);
    MethodRequest request = method_request(spec, steps_per_call);
    request.device = on_cuda(spec, machine) ? Device::cuda : Device::cpu;
    return choose_method(request,
                         [&](const Method& method) { return why_unsupported(method, spec).empty(); });
}

std::string_view wider_dtype(const RunSpec& spec) {
    return spec.dtype == DType::float32 ? ": use --dtype float64" : "";
}

// Allowance for everything but cells: rings, graphs, kernels, libraries.
constexpr MemoryNeeds kFixedBytes{64e6, 256e6};

std::vector<MemoryDemand> demands(const MemoryNeeds& needs, const MemoryLimits& limits) {
    std::vector<MemoryDemand> all{{"host memory", needs.host, kFixedBytes.host + needs.fixed, limits.host}};
    if (needs.gpu > 0) all.push_back({"GPU memory", needs.gpu, kFixedBytes.gpu, limits.gpu});
    return all;
}

// Shares of a distributed field that one host's processes and one GPU hold.
struct Shares {
    double host = 1, gpu = 1;
};

Shares shares_of(const SolverSetup& setup) {
    const int parts = partition_of(setup, Communicator::sharing()).parts;
    if (parts == 1) return {};
    const int here = std::min(Communicator::all().host_size(), parts);
    const bool on_cuda = setup.method->device == Device::cuda;
    const int gpus = on_cuda ? std::max(1, int(query_cuda().devices.size())) : here;
    return {double(here) / parts, double(ceil_div(here, gpus)) / parts};
}

// Bytes per cell over all slabs' solvers, including buffers of transposes.
double solver_bytes_per_cell(SolverSetup setup) {
    setup.slab = partition_of(setup, Communicator::sharing()).slab(0);
    return solver_bytes(setup) / (double(setup.nx) * setup.ny);
}

// `running` and `making` are bytes of host memory per cell besides the solver's.
MemoryNeeds needs_beside(const SolverSetup& setup, double running, double making) {
    const Shares shares = shares_of(setup);
    const double solver = solver_bytes_per_cell(setup);
    const bool on_cuda = setup.method->device == Device::cuda;
    return {std::max(making, running + (on_cuda ? 0 : solver * shares.host)),
            on_cuda ? solver * shares.gpu : 0};
}

// For a distributed run: each process makes, keeps and writes its own rows; process 0 also what needs the
// whole field.
MemoryNeeds spread_needs(const RunSpec& spec, const SolverSetup& setup, double field, double making) {
    const bool by_rows = start_recipe(spec) != nullptr;
    const bool frames = std::ranges::any_of(
        chosen_artifacts(spec), [](const Artifact* row) { return row->frames && row->is(kCells); });
    const double whole = exports_any(spec, kCells) ? 3 * field + export_bytes_per_cell(spec)
                         : frames                  ? field
                                                   : 0;
    // Data from a GPU is read some rows at a time.
    const bool on_cuda = setup.method->device == Device::cuda;
    const double copy = on_cuda ? 0 : field * shares_of(setup).host;
    return needs_beside(setup, whole + copy + (by_rows ? 0 : field), by_rows ? 0 : making);
}

// Pictures and arrays of the text at the field's size, in float64; those at other places are copies.
double data_bytes_per_cell(const RunSpec& spec) {
    double bytes = 0;
    for (const equation::DataSource& source : spec.model->equations->data) bytes += source.place ? 16 : 8;
    return bytes;
}

// What is shown of a formula that is no component: its value and its Laplacian.
double view_bytes(const RunSpec& spec, const SolverSetup& setup) {
    if (find_component(*spec.model, spec.shown())) return 0;
    const Shown shown(*setup.typed, spec.shown());
    const bool float64 = setup.state_dtype() == DType::float64;
    return program_bytes(setup, shown.program(false, float64)->program) +
           program_bytes(setup, shown.program(true, float64)->program);
}

// Pictures are read one at a time, beside the field; the largest stable step keeps the transforms of all
// kernels; a figure is drawn in some copies of its pixels.
double fixed_bytes(const RunSpec& spec) {
    const auto [nx, ny] = *spec.size;
    const equation::Equations& equations = *spec.model->equations;
    std::vector<std::string> files = start_files(spec);
    for (const equation::DataSource& source : equations.data) files.push_back(source.file);
    double picture = 0;
    for (const std::string& file : files)
        if (is_picture_file(file)) picture = std::max(picture, image_bytes(file, nx, ny));
    constexpr double kMost = 1024;  // cells of a transform along an axis
    const auto [width, height] = spec.figure_size;
    const double per_cm = figure::kPointsPerCm * figure::kPixelsPerPoint;
    const double pixels = width * per_cm * (height > 0 ? height : width) * per_cm;
    return picture + (spec.exports.empty() ? 0 : 16 * pixels) +
           8 * double(equations.kernels.size()) * std::min(2.0 * nx, kMost) * std::min(2.0 * ny, kMost);
}

}  // namespace

std::string why_not_compiled(const RunSpec& spec) {
    if (!spec.is_general()) return "";
    const std::string& why_no_compiler = equation::why_no_nvrtc();
    return why_no_compiler.empty() && solves_by_transforms(spec) ? why_no_cufft() : why_no_compiler;
}

RunSpec resolve(RunSpec spec, const Machine& machine, long long steps_per_call) {
    spec.validate();
    if (!spec.size) spec.size = size_of_files(spec).value_or(Size{});
    leave_out_gaps(spec);
    const Method& method = decide_method(spec, machine, steps_per_call);
    require_libraries(spec, method);
    spec.method = method.name;
    spec.backend = name_of(method.device);
    spec.threads = thread_count(spec.threads, machine.cpu_threads);
    const auto make_absolute = [](std::string& what) {
        if (const auto named = parse_initial(what);
            !named.file.empty() && !held_array(named.file) && !is_stream(named.file))
            what = std::filesystem::absolute(named.file).lexically_normal().string();
    };
    make_absolute(spec.initial);
    for (auto& [name, what] : spec.initials) make_absolute(what);
    const auto exported = [&](const std::string& name) { return contains(spec.exports, name); };
    std::vector<std::string> all;
    add_export("all", all);
    const bool standard_frames =
        spec.every.given() && (std::ranges::none_of(chosen_artifacts(spec), &Artifact::frames) ||
                               std::ranges::all_of(all, exported));
    for (const Artifact& row : artifacts())
        if (row.frames ? standard_frames && row.is(kStandard) : row.is(kImplied) && row.why_not(spec).empty())
            add_export(row.name, spec.exports);
    return spec;
}

MethodRequest method_request(const RunSpec& spec, long long steps_per_call) {
    MethodRequest request{
        Device::cpu, {spec.size->nx, spec.size->ny}, bytes_of(spec.dtype), spec.boundary, 0};
    request.model = spec.family();
    if (const Method* method = method_of(spec)) request.device = method->device;
    request.steps = steps_per_call > 0 ? steps_per_call : std::max(spec.likely_steps(), 1LL);
    if (steps_per_call == 0 && spec.every.steps > 0)
        request.steps = std::min(request.steps, spec.every.steps);
    return request;
}

std::string method_choice(const RunSpec& spec, long long steps_per_call) {
    if (user_kernel::fits(spec)) return fmt::format("{}, in place of {}", spec.kernel->name, spec.method);
    const MethodRequest request = method_request(spec, steps_per_call);
    if (spec.is_general())
        return fmt::format("auto: {}, which compiles or interprets the formulas", spec.method);
    const MeasuredFigures& figures = measured_figures(request.device);
    return fmt::format("auto: {} for {} step{} of {}x{} {} (by {})",
                       spec.method,
                       request.steps,
                       request.steps == 1 ? "" : "s",
                       spec.size->nx,
                       spec.size->ny,
                       name_of(spec.dtype),
                       figures.of_this_machine
                           ? "this machine's measured figures"
                           : fmt::format("the figures of another machine, {}; bench --save measures this one",
                                         figures.machine.name));
}

MemoryLimits memory_limits(const Machine& machine, std::uint64_t allowed) {
    const double gpu = machine.has_cuda() ? double(machine.gpu_free_bytes) : 0;
    // Processes with fields of their own each have a part of the memory.
    const int apart = Communicator::sharing() > 1 ? 1 : Communicator::all().host_size();
    const int gpus = std::max(1, int(machine.cuda.devices.size()));
    return {std::min(double(machine.memory.free_bytes), double(allowed)) / apart,
            std::min(gpu, double(allowed)) / ceil_div(apart, gpus)};
}

void require_memory(const MemoryNeeds& needs, const MemoryLimits& limits, FieldShape shape) {
    for (const MemoryDemand& demand : demands(needs, limits)) require_memory(demand, shape.nx, shape.ny);
}

int largest_square(const MemoryNeeds& needs, const MemoryLimits& limits) {
    int edge = kMaxCells;
    for (const MemoryDemand& demand : demands(needs, limits)) edge = std::min(edge, fitting_square(demand));
    return edge;
}

MemoryNeeds run_needs(const RunSpec& spec) {
    const InitialChoice choice = parse_initial(spec.initial);
    const double components = double(spec.model->components.size());
    const double field = components * double(bytes_of(spec.dtype));
    const double cells = double(spec.size->nx) * spec.size->ny, data = data_bytes_per_cell(spec);
    // Formulas are evaluated in float64 beside their result. A file is read, and perhaps resampled, beside
    // its field.
    const double evaluated = start_bytes(spec) / cells;
    const double formulas = evaluated > 0 ? std::max(16 * (components + 2), evaluated) : 0;
    const double making =
        (choice.condition ? choice.condition->bytes_per_cell : 24) + formulas + data + field;
    const SolverSetup setup = setup_without_data(spec);
    const bool spread = partition_of(setup, Communicator::sharing()).parts > 1;
    // Initial and final field and Laplacian coexist while files are written; checkpoints write one array at a
    // time.
    MemoryNeeds needs = spread ? spread_needs(spec, setup, field, making)
                               : needs_beside(setup, 3 * field + export_bytes_per_cell(spec) + data, making);
    (needs.gpu > 0 ? needs.gpu : needs.host) += view_bytes(spec, setup) / cells;
    needs.fixed = fixed_bytes(spec);
    return needs;
}

MemoryNeeds solver_needs(const RunSpec& spec) {
    // The field and the initial state pass through host memory.
    return needs_beside(
        setup_without_data(spec), 2.0 * double(spec.model->components.size() * bytes_of(spec.dtype)), 0);
}

void check_resources(const RunSpec& spec, const Machine& machine) {
    check_exports(spec);
    require_memory(
        run_needs(spec), memory_limits(machine, spec.memory_limit), {spec.size->nx, spec.size->ny});
}

void check_solver_memory(const RunSpec& spec, const Machine& machine) {
    require_memory(
        solver_needs(spec), memory_limits(machine, spec.memory_limit), {spec.size->nx, spec.size->ny});
}

void check_magnitude(const RunSpec& spec, Solver& from, const Solver& to) {
    if (spec.is_general()) return;
    const double largest = from.measure_largest();
    if (to.fits(spec.params(), largest)) return;
    throw InputError("coefficient {} with values up to {:.3g} exceeds the range of {}{}",
                     spec.params().coefficient,
                     largest,
                     name_of(spec.dtype),
                     wider_dtype(spec));
}

void check_magnitude(const RunSpec& spec, Solver& solver) {
    if (!spec.is_general() && !solver.fits(spec.params())) check_magnitude(spec, solver, solver);
}

void check_magnitude(const RunSpec& spec, const BrushPiece& piece, Solver& solver) {
    if (spec.is_general() || solver.fits(piece)) return;
    throw InputError("{}: {:.3g} with coefficient {} exceeds the range of {}{}",
                     kPaint,
                     piece.brush.value,
                     spec.params().coefficient,
                     name_of(spec.dtype),
                     wider_dtype(spec));
}

void check_start(const RunSpec& spec, Solver& solver) {
    if (spec.is_general()) return;
    check_magnitude(spec, solver);
    const double largest = solver.measure_largest();
    const double smallest = 16 * (spec.dtype == DType::float32 ? double(std::numeric_limits<float>::min())
                                                               : std::numeric_limits<double>::min());
    if (largest == 0 || largest >= smallest) return;
    throw InputError("values of at most {:.3g} are below the range of {}: steps need {:.3g}{}",
                     largest,
                     name_of(spec.dtype),
                     smallest,
                     spec.dtype == DType::float32 ? "; use --dtype float64" : "");
}

}  // namespace stencil

#include "sim/verify/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/methods/spectral/fftw.h"
#include "sim/field/field_hash.h"
#include "sim/model/equations.h"
#include "sim/model/model.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/start.h"
#include "sim/run/resolve.h"
#include "sim/text/embedded.h"
#include "sim/text/json.h"

namespace stencil {
namespace {

using Json = nlohmann::ordered_json;

// Rows of the small field end within a SIMD vector; the large field exceeds caches, so it takes several
// passes.
constexpr Size kSmall{130, 67}, kLarge{1030, 701};
constexpr long long kMethodSteps = 100, kSmallSteps = 20, kLargeSteps = 9;

/// An executor of typed equations.
struct Executor {
    std::string name;
    std::string_view method;
    Device device;
    int threads;
    bool fastest;  ///< waits for compiled code
};

std::vector<Executor> ways_of(const RunSpec& run, bool quick, const Machine& machine) {
    const int all = thread_count(0, machine.cpu_threads);
    std::vector<Executor> ways{{"1 thread", "cpu", Device::cpu, 1, false},
                               {fmt::format("{} threads", all + 3), "cpu", Device::cpu, all + 3, false}};
    if (run.dtype == DType::float64)  // the reference keeps its state in float64
        ways.push_back({"single cells", "reference", Device::cpu, 1, false});
    if (!quick || run.dtype == DType::float32)
        ways.push_back({"compiled rows", "cpu", Device::cpu, all, true});
    if (machine.has_cuda() && why_not_compiled(run).empty()) {
        ways.push_back({"CUDA", "generated", Device::cuda, 1, false});
        ways.push_back({"CUDA, fused", "generated", Device::cuda, 1, true});
    }
    return ways;
}

RunSpec with_method(RunSpec run, std::string_view method, Device device, int threads) {
    run.method = method;
    run.backend = name_of(device);
    run.threads = threads;
    return run;
}

struct Stepped {
    State state;
    ExecutionPath way;
};

Stepped stepped(RunSpec run, const Machine& machine, bool fastest) {
    run = resolve(run, machine);
    check_resources(run, machine);
    const auto solver = make_solver(solver_setup(run));
    solver->load(make_start(run));
    if (fastest) solver->wait_for_fastest();
    solver->advance(run.steps);
    solver->wait();
    return {solver->state(), solver->way()};
}

// Transforms use libraries whose rounding varies.
bool is_transformed(const RunSpec& run) {
    return run.integrator->is_implicit || (run.is_general() && uses_transforms(*run.model->equations));
}

const Json& certified() {
    static const Json json = Json::parse(embedded_certificate().front().text);
    return json.at("fields");
}

}  // namespace

Verification::Verification(const VerifySpec& spec, const Machine& machine) : spec_(spec), machine_(machine) {
    for (const std::string& name : spec_.models) add_model(name, false);
    if (!spec_.models.empty()) return;
    add_methods();
    for (const Preset& preset : presets())
        if (preset.name != kDefaultModel)  // add_methods() has it
            add_model(std::string(preset.name), true);
}

void Verification::add_methods() {
    for (const Method& method : methods()) {
        const bool here = method.is_built() && (method.device == Device::cpu || machine_.has_cuda());
        if (!here || method.name == "reference") continue;
        for (const BoundaryRow& boundary : kBoundaries)
            for (const DType dtype : {DType::float32, DType::float64}) {
                RunSpec run = with_method({}, method.name, method.device, 0);
                run.size = kSmall;
                run.steps = kMethodSteps;
                run.initial = "noise";
                run.boundary = boundary.boundary;
                run.dtype = dtype;
                const auto why = method.unsupported_reason;
                add({run, ""}, why ? why({kSmall.nx, kSmall.ny}, bytes_of(dtype)) : "");
            }
    }
}

void Verification::add_model(const std::string& name, bool preset) {
    for (const Size size : {kSmall, kLarge}) {
        if (spec_.quick && size == kLarge) break;
        for (const DType dtype : {DType::float32, DType::float64}) {
            RunSpec run;
            set_setting(run, setting_name::model, name);
            run.size = size;
            run.steps = size == kSmall ? kSmallSteps : kLargeSteps;
            run.dtype = dtype;
            run.allow_unstable = true;
            const bool certain = preset && size == kSmall && !is_transformed(run);
            // Convolutions are transformed in float64, whatever the field's precision.
            const bool transformed = preset && is_transformed(run);
            const std::string& why =
                why_no_fftw(why_no_fftw(bytes_of(dtype)).empty() ? sizeof(double) : bytes_of(dtype));
            add({run, certain ? fmt::format("{} {}", name, name_of(dtype)) : ""}, transformed ? why : "");
        }
    }
}

void Verification::add(Case c, const std::string& why_not) {
    if (why_not.empty()) {
        cases_.push_back(std::move(c));
    } else {
        ++left_out_;
        why_left_out_ = why_not;
    }
}

VerifyRow Verification::compare_method(const Case& c) const {
    const RunSpec& run = c.run;
    const double limit = run.dtype == DType::float32 ? 1e-6 : 1e-12;
    VerifyRow row;
    row.what = fmt::format("{} {} {} {}", run.method, run.backend, name_of(run.dtype), name_of(run.boundary));
    row.ways = {"reference"};
    RunSpec exact = with_method(run, "reference", Device::cpu, 0);
    exact.dtype = DType::float64;
    const State judged = stepped(run, machine_, false).state, truth = stepped(exact, machine_, false).state;
    row.error = relative_distance(judged, truth);
    if (!(row.error <= limit))
        row.problem = fmt::format(
            "is {:.2g} from the reference after {} steps; allowed is {}", row.error, run.steps, limit);
    return row;
}

VerifyRow Verification::compare_ways(const Case& c) const {
    VerifyRow row;
    row.what =
        fmt::format("{} {} {}x{}", c.run.model->name, name_of(c.run.dtype), c.run.size->nx, c.run.size->ny);
    State first;
    for (const Executor& way : ways_of(c.run, spec_.quick, machine_)) {
        const Stepped result =
            stepped(with_method(c.run, way.method, way.device, way.threads), machine_, way.fastest);
        if (way.fastest && result.way.name != "compiled" && !result.way.why_not.empty()) {
            row.note = fmt::format("without {}: {}", way.name, result.way.why_not);
            continue;
        }
        row.ways.push_back(way.name);
        const std::string hash = field_hash(result.state.components);
        if (row.hash.empty()) {
            row.hash = hash;
            first = result.state.clone();
        } else if (is_transformed(c.run) && way.device == Device::cuda) {
            row.error = std::max(row.error, relative_distance(result.state, first));
            if (!(row.error <= (c.run.dtype == DType::float32 ? 1e-4 : 1e-10)))
                row.problem = fmt::format("{} is {:.2g} from {}", way.name, row.error, row.ways.front());
        } else if (hash != row.hash) {
            row.problem += fmt::format("{}{} has {}, {} has {}",
                                       row.problem.empty() ? "" : "; ",
                                       way.name,
                                       hash,
                                       row.ways.front(),
                                       row.hash);
        }
    }
    if (row.problem.empty() && !c.certified.empty()) {
        const auto known = certified().find(c.certified);
        if (known == certified().end())
            row.note = "the certificate does not have it";
        else if (known->get<std::string>() != row.hash)
            row.problem =
                fmt::format("all ways have {}, the certificate {}", row.hash, known->get<std::string>());
    }
    return row;
}

void Verification::work() {
    const auto together = std::size_t(std::clamp(machine_.cpu_threads / 2, 1, 8));
    for (std::size_t i; ahead_.size() < together && (i = rows_.size() + ahead_.size()) < cases_.size();)
        ahead_.push_back(std::async(std::launch::async, [this, &c = cases_[i]] {
            return c.run.is_general() ? compare_ways(c) : compare_method(c);
        }));
    rows_.push_back(ahead_.front().get());
    ahead_.pop_front();
}

int Verification::differing() const {
    return int(std::ranges::count_if(rows_, [](const VerifyRow& row) { return !row.problem.empty(); }));
}

Json Verification::certificate() const {
    Json fields = Json::object();
    for (std::size_t i = 0; i < rows_.size(); ++i)
        if (!cases_[i].certified.empty()) fields[cases_[i].certified] = rows_[i].hash;
    return {
        {"about",
         "field_hash of every preset: written by `stencilscope verify --out DIR`, the same on every machine"},
        {"size", fmt::format("{}x{}", kSmall.nx, kSmall.ny)},
        {"steps", kSmallSteps},
        {"fields", std::move(fields)}};
}

Json Verification::report() const {
    Json rows = Json::array();
    for (const VerifyRow& row : rows_)
        rows.push_back({{"what", row.what},
                        {"ways", row.ways},
                        {"right", row.problem.empty()},
                        {"problem", row.problem},
                        {"note", row.note},
                        {"error", finite_or_null(row.error)},
                        {"field_hash", row.hash}});
    return {{"program", "stencilscope"},
            {"version", STENCILSCOPE_VERSION},
            {"summary", summary()},
            {"differing", differing()},
            {"rows", std::move(rows)}};
}

std::string Verification::summary() const {
    std::string text =
        fmt::format("stencilscope {}: {} of {} comparisons are right\nCPU  {}, {} threads, SIMD {}\n",
                    STENCILSCOPE_VERSION,
                    int(rows_.size()) - differing(),
                    rows_.size(),
                    machine_.cpu_name,
                    machine_.cpu_threads,
                    machine_.simd);
    if (left_out_ > 0) text += fmt::format("{} comparisons are left out: {}\n", left_out_, why_left_out_);
    if (!machine_.has_cuda()) return text + fmt::format("GPU  none: {}\n", machine_.cuda.why_none);
    for (const CudaDevice& gpu : machine_.cuda.devices)
        text += fmt::format("GPU{} {}, compute capability {}, driver {}\n",
                            gpu.index,
                            gpu.name,
                            capability_name(gpu.facts.capability),
                            machine_.cuda.driver_version);
    return text;
}

std::string row_text(const VerifyRow& row) {
    const std::string found = !row.problem.empty() ? row.problem
                              : row.hash.empty()   ? fmt::format("{:.2g} from the reference", row.error)
                                                 : fmt::format("{}: {}", fmt::join(row.ways, ", "), row.hash);
    return fmt::format("{:8} {:44} {}{}{}\n",
                       row.problem.empty() ? "right" : "DIFFERS",
                       row.what,
                       found,
                       row.note.empty() ? "" : "; ",
                       row.note);
}

}  // namespace stencil

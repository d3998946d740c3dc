#include "sim/bench/work_precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/figure/chart.h"
#include "sim/machine/median.h"
#include "sim/model/stability/linearisation.h"
#include "sim/problem/start.h"
#include "sim/run/resolve.h"
#include "sim/run/stability.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

constexpr const char* kReference = "rk4";  // the integrator that errors are compared with
constexpr int kTimeSteps = 6;              // number of time steps; each is half the previous one
constexpr double kFirstShare = 0.9;        // first time step, as a share of the stability limit
constexpr int kFewestSteps = 16;
constexpr double kStandardSteps = 200;
constexpr double kPartSeconds = 0.1;
constexpr double kReferenceShare = 0.2;  // approximate share of the time
// Short runs are repeated.
constexpr int kRepeats = 5;
constexpr double kEnoughSeconds = 0.2;

struct Interrupted {};

class Measurement {
  public:
    Measurement(WorkPrecisionSpec spec, const Machine& machine, const GoOn& go_on) : go_on_(go_on) {
        spec.run = resolved(spec, machine);
        if (spec.methods.empty())
            for (const Method& method : methods(kEquation))
                if (method.device == device_of(spec.run) && !method.float64_state && !method.fast)
                    spec.methods.emplace_back(method.name);
        result_.device = device_name(machine, device_of(spec.run), spec.run.threads);
        result_.spec = std::move(spec);
        start_ = make_start(result_.spec.run);
    }

    WorkPrecision measure() {
        try {
            find_limits();
            make_reference();
            for (const auto& [integrator, limit] : limits_)
                for (const DType dtype : result_.spec.dtypes)
                    for (const std::string& name : result_.spec.methods)
                        measure_steps(integrator, limit, dtype, name);
        } catch (const Interrupted&) {
            result_.interrupted = true;
        }
        return std::move(result_);
    }

  private:
    static Device device_of(const RunSpec& run) { return method_of(run)->device; }

    static RunSpec resolved(const WorkPrecisionSpec& spec, const Machine& machine) {
        RunSpec run = spec.run;
        run.integrator = equation::scheme_of(kReference);
        run.dt = FixedStep{1};
        run.dtype = DType::float64;
        if (!spec.methods.empty()) run.method = spec.methods.front();
        run = resolve(run, machine);
        for (const std::string& name : spec.methods) {
            run.method = name;
            run.validate();
        }
        check_resources(run, machine);
        return run;
    }

    RunSpec run_by(const std::string& integrator, DType dtype) const {
        RunSpec run = result_.spec.run;
        run.integrator = equation::scheme_of(integrator);
        run.dtype = dtype;
        return run;
    }

    std::unique_ptr<Solver> solver_of(const RunSpec& run) const {
        auto solver = make_solver(solver_setup(run));
        solver->load(start_.to(run.dtype));
        return solver;
    }

    // Finds the stability limits for the initial field, and reports what cannot be stepped.
    void find_limits() {
        for (const equation::IntegratorRow& row : equation::integrators()) {
            std::string why_not;
            try {
                const RunSpec run = run_by(row.name, DType::float64);
                const double limit = stable_step(run, *solver_of(run)).dt;
                if (limit > 0) limits_.emplace_back(row.name, limit);
                if (!(limit > 0)) why_not = "every step is unstable";
            } catch (const InputError& error) {
                why_not = error.in_sentence();
            }
            if (!why_not.empty()) {
                if (row.name == kReference)
                    throw InputError("--work-precision compares with {}: {}", kReference, why_not);
                result_.rows.push_back({row.name, nullptr, DType::float64, why_not});
            }
        }
    }

    double& limit_of(const std::string& integrator) {
        return std::ranges::find(limits_, integrator, &std::pair<std::string, double>::first)->second;
    }

    double first_dt(double limit) const {
        return std::min(kFirstShare * limit, result_.spec.until / kFewestSteps);
    }

    void make_reference() {
        double& until = result_.spec.until;
        const double limit = limit_of(kReference);
        if (until == 0) until = std::isinf(limit) ? kStandardSteps : kStandardSteps * limit;
        const double finest = first_dt(limit) / (1 << (kTimeSteps - 1));
        const RunSpec run = run_by(kReference, DType::float64);
        const auto steps = static_cast<long long>(std::ceil(until / finest));
        const State coarse = after(run, 2 * steps, 1, "the reference").state;
        reference_ = after(run, 4 * steps, 1, "the reference").state;
        result_.reference_dt = until / (4.0 * double(steps));
        result_.reference_error = relative_distance(coarse, reference_);
        if (!std::isfinite(result_.reference_error))
            throw InputError("--until {:.4g}: the field overflows before: take an earlier time", until);
        share_ = kReferenceShare;
        // Checks again at the end, because growing patterns lower the limit.
        const auto solver = make_solver(solver_setup(run));
        solver->load(reference_);
        for (auto& [integrator, of] : limits_)
            of = std::min(of, stable_step(run_by(integrator, DType::float64), *solver).dt);
    }

    struct Outcome {
        State state;
        double seconds;
    };

    Outcome after(RunSpec run, long long steps, int most_repeats, const std::string& doing) {
        run.dt = FixedStep{result_.spec.until / double(steps)};
        const auto solver = solver_of(run);
        std::vector<double> seconds{advance(*solver, steps, doing)};
        State state = solver->state();
        for (double all = seconds[0]; all < kEnoughSeconds && int(seconds.size()) < most_repeats;) {
            solver->load(start_.to(run.dtype));
            seconds.push_back(advance(*solver, steps, doing));
            all += seconds.back();
        }
        return {std::move(state), median(seconds)};
    }

    double advance(Solver& solver, long long steps, const std::string& doing) {
        double seconds = 0;
        long long piece = 1;
        for (long long left = steps; left > 0;) {
            if (!go_on_(share_, doing)) throw Interrupted();
            const long long now = std::min(piece, left);
            solver.advance(now);
            const double took = solver.wait();
            seconds += took;
            left -= now;
            if (took < kPartSeconds / 2) piece *= 2;
        }
        return seconds;
    }

    void measure_steps(const std::string& integrator, double limit, DType dtype, const std::string& method) {
        RunSpec run = run_by(integrator, dtype);
        run.method = method;
        const Method& row = *method_of(run);
        if (row.float64_state && dtype == DType::float32) return;
        const double runs =
            double(kTimeSteps * limits_.size() * result_.spec.dtypes.size() * result_.spec.methods.size());
        const std::string doing = fmt::format("{} {} {}", integrator, method, name_of(dtype));
        for (int halvings = 0; halvings < kTimeSteps; ++halvings) {
            const double until = result_.spec.until, dt = first_dt(limit) / (1 << halvings);
            const auto steps = static_cast<long long>(std::ceil(until / dt * (1 - 1e-12)));
            const Outcome outcome = after(run, steps, kRepeats, doing);
            result_.rows.push_back({integrator,
                                    &row,
                                    dtype,
                                    "",
                                    until / double(steps),
                                    steps,
                                    outcome.seconds,
                                    relative_distance(outcome.state, reference_)});
            share_ += (1 - kReferenceShare) / runs;
        }
    }

    const GoOn& go_on_;
    WorkPrecision result_;
    State start_, reference_;
    std::vector<std::pair<std::string, double>> limits_;  ///< stability limits of measurable integrators
    double share_ = kReferenceShare / 2;
};

using Json = nlohmann::ordered_json;

std::string note_of(const WorkPrecision& measured, const WorkPrecisionRow& row) {
    if (!row.why_not.empty()) return row.why_not;
    if (!std::isfinite(row.error)) return kNothingLeft;
    return measured.shows(row) ? "" : "no further from the reference than that may be from the truth";
}

Json row_json(const WorkPrecision& measured, const WorkPrecisionRow& row) {
    const auto of_run = [&](auto value) { return row.method ? Json(value) : Json(); };
    Json json;
    json["stepper"] = row.integrator;
    json["method"] = row.method ? Json(std::string(row.method->name)) : Json();
    json["dtype"] = of_run(std::string(name_of(row.dtype)));
    json["dt"] = of_run(row.dt);
    json["steps"] = of_run(row.steps);
    json["seconds"] = of_run(row.seconds);
    json["error"] = row.method ? finite_or_null(row.error) : Json();
    json["note"] = note_of(measured, row);
    return json;
}

std::string title_of(const WorkPrecision& measured) {
    const RunSpec& run = measured.spec.run;
    return fmt::format("{} on {}x{} cells until t = {:.4g}",
                       run.model->name,
                       run.size->nx,
                       run.size->ny,
                       measured.spec.until);
}

std::string note_of(const WorkPrecision& measured) {
    return fmt::format(
        "{}; {} boundary, seed {}; against rk4 in float64 with dt {:.3g}, which is {:.1e} from twice its dt",
        measured.device,
        boundary_text(measured.spec.run),
        measured.spec.run.seed,
        measured.reference_dt,
        measured.reference_error);
}

}  // namespace

bool WorkPrecision::shows(const WorkPrecisionRow& row) const {
    return row.why_not.empty() && std::isfinite(row.error) && row.error >= 10 * reference_error;
}

WorkPrecisionSpec work_precision_spec(const SuiteSpec& suite, double until, std::vector<DType> dtypes) {
    const RunSpec& run = suite.run;
    const auto& own_dt = run.model->equations->dt;
    const bool dt_given = run.dt != (own_dt ? TimeStep(FixedStep{*own_dt}) : TimeStep());
    if (suite.sweep || suite.steps > 0 || suite.sizes.size() > 1 || dt_given ||
        run.integrator != run.model->equations->integrator)
        throw InputError(
            "--work-precision takes one --size and goes through integrators and time steps itself: leave "
            "--sweep, --steps, --dt and --integrator out");
    const auto& components = run.model->equations->components;
    const equation::Graph& graph = run.model->equations->graph;
    for (const auto& component : components) {
        if (!component.rate)
            throw InputError(Given{"work-precision"},
                             "`{0}' = ...` has no time step to vary: write d{0}/dt = ...",
                             component.name);
        if (graph.depends(component.formula).random)
            throw InputError(Given{"work-precision"},
                             "`{}` has noise, which differs from one dt to another",
                             component.name);
    }
    WorkPrecisionSpec spec{run, std::move(dtypes), suite.methods, until};
    spec.run.size = suite.sizes.empty() ? Size{64, 64} : suite.sizes.front();
    return spec;
}

WorkPrecision measure_work_precision(WorkPrecisionSpec spec, const Machine& machine, const GoOn& go_on) {
    return Measurement(std::move(spec), machine, go_on).measure();
}

Json to_json(const WorkPrecision& measured) {
    const RunSpec& run = measured.spec.run;
    Json json = program_json();
    json["device"] = measured.device;
    json["backend"] = run.backend;
    json["threads"] = run.threads;
    json["model"] = run.model->name;
    json["model_text"] = run.model->text;
    for (std::size_t i = 0; i < run.parameters.size(); ++i)
        json["parameters"][run.model->parameters[i].name] = run.parameters[i];
    json["boundary"] = std::string(boundary_text(run));
    json["seed"] = run.seed;
    json["nx"] = run.size->nx;
    json["ny"] = run.size->ny;
    json["until"] = measured.spec.until;
    json["reference"] = {{"stepper", kReference},
                         {"dtype", "float64"},
                         {"dt", finite_or_null(measured.reference_dt)},
                         {"error", finite_or_null(measured.reference_error)}};
    json["interrupted"] = measured.interrupted;
    json["rows"] = Json::array();
    for (const WorkPrecisionRow& row : measured.rows) json["rows"].push_back(row_json(measured, row));
    return json;
}

std::string to_text(const WorkPrecision& measured) {
    std::string text = fmt::format("{}\n{}\n{:<10} {:<9} {:<7} {:>10} {:>8} {:>10} {:>8}\n",
                                   title_of(measured),
                                   note_of(measured),
                                   "integrator",
                                   "method",
                                   "dtype",
                                   "dt",
                                   "steps",
                                   "seconds",
                                   "error");
    for (const WorkPrecisionRow& row : measured.rows) {
        const std::string note = note_of(measured, row);
        text += row.method ? fmt::format("{:<10} {:<9} {:<7} {:>10.4g} {:>8} {:>10.4g} {:>8}{}\n",
                                         row.integrator,
                                         row.method->name,
                                         name_of(row.dtype),
                                         row.dt,
                                         row.steps,
                                         row.seconds,
                                         std::isfinite(row.error) ? fmt::format("{:.1e}", row.error) : "-",
                                         note.empty() ? "" : "  " + note)
                           : fmt::format("{:<10} {}\n", row.integrator, note);
    }
    return text;
}

figure::Chart work_precision_chart(const WorkPrecision& measured) {
    figure::Chart chart{"work-precision", title_of(measured), "seconds", "relative error", true, true};
    std::vector<std::string> integrators;
    const bool several = measured.spec.methods.size() > 1;
    double least = std::numeric_limits<double>::infinity();
    for (const WorkPrecisionRow& row : measured.rows) {
        if (!measured.shows(row) || row.error == 0) continue;
        if (integrators.empty() || integrators.back() != row.integrator)
            integrators.push_back(row.integrator);
        const std::string name = fmt::format("{} {}{}",
                                             row.integrator,
                                             name_of(row.dtype),
                                             several ? fmt::format(" {}", row.method->name) : "");
        if (chart.series.empty() || chart.series.back().name != name) {
            chart.series.push_back({name, {}});
            chart.series.back().dashed = row.dtype == DType::float32;
            chart.series.back().color = figure::series_color(integrators.size() - 1);
        }
        chart.series.back().points.push_back(
            {.x = row.seconds, .y = row.error, .note = fmt::format("dt {:.4g}", row.dt)});
        least = std::min(least, row.error);
    }
    // Draw a precision's rounding error only if it lies within the chart.
    for (const DType dtype : measured.spec.dtypes) {
        const double rounding = dtype == DType::float32 ? 0x1p-24 : 0x1p-53;
        if (rounding > least / 100)
            chart.limits.push_back({fmt::format("rounding of {}", name_of(dtype)), rounding});
    }
    return chart;
}

std::string draw(const WorkPrecision& measured, figure::FigureFormat format) {
    return figure::chart_file(work_precision_chart(measured), note_of(measured), format);
}

}  // namespace stencil

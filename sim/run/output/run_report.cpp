#include "sim/run/output/run_report.h"

#include <fmt/format.h>

#include "sim/distributed/distributed_solver.h"
#include "sim/field/field_hash.h"
#include "sim/initial/initial.h"
#include "sim/model/equations.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/run/stability.h"

namespace stencil {
namespace {

using Json = nlohmann::ordered_json;

bool jumps(const RunReport& report) {
    return method_of(report.spec)->jumps;
}

std::string jump_text(const Timings& timings) {
    const long long count = timings.total_batches();
    const std::string what = count == 1
                                 ? fmt::format("a jump of {} steps", timings.total_steps())
                                 : fmt::format("{} jumps, {} steps in all,", count, timings.total_steps());
    return fmt::format("{} in {:.4g} ms\n", what, timings.total_seconds() * 1e3);
}

// Zeros for the spectral propagator, whose cost does not depend on the number of steps.
Speed speed_of(const RunReport& report) {
    if (jumps(report)) return {};
    const double cells = double(report.spec.size->nx) * report.spec.size->ny;
    return speed_of(report.timings.total_seconds(),
                    report.timings.total_steps(),
                    cells,
                    report.spec.dtype,
                    report.spec.model->components.size());
}

Json to_json(const Statistics& s) {
    return {
        {"min", s.min}, {"max", s.max}, {"mean", s.mean}, {"total", s.total}, {"not_finite", s.not_finite}};
}

// Relative change of the total; empty if the boundary does not conserve it.
std::optional<double> total_drift(const RunReport& report) {
    if (!report.conserved || report.start.total == 0) return std::nullopt;
    return report.end.total / report.start.total - 1;
}

bool has_cells(const OutputField& field) {
    return field.end.size() > 0;
}

std::string state_hash(Simulation& simulation, const std::vector<OutputField>& fields) {
    if (!has_cells(fields.front())) return hash_in_place(simulation.solver());
    std::vector<std::string> hashes;
    for (std::size_t c = 0; c < simulation.now().model->components.size(); ++c)
        hashes.push_back(field_hash(fields[c].end));
    return joined_hash(hashes);
}

Statistics statistics_of_end(Simulation& simulation, const OutputField& field) {
    if (has_cells(field)) return statistics_of(field.end);
    return simulation.solver().statistics(field.formula);
}

double joules_per_gcell(const RunReport& report) {
    const double cells = double(report.spec.size->nx) * report.spec.size->ny;
    return report.power->joules / (cells * double(report.power_steps)) * 1e9;
}

std::string initial_text(const RunSpec& spec) {
    const InitialChoice choice = parse_initial(spec.initial);
    const bool random = choice.condition && choice.condition->random;
    if (spec.initial.empty()) return "the model's start";
    return random ? fmt::format("{} (seed {})", spec.initial, spec.seed) : spec.initial;
}

}  // namespace

RunReport make_report(Simulation& simulation,
                      const std::vector<OutputField>& fields,
                      const Machine& machine) {
    RunReport report;
    report.spec = simulation.now();
    report.spec.edits = simulation.edits();
    report.device = device_name(machine, method_of(report.spec)->device, report.spec.threads);
    report.steps = simulation.step();
    report.time = simulation.solver().time();
    report.way = simulation.solver().way().name;
    report.processes = simulation.solver().processes();
    report.timings = simulation.timings();
    report.start = simulation.start_statistics();
    for (const OutputField& field : fields) {
        report.components.emplace_back(field.formula, statistics_of_end(simulation, field));
        report.not_finite += report.components.back().second.not_finite;
    }
    report.end = report.components.front().second;
    report.field_hash = state_hash(simulation, fields);
    report.conserved = simulation.conserves_total();
    report.stable = stability_text(report.spec.time_step(), stable_step(report.spec, simulation.solver()));
    return report;
}

bool has_speed(const RunReport& report) {
    return report.steps > 0 && report.timings.total_seconds() > 0 && !jumps(report);
}

Json to_json(const RunReport& report) {
    const RunSpec& spec = report.spec;
    const Speed speed = speed_of(report);
    const auto rate = [&](double value) { return has_speed(report) ? Json(value) : Json(); };
    const Timings::Spread spread = report.timings.spread();

    Json json = program_json();
    json["device"] = report.device;
    json["backend"] = spec.backend;
    json["method"] = spec.method;
    json["way"] = report.way.empty() ? Json() : Json(report.way);
    json["model"] = spec.model->name;
    json["method_choice"] = report.method_choice.empty() ? "as asked for" : report.method_choice;
    json["threads"] = spec.threads;
    if (report.processes > 1) json["processes"] = report.processes;
    json["nx"] = spec.size->nx;
    json["ny"] = spec.size->ny;
    json["dtype"] = std::string(name_of(spec.dtype));
    json["boundary"] = std::string(boundary_text(spec));
    Json parameters = Json::object();
    for (std::size_t i = 0; i < spec.parameters.size(); ++i)
        parameters[spec.model->parameters[i].name] = spec.parameters[i];
    json["parameters"] = parameters;
    if (parameters.contains(setting_name::coefficient))
        json[setting_name::coefficient] = parameters[setting_name::coefficient];
    json["model_text"] = spec.model->text;
    json["stepper"] = name_of(spec.integrator);
    if (spec.global_every > 1) json["global_every"] = spec.global_every;
    json["dt"] = spec.time_step();
    json["time"] = report.time;
    json["dx"] = spec.dx;
    if (!report.stable.empty()) json["stability"] = report.stable;
    const Json initial = find_setting(setting_name::initial).get(spec);
    json["initial"] = initial.is_null() ? Json("as the model's text has it") : initial;
    json["seed"] = spec.seed;
    json["edits"] = report.spec.edits.size();
    json["steps"] = report.steps;
    json["steps_asked"] = spec.open() ? Json() : Json(spec.steps);
    if (!report.ended_by.empty()) json["ended_by"] = report.ended_by;
    json["interrupted"] =
        report.ended_by.empty() ? report.steps < spec.steps && !spec.open() : report.ended_by == "interrupt";
    json["seconds"] = report.timings.total_seconds();
    json["jumps"] = jumps(report) ? Json(report.timings.total_batches()) : Json();
    json["us_per_step"] = rate(speed.us_per_step);
    json["gcells_per_s"] = rate(speed.gcells_per_s);
    json["effective_gb_per_s"] = rate(speed.effective_gb_per_s);
    json["copy_gb_per_s"] = report.copy_gb_per_s ? Json(*report.copy_gb_per_s) : Json();
    json["of_copy_bandwidth"] =
        report.copy_gb_per_s ? rate(speed.effective_gb_per_s / *report.copy_gb_per_s) : Json();
    json["clock_mhz"] = report.power ? Json(report.power->clock_mhz) : Json();
    json["watts"] = report.power ? Json(report.power->watts) : Json();
    json["joules_per_gcell"] = report.power ? rate(joules_per_gcell(report)) : Json();
    json["throttled"] = report.power ? Json(report.power->throttled) : Json();
    json["batches"] = {{"count", spread.batches},
                       {"us_per_step_min", rate(spread.least * 1e6)},
                       {"us_per_step_median", rate(spread.median * 1e6)},
                       {"us_per_step_max", rate(spread.most * 1e6)}};
    const std::optional<double> drift = total_drift(report);
    json["total_drift"] = drift ? Json(*drift) : Json();
    json["field_at_start"] = to_json(report.start);
    json["field_at_end"] = to_json(report.end);
    if (report.components.size() > 1)
        for (const auto& [name, statistics] : report.components)
            json["components_at_end"][name] = to_json(statistics);
    json["field_hash"] = report.field_hash;
    for (const auto& [name, error] : report.step_errors) json["step_error"][name] = error;
    return json;
}

std::string to_text(const RunReport& report) {
    const RunSpec& spec = report.spec;
    const Speed speed = speed_of(report);
    std::string text = fmt::format("{}x{} {}, {} boundary{}, from {}\n",
                                   spec.size->nx,
                                   spec.size->ny,
                                   name_of(spec.dtype),
                                   boundary_text(spec),
                                   parameter_text(spec),
                                   initial_text(spec));
    text = fmt::format("{}, {}\n", spec.model->name, report.stable.empty() ? "map" : report.stable) + text;
    const std::string way = report.way.empty() ? "" : fmt::format(" ({})", report.way);
    text += fmt::format("{} steps with method {}{} on {}\n", report.steps, spec.method, way, report.device);
    if (!report.method_choice.empty()) text += report.method_choice + "\n";
    if (method_of(report.spec)->fast) text += "fast: bits differ from the exact executors\n";
    if (jumps(report))
        text += jump_text(report.timings);
    else if (report.steps > 0)
        text += fmt::format("{:.4g} s stepping, {:.4g} us/step, {:.4g} GCells/s\n",
                            report.timings.total_seconds(),
                            speed.us_per_step,
                            speed.gcells_per_s);
    if (report.power && has_speed(report))
        text +=
            fmt::format("{:.0f} MHz, {:.0f} W, {:.3g} J per 10^9 cell updates{}\n",
                        report.power->clock_mhz,
                        report.power->watts,
                        joules_per_gcell(report),
                        report.power->throttled.empty() ? "" : ", clock lowered: " + report.power->throttled);
    if (report.copy_gb_per_s && has_speed(report)) {
        const double share = speed.effective_gb_per_s / *report.copy_gb_per_s;
        text += fmt::format("{:.4g} GB/s effective, {:.0f}% of the {:.4g} GB/s that a copy reaches here{}\n",
                            speed.effective_gb_per_s,
                            100 * share,
                            *report.copy_gb_per_s,
                            share > 1 ? " (the field stays in cache, or several steps share a pass)" : "");
    }
    text += fmt::format("field {:.6g} to {:.6g}, total {:.9g} at the start and {:.9g} at the end",
                        report.end.min,
                        report.end.max,
                        report.start.total,
                        report.end.total);
    if (const auto drift = total_drift(report)) text += fmt::format(" (drift {:.1e})", *drift);
    text += '\n';
    for (const auto& [name, error] : report.step_errors)
        text += fmt::format("{} differs by {:.2e} from a run with half the time step\n", name, error);
    return text;
}

bool stays_zero(const RunReport& report) {
    const RunSpec& spec = report.spec;
    const bool has_start =
        !spec.initial.empty() || !spec.initials.empty() ||
        std::ranges::any_of(spec.model->equations->components, [](const equation::Evolving& component) {
            return component.initial || !component.start.empty();
        });
    return !has_start && std::ranges::all_of(report.components, [](const auto& component) {
        return component.second.min == 0 && component.second.max == 0;
    });
}

}  // namespace stencil

#include "sim/fit/residuals.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>

#include "sim/model/equations.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/start.h"
#include "sim/run/advance.h"
#include "sim/run/batch.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"
#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil::fitting {
namespace {

std::string derivative_of(const std::string& formula, const std::string& parameter) {
    return fmt::format("d({})/d({})", formula, parameter);
}

// A parameter that changes on the way has another derivative from there on, and another model other ones.
void refuse_changes(const RunSpec& run, const std::vector<std::string>& parameters) {
    for (const Event& event : run.edits) {
        const SetSetting* set = event.setting();
        if (!set) continue;
        const std::string& name = set->setting;
        if (std::ranges::find(parameters, name) != parameters.end())
            throw InputError("--fit {}: --at {} changes it on the way", name, quotable(to_string(event)));
        if (kind_of(name) == SettingKind::shape || name == setting_name::dt ||
            name == setting_name::tolerance)
            throw InputError("--at {}: a fit takes runs of one model, size and dt",
                             quotable(to_string(event)));
    }
}

RunSpec with_parameters(RunSpec run,
                        const std::vector<std::string>& names,
                        const std::vector<double>& values) {
    for (std::size_t i = 0; i < names.size(); ++i) run.set_parameter(names[i], values[i]);
    return run;
}

std::unique_ptr<Simulation> begin(RunSpec run) {
    State start = make_start(run);
    return std::make_unique<Simulation>(run, std::move(start));
}

// The run as it is to be written and begun, without what only concerns its files.
RunSpec plain(RunSpec run) {
    run.exports.clear();
    run.every = run.checkpoint = Interval();
    return run;
}

}  // namespace

struct Residuals::Job {
    std::unique_ptr<Simulation> run;
    std::size_t first = 0, count = 0;  ///< of the columns
    double step = 0;                   ///< of its only parameter, by differences
};

Residuals::Residuals(RunSpec run,
                     std::vector<std::string> parameters,
                     std::vector<Target> targets,
                     bool differences,
                     const Machine& machine)
    : run_(plain(std::move(run))),
      asked_dt_(run_.dt),
      parameters_(std::move(parameters)),
      targets_(std::move(targets)),
      processors_(machine.cpu_threads) {
    refuse_changes(run_, parameters_);
    if (is_adaptive(run_.dt))
        throw InputError(
            "--dt {}: a fit needs steps that do not depend on the parameters, such as 0.01 or 0.8limit",
            to_string(undecided(run_.dt)));
    if (!run_.until.empty())
        throw InputError("--until {}: a fit compares at given times: take --time or --steps",
                         quotable(run_.until));
    run_ = resolve(run_, machine);
    check_resources(run_, machine);
    for (Target& target : targets_) complete(target, run_);
    const std::unique_ptr<Simulation> first = begin(run_);
    run_.dt = FixedStep{first->next_dt()};
    find_moments();
    if (differences)
        why_differences_ = "as asked for";
    else
        group(machine);
}

void Residuals::find_moments() {
    const double dt = dt_of(run_.dt), end = run_.time ? *run_.time : double(run_.steps) * dt;
    std::vector<std::pair<double, Row>> all;
    for (std::size_t t = 0; t < targets_.size(); ++t) {
        const Target& target = targets_[t];
        for (std::size_t i = 0; i < target.values.size(); ++i) {
            if (std::isnan(target.values[i])) continue;
            const std::size_t moment = target.kind == TargetKind::field ? 0 : i;
            const double time =
                target.times.empty() ? end : target.times[moment] * (target.by_steps ? dt : 1);
            all.push_back({time, {t, i}});
        }
    }
    // Rows of a target follow each other in the order of their moments.
    std::ranges::stable_sort(
        all, {}, [](const auto& one) { return std::pair(one.second.target, one.first); });
    for (const auto& [time, row] : all) {
        const auto same = std::ranges::find_if(
            moments_, [&](const Moment& m) { return std::abs(m.time - time) <= kSameTime * dt; });
        Moment& moment = same == moments_.end() ? moments_.emplace_back(Moment{time, {}}) : *same;
        if (moment.looks.empty() || moment.looks.back().target != row.target)
            moment.looks.push_back({row.target, rows_.size(), 0});
        ++moment.looks.back().count;
        rows_.push_back(row);
    }
    std::ranges::sort(moments_, {}, &Moment::time);
    const auto at_end = [](const Target& target) { return target.times.empty(); };
    if (std::ranges::none_of(targets_, at_end))
        static_cast<Ending&>(run_) = Ending(kMaxSteps, moments_.back().time);
}

// Shares the sensitivities out over as few runs as the number of components allows.
void Residuals::group(const Machine& machine) {
    const std::size_t own = run_.model->components.size();
    const std::size_t most = equation::kMaxComponents / own - 1;
    try {
        if (most == 0)
            throw InputError("with its sensitivities a model has at most {} components",
                             equation::kMaxComponents);
        const std::size_t count = (parameters_.size() + most - 1) / most;
        for (std::size_t g = 0; g < count; ++g) {
            const std::size_t first = g * parameters_.size() / count,
                              end = (g + 1) * parameters_.size() / count;
            RunSpec with = run_;
            const std::vector<std::string> own_parameters(parameters_.begin() + std::ptrdiff_t(first),
                                                          parameters_.begin() + std::ptrdiff_t(end));
            find_setting(setting_name::sensitivity).add(with, own_parameters);
            std::vector<std::string> formulas;
            for (const Target& target : targets_)
                for (const std::string& parameter : own_parameters)
                    formulas.push_back(derivative_of(target.formula, parameter));
            equation::read_equations(with.model->text, formulas);
            if (with.is_general() != run_.is_general()) with.method = "auto";
            if (count > 1 && with.backend == "cpu") with.threads = 1;
            groups_.push_back({resolve(with, machine), first, end - first});
            check_resources(groups_.back().run, machine);
        }
    } catch (const InputError& error) {
        groups_.clear();
        why_differences_ = error.sentence();
    }
}

bool Residuals::lower_dt(const std::vector<double>& parameters) {
    if (std::holds_alternative<FixedStep>(asked_dt_)) return false;
    RunSpec open = with_parameters(run_, parameters_, parameters);
    open.dt = asked_dt_;
    const double dt = begin(open)->next_dt();
    if (!(dt < dt_of(run_.dt))) return false;
    run_.dt = FixedStep{dt};
    for (Group& group : groups_) group.run.dt = run_.dt;
    return true;
}

// The step of a forward difference: the roundings of the run's values against the curvature.
double Residuals::difference_step(std::size_t parameter, double value) const {
    const ModelParameter& row = run_.model->parameters[*run_.model->index_of(parameters_[parameter])];
    const double share = run_.dtype == DType::float64 ? 1e-7 : 1e-3;
    return share * std::max(std::abs(value), 0.01 * (row.high - row.low));
}

std::vector<Residuals::Job> Residuals::jobs(const std::vector<double>& parameters, bool with_jacobian) const {
    std::vector<Job> jobs;
    if (with_jacobian && why_differences_.empty()) {
        for (const Group& group : groups_)
            jobs.push_back(
                {begin(with_parameters(group.run, parameters_, parameters)), group.first, group.count});
        return jobs;
    }
    RunSpec run = with_parameters(run_, parameters_, parameters);
    if (with_jacobian && run.backend == "cpu") run.threads = 1;
    jobs.push_back({begin(run)});
    if (!with_jacobian) return jobs;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        RunSpec moved = run;
        const double step = difference_step(i, parameters[i]);
        moved.set_parameter(parameters_[i], parameters[i] + step);
        jobs.push_back({begin(moved), i, 1, moved.parameter(parameters_[i]) - parameters[i]});
    }
    return jobs;
}

std::vector<double> Residuals::look(Simulation& simulation,
                                    const Look& what,
                                    const std::string& formula) const {
    const Target& target = targets_[what.target];
    std::vector<double> values(what.count);
    const auto value_of_row = [&](std::size_t i) { return rows_[what.first + i].value; };
    if (target.kind == TargetKind::field) {
        const std::vector<double> cells = simulation.solver().field(formula).values();
        for (std::size_t i = 0; i < what.count; ++i) values[i] = cells[value_of_row(i)];
        return values;
    }
    if (target.kind == TargetKind::series) {
        values.assign(what.count, simulation.solver().sample(formula, {{{0.5, 0.5}}}, false).front());
        return values;
    }
    std::vector<SamplePoint> points;
    bool between = false;
    for (std::size_t i = 0; i < what.count; ++i) {
        const SamplePoint& p = target.points[value_of_row(i)];
        between = between || p.x != std::floor(p.x) || p.y != std::floor(p.y);
        points.push_back({p.x + 0.5, p.y + 0.5});
    }
    return simulation.solver().sample(formula, points, between);
}

// Makes slices of about a tenth of a second, so that a run can be stopped.
void Residuals::step_to(std::vector<Job>& jobs, double time) const {
    std::vector<Simulation*> runs;
    for (const Job& job : jobs) runs.push_back(job.run.get());
    ThreadPool threads(batch_threads(run_.threads, processors_, runs.size()));
    Batch batch(runs, {threads});
    const double end = end_time(*runs.front(), time);
    long long steps = 16;
    while (!is_at(runs.front()->time(), end, runs.front()->next_dt())) {
        if (stops && stops()) throw Stopped();
        const auto began = std::chrono::steady_clock::now();
        const std::vector<Advance> each(runs.size(), Advance{steps, end, true});
        for (const std::string& why : batch.advance(each))
            if (!why.empty()) throw InputError("{}", why);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
        if (took.count() < 0.05) steps *= 2;
        if (took.count() > 0.2) steps = std::max(steps / 2, 1LL);
    }
}

Evaluation Residuals::at(const std::vector<double>& parameters, bool with_jacobian) {
    const bool exact = why_differences_.empty();
    const std::size_t columns = with_jacobian ? parameters_.size() : 0;
    Evaluation result{std::vector<double>(count()), std::vector<double>(count() * columns)};
    std::vector<Job> all = jobs(parameters, with_jacobian);
    for (const Moment& moment : moments_) {
        step_to(all, moment.time);
        for (const Look& what : moment.looks) {
            const Target& target = targets_[what.target];
            const double noise = target.noise > 0 ? target.noise : 1;
            const auto put = [&](std::size_t column, const std::vector<double>& values, double unit) {
                for (std::size_t i = 0; i < what.count; ++i)
                    result.jacobian[(what.first + i) * columns + column] = values[i] / unit;
            };
            std::vector<double> values = look(*all.front().run, what, target.formula);
            for (std::size_t i = 0; i < what.count; ++i)
                result.residuals[what.first + i] =
                    (values[i] - target.values[rows_[what.first + i].value]) / noise;
            if (!with_jacobian) continue;
            for (const Job& job : all) {
                for (std::size_t c = job.first; exact && c < job.first + job.count; ++c)
                    put(c, look(*job.run, what, derivative_of(target.formula, parameters_[c])), noise);
                if (exact || job.count == 0) continue;
                std::vector<double> moved = look(*job.run, what, target.formula);
                std::ranges::transform(moved, values, moved.begin(), std::minus());
                put(job.first, moved, job.step * noise);
            }
        }
    }
    return result;
}

std::vector<double> Residuals::model_values(std::size_t index, std::span<const double> residuals) const {
    const Target& target = targets_[index];
    std::vector<double> values(target.values.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < rows_.size(); ++i)
        if (rows_[i].target == index)
            values[rows_[i].value] =
                target.values[rows_[i].value] + residuals[i] * (target.noise > 0 ? target.noise : 1);
    return values;
}

}  // namespace stencil::fitting

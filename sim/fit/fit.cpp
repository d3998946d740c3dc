#include "sim/fit/fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sim/model/text/typed_number.h"
#include "sim/problem/start.h"
#include "sim/problem/unstable_step.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil::fitting {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<Parameter> checked(const FitSpec& spec) {
    if (spec.parameters.empty())
        throw InputError("--fit: which parameter? --fit NAME, one of {}",
                         fmt::join(names_of(spec.run.model->parameters), ", "));
    if (spec.targets.empty()) throw InputError("--target: which values should the run have? --target FILE");
    std::vector<Parameter> parameters = spec.parameters;
    for (auto p = parameters.begin(); p != parameters.end(); ++p) {
        const std::string shown = quotable(p->name);
        const Given given{"fit", shown};
        if (!spec.run.model->index_of(p->name))
            throw InputError(
                Given{"fit"},
                unknown_name_message("parameter", p->name, names_of(spec.run.model->parameters)));
        if (std::ranges::find(parameters.begin(), p, p->name, &Parameter::name) != p)
            throw InputError(given, "is given twice");
        if (!p->start) p->start = spec.run.parameter(p->name);
        if (!(p->low < p->high))
            throw InputError(given, "its bounds {} and {} are not in order", p->low, p->high);
        if (!(*p->start >= p->low && *p->start <= p->high))
            throw InputError(
                given, "starts at {}, which is outside of its bounds {} to {}", *p->start, p->low, p->high);
        if (p->log && !(*p->start > 0))
            throw InputError(given, "starts at {}: a logarithm needs a start above 0", *p->start);
        if (p->log && p->low < 0) p->low = 0;
    }
    return parameters;
}

RunSpec at_start(const FitSpec& spec, const std::vector<Parameter>& parameters) {
    RunSpec run = spec.run;
    for (const Parameter& p : parameters) run.set_parameter(p.name, *p.start);
    return run;
}

std::vector<Variable> variables_of(const std::vector<Parameter>& parameters) {
    std::vector<Variable> variables;
    for (const Parameter& p : parameters)
        variables.push_back(p.log ? Variable{std::log(*p.start), std::log(p.low), std::log(p.high), 1}
                                  : Variable{*p.start, p.low, p.high, std::abs(*p.start)});
    return variables;
}

std::string list_of(const std::vector<Parameter>& parameters, const std::vector<std::size_t>& which) {
    std::vector<std::string> names;
    for (const std::size_t i : which) names.push_back(parameters[i].name);
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Parameter read_parameter(std::string_view text) {
    const std::string shown = quotable(text);
    const auto refuse = [&] {
        throw InputError(Given{"fit", shown},
                         "must be NAME, NAME=START or NAME=START:LOW:HIGH, each with :log or without");
    };
    Parameter parameter;
    if (text.ends_with(":log")) {
        parameter.log = true;
        text.remove_suffix(4);
    }
    const std::size_t equals = text.find('=');
    parameter.name = text.substr(0, equals);
    if (parameter.name.empty() || parameter.name.find(':') != std::string::npos) refuse();
    if (equals == text.npos) return parameter;
    // Of three numbers, those that are left out are the run's value and no bound.
    const std::vector<std::string> words = split(text.substr(equals + 1), ':');
    if (words.size() != 1 && words.size() != 3) refuse();
    std::vector<std::optional<double>> numbers;
    for (const std::string& word : words) {
        numbers.push_back(equation::typed_number(word));
        if (!numbers.back() && !(words.size() == 3 && word.empty())) refuse();
    }
    parameter.start = numbers[0];
    if (numbers.size() == 1) return parameter;
    parameter.low = numbers[1].value_or(parameter.low);
    parameter.high = numbers[2].value_or(parameter.high);
    return parameter;
}

void take_targets(FitSpec& spec, std::vector<GivenTarget> targets, const std::vector<double>& noise) {
    if (!spec.run.size) spec.run.size = size_of_files(spec.run);
    for (const GivenTarget& given : targets) {
        if (spec.run.size) break;
        const auto* text = std::get_if<std::string>(&given);
        spec.run.size = text ? size_of_target(*text) : std::get<Target>(given).size;
    }
    if (!spec.run.size) spec.run.size = Size{};
    for (GivenTarget& given : targets) {
        const auto* text = std::get_if<std::string>(&given);
        spec.targets.push_back(text ? read_target(*text, spec.run) : std::move(std::get<Target>(given)));
    }
    if (noise.size() > 1 && noise.size() != targets.size())
        throw InputError("--noise: {} numbers for {} targets: must be one for all, or one for each",
                         noise.size(),
                         targets.size());
    for (std::size_t i = 0; i < targets.size() && !noise.empty(); ++i) {
        const double own = noise[noise.size() == 1 ? 0 : i];
        if (!(own > 0) || !std::isfinite(own)) throw InputError("--noise {}: must be above 0", own);
        spec.targets[i].noise = own;
    }
}

Fit::Fit(FitSpec spec, const Machine& machine)
    : parameters_(checked(spec)),
      residuals_(at_start(spec, parameters_), names_of(parameters_), spec.targets, spec.differences, machine),
      steps_(variables_of(parameters_), spec.rules),
      exports_(spec.run.exports),
      noise_given_(std::ranges::all_of(spec.targets, [](const Target& t) { return t.noise > 0; })) {
    if (residuals_.count() < parameters_.size())
        throw InputError(
            "--target: {} values do not determine {} parameters", residuals_.count(), parameters_.size());
}

std::vector<double> Fit::values_of(const std::vector<double>& variables) const {
    std::vector<double> values = variables;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (parameters_[i].log) values[i] = std::exp(values[i]);
    return values;
}

void Fit::work() {
    const std::vector<double> at = values_of(steps_.ask());
    const bool first = evaluations_ == 0;
    Evaluation evaluation;
    try {
        evaluation = residuals_.at(at);
    } catch (const InputError& error) {
        if (first) throw;
        why_not_ = error.in_sentence();
        ++evaluations_;
        // A dt that was chosen for the start may be unstable elsewhere.
        if (dynamic_cast<const UnstableStep*>(&error) && residuals_.lower_dt(at))
            steps_.begin_again();
        else
            steps_.tell({std::vector<double>(residuals_.count(), kNone), {}});
        return;
    }
    ++evaluations_;
    if (first && !evaluation.is_finite())
        throw InputError(
            "--fit: the run is not finite where the fit starts: give other starts, or a smaller --dt");
    for (std::size_t row = 0; row < evaluation.residuals.size(); ++row)
        for (std::size_t i = 0; i < at.size(); ++i)
            if (parameters_[i].log) evaluation.jacobian[row * at.size() + i] *= at[i];
    steps_.tell(std::move(evaluation));
}

RunSpec Fit::fitted() const {
    RunSpec run = residuals_.run();
    run.exports = exports_;
    const std::vector<double> best = values_of(steps_.best());
    for (std::size_t i = 0; i < best.size(); ++i) run.set_parameter(parameters_[i].name, best[i]);
    return run;
}

Result Fit::result() const {
    const std::size_t n = parameters_.size();
    Result result;
    result.evaluations = evaluations_;
    result.runs = evaluations_ * residuals_.runs();
    result.values = residuals_.count();
    result.why_differences = residuals_.why_differences();
    result.iterations = steps_.iterations();
    for (Iteration& one : result.iterations) one.at = values_of(one.at);
    const std::vector<double> best = values_of(steps_.best());
    std::vector<bool> fixed(n);
    std::vector<std::size_t> at_bounds;
    for (std::size_t i = 0; i < n; ++i) {
        result.estimates.push_back({parameters_[i], best[i], kNone, ""});
        fixed[i] = steps_.is_at_bound(i);
        if (!fixed[i]) continue;
        at_bounds.push_back(i);
        result.estimates[i].note = best[i] - parameters_[i].low < parameters_[i].high - best[i]
                                       ? "at its lower bound"
                                       : "at its upper bound";
    }
    if (steps_.at_best().residuals.empty()) {
        result.message = "no evaluation was finished";
        return result;
    }
    const Uncertainty found = uncertainty_of(steps_.at_best().jacobian, fixed);
    const std::size_t free = n - at_bounds.size();
    result.degrees = result.values > free ? result.values - free : 0;
    result.noise_given = noise_given_;
    result.chi_square = 2 * steps_.cost();
    const double estimated =
        result.degrees > 0 ? std::sqrt(result.chi_square / double(result.degrees)) : kNone;
    result.noise = noise_given_ ? 1 : estimated;
    result.covariance.resize(n * n);
    result.correlation.resize(n * n);
    const auto slope = [&](std::size_t i) { return parameters_[i].log ? best[i] : 1; };
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            const double covariance = found.covariance[i * n + j];
            result.covariance[i * n + j] = covariance * result.noise * result.noise * slope(i) * slope(j);
            result.correlation[i * n + j] =
                covariance / std::sqrt(found.covariance[i * n + i] * found.covariance[j * n + j]);
        }
    for (std::size_t i = 0; i < n; ++i) result.estimates[i].error = std::sqrt(result.covariance[i * n + i]);
    for (const std::size_t i : found.undetermined) result.estimates[i].note = "not identifiable";

    const Outcome outcome = steps_.outcome();
    result.success = outcome == Outcome::converged && found.undetermined.empty();
    result.message = outcome == Outcome::converged ? "converged"
                     : outcome == Outcome::most_iterations
                         ? "did not converge: the most evaluations were made"
                     : outcome == Outcome::stuck ? "did not converge: no step lowers the residual any more"
                                                 : "was stopped before it converged";
    if (!found.undetermined.empty()) {
        result.message += fmt::format("; not identifiable: {}", list_of(parameters_, found.undetermined));
        result.advice.push_back(
            found.undetermined.size() == 1
                ? "these targets do not depend on it: fit without it, or add a target that does"
                : "these targets depend on a combination of them alone: keep one of them fixed, "
                  "or add a target at another time");
    }
    if (!at_bounds.empty())
        result.advice.push_back(fmt::format("at a bound: {}; the errors of the others count it as fixed",
                                            list_of(parameters_, at_bounds)));
    if (outcome == Outcome::stuck || outcome == Outcome::most_iterations) {
        if (!why_not_.empty()) result.advice.push_back("a step had no run: " + why_not_);
        result.advice.push_back(
            "a long or chaotic run has many local minima: fit an early target (FILE@TIME) first, "
            "start nearer (NAME=START) or give bounds, and go on from what it finds");
    }
    if (noise_given_ && result.degrees > 0 && outcome == Outcome::converged) {
        const double share = result.chi_square / double(result.degrees);
        const double spread = std::sqrt(2 / double(result.degrees));
        if (share > 1 + 5 * spread)
            result.advice.push_back(
                fmt::format("the residuals are {:.3g} times the noise given: the model does not "
                            "describe the target, or the noise is larger",
                            std::sqrt(share)));
    }
    return result;
}

}  // namespace stencil::fitting

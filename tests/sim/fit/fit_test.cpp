// Fits of runs to values from closed forms, and from noisy runs.

#include "sim/fit/fit.h"

#include <Eigen/Dense>
#include <random>

#include "tests/support/runs.h"

using namespace stencil::fitting;

namespace {

Fit finished(FitSpec spec) {
    Fit fit(std::move(spec), query_machine());
    while (!fit.done()) fit.work();
    return fit;
}

RunSpec double_run(const std::string& text, double time = 0) {
    RunSpec run = run_of_text(text);
    run.dtype = DType::float64;
    if (time > 0) static_cast<Ending&>(run) = Ending(kMaxSteps, time);
    return run;
}

// The values of formulas in a run to this time, as targets.
Target field_of(const RunSpec& run, const std::string& formula, double time) {
    Simulation simulation = begun(run);
    simulation.apply(Advance{kMaxSteps, time, true});
    Target target;
    target.name = target.formula = formula;
    target.values = simulation.solver().field(formula).values();
    target.times = {time};
    return target;
}

void add_noise(Target& target, double deviation, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(0, deviation);
    for (double& value : target.values) value += normal(random);
}

Target series(const std::string& formula, std::vector<double> times, std::vector<double> values) {
    Target target;
    target.name = target.formula = formula;
    target.kind = TargetKind::series;
    target.times = std::move(times);
    target.values = std::move(values);
    return target;
}

double value_of(const Result& result, const std::string& name) {
    const auto found =
        std::ranges::find(result.estimates, name, [](const Estimate& e) { return e.parameter.name; });
    return found->value;
}

}  // namespace

TEST_CASE("A fit of exponential decay has the estimates and standard errors of its closed form") {
    // Euler's steps are u = A (1 - k dt)^n.
    constexpr double kStep = 0.05;
    const std::vector<double> noise{0.02, -0.01, 0.015, -0.02, 0.005, 0.01, -0.015, 0.02, -0.005};
    std::vector<double> times, values;
    for (std::size_t i = 0; i < noise.size(); ++i) {
        const double n = 4.0 * double(i);
        times.push_back(n * kStep);
        values.push_back(2 * std::pow(1 - 0.7 * kStep, n) + noise[i]);
    }
    FitSpec spec;
    spec.run = double_run("du/dt = -k*u; u(0) = A; k = 1; A = 1; dt = 0.05; size = 4x3");
    spec.parameters = {{"k"}, {.name = "A", .log = GENERATE(false, true)}};
    spec.targets = {series("mean(u)", times, values)};
    const Fit fit = finished(spec);
    const Result result = fit.result();
    REQUIRE(result.success);
    CHECK(result.why_differences.empty());
    const double k = value_of(result, "k"), a = value_of(result, "A");
    double gradient_k = 0, gradient_a = 0, kk = 0, ka = 0, aa = 0, square = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const double n = 4.0 * double(i), power = std::pow(1 - k * kStep, n);
        const double by_k = -n * kStep * a * std::pow(1 - k * kStep, n - 1), residual = a * power - values[i];
        gradient_k += by_k * residual;
        gradient_a += power * residual;
        kk += by_k * by_k;
        ka += by_k * power;
        aa += power * power;
        square += residual * residual;
    }
    CHECK(std::abs(gradient_k) < 1e-6);
    CHECK(std::abs(gradient_a) < 1e-6);
    const double variance = square / double(times.size() - 2), determinant = kk * aa - ka * ka;
    CHECK(result.estimates[0].error == Approx(std::sqrt(variance * aa / determinant)).epsilon(1e-5));
    CHECK(result.estimates[1].error == Approx(std::sqrt(variance * kk / determinant)).epsilon(1e-5));
    CHECK(result.correlation[1] == Approx(-ka / std::sqrt(kk * aa)).epsilon(1e-5));
    CHECK(result.noise == Approx(std::sqrt(variance)).epsilon(1e-5));
}

TEST_CASE("A fit finds the diffusivity of a Gaussian, of known solution, from pictures at two times") {
    // u = exp(-r^2/(s + 4 D t))/(1 + 4 D t/s) in the open plane, with s = 9 and D = 0.8.
    constexpr double kD = 0.8, kS = 9;
    FitSpec spec;
    spec.run = double_run(
        "du/dt = D*lap(u); u(0) = exp(-((x - 24)^2 + (y - 24)^2)/9); D = 0.5; laplacian = fourth; "
        "integrator = rk4; dt = 0.1; size = 48x48; boundary = periodic");
    spec.parameters = {{"D"}};
    for (const double t : {3.0, 7.0}) {
        const double wide = kS + 4 * kD * t;
        Target target;
        target.name = "gaussian";
        for (int y = 0; y < 48; ++y)
            for (int x = 0; x < 48; ++x)
                target.values.push_back(
                    std::exp(-(std::pow(x + 0.5 - 24, 2) + std::pow(y + 0.5 - 24, 2)) / wide) * kS / wide);
        target.times = {t};
        spec.targets.push_back(target);
    }
    const Result result = finished(spec).result();
    REQUIRE(result.success);
    CHECK(result.evaluations <= 8);
    CHECK(std::abs(result.estimates[0].value - kD) < 1e-3);
}

TEST_CASE("The derivatives of a fit are those of central differences, for each kind of target") {
    const auto* text = GENERATE(
        "du/dt = D*lap(u) - u*v^2 + F*(1 - u); dv/dt = D/2*lap(v) + u*v^2 - (F + K)*v; u(0) = 1 - A*ind(x < "
        "5); "
        "v(0) = A/2*ind(x < 5)*ind(y < 4); D = 0.2; F = 0.04; K = 0.06; A = 0.5; dt = 0.7; size = 13x9",
        "du/dt = D*lap(u) + F*u - u^3; dv/dt = K*u; left: u = A; right: flux(u) = F; y: insulated; D = 0.3; "
        "F = 0.2; "
        "K = 1; A = 0.4; u(0) = 0.2; dt = 0.2; size = 13x9; integrator = rk4");
    FitSpec spec;
    spec.run = double_run(text, 9.3);
    for (const char* name : {"D", "F", "K", "A"}) spec.parameters.push_back({name});
    spec.targets = {field_of(spec.run, "v", 4),
                    field_of(spec.run, "A*u + F", 9.3),
                    series("mean(u*v) + integral(u)", {0, 1.1, 9}, {1, 2, 3})};
    Target points = series("u + D", {2, 2, 6.5}, {0, 0, 0});
    points.kind = TargetKind::points;
    points.points = {{3, 4}, {0, 0}, {5.5, 2}};
    spec.targets.push_back(points);
    spec.targets.back().noise = 0.5;
    Fit fit(spec, query_machine());
    REQUIRE(fit.residuals().why_differences().empty());
    const std::vector<double> at{0.21, 0.05, 0.055, 0.45};
    const Evaluation exact = fit.residuals().at(at);
    double largest = 0;
    for (std::size_t p = 0; p < at.size(); ++p) {
        std::vector<double> low = at, high = at;
        constexpr double kH = 1e-6;
        low[p] -= kH;
        high[p] += kH;
        const auto before = fit.residuals().at(low, false).residuals,
                   after = fit.residuals().at(high, false).residuals;
        for (std::size_t i = 0; i < exact.residuals.size(); ++i) {
            const double slope = exact.jacobian[i * at.size() + p];
            largest = std::max(largest,
                               std::abs((after[i] - before[i]) / (2 * kH) - slope) / (1 + std::abs(slope)));
        }
    }
    CHECK(largest < 1e-7);
}

TEST_CASE("A start given beside the text may have parameters, too") {
    FitSpec spec;
    spec.run = double_run("du/dt = D*lap(u); D = 0.1; A = 2; dt = 0.5; size = 16x16", 4);
    set_setting(spec.run, "initial", "A*exp(-(x - 8)^2/8)");
    spec.run.set_parameter("A", 3);
    spec.targets = {field_of(spec.run, "u", 4)};
    spec.parameters = {{"A", 1.0}, {"D", 0.2}};
    const Result result = finished(spec).result();
    CHECK(result.success);
    CHECK(std::abs(value_of(result, "A") - 3) < 1e-6);
    CHECK(std::abs(value_of(result, "D") - 0.1) < 1e-6);
}

TEST_CASE("Where a model has no sensitivities, differences of runs find the same") {
    FitSpec spec;
    const bool extremes = GENERATE(true, false);
    spec.run = double_run(
        extremes ? "du/dt = a*lap(u) - b*u*max(u); u(0) = 1 + sin(x); a = 0.3; b = 0.5; dt = 0.1; size = 9x8"
                 : "du/dt = a*lap(u) - b*u^2; u(0) = 1 + sin(x); a = 0.3; b = 0.5; dt = 0.1; size = 9x8",
        2);
    spec.targets = {field_of(spec.run, "u", 2)};
    spec.parameters = {{"a", 0.2}, {"b", 0.4}};
    spec.differences = !extremes;
    const Result result = finished(spec).result();
    CHECK(result.success);
    CHECK(contains(result.why_differences, extremes ? "no derivative" : "asked"));
    CHECK(result.runs == 3 * result.evaluations);
    CHECK(std::abs(value_of(result, "a") - 0.3) < 1e-6);
    CHECK(std::abs(value_of(result, "b") - 0.5) < 1e-6);
}

TEST_CASE("Sensitivities that are more components than a run has are shared out over several runs") {
    std::string text = "dt = 0.1; size = 6x5";
    FitSpec spec;
    for (const char c : std::string("abcdef"))
        text += fmt::format("; d{0}_/dt = -{0}*{0}_; {0}_(0) = 1; {0} = 0.5", c);
    spec.run = double_run(text, 1);
    std::vector<double> expected;
    for (const char c : std::string("abcdef")) {
        const std::string name(1, c);
        expected.push_back(0.2 + 0.1 * (c - 'a'));
        spec.run.set_parameter(name, expected.back());
        spec.targets.push_back(field_of(spec.run, name + "_", 1));
        spec.parameters.push_back({name, 0.3});
    }
    Fit fit = finished(spec);
    const Result result = fit.result();
    CHECK(result.why_differences.empty());
    CHECK(fit.residuals().runs() > 7);
    CHECK(result.success);
    for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(std::abs(result.estimates[i].value - expected[i]) < 1e-6);
}

TEST_CASE("Parameters that the targets cannot tell apart are said not to be identifiable") {
    FitSpec spec;
    spec.run =
        double_run("du/dt = -a*b*u; u(0) = 1; a = 1; b = 0.5; c = 2; dv/dt = c; dt = 0.1; size = 4x4", 2);
    spec.targets = {field_of(spec.run, "u", 1)};
    spec.parameters = {{"a", 0.8}, {"b", 0.4}};
    const Result product = finished(spec).result();
    CHECK_FALSE(product.success);
    CHECK(contains(product.message, "not identifiable: a, b"));
    CHECK(std::isnan(product.estimates[0].error));
    spec.parameters = {{"a", 0.8}, {"c", 1.0}};
    const Result unseen = finished(spec).result();
    CHECK(contains(unseen.message, "not identifiable: c"));
    CHECK(std::abs(value_of(unseen, "a") - 1) < 1e-6);
    CHECK_FALSE(std::isnan(unseen.estimates[0].error));
}

TEST_CASE("A bound holds a parameter, and the others are fitted beside it") {
    FitSpec spec;
    spec.run = double_run("du/dt = -k*u + s; u(0) = 1; k = 0.5; s = 0.2; dt = 0.1; size = 4x4");
    spec.targets = {field_of(spec.run, "u", 1), field_of(spec.run, "u", 3)};
    spec.parameters = {{"k", 0.6, 0.55, 2}, {"s", 0.1}};
    const Result result = finished(spec).result();
    CHECK(value_of(result, "k") == 0.55);
    CHECK(result.estimates[0].note == "at its lower bound");
    CHECK(std::isnan(result.estimates[0].error));
    CHECK(result.estimates[1].error > 0);
    CHECK(contains(result.advice.front(), "at a bound: k"));
}

TEST_CASE("A dt that was left open becomes smaller where a step leads to parameters that need it") {
    FitSpec spec;
    spec.run = double_run(
        "du/dt = D*lap(u); u(0) = sin(x) + cos(y); D = 0.05; size = 16x16; boundary = periodic; integrator = "
        "rk4");
    RunSpec target = spec.run;
    target.set_parameter("D", 0.9);
    target.dt = FixedStep{0.05};
    spec.targets = {field_of(target, "u", 2)};
    spec.parameters = {{"D"}};
    Fit fit = finished(spec);
    const Result result = fit.result();
    CHECK(result.success);
    CHECK(dt_of(fit.residuals().run().dt) < 0.5);
    CHECK(std::abs(value_of(result, "D") - 0.9) < 0.01);  // another dt has another error of the steps
    REQUIRE_NOTHROW(begun(fit.fitted()));
}

TEST_CASE("D, F and K of a noisy picture of Gray-Scott are found as well as their standard errors say") {
    // Of so many trials 95.4 % are within two standard errors of each parameter, and within the ellipsoid of
    // the same share: chi-square with 3 degrees of freedom below 8.02. A share below 3/4 of 12 trials has a
    // probability of 1e-3 per parameter.
    const int trials = kWatchedMemory ? 2 : 12;
    FitSpec spec;
    spec.run = double_run(
        "du/dt = D*lap(u) - u*v^2 + F*(1 - u); dv/dt = D/2*lap(v) + u*v^2 - (F + K)*v; D = 0.16; F = 0.035; "
        "K = 0.06; "
        "u(0) = 1 - ind(abs(x - 16) < 4)*ind(abs(y - 16) < 5)/2; v(0) = ind(abs(x - 16) < 4)*ind(abs(y - 16) "
        "< 5)/4; "
        "dt = 1; size = 32x32",
        200);
    const double truth[] = {0.16, 0.035, 0.06};
    const Target clean = field_of(spec.run, "v", 200);
    spec.parameters = {{"D", 0.17}, {"F", 0.034}, {"K", 0.061}};
    std::array<int, 3> within{};
    int together = 0;
    for (int trial = 0; trial < trials; ++trial) {
        Target noisy = clean;
        add_noise(noisy, 0.02, std::uint64_t(1000 + trial));
        spec.targets = {noisy};
        const Result result = finished(spec).result();
        REQUIRE(result.success);
        CHECK(result.noise == Approx(0.02).epsilon(0.12));
        CHECK(result.runs == 4 * result.evaluations);
        Eigen::Map<const Eigen::Matrix3d> covariance(result.covariance.data());
        Eigen::Vector3d off;
        for (int i = 0; i < 3; ++i) {
            off[i] = result.estimates[std::size_t(i)].value - truth[i];
            within[std::size_t(i)] += std::abs(off[i]) < 2 * result.estimates[std::size_t(i)].error;
        }
        together += off.dot(covariance.inverse() * off) < 8.02;
    }
    for (const int count : within) CHECK(4 * count >= 3 * trials);
    CHECK(4 * together >= 3 * trials);
}

TEST_CASE("What a fit cannot take is refused in one sentence") {
    FitSpec spec;
    spec.run = double_run("du/dt = -k*u; u(0) = 1; k = 1; dt = 0.1; size = 4x4", 1);
    spec.targets = {field_of(spec.run, "u", 1)};
    spec.parameters = {{"k"}};
    const auto refusal = [](const FitSpec& asked) {
        return input_error([&] { Fit(asked, query_machine()); });
    };
    CHECK(refusal(spec).empty());
    const auto with = [&](const auto& change) {
        FitSpec asked = spec;
        change(asked);
        const std::string told = refusal(asked);
        CHECK(told.find('\n') == std::string::npos);
        return told;
    };
    CHECK(contains(with([](FitSpec& s) { s.parameters[0].name = "q"; }), "unknown parameter 'q'"));
    CHECK(contains(with([](FitSpec& s) { s.parameters.push_back({"k"}); }), "twice"));
    CHECK(contains(with([](FitSpec& s) { s.parameters[0] = {"k", 1, 2, 3}; }), "outside of its bounds"));
    CHECK(contains(with([](FitSpec& s) { s.parameters[0] = {"k", 1, 3, 2}; }), "not in order"));
    CHECK(contains(with([](FitSpec& s) { s.parameters[0] = {.name = "k", .start = -1, .log = true}; }),
                   "logarithm"));
    CHECK(contains(with([](FitSpec& s) { s.targets[0].values.pop_back(); }), "15 values, and the field 4x4"));
    CHECK(contains(with([](FitSpec& s) { s.targets[0].formula = "w"; }), "w"));
    CHECK(contains(with([](FitSpec& s) { s.targets = {series("u", {1}, {1})}; }), "mean(u)"));
    CHECK(contains(with([](FitSpec& s) { s.targets[0].times = {-1}; }), "from 0 on"));
    CHECK(contains(with([](FitSpec& s) { s.run.dt = FollowLimit{0.8}; }), "do not depend on the parameters"));
    CHECK(contains(with([](FitSpec& s) { s.run.edits.push_back({3, SetSetting{"k", "2"}}); }), "on the way"));
    CHECK(contains(with([](FitSpec& s) { s.targets.clear(); }), "--target"));
    CHECK(contains(with([](FitSpec& s) {
                       s.targets = {series("mean(u)", {1}, {1})},
                       s.run.use_model(model_of_text("du/dt = -k*u; k = 1; m = 2; dt = 0.1; size = 4x4")),
                       s.run.size = Size{4, 4}, s.parameters.push_back({"m"});
                   }),
                   "do not determine"));
    for (const char* text : {"k:1", "=2", "k=1:2", "k=x", ""})
        CHECK(contains(input_error([&] { read_parameter(text); }), "NAME=START"));
    CHECK(read_parameter("k=1/4:0:1:log").log);
    CHECK(read_parameter("k=1/4:0:1:log").start == 0.25);
    CHECK(read_parameter("k:log").log);
    CHECK_FALSE(read_parameter("k").start);
}

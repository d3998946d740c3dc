#include "sim/model/step/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sim/model/matrices.h"
#include "sim/model/step/linear_part.h"
#include "sim/model/step/plan.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil::equation {

double Tableau::node(std::size_t i) const {
    return std::accumulate(a[i].begin(), a[i].end(), 0.0);
}

namespace {

using Arrays = StepPlan::Arrays;

int load(Lowering& lowering, const Arrays& arrays, int c) {
    return lowering.builder().input(Code::load, arrays[std::size_t(c)]);
}

// Writes the state at the step's start plus factor * dt * the rates of the state `from`, which is at `time`.
void add_increment(StepPlan& plan, const Arrays& from, double time, const Arrays& to, double factor) {
    plan.add_stage(from, time, to, [&](Lowering& l, int c) { return plan.advanced(l, c, factor, c); });
}

// An explicit Runge-Kutta scheme with as many evaluations as its order has the exponential's Taylor
// polynomial.
double taylor_amplification(const Integrator& scheme, Complex z) {
    Complex sum = 1;
    for (int k = scheme->order; k >= 1; --k) sum = 1.0 + z / double(k) * sum;
    return std::abs(sum);
}

void euler(StepPlan& plan) {
    const double time = plan.model().solved_alone ? 1 : 0;
    plan.add_stage(plan.present(), time, plan.next(), [&](Lowering& l, int c) {
        const Evolving& component = plan.model().components[std::size_t(c)];
        return component.rate ? plan.advanced(l, c, 1, c) : l.value(component.formula);
    });
}

// In the SSP form (Shu & Osher 1988).
void heun(StepPlan& plan) {
    const Arrays one = plan.state_at("1", 1);
    add_increment(plan, plan.present(), 0, one, 1);
    plan.add_stage(one, 1, plan.next(), [&](Lowering& l, int c) {
        Builder& b = l.builder();
        const int two = plan.advanced(l, c, 1, one[std::size_t(c)]);
        return b.multiply(b.constant(0.5), b.add(b.input(Code::load, c), two));
    });
}

void midpoint(StepPlan& plan) {
    const Arrays half = plan.state_at("2", 0.5);
    add_increment(plan, plan.present(), 0, half, 0.5);
    add_increment(plan, half, 0.5, plan.next(), 1);
}

// Saves arrays by keeping no rates: with d_k the increments to the stage states, the step adds (d_2 + 2 d_3 +
// d_4) / 3 + dt rate_4 / 6.
void rk4(StepPlan& plan) {
    const Arrays two = plan.state_at("2", 0.5), three = plan.state_at("3", 0.5), four = plan.state_at("4", 1);
    add_increment(plan, plan.present(), 0, two, 0.5);
    add_increment(plan, two, 0.5, three, 0.5);
    add_increment(plan, three, 0.5, four, 1);
    plan.add_stage(four, 1, plan.next(), [&](Lowering& l, int c) {
        Builder& b = l.builder();
        const int start = b.input(Code::load, c);
        const auto change = [&](const Arrays& arrays) { return b.subtract(load(l, arrays, c), start); };
        const int changes = b.fma(b.constant(2), change(three), b.add(change(two), change(four)));
        const int rate = plan.advanced(l, c, 1.0 / 6, std::nullopt);
        return b.add(start, b.fma(b.constant(1.0 / 3), changes, rate));
    });
}

// Adams-Bashforth with the weights of variable steps. The slope (1 + w/2) f - w/2 f_before, where w is dt
// divided by the previous dt, is the rate halfway through a step of any length. Without a previous step w is
// 0: a single Euler step, whose error of order dt^2 does not lower the order.
void ab2(StepPlan& plan) {
    Graph& g = plan.graph();
    Lowering lowering = plan.rates_of(plan.present(), 0);
    Builder& b = lowering.builder();
    const Node half = g.multiply(g.number(0.5), g.leaf(Op::past));
    std::vector<Output> outputs;
    for (int c = 0; c < plan.components(); ++c) {
        const int rate = plan.rate(lowering, c), before = b.input(Code::load, plan.components() + c);
        // Rates from before a restart may be NaN, which a weight of 0 would not remove.
        const int kept = b.select(lowering.value(half), before, b.constant(0));
        const int newer = b.multiply(lowering.value(g.add(g.number(1), half)), rate);
        const int slope = b.make(Code::fnma, lowering.value(half), kept, newer);
        outputs.push_back(
            {plan.kept_inside(lowering, plan.added(lowering, c, slope), c), plan.next()[std::size_t(c)]});
        outputs.push_back({rate, plan.next_rate(c)});
    }
    plan.add(lowering, outputs);
}

// The modulus of the larger root of r^2 = r + z (3 r - 1) / 2.
double adams_bashforth(const Integrator&, Complex z) {
    const Complex half = 0.5 + 0.75 * z, root = std::sqrt(half * half - 0.5 * z);
    return std::max(std::abs(half + root), std::abs(half - root));
}

// Bogacki & Shampine, Appl. Math. Lett. 2, 1989.
const Tableau kBogackiShampine{
    {{}, {1.0 / 2}, {0, 3.0 / 4}}, {2.0 / 9, 1.0 / 3, 4.0 / 9}, {-5.0 / 72, 1.0 / 12, 1.0 / 9, -1.0 / 8}};

// Dormand & Prince, J. Comput. Appl. Math. 6, 1980: RK5(4)7M.
const Tableau kDormandPrince{
    {{},
     {1.0 / 5},
     {3.0 / 40, 9.0 / 40},
     {44.0 / 45, -56.0 / 15, 32.0 / 9},
     {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
     {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
    {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40}};

// The weighted sum of earlier stages' rates and the newest one.
int weighted(Lowering& lowering,
             const std::vector<double>& weights,
             const std::vector<Arrays>& rates,
             int c,
             int newest) {
    Builder& b = lowering.builder();
    int sum = -1;
    for (std::size_t j = 0; j < weights.size(); ++j) {
        if (weights[j] == 0) continue;
        const int rate = j + 1 < weights.size() ? load(lowering, rates[j], c) : newest;
        const int weight = b.constant(weights[j]);
        sum = sum < 0 ? b.multiply(weight, rate) : b.fma(weight, rate, sum);
    }
    return sum;
}

// The difference from the embedded scheme, relative to 1 + |u| before or after the step, in a separate stage,
// so that the step has the same bits as without it.
void estimate_errors(StepPlan& plan, const Tableau& tableau, const std::vector<Arrays>& rates) {
    const Arrays stepped(plan.next().begin(), plan.next().begin() + plan.components());
    Lowering lowering = plan.rates_of(stepped, 1);
    Builder& b = lowering.builder();
    std::vector<Output> outputs;
    for (int c = 0; c < plan.components(); ++c) {
        const int slope = weighted(lowering, tableau.errors, rates, c, plan.rate(lowering, c));
        const int error = b.multiply(lowering.value(plan.graph().leaf(Op::dt)), slope);
        const int before = b.make(Code::abs, b.input(Code::load, c));
        const int after = b.make(Code::abs, load(lowering, stepped, c));
        const int size = b.add(b.constant(1), b.make(Code::maximum, before, after));
        const int relative = b.make(Code::divide, error, size);
        outputs.push_back({plan.zero_outside(lowering, relative), plan.next_error(c)});
    }
    plan.add(lowering, outputs);
}

// Each stage writes its rates, if a later stage needs them, and the state of the next stage.
void runge_kutta(StepPlan& plan) {
    const Tableau& tableau = *plan.integrator()->tableau;
    const std::size_t count = tableau.weights.size();
    std::vector<Arrays> rates;
    Arrays state = plan.present();
    for (std::size_t i = 0; i < count; ++i) {
        Lowering lowering = plan.rates_of(state, tableau.node(i));
        const bool last = i + 1 == count;
        const std::vector<double>& weights = tableau.row(i + 1);
        const bool keeps = !last || plan.estimates_errors();
        if (keeps) rates.push_back(plan.values(fmt::format(" rate {}", i + 1)));
        state = last ? plan.next() : plan.state_of_stage(int(i % 2), tableau.node(i + 1));
        std::vector<Output> outputs;
        for (int c = 0; c < plan.components(); ++c) {
            const int rate = plan.rate(lowering, c);
            if (keeps) outputs.push_back({rate, rates[i][std::size_t(c)]});
            const int slope = weighted(lowering, weights, rates, c, rate);
            outputs.push_back(
                {plan.kept_inside(lowering, plan.added(lowering, c, slope), c), state[std::size_t(c)]});
        }
        plan.add(lowering, outputs);
    }
    if (plan.estimates_errors()) estimate_errors(plan, tableau, rates);
}

double tableau_amplification(const Integrator& scheme, Complex z) {
    const Tableau& tableau = *scheme->tableau;
    std::vector<Complex> rates;
    const auto state = [&](const std::vector<double>& weights) {
        Complex sum = 1;
        for (std::size_t j = 0; j < weights.size(); ++j) sum += z * weights[j] * rates[j];
        return sum;
    };
    for (std::size_t i = 0; i < tableau.a.size(); ++i) rates.push_back(state(tableau.a[i]));
    return std::abs(state(tableau.weights));
}

// A stage of RKL2 (Meyer, Balsara & Aslam, J. Comput. Phys. 257, 2014, eqs. 16 to 18), with d_j = Y_j - Y_0:
// d_j = mu d_(j-1) + nu d_(j-2) + dt (rate f(Y_(j-1)) + start f(Y_0)), which is the state at time `node`.
struct LegendreStage {
    double mu = 0, nu = 0, rate = 0, start = 0, node = 0;
};
std::vector<LegendreStage> legendre_stages(int count) {
    const auto b = [](int j) { return j < 2 ? 1.0 / 3 : (j * j + j - 2) / (2.0 * j * (j + 1)); };
    const double w = 4.0 / (count * count + count - 2);
    std::vector<LegendreStage> stages{{0, 0, b(1) * w, 0, b(1) * w}};
    for (int j = 2; j <= count; ++j) {
        LegendreStage s;
        s.mu = (2.0 * j - 1) / j * b(j) / b(j - 1);
        s.nu = (1.0 - j) / j * b(j) / b(j - 2);
        s.rate = s.mu * w;
        s.start = (b(j - 1) - 1) * s.rate;
        const double before = j > 2 ? stages[std::size_t(j) - 3].node : 0;
        s.node = s.mu * stages.back().node + s.nu * before + s.rate + s.start;
        stages.push_back(s);
    }
    return stages;
}

double legendre_amplification(const Integrator& scheme, Complex z) {
    Complex before = 0, change = 0;
    for (const LegendreStage& s : legendre_stages(scheme.stages))
        before =
            std::exchange(change, s.mu * change + s.nu * before + z * (s.rate * (1.0 + change) + s.start));
    return std::abs(1.0 + change);
}

// Keeps the states of three stages at a time, and the rates at the step's start. All sums are of changes, so
// that a state at rest stays at rest.
void rkl2(StepPlan& plan) {
    const std::vector<LegendreStage> stages = legendre_stages(plan.integrator().stages);
    const Arrays first = plan.values(" rate 1");
    Arrays before = plan.present(), state = plan.present();
    for (std::size_t j = 0; j < stages.size(); ++j) {
        const LegendreStage& stage = stages[j];
        Lowering lowering = plan.rates_of(state, j > 0 ? stages[j - 1].node : 0);
        Builder& b = lowering.builder();
        const Arrays to = j + 1 < stages.size() ? plan.state_of_stage(int(j % 3), stage.node) : plan.next();
        std::vector<Output> outputs;
        for (int c = 0; c < plan.components(); ++c) {
            const int start = b.input(Code::load, c), rate = plan.rate(lowering, c);
            int slope = b.multiply(b.constant(stage.rate), rate);
            if (j == 0)
                outputs.push_back({rate, first[std::size_t(c)]});
            else
                slope = b.fma(b.constant(stage.start), load(lowering, first, c), slope);
            int change = plan.increment(lowering, slope);
            const auto add_change = [&](double weight, const Arrays& of) {
                const int since = b.subtract(load(lowering, of, c), start);
                change = b.fma(b.constant(weight), since, change);
            };
            if (j > 1) add_change(stage.nu, before);
            if (j > 0) add_change(stage.mu, state);
            outputs.push_back({plan.kept_inside(lowering, b.add(start, change), c), to[std::size_t(c)]});
        }
        plan.add(lowering, outputs);
        before = std::exchange(state, to);
    }
}

// Semi-implicit Euler: components in turn, each from the newest values; leapfrog for waves. Tangents need the
// state before their component is advanced, so they are stepped first.
std::vector<int> in_turn(const std::vector<Evolving>& components) {
    std::vector<int> order;
    for (int own = 0; own < int(components.size()); ++own) {
        if (components[std::size_t(own)].tangent_of) continue;
        for (int c = 0; c < int(components.size()); ++c)
            if (components[std::size_t(c)].tangent_of == own) order.push_back(c);
        order.push_back(own);
    }
    return order;
}

void symplectic(StepPlan& plan) {
    Arrays state = plan.present();
    std::vector<double> ahead(state.size());
    for (const int c : in_turn(plan.model().components)) {
        Lowering lowering = plan.rate_of_one(c, state, ahead);
        const int value = plan.kept_inside(lowering, plan.advanced(lowering, c, 1, c), c);
        const int to = plan.next()[std::size_t(c)];
        plan.add(lowering, {{value, to}});
        state[std::size_t(c)] = to;
        ahead[std::size_t(c)] = 1;
    }
}

Matrix symplectic_step(const Matrix& j, const Matrix&, double dt) {
    Matrix step = identity(j.rows);
    for (int c = 0; c < j.rows; ++c) {
        Matrix one = identity(j.rows);
        for (int k = 0; k < j.columns; ++k) one(c, k) += dt * j(c, k);
        step = product(one, step);
    }
    return step;
}

// Writes state + change, for stages that need no rates; without a change the state.
void add_changed(StepPlan& plan, const Arrays& change, const Arrays& to) {
    Lowering lowering = plan.values_of_arrays();
    Builder& b = lowering.builder();
    std::vector<Output> outputs;
    for (int c = 0; c < int(to.size()); ++c) {
        const int before = b.input(Code::load, c);
        const int after = change.empty() ? before : b.add(before, load(lowering, change, c));
        outputs.push_back({after, to[std::size_t(c)]});
    }
    plan.add(lowering, outputs);
}

// share * dt * the rate of component c.
int scaled_rate(StepPlan& plan, Lowering& l, int c, double share) {
    Graph& g = plan.graph();
    const int rate = l.value(plan.model().components[std::size_t(c)].formula);
    return l.builder().multiply(l.value(g.multiply(g.number(share), g.leaf(Op::dt))), rate);
}

// Backward Euler in the linear part L of the rate F: (1 - dt L) d = dt F(u), next = u + d. Given times and
// sides are those of the step's end.
void backward_euler(StepPlan& plan) {
    plan.add_linear_parts(1);
    const Arrays right = plan.values(" right"), change = plan.values(" change");
    Arrays from = plan.present();
    if (!is_linear(plan.model())) {
        from = plan.state_at("1", 1);
        add_changed(plan, {}, from);
    }
    plan.add_solves(from, 1, right, change, [&](Lowering& l, int c) { return scaled_rate(plan, l, c, 1); });
    add_changed(plan, change, plan.next());
}

Matrix backward_euler_step(const Matrix& j, const Matrix& l, double dt) {
    const Matrix one = identity(j.rows), solve = inverse(combined(1, one, -dt, l));
    return combined(1, one, dt, product(solve, j));
}

// The trapezoidal rule for the linear part L of the rate F, and Heun's method for the rest N = F - L:
//   (1 - dt/2 L) d_1 = dt F(u),                              u_1 = u + d_1
//   (1 - dt/2 L) d_2 = 3/2 dt F(u) + dt/2 F(u_1) - d_1,      next = u + d_2
// d_2 is d_1 where N is constant.
void crank_nicolson(StepPlan& plan) {
    plan.add_linear_parts(0.5);
    const Arrays right = plan.values(" right"), change = plan.values(" change");
    plan.add_solves(
        plan.present(), 0, right, change, [&](Lowering& l, int c) { return scaled_rate(plan, l, c, 1); });
    if (!is_linear(plan.model())) {
        const Arrays one = plan.state_at("1", 1);
        add_changed(plan, change, one);
        plan.add_solves(one, 1, plan.next(), change, [&](Lowering& l, int c) {
            Builder& b = l.builder();
            const int rest = b.subtract(scaled_rate(plan, l, c, 0.5), load(l, change, c));
            return b.fma(b.constant(1.5), load(l, right, c), rest);
        });
    }
    add_changed(plan, change, plan.next());
}

Matrix crank_nicolson_step(const Matrix& j, const Matrix& l, double dt) {
    const Matrix one = identity(j.rows), solve = inverse(combined(1, one, -0.5 * dt, l)),
                 first = product(solve, combined(dt, j, 0, j)),
                 rest = combined(1.5 * dt, j, 0.5 * dt, product(j, combined(1, one, 1, first)));
    return combined(1, one, 1, product(solve, combined(1, rest, -1, first)));
}

// ARS(2,2,2) in terms of increments d, with F the whole rate and L its linear part:
//   (1 - g dt L) d_1 = g dt F(u),                                            u_1 = u + d_1
//   (1 - g dt L) d_2 = g dt F(u) + (1 - delta) dt F(u_1) - (1 - delta / g) d_1,   next = u + d_2
// This equals the paper's scheme with F - L u as explicit part. Boundaries stay in F, transforms round the
// increments alone, and states at rest stay at rest.
void imex(StepPlan& plan) {
    plan.add_linear_parts(kGamma);
    const Arrays right = plan.values(" right"), change = plan.values(" change"),
                 one = plan.state_at("1", kGamma);
    plan.add_solves(plan.present(), 0, right, change, [&](Lowering& l, int c) {
        return scaled_rate(plan, l, c, kGamma);
    });
    add_changed(plan, change, one);
    plan.add_solves(one, kGamma, plan.next(), change, [&](Lowering& l, int c) {
        Graph& g = plan.graph();
        Builder& b = l.builder();
        const int rate = l.value(plan.model().components[std::size_t(c)].formula);
        const int step = l.value(g.multiply(g.number(1 - kDelta), g.leaf(Op::dt)));
        const int explicit_part = b.fma(step, rate, load(l, right, c));
        const int back = b.constant(1 - kDelta / kGamma);
        return b.make(Code::fnma, back, load(l, change, c), explicit_part);
    });
    add_changed(plan, change, plan.next());
}

Matrix imex_step(const Matrix& j, const Matrix& l, double dt) {
    constexpr double g = kGamma, delta = kDelta;
    const Matrix one = identity(j.rows), solve = inverse(combined(1, one, -g * dt, l));
    const Matrix first = product(solve, combined(g * dt, j, 0, j));
    const Matrix rate = product(j, combined(g + 1 - delta, one, 1 - delta, first));
    const Matrix second = product(solve, combined(dt, rate, delta / g - 1, first));
    return combined(1, one, 1, second);
}

}  // namespace

const std::vector<IntegratorRow>& integrators() {
    static const std::vector<IntegratorRow> rows{
        {.name = "euler",
         .help = "One evaluation per step, error proportional to dt",
         .order = 1,
         .add_stages = euler,
         .wave = WaveStep{.amplification = taylor_amplification},
         .steps_maps = true},
        {.name = "heun",
         .help = "Two evaluations per step, error proportional to dt^2 (Heun 1900)",
         .order = 2,
         .add_stages = heun,
         .wave = WaveStep{.amplification = taylor_amplification}},
        {.name = "midpoint",
         .help = "Two evaluations per step, the second one halfway, error proportional to dt^2 (Runge 1895)",
         .order = 2,
         .add_stages = midpoint,
         .wave = WaveStep{.amplification = taylor_amplification}},
        {.name = "ab2",
         .help = "One evaluation per step, beside that of the step before, error proportional to dt^2 "
                 "(Adams & Bashforth 1883)",
         .order = 2,
         .add_stages = ab2,
         .wave = WaveStep{.amplification = adams_bashforth},
         .is_multistep = true},
        {.name = "bs32",
         .help = "Three evaluations per step, error proportional to dt^3 (Bogacki & Shampine 1989)",
         .order = 3,
         .add_stages = runge_kutta,
         .wave = WaveStep{.amplification = tableau_amplification},
         .tableau = &kBogackiShampine,
         .error_order = 2},
        {.name = "rk4",
         .help = "Four evaluations per step, error proportional to dt^4 (Kutta 1901)",
         .order = 4,
         .add_stages = rk4,
         .wave = WaveStep{.amplification = taylor_amplification}},
        {.name = "dp54",
         .help = "Six evaluations per step, error proportional to dt^5 (Dormand & Prince 1980)",
         .order = 5,
         .add_stages = runge_kutta,
         .wave = WaveStep{.amplification = tableau_amplification},
         .tableau = &kDormandPrince,
         .error_order = 4},
        {.name = "rkl2",
         .help = "For diffusion: s evaluations make steps of (s^2 + s - 2)/4 times Euler's limit, error "
                 "proportional to dt^2; rkl2:s, s = 9 without (Meyer, Balsara & Aslam 2014)",
         .order = 2,
         .add_stages = rkl2,
         .wave = WaveStep{.amplification = legendre_amplification, .has_narrow_region = true},
         .stages = 9},
        {.name = "symplectic",
         .help = "Components one after the other, each by the newest values: leapfrog for waves",
         .order = 1,
         .add_stages = symplectic,
         .wave = WaveStep{.matrix = symplectic_step}},
        {.name = "imex",
         .help = "Two evaluations per step, the linear part solved by transforms: large steps where it is "
                 "stiff, error proportional to dt^2 (Ascher, Ruuth & Spiteri 1997)",
         .order = 2,
         .add_stages = imex,
         .wave = WaveStep{.matrix = imex_step},
         .is_implicit = true},
        {.name = "crank-nicolson",
         .help = "The linear part by the trapezoidal rule, solved by transforms: any step of diffusion is "
                 "stable; the rest is explicit, error proportional to dt^2 (Crank & Nicolson 1947)",
         .order = 2,
         .add_stages = crank_nicolson,
         .wave = WaveStep{.matrix = crank_nicolson_step},
         .is_implicit = true},
        {.name = "implicit",
         .help = "Backward Euler: the linear part at the step's end, solved by transforms; any step of "
                 "diffusion is "
                 "stable and smooth; the rest is explicit, error proportional to dt",
         .order = 1,
         .add_stages = backward_euler,
         .wave = WaveStep{.matrix = backward_euler_step},
         .is_implicit = true},
    };
    return rows;
}

Integrator::Integrator() : Integrator(integrators().front()) {}

Integrator::Integrator(const IntegratorRow& its_row) : Integrator(its_row, its_row.stages) {}

std::string listed_integrators(const std::function<bool(const IntegratorRow&)>& which,
                               const char* conjunction) {
    std::vector<std::string> names;
    for (const IntegratorRow& row : integrators())
        if (which(row)) names.push_back(row.name + (row.stages > 0 ? "[:STAGES]" : ""));
    const std::string last = names.back();
    names.pop_back();
    return names.empty() ? last : fmt::format("{} {} {}", fmt::join(names, ", "), conjunction, last);
}

Integrator scheme_of(std::string_view name) {
    const std::size_t colon = name.find(':');
    const IntegratorRow& row = row_named(integrators(), "integrator", name.substr(0, colon), "integrator");
    if (colon == name.npos) return Integrator(row);
    const auto stages = read_real(name.substr(colon + 1));
    if (row.stages == 0) throw InputError(Given{"integrator", quotable(name)}, "{} has no number", row.name);
    if (!stages || *stages != std::floor(*stages) || *stages < kLeastStages || *stages > kMostStages)
        throw InputError(Given{"integrator", quotable(name)},
                         "{} has {} to {} stages, e.g. {}:{}",
                         row.name,
                         kLeastStages,
                         kMostStages,
                         row.name,
                         row.stages);
    return {row, int(*stages)};
}

std::string name_of(const Integrator& integrator) {
    const IntegratorRow& row = *integrator.row;
    return integrator.stages == row.stages ? row.name : fmt::format("{}:{}", row.name, integrator.stages);
}

bool rounds_increments(bool float64, double dt) {
    int exponent = 0;
    return !float64 && std::frexp(float(dt), &exponent) != 0.5f;
}

}  // namespace stencil::equation

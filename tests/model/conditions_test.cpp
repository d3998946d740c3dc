// Random conditions at sides and edges, in every spelling and order, beside ghost cells that are computed
// here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <complex>

#include "tests/model/typed_run.h"

namespace {

constexpr int kAcross = 7, kDown = 6;
constexpr double kDx = 0.5, kTimeStep = 0.01, kLx = kAcross * kDx, kLy = kDown * kDx;
constexpr long long kSteps = 3;
const std::string kSettings = "dx = 0.5; dt = 0.01; k = 0.7 in [0, 2]; p = 1.5; ";

using Complex = std::complex<double>;

struct Place {
    double x, y, t;
    double v = 0;  ///< of another component, in the cell
};

/// A formula and what it is at a place.
template <class V>
struct Meant {
    std::string text;
    std::function<V(const Place&)> at;
};
using Formula = Meant<double>;

class RandomConditions {
  public:
    RandomConditions(Dice& dice, bool complex) : dice_(dice), complex_(complex) {}

    struct Condition {
        std::string text;
        std::function<Complex(const Place&)> value, flux, right;

        Complex ghost(const Place& face, Complex edge) const {
            const Complex a = value(face), b = flux(face);
            return ((b / kDx - a / 2.0) * edge + right(face)) / (b / kDx + a / 2.0);
        }
    };

    Condition draw(const std::string& quantity) {
        std::array<std::vector<std::string>, 2> sides;
        const int kind = dice_.integer(0, 2);
        Condition c;
        const auto none = [](const Place&) { return Complex(0); };
        c.value = c.flux = c.right = none;
        const auto put = [&](std::string term, bool at_right) {
            const bool left = dice_.integer(0, 2) > 0;
            sides[left ? 0 : 1].push_back(left == at_right ? fmt::format("- {}", term) : "+ " + term);
        };
        std::vector<std::function<void()>> parts;
        if (kind != 1) parts.push_back([&] { c.value = linear(quantity, put); });
        if (kind != 0)
            parts.push_back([&] {
                const bool quotient = quantity != "w" && dice_.integer(0, 3) == 0;
                c.flux = linear(
                    quotient ? fmt::format("(d{}/dn)", quantity) : fmt::format("flux({})", quantity), put);
            });
        const bool names_flux = kind != 0;
        for (int i = dice_.integer(0, 2); i > 0; --i)
            parts.push_back([&, names_flux] {
                const Meant<Complex> term = right_term(names_flux);
                put(term.text, true);
                c.right = [before = c.right, own = term.at](const Place& at) { return before(at) + own(at); };
            });
        std::shuffle(parts.begin(), parts.end(), dice_.engine);
        for (const auto& part : parts) part();
        const auto joined = [](const std::vector<std::string>& terms) {
            std::string all = terms.empty() ? "0" : fmt::format("{}", fmt::join(terms, " "));
            return all.starts_with("+ ") ? all.substr(2) : all;
        };
        c.text = fmt::format("{} = {}", joined(sides[0]), joined(sides[1]));
        return c;
    }

  private:
    template <class List>
    auto one_of(const List& list) {
        return list[std::size_t(dice_.integer(0, int(std::size(list)) - 1))];
    }

    Formula leaf() {
        static const std::vector<Formula> leaves{{"x", [](const Place& p) { return p.x; }},
                                                 {"y", [](const Place& p) { return p.y; }},
                                                 {"t", [](const Place& p) { return p.t; }},
                                                 {"k", [](const Place&) { return 0.7; }},
                                                 {"p", [](const Place&) { return 1.5; }},
                                                 {"Lx", [](const Place&) { return kLx; }},
                                                 {"Ly", [](const Place&) { return kLy; }},
                                                 {"dx", [](const Place&) { return kDx; }},
                                                 {"2", [](const Place&) { return 2.0; }},
                                                 {"0.3", [](const Place&) { return 0.3; }},
                                                 {"0", [](const Place&) { return 0.0; }}};
        return one_of(leaves);
    }

    Formula formula(int depth) {
        if (depth == 0 || dice_.integer(0, 5) == 0) return leaf();
        struct Call {
            const char* form;
            double (*at)(double, double);
        };
        static const std::vector<Call> calls{
            {"exp(-abs({}))", [](double a, double) { return std::exp(-std::abs(a)); }},
            {"exp(tanh({}))", [](double a, double) { return std::exp(std::tanh(a)); }},
            {"sqrt(abs({}))", [](double a, double) { return std::sqrt(std::abs(a)); }},
            {"log(1 + abs({}))", [](double a, double) { return std::log(1 + std::abs(a)); }},
            {"abs({})^1.5", [](double a, double) { return std::pow(std::abs(a), 1.5); }},
            {"(1 + abs({}))^p", [](double a, double) { return std::pow(1 + std::abs(a), 1.5); }},
            {"1/(1 + exp(-tanh({})))", [](double a, double) { return 1 / (1 + std::exp(-std::tanh(a))); }},
            {"sin({})", [](double a, double) { return std::sin(a); }},
            {"cos({})", [](double a, double) { return std::cos(a); }},
            {"tanh({})", [](double a, double) { return std::tanh(a); }},
            {"atan({})", [](double a, double) { return std::atan(a); }},
            {"abs({})", [](double a, double) { return std::abs(a); }},
            {"cosh(tanh({}))", [](double a, double) { return std::cosh(std::tanh(a)); }},
            {"({})^2", [](double a, double) { return a * a; }},
            {"-({})", [](double a, double) { return -a; }},
            {"heaviside({})", [](double a, double) { return a > 0 ? 1.0 : 0.0; }},
            {"{} + {}", [](double a, double b) { return a + b; }},
            {"{} - {}", [](double a, double b) { return a - b; }},
            {"{} * {}", [](double a, double b) { return a * b; }},
            {"{} * {}", [](double a, double b) { return a * b; }},
            {"{}/(2 + abs({}))", [](double a, double b) { return a / (2 + std::abs(b)); }},
            {"{}/(1.5 + sin({}))", [](double a, double b) { return a / (1.5 + std::sin(b)); }},
            {"max({}, {})", [](double a, double b) { return std::max(a, b); }},
            {"min({}, {})", [](double a, double b) { return std::min(a, b); }},
            {"atan2(1 + abs({}), {})", [](double a, double b) { return std::atan2(1 + std::abs(a), b); }},
            {"hypot({}, {})", [](double a, double b) { return std::hypot(a, b); }},
            {"where(0.9 < {}, {}, 2)", [](double a, double b) { return 0.9 < a ? b : 2; }}};
        const Call call = one_of(calls);
        const Formula a = formula(depth - 1), b = formula(depth - 1);
        return {"(" + fmt::format(fmt::runtime(call.form), a.text, b.text) + ")",
                [=](const Place& p) { return call.at(a.at(p), b.at(p)); }};
    }

    // The factor of a quantity, which is positive.
    Formula factor() {
        const Formula f = formula(2);
        return {fmt::format("(0.5 + abs({}))", f.text),
                [=](const Place& p) { return 0.5 + std::abs(f.at(p)); }};
    }

    // Puts one or two terms of the quantity or its flux, and returns their factor.
    template <class Put>
    std::function<Complex(const Place&)> linear(const std::string& of, const Put& put) {
        std::function<Complex(const Place&)> sum = [](const Place&) { return Complex(0); };
        for (int i = dice_.integer(0, 3) == 0 ? 2 : 1; i > 0; --i) {
            const Formula f = factor(), g = factor();
            const auto [form, at] = one_of(std::vector<std::pair<const char*, double (*)(double, double)>>{
                {"{2}", [](double, double) { return 1.0; }},
                {"{0}*{2}", [](double a, double) { return a; }},
                {"{2}*{0}", [](double a, double) { return a; }},
                {"{2}/{0}", [](double a, double) { return 1 / a; }},
                {"{0}*({1}*{2})", [](double a, double b) { return a * b; }},
                {"{0}*{2}/{1}", [](double a, double b) { return a / b; }},
                {"-(-({2}*{0}))", [](double a, double) { return a; }},
                {"2*({2} + {2}*{0})", [](double a, double) { return 2 * (1 + a); }}});
            put(fmt::format(fmt::runtime(form), f.text, g.text, of), false);
            sum = [=, before = sum, own = at](const Place& p) { return before(p) + own(f.at(p), g.at(p)); };
        }
        return sum;
    }

    Meant<Complex> right_term(bool names_flux) {
        if (names_flux && dice_.integer(0, 1)) {
            const Formula f = formula(2);
            return {fmt::format("{}*v^2", f.text),
                    [=](const Place& p) { return Complex(f.at(p) * p.v * p.v); }};
        }
        const Formula f = formula(3), g = formula(2);
        using Join = Complex (*)(double, double);
        std::vector<std::pair<const char*, Join>> forms{
            {"{0}", [](double a, double) { return Complex(a); }},
            {"{0}*2", [](double a, double) { return Complex(a * 2); }},
            {"2*{0}", [](double a, double) { return Complex(a * 2); }},
            {"{0}/3", [](double a, double) { return Complex(a / 3); }},
            {"{0}/k", [](double a, double) { return Complex(a / 0.7); }},
            {"(-{0})*{1}", [](double a, double b) { return Complex(-a * b); }},
            {"({0} - {1})*0.5", [](double a, double b) { return Complex((a - b) * 0.5); }}};
        if (complex_)
            forms.insert(forms.end(),
                         {{"{0}*1i", [](double a, double) { return Complex(0, a); }},
                          {"1i*{0}/2", [](double a, double) { return Complex(0, a / 2); }},
                          {"({0} + 1i*{1})", [](double a, double b) { return Complex(a, b); }},
                          {"(2 - 1i)*{0}", [](double a, double) { return Complex(2, -1) * a; }},
                          {"{0}/(1 + 2i)", [](double a, double) { return a / Complex(1, 2); }}});
        // Imaginary numbers whose product is real are no complex condition.
        forms.push_back({"({0} - {0})*{1}", [](double, double) { return Complex(0); }});
        forms.push_back({"1i*{0}*1i", [](double a, double) { return Complex(-a); }});
        forms.push_back({"({0}*2i)*(1i*{1})", [](double a, double b) { return Complex(-2 * a * b); }});
        const auto [form, at] = one_of(forms);
        return {fmt::format(fmt::runtime(form), f.text, g.text),
                [=, own = at](const Place& p) { return own(f.at(p), g.at(p)); }};
    }

    Dice& dice_;
    bool complex_;
};

constexpr std::array<std::array<int, 2>, 4> kTowards{{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};

bool is_inside(int x) {
    return (x + 0.5) * kDx > 1.2;
}

double start_of(int part, int x, int y) {
    return 0.4 + 0.3 * std::sin(1.3 * x + 0.7 * y * y + part);
}

// The field after the steps of du/dt = lap(q), in which q is u or its square, with a condition beyond each
// side or at the edge of the shape.
std::vector<Complex> truth(const std::array<RandomConditions::Condition, 4>& conditions,
                           bool complex,
                           bool square,
                           bool edge) {
    const auto index = [](int x, int y) { return std::size_t(y * kAcross + x); };
    std::vector<Complex> u;
    for (int y = 0; y < kDown; ++y)
        for (int x = 0; x < kAcross; ++x) u.push_back({start_of(0, x, y), complex ? start_of(1, x, y) : 0});
    for (int step = 0; step < kSteps; ++step) {
        const std::vector<Complex> now = u;
        for (int y = 0; y < kDown; ++y)
            for (int x = 0; x < kAcross; ++x) {
                if (edge && !is_inside(x)) continue;
                const auto q = [&](int i, int j) {
                    const Complex value = now[index(i, j)];
                    return square ? value * value : value;
                };
                Complex lap = 0;
                for (std::size_t side = 0; side < 4; ++side) {
                    const int i = x + kTowards[side][0], j = y + kTowards[side][1];
                    const bool within = i >= 0 && j >= 0 && i < kAcross && j < kDown;
                    const Place face{(x + 0.5 + 0.5 * kTowards[side][0]) * kDx,
                                     (y + 0.5 + 0.5 * kTowards[side][1]) * kDx,
                                     step * kTimeStep,
                                     start_of(complex ? 2 : 1, x, y)};
                    const bool here = edge ? within && !is_inside(i) : !within;
                    lap += (here     ? conditions[edge ? 0 : side].ghost(face, q(x, y))
                            : within ? q(i, j)
                                     : q(x, y)) -
                           q(x, y);
                }
                u[index(x, y)] += kTimeStep / (kDx * kDx) * lap;
            }
    }
    return u;
}

}  // namespace

TEST_CASE("RandomConditions in every spelling and order have the ghost cells of their formulas") {
    Dice dice;
    for (int trial = 0; trial < 600; ++trial) {
        const bool complex = dice.integer(0, 2) == 0, edge = dice.integer(0, 2) == 0,
                   square = !complex && dice.integer(0, 3) == 0;
        RandomConditions draw(dice, complex);
        const std::string name = square ? "w" : complex ? "z" : "u";
        std::string text = kSettings + "boundary = insulated; ";
        text += complex ? "complex z; dz/dt = lap(z); dv/dt = 0; "
                        : fmt::format("du/dt = lap({}); dv/dt = 0; {}", name, square ? "w = u^2; " : "");
        std::array<RandomConditions::Condition, 4> conditions;
        if (edge) {
            conditions[0] = draw.draw(name);
            text += fmt::format("inside = x > 1.2; edge: {}", conditions[0].text);
        } else if (dice.integer(0, 1)) {
            conditions.fill(draw.draw(name));
            text += fmt::format("{}: {}", dice.integer(0, 1) ? "all" : "left, right, y", conditions[0].text);
        } else {
            constexpr const char* kNames[] = {"left", "right", "top", "bottom"};
            for (std::size_t side = 0; side < 4; ++side) {
                conditions[side] = draw.draw(name);
                text += fmt::format("{}: {}; ", kNames[side], conditions[side].text);
            }
        }
        CAPTURE(text);
        REQUIRE(text_refusal(text).sentence == "");
        const std::vector<Complex> exact = truth(conditions, complex, square, edge);
        const auto found =
            run_typed<double>(text, {.nx = kAcross, .ny = kDown, .steps = kSteps, .start = start_of});
        const std::size_t cells = exact.size();
        double size = 1, difference = 0;
        for (std::size_t i = 0; i < cells; ++i) {
            const Complex is(found[i], complex ? found[cells + i] : 0);
            size = std::max(size, std::abs(exact[i]));
            difference = std::max(difference, std::abs(is - exact[i]));
        }
        REQUIRE(difference <= 1e-12 * size);
    }
}

TEST_CASE("A condition that says nothing, or is complex for a real quantity, is refused") {
    struct Case {
        const char *condition, *sentence;
    };
    const auto [condition, sentence] = GENERATE(
        values<Case>({{"left: u - u = exp(-t)", "`u` drops out of this condition"},
                      {"left: exp(-t)*u = u*exp(-t)", "`u` drops out of this condition"},
                      {"left: u = 1i*exp(-t)", "this condition is complex, and `u` is real"},
                      {"left: u = exp(-t)/(1 + 1i)", "this condition is complex, and `u` is real"},
                      {"left: (1i/exp(t))*u = 1", "the factors of `u` and flux(u) in a condition are real"},
                      {"left: u*u = exp(-t)", "`u` drops out of this condition"}}));
    const std::string text = fmt::format("du/dt = lap(u); dt = 0.1; right: flux(u) = 0; {}", condition);
    CAPTURE(text);
    CHECK(text_refusal(text).sentence.starts_with(std::string(sentence).substr(0, 30)));
}

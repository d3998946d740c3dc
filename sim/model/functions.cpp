#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/model/semantics.h"
#include "sim/text/names.h"

namespace stencil::equation {
namespace {

using Args = std::vector<Value>;

// Applies one operation to scalar arguments.
template <Op op>
Value cellwise(Semantics& m, const Syntax& call, const Args& v) {
    const Node a = m.scalar_of(v[0], call.text);
    const Node node =
        v.size() == 1 ? m.graph().make(op, {a}) : m.graph().make(op, {a, m.scalar_of(v[1], call.text)});
    return scalar_value(node, call.span);
}

// Folds a binary operation over any number of arguments, as in min(a, b, c).
template <Op op>
Value chained(Semantics& m, const Syntax& call, const Args& v) {
    Node node = m.scalar_of(v[0], call.text);
    for (std::size_t i = 1; i < v.size(); ++i)
        node = m.graph().make(op, {node, m.scalar_of(v[i], call.text)});
    return scalar_value(node, call.span);
}

// Functions that are built from several operations by f(graph, arguments).
template <auto f>
Value composed(Semantics& m, const Syntax& call, const Args& v) {
    std::vector<Node> nodes;
    for (const Value& value : v) nodes.push_back(m.scalar_of(value, call.text));
    return scalar_value(f(m.graph(), nodes), call.span);
}

Node exponential_sum(Graph& g, Node a, double sign) {
    const Node sum = g.add(g.make(Op::exp, {a}), g.multiply(g.number(sign), g.make(Op::exp, {g.negate(a)})));
    return g.multiply(g.number(0.5), sum);
}
Node sinh(Graph& g, const std::vector<Node>& v) {
    return exponential_sum(g, v[0], -1);
}
Node cosh(Graph& g, const std::vector<Node>& v) {
    return exponential_sum(g, v[0], 1);
}
Node tan(Graph& g, const std::vector<Node>& v) {
    return g.divide(g.make(Op::sin, {v[0]}), g.make(Op::cos, {v[0]}));
}
Node atan(Graph& g, const std::vector<Node>& v) {
    return g.make(Op::atan2, {v[0], v.size() == 2 ? v[1] : g.number(1)});
}
Node ceil(Graph& g, const std::vector<Node>& v) {
    return g.negate(g.make(Op::floor, {g.negate(v[0])}));
}
Node round(Graph& g, const std::vector<Node>& v) {
    return g.make(Op::floor, {g.add(v[0], g.number(0.5))});
}
Node mod(Graph& g, const std::vector<Node>& v) {
    return g.subtract(v[0], g.multiply(v[1], g.make(Op::floor, {g.divide(v[0], v[1])})));
}
Node sign(Graph& g, const std::vector<Node>& v) {
    const Node zero = g.number(0);
    return g.subtract(g.make(Op::less, {zero, v[0]}), g.make(Op::less, {v[0], zero}));
}
Node heaviside(Graph& g, const std::vector<Node>& v) {
    return g.make(Op::less, {g.number(0), v[0]});
}
Node where(Graph& g, const std::vector<Node>& v) {
    return g.make(Op::select, {v[0], v[1], v[2]});
}
Node sum8(Graph& g, const std::vector<Node>& v) {
    Node sum = g.neighbour(v[0], -1, -1);
    for (const auto& [column, row] : {std::pair(0, -1), {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}})
        sum = g.add(sum, g.neighbour(v[0], column, row));
    return sum;
}

Value laplacian(Semantics& m, const Syntax& call, const Args& v) {
    return scalar_value(m.laplacian(m.field_of(v[0], call.text)), call.span);
}
Value biharmonic(Semantics& m, const Syntax& call, const Args& v) {
    return scalar_value(m.laplacian(m.laplacian(m.field_of(v[0], call.text))), call.span);
}

template <Op op, int order>
Value derivative(Semantics& m, const Syntax& call, const Args& v) {
    const double unit = op == Op::difference_xy ? 4 : order == 1 ? 2 : 1;
    const Node of = m.field_of(v[0], call.text);
    Value result = scalar_value(m.derivative(op, of, unit, order), call.span);
    if (order == 1) {
        result.slope_axis = op == Op::difference_x ? 'x' : 'y';
        result.slope_of = of;
    }
    return result;
}

// The one-sided differences (u[+1,0] - u)/dx and (u - u[-1,0])/dx.
template <bool along_x, bool forward>
Value one_sided(Semantics& m, const Syntax& call, const Args& v) {
    Graph& g = m.graph();
    const Node u = m.field_of(v[0], call.text);
    const int step = forward ? 1 : -1;
    const Node other = along_x ? g.neighbour(u, step, 0) : g.neighbour(u, 0, step);
    const Node difference = forward ? g.subtract(other, u) : g.subtract(u, other);
    return scalar_value(g.divide(difference, m.spacing()), call.span);
}

Value gradient(Semantics& m, const Syntax& call, const Args& v) {
    Value result;
    result.kind = Value::Kind::vector;
    result.gradients = {{m.graph().number(1), m.field_of(v[0], call.text)}};
    result.span = call.span;
    return result;
}

Value vector(Semantics& m, const Syntax& call, const Args& v) {
    Value result;
    result.kind = Value::Kind::vector;
    result.xy = {m.scalar_of(v[0], call.text), m.scalar_of(v[1], call.text)};
    result.span = call.span;
    return result;
}

void require_vector(Semantics& m, const Value& value, std::string_view function) {
    if (value.kind != Value::Kind::vector)
        m.refuse(value.span,
                 fmt::format("`{0}` takes a vector, such as `{0}(grad(u){1})`",
                             function,
                             function == "dot" ? ", grad(v)" : ""));
}

// div(D*grad(u)) in flux form: what leaves a cell enters its neighbour, so totals are conserved to rounding.
Value divergence(Semantics& m, const Syntax& call, const Args& v) {
    require_vector(m, v[0], call.text);
    Graph& g = m.graph();
    const Node inverse = g.divide(g.number(1), g.multiply(m.spacing(), m.spacing()));
    Node sum = g.number(0);
    for (const auto& [coefficient, of] : v[0].gradients) {
        if (g.depends(coefficient).uniform())
            sum = g.add(sum, g.multiply(coefficient, m.laplacian(of)));
        else
            sum = g.add(
                sum,
                g.multiply(g.multiply(g.number(0.5), inverse), g.make(Op::divergence, {coefficient, of})));
    }
    if (v[0].xy) {
        sum = g.add(sum, m.derivative(Op::difference_x, (*v[0].xy)[0], 2, 1));
        sum = g.add(sum, m.derivative(Op::difference_y, (*v[0].xy)[1], 2, 1));
    }
    return scalar_value(sum, call.span);
}

// The two components of a vector, with gradients as central differences.
std::array<Node, 2> parts(Semantics& m, const Value& vector) {
    Graph& g = m.graph();
    std::array<Node, 2> sum = vector.xy.value_or(std::array{g.number(0), g.number(0)});
    for (const auto& [coefficient, of] : vector.gradients) {
        sum[0] = g.add(sum[0], g.multiply(coefficient, m.derivative(Op::difference_x, of, 2, 1)));
        sum[1] = g.add(sum[1], g.multiply(coefficient, m.derivative(Op::difference_y, of, 2, 1)));
    }
    return sum;
}

Value dot(Semantics& m, const Syntax& call, const Args& v) {
    require_vector(m, v[0], call.text);
    require_vector(m, v[1], call.text);
    const auto a = parts(m, v[0]), b = parts(m, v[1]);
    Graph& g = m.graph();
    return scalar_value(g.add(g.multiply(a[0], b[0]), g.multiply(a[1], b[1])), call.span);
}

Value squared_gradient(Semantics& m, const Syntax& call, const Args& v) {
    const Value of = gradient(m, call, v);
    return dot(m, call, {of, of});
}

Value upwind(Semantics& m, const Syntax& call, const Args& v) {
    Value wind;
    wind.kind = Value::Kind::wind;
    wind.node = m.scalar_of(v[0], call.text);
    wind.factor = m.graph().number(1);
    wind.span = call.span;
    return wind;
}

// advect(u, a, b), upwind in the same way as -up(a)*dx(u) - up(b)*dy(u).
Value advection(Semantics& m, const Syntax& call, const Args& v) {
    Graph& g = m.graph();
    const Node u = m.field_of(v[0], call.text);
    const Node along_x = m.upwind(u, m.scalar_of(v[1], call.text), true);
    const Node along_y = m.upwind(u, m.scalar_of(v[2], call.text), false);
    const auto over_spacing = [&](double sign, Node flow) {
        return g.multiply(g.divide(g.number(sign), m.spacing()), flow);
    };
    Value result = scalar_value(g.subtract(over_spacing(-1, along_x), over_spacing(1, along_y)), call.span);
    result.upwind = {{-1, u, call.span}};
    return result;
}

// ind(condition): conditions already are 1 or 0.
Value indicator(Semantics& m, const Syntax& call, const Args& v) {
    Graph& g = m.graph();
    const Node condition = m.scalar_of(v[0], call.text);
    m.require_condition(condition, call.args[0], "`ind`");
    return scalar_value(g.make(Op::select, {condition, g.number(1), g.number(0)}), call.span);
}

Value pow(Semantics& m, const Syntax& call, const Args&) {
    Syntax power = call;
    power.text = "^";
    return m.value(power);
}

Value random(Semantics& m, const Syntax& call, const Args&) {
    return scalar_value(m.random(), call.span);
}
// A standard normal number by Box & Muller (1958).
Value normal(Semantics& m, const Syntax& call, const Args&) {
    Graph& g = m.graph();
    const Node above_zero = g.subtract(g.number(1), m.random());
    const Node radius = g.make(Op::sqrt, {g.multiply(g.number(-2), g.make(Op::log, {above_zero}))});
    const Node angle = g.multiply(g.number(2 * 3.14159265358979323846), m.random());
    return scalar_value(g.multiply(radius, g.make(Op::cos, {angle})), call.span);
}

template <bool picture>
Value data(Semantics& m, const Syntax& call, const Args&) {
    return scalar_value(m.data(picture, call), call.span);
}

}  // namespace

const std::vector<Function>& functions() {
    static const std::vector<Function> table{
        {"lap", 1, 1, laplacian, "the Laplacian", "D*lap(u)"},
        {"lap2", 1, 1, biharmonic, "the biharmonic operator, lap(lap(u))", "-lap2(u)"},
        {"div", 1, 1, divergence, "of a vector: div(D*grad(u)) face by face", "div(D*grad(u))"},
        {"grad", 1, 1, gradient, "the gradient, a vector", "div(u*grad(v))"},
        {"grad2", 1, 1, squared_gradient, "the squared length of the gradient", "grad2(u)"},
        {"dot", 2, 2, dot, "of two vectors", "dot(grad(u), grad(v))"},
        {"vec", 2, 2, vector, "a vector from its x and y parts", "div(vec(a*u, b*u))"},
        {"dx", 1, 1, derivative<Op::difference_x, 1>, "the central derivative along x", "-a*dx(u)"},
        {"dy", 1, 1, derivative<Op::difference_y, 1>, "the central derivative along y", "-b*dy(u)"},
        {"dxx", 1, 1, derivative<Op::difference_xx, 2>, "the second derivative along x", "D*dxx(u)"},
        {"dyy", 1, 1, derivative<Op::difference_yy, 2>, "the second derivative along y", "D*dyy(u)"},
        {"dxy", 1, 1, derivative<Op::difference_xy, 2>, "the mixed derivative", "a*dxy(u)"},
        {"dxf", 1, 1, one_sided<true, true>, "the derivative along x to the right neighbour", "dxb(dxf(u))"},
        {"dxb",
         1,
         1,
         one_sided<true, false>,
         "the derivative along x from the left neighbour",
         "dxb(v*dxf(u))"},
        {"dyf", 1, 1, one_sided<false, true>, "the derivative along y to the lower neighbour", "dyb(dyf(u))"},
        {"dyb",
         1,
         1,
         one_sided<false, false>,
         "the derivative along y from the upper neighbour",
         "dyb(v*dyf(u))"},
        {"up", 1, 1, upwind, "makes a derivative upwind: -up(a)*dx(u)", "-up(a)*dx(u)"},
        {"advect",
         3,
         3,
         advection,
         "what a wind (a, b) carries: -(a u_x + b u_y), upwind",
         "advect(u, a, b)"},
        {"sum8", 1, 1, composed<sum8>, "the sum of the eight neighbours", "sum8(u) - 8*u"},
        {"sqrt", 1, 1, cellwise<Op::sqrt>, "the square root", "sqrt(u^2 + v^2)"},
        {"exp", 1, 1, cellwise<Op::exp>, "e to a power", "exp(-u^2)"},
        {"log", 1, 1, cellwise<Op::log>, "the natural logarithm", "log(1 + u^2)"},
        {"sin", 1, 1, cellwise<Op::sin>, "the sine of radians", "sin(2*pi*x/Lx)"},
        {"cos", 1, 1, cellwise<Op::cos>, "the cosine of radians", "cos(a*t)"},
        {"tan", 1, 1, composed<tan>, "the tangent of radians", "tan(u)"},
        {"sinh", 1, 1, composed<sinh>, "the hyperbolic sine", "sinh(u)"},
        {"cosh", 1, 1, composed<cosh>, "the hyperbolic cosine", "1/cosh(u)"},
        {"tanh", 1, 1, cellwise<Op::tanh>, "the hyperbolic tangent", "(1 + tanh(10*u))/2"},
        {"atan", 1, 2, composed<atan>, "the arc tangent, or atan2", "atan(u)"},
        {"atan2", 2, 2, cellwise<Op::atan2>, "the angle of (x, y), given y first", "atan2(v, u)"},
        {"abs", 1, 1, cellwise<Op::abs>, "the absolute value", "abs(x - Lx/2)"},
        {"min", 2, 8, chained<Op::minimum>, "the least", "min(u, 1)"},
        {"max", 2, 8, chained<Op::maximum>, "the largest", "max(u, v, 0)"},
        {"floor", 1, 1, cellwise<Op::floor>, "the next whole number below", "floor(10*u)"},
        {"ceil", 1, 1, composed<ceil>, "the next whole number above", "ceil(10*u)"},
        {"round", 1, 1, composed<round>, "the nearest whole number", "round(u)"},
        {"mod", 2, 2, composed<mod>, "the rest of a division, of the divisor's sign", "mod(x, 10)"},
        {"sign", 1, 1, composed<sign>, "1, 0 or -1", "sign(u)"},
        {"heaviside", 1, 1, composed<heaviside>, "1 above 0, else 0", "heaviside(u - a)"},
        {"ind", 1, 1, indicator, "1 where a condition holds, else 0", "ind(u > a)"},
        {"where",
         3,
         3,
         composed<where>,
         "the second where the first holds, else the third",
         "where(u > a, 1, v)"},
        {"pow", 2, 2, pow, "a power, as `^`", "pow(u, 3)"},
        {"random",
         0,
         0,
         random,
         "a random number from 0 to 1, new in each cell and step",
         "ind(random < 0.01)"},
        {"normal",
         0,
         0,
         normal,
         "a random number of mean 0 and variance 1, new in each cell and step",
         "0.1*normal/(sqrt(dt)*dx)"},
        {"image", 1, 1, data<true>, "a picture's grey, 0 to 1, over the field", R"(image("photo.png"))"},
        {"array", 1, 1, data<false>, "an array of a .npy file, over the field", R"(array("start.npy"))"},
    };
    return table;
}

namespace {

// Spellings of the same functions in other programs.
constexpr auto kSynonyms = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"laplace", "lap"},
    {"laplacian", "lap"},
    {"biharmonic", "lap2"},
    {"bilaplacian", "lap2"},
    {"gradient", "grad"},
    {"divergence", "div"},
    {"gradient_squared", "grad2"},
    {"d_dx", "dx"},
    {"d_dy", "dy"},
    {"d2_dx2", "dxx"},
    {"d2_dy2", "dyy"},
    {"ln", "log"},
    {"fabs", "abs"},
    {"fmin", "min"},
    {"fmax", "max"},
    {"RAND", "random"},
    {"rand", "random"},
    {"RANDN", "normal"},
    {"randn", "normal"},
});

}  // namespace

std::vector<std::string> function_names() {
    std::vector<std::string> names = names_of(functions());
    for (const auto& [other, own] : kSynonyms) names.emplace_back(other);
    return names;
}

const Function* find_function(std::string_view name) {
    for (const auto& [other, own] : kSynonyms)
        if (name == other) name = own;
    const auto row = std::ranges::find(functions(), name, &Function::name);
    return row == functions().end() ? nullptr : &*row;
}

}  // namespace stencil::equation

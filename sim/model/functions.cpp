
#include <fmt/format.h>

#include <cmath>

#include "sim/model/fluxes.h"
#include "sim/model/semantics.h"
#include "sim/text/names.h"

namespace stencil::equation {
namespace {

// A global value of the field at the step's start.
template <Op op>
Value whole_field(Semantics& m, const Syntax& call, const Args& v) {
    return m.graph().global(op, m.scalar_of(v[0], call.text));
}

// The sum over all cells times what each measures.
Value integral(Semantics& m, const Syntax& call, const Args& v) {
    Graph& g = m.graph();
    const Node sum = g.global(Op::total, m.scalar_of(v[0], call.text));
    return g.multiply(m.measure(), sum);
}

// The remainder of a division by the second argument, or by 1.
Value rest(Semantics& m, const Syntax& call, const Args& v) {
    Graph& g = m.graph();
    const Node a = g.divided(m.scalar_of(v[0], call.text));
    const Node b = v.size() == 1 ? g.number(1) : m.scalar_of(v[1], call.text);
    return g.subtract(a, g.multiply(b, g.make(Op::floor, {g.divide(a, b)})));
}

// Near 0 the difference of the exponentials would lose all digits.
Value hyperbolic_sine(Semantics& m, const Syntax& call, const Args& v) {
    return m.built_in(
        v[0].is_complex() ? "0.5*(-exp(-a) + exp(a))" : "tanh(a)*(0.5*(exp(-a) + exp(a)))", v, call.span);
}

Value convolution(Semantics& m, const Syntax& call, const Args& v) {
    return m.convolution(call, v[0], v[1]);
}

Value laplacian(Semantics& m, const Syntax& call, const Args& v) {
    return m.laplacian(m.field_of(v[0], call.text));
}

template <Op op, int order>
Value derivative(Semantics& m, const Syntax& call, const Args& v) {
    const double unit = op == Op::difference_xy ? 4 : order == 1 ? 2 : 1;
    const Node of = m.field_of(v[0], call.text);
    Value result = m.derivative(op, of, unit, order);
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
    return g.divide(difference, m.spacing());
}

Value gradient(Semantics& m, const Syntax& call, const Args& v) {
    Value result;
    result.kind = Value::Kind::vector;
    result.gradients = {{m.graph().number(1), m.field_of(v[0], call.text)}};
    return result;
}

Value vector(Semantics& m, const Syntax& call, const Args& v) {
    Value result;
    result.kind = Value::Kind::vector;
    result.xy = {m.scalar_of(v[0], call.text), m.scalar_of(v[1], call.text)};
    return result;
}

// The two components of a vector, with gradients as central differences.
std::array<Node, 2> parts(Semantics& m, const Value& vector) {
    Graph& g = m.graph();
    std::array<Node, 2> sum = vector.xy.value_or(std::array{g.number(0), g.number(0)});
    for (const auto& [coefficient, of, tensor] : vector.gradients) {
        const std::array slope{m.derivative(Op::difference_x, of, 2, 1),
                               m.derivative(Op::difference_y, of, 2, 1)};
        for (const std::size_t row : {0, 1}) {
            Node part = slope[row];
            if (tensor)
                part = g.add(g.multiply((*tensor)[2 * row], slope[0]),
                             g.multiply((*tensor)[2 * row + 1], slope[1]));
            sum[row] = g.add(sum[row], g.multiply(coefficient, part));
        }
    }
    return sum;
}

Value dot(Semantics& m, const Syntax& call, const Args& v) {
    require_vector(m, v[0], call.text);
    require_vector(m, v[1], call.text);
    const auto a = parts(m, v[0]), b = parts(m, v[1]);
    Graph& g = m.graph();
    return g.add(g.multiply(a[0], b[0]), g.multiply(a[1], b[1]));
}

Value upwind(Semantics& m, const Syntax& call, const Args& v) {
    Value wind;
    wind.kind = Value::Kind::wind;
    wind.node = m.scalar_of(v[0], call.text);
    wind.factor = m.graph().number(1);
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
    Value result = g.subtract(over_spacing(-1, along_x), over_spacing(1, along_y));
    result.upwind = {{-1, u, call.span}};
    return result;
}

// matrix(a, b, c, d), for [[a, b], [c, d]].
Value matrix(Semantics& m, const Syntax& call, const Args& v) {
    Value result;
    result.kind = Value::Kind::matrix;
    for (std::size_t i = 0; i < result.entries.size(); ++i) result.entries[i] = m.scalar_of(v[i], call.text);
    return result;
}

// ind(condition): conditions already are 1 or 0.
Value indicator(Semantics& m, const Syntax& call, const Args& v) {
    Graph& g = m.graph();
    const Node condition = m.scalar_of(v[0], call.text);
    m.require_condition(condition, call.args[0], "`ind`");
    return g.make(Op::select, {condition, g.number(1), g.number(0)});
}

// A Gaussian of given mean (x, y), standard deviations and correlation.
Value gaussian(Semantics& m, const Syntax& call, const Args& v) {
    return m.built_in(
        v.size() < 5 ? "exp(-((x - a)^2/c^2 + (y - b)^2/d^2)/2)/(2*pi*c*d)"
                     : "exp(-((x - a)^2/(2*c^2) + (y - b)^2/(2*d^2) - e*(x - a)*(y - b)/(c*d))/(1 - e^2))"
                       "/(2*pi*c*d*sqrt(1 - e^2))",
        v,
        call.span);
}

Value data(Semantics& m, const Syntax& call, const Args&) {
    const auto source = m.source_of(call);
    const Node values = m.data(source);
    return source.known ? m.graph().make(Op::less, {m.graph().number(0), values}) : values;
}

Value random(Semantics& m, const Syntax&, const Args&) {
    return m.random();
}

// e^(a + i b) is e^a (cos b + i sin b).
Value exponential(Semantics& m, const Syntax& call, const Args& v) {
    Graph& g = m.graph();
    const Node size = g.make(Op::exp, {m.scalar_of(m.real_part(v[0]), call.text)});
    if (!v[0].is_complex()) return size;
    const Node turn = m.scalar_of(*v[0].imaginary, call.text);
    return m.joined(g.multiply(size, g.make(Op::cos, {turn})), g.multiply(size, g.make(Op::sin, {turn})));
}

Value absolute(Semantics& m, const Syntax& call, const Args& v) {
    if (!v[0].is_complex()) return m.graph().make(Op::abs, {m.scalar_of(v[0], call.text)});
    const Node square = m.square_of(v[0], call.text);
    Value root = m.graph().make(Op::sqrt, {square});
    root.square = square;
    return root;
}

Value real(Semantics& m, const Syntax& call, const Args& v) {
    return m.scalar_of(m.real_part(v[0]), call.text);
}

Value imaginary(Semantics& m, const Syntax& call, const Args& v) {
    return m.scalar_of(m.imaginary_part(v[0]), call.text);
}

Value angle(Semantics& m, const Syntax& call, const Args& v) {
    const Node re = m.scalar_of(m.real_part(v[0]), call.text);
    return m.graph().make(Op::atan2, {m.scalar_of(m.imaginary_part(v[0]), call.text), re});
}

Value conjugate(Semantics& m, const Syntax&, const Args& v) {
    return m.conjugate(v[0]);
}

// Marks a function as linear in some arguments, by default the first.
Meaning linear(Meaning code, unsigned arguments = 0b1) {
    code.linear_in = arguments;
    return code;
}

Meaning takes_complex(Meaning code) {
    code.takes_complex = true;
    return code;
}

// Functions that are not an operation of the table of operations.
std::vector<Function> other_functions() {
    return {
        {{"lap", 1, 1}, linear(laplacian), "the Laplacian", "D*lap(u)"},
        {{"lap2", 1, 1}, "lap(lap(a))", "the biharmonic operator, lap(lap(u))", "-lap2(u)"},
        {{"div", 1, 1}, linear(divergence), "of a vector: div(D*grad(u)) face by face", "div(D*grad(u))"},
        {{"grad", 1, 1}, linear(gradient), "the gradient, a vector", "div(u*grad(v))"},
        {{"grad2", 1, 1}, "dot(grad(a), grad(a))", "the squared length of the gradient", "grad2(u)"},
        {{"dot", 2, 2}, dot, "of two vectors", "dot(grad(u), grad(v))"},
        {{"vec", 2, 2}, linear(vector, 0b11), "a vector from its x and y parts", "div(vec(a*u, b*u))"},
        {{"dx", 1, 1}, linear(derivative<Op::difference_x, 1>), "the central derivative along x", "-a*dx(u)"},
        {{"dy", 1, 1}, linear(derivative<Op::difference_y, 1>), "the central derivative along y", "-b*dy(u)"},
        {{"dxx", 1, 1},
         linear(derivative<Op::difference_xx, 2>),
         "the second derivative along x",
         "D*dxx(u)"},
        {{"dyy", 1, 1},
         linear(derivative<Op::difference_yy, 2>),
         "the second derivative along y",
         "D*dyy(u)"},
        {{"dxy", 1, 1}, linear(derivative<Op::difference_xy, 2>), "the mixed derivative", "a*dxy(u)"},
        {{"dxf", 1, 1},
         linear(one_sided<true, true>),
         "the derivative along x to the right neighbour",
         "dxb(dxf(u))"},
        {{"dxb", 1, 1},
         linear(one_sided<true, false>),
         "the derivative along x from the left neighbour",
         "dxb(v*dxf(u))"},
        {{"dyf", 1, 1},
         linear(one_sided<false, true>),
         "the derivative along y to the lower neighbour",
         "dyb(dyf(u))"},
        {{"dyb", 1, 1},
         linear(one_sided<false, false>),
         "the derivative along y from the upper neighbour",
         "dyb(v*dyf(u))"},
        {{"up", 1, 1}, upwind, "makes a derivative upwind: -up(a)*dx(u)", "-up(a)*dx(u)"},
        {{"advect", 3, 3},
         linear(advection),
         "what a wind (a, b) carries: -(a u_x + b u_y), upwind",
         "advect(u, a, b)"},
        {{"advect", 4, 4},
         linear(limited_advection),
         "the same in flux form, -div(u*(a, b)), of second order with a limiter, minmod or vanleer",
         "advect(u, a, b, minmod)"},
        {{"rusanov", 4, 4, kYields},
         rusanov,
         "-div(vec(f, g)) of a conservation law for u, with waves of speed s, by Rusanov's fluxes",
         "rusanov(u, u^2/2, 0, abs(u))"},
        {{"matrix", 4, 4, kYields},
         matrix,
         "the matrix [[a, b], [c, d]], for anisotropic diffusion",
         "div([[D, a], [a, D]]*grad(u))"},
        {{"sum8", 1, 1},
         "a[-1,-1] + a[0,-1] + a[1,-1] + a[-1,0] + a[1,0] + a[-1,1] + a[0,1] + a[1,1]",
         "the sum of the eight neighbours",
         "sum8(u) - 8*u"},
        {{"tan", 1, 1}, "sin(a)/cos(a)", "the tangent of radians", "tan(u)"},
        {{"sinh", 1, 1}, takes_complex(hyperbolic_sine), "the hyperbolic sine", "sinh(u)"},
        {{"cosh", 1, 1}, "0.5*(exp(-a) + exp(a))", "the hyperbolic cosine", "1/cosh(u)"},
        {{"atan", 1, 2}, "atan2(a, b)", "the arc tangent, or atan2", "atan(u)"},
        {{"real", 1, 1, kYields},
         takes_complex(real),
         "the real part of a complex number",
         "real((1 + 2i)*u)"},
        {{"imag", 1, 1, kYields}, takes_complex(imaginary), "the imaginary part", "imag((1 + 2i)*u)"},
        {{"arg", 1, 1, kYields}, takes_complex(angle), "the angle of a complex number", "arg(u + 1i*v)"},
        {{"conj", 1, 1, kYields},
         takes_complex(conjugate),
         "the complex conjugate",
         "real(conj(u + 1i*v)*u)"},
        {{"mean", 1, 1, kYields},
         linear(whole_field<Op::mean>),
         "the mean over the whole field",
         "u - mean(u)"},
        {{"integral", 1, 1, kYields},
         linear(integral),
         "the integral over the whole field",
         "a - integral(u*v)"},
        {{"min", 1, 1}, whole_field<Op::least>, "the least value in the whole field", "u - min(u)"},
        {{"max", 1, 1}, whole_field<Op::largest>, "the largest value in the whole field", "u/max(abs(u))"},
        {{"conv", 2, 2, kYields},
         linear(convolution),
         "the convolution with a kernel, a formula of r, rx and ry",
         "conv(u, exp(-r^2)) - u"},
        {{"ceil", 1, 1}, "-floor(-a)", "the next whole number above", "ceil(10*u)"},
        {{"round", 1, 1}, "floor(a + 0.5)", "the nearest whole number", "round(u)"},
        {{"mod", 2, 2}, rest, "the rest of a division, of the divisor's sign", "mod(x, 10)"},
        {{"sign", 1, 1}, "(a > 0) - (a < 0)", "1, 0 or -1", "sign(u)"},
        {{"heaviside", 1, 1}, "a > 0", "1 above 0, else 0", "heaviside(u - a)"},
        {{"ind", 1, 1}, indicator, "1 where a condition holds, else 0", "ind(u > a)"},
        {{"pow", 2, 2}, "a^b", "a power, as `^`", "pow(u, 3)"},
        {{"random", 0, 0},
         random,
         "a random number from 0 to 1, new in each cell and step",
         "ind(random < 0.01)"},
        {{"normal", 0, 0},
         "sqrt(-2*log(1 - random))*cos(2*pi*random)",  // Box & Muller (1958)
         "a random number of mean 0 and variance 1, new in each cell and step",
         "0.1*normal/(sqrt(dt)*dx)"},
        // Functions of GLSL, OpenCL and C, with their order of arguments.
        {{"asin", 1, 1, kYields}, "atan2(a, sqrt((1 - a)*(1 + a)))", "the arc sine", "asin(sin(u))"},
        {{"acos", 1, 1, kYields}, "atan2(sqrt((1 - a)*(1 + a)), a)", "the arc cosine", "acos(cos(u))"},
        {{"sech", 1, 1, kYields}, "2/(exp(-a) + exp(a))", "the hyperbolic secant", "sech(x - t)^2"},
        {{"exp2", 1, 1, kYields}, "2^a", "2 to a power", "exp2(-u)"},
        {{"exp10", 1, 1, kYields}, "10^a", "10 to a power", "exp10(-u)"},
        {{"log2", 1, 1, kYields}, "log(a)/0.6931471805599453", "the logarithm to base 2", "log2(1 + u^2)"},
        {{"log10", 1, 1, kYields}, "log(a)/2.302585092994046", "the logarithm to base 10", "log10(1 + u^2)"},
        {{"rsqrt", 1, 1, kYields}, "1/sqrt(a)", "1 over the square root", "rsqrt(1 + u^2)"},
        {{"cbrt", 1, 1, kYields}, "where(a < 0, -(-a)^(1/3), a^(1/3))", "the cube root", "cbrt(u)"},
        {{"hypot", 2, 2, kYields}, "sqrt(a^2 + b^2)", "the length of (a, b)", "hypot(x - Lx/2, y - Ly/2)"},
        {{"degrees", 1, 1, kYields}, "a*57.29577951308232", "radians in degrees", "degrees(atan2(v, u))"},
        {{"radians", 1, 1, kYields}, "a*0.017453292519943295", "degrees in radians", "sin(radians(u))"},
        {{"trunc", 1, 1, kYields},
         "where(a < 0, -floor(-a), floor(a))",
         "the next whole number towards 0",
         "trunc(10*u)"},
        {{"fract", 1, 1, kYields}, rest, "what is left above the whole number below", "fract(10*u)"},
        {{"fmod", 2, 2, kYields},
         "a - b*where(a/b < 0, -floor(-a/b), floor(a/b))",
         "the rest of a division, of the dividend's sign",
         "fmod(u, 1)"},
        {{"clamp", 3, 3, kYields}, "min(max(a, b), c)", "the first, within the two bounds", "clamp(u, 0, 1)"},
        {{"mix", 3, 3, kYields}, "a + c*(b - a)", "from a to b as c goes from 0 to 1", "mix(a, b, u)"},
        {{"step", 2, 2, kYields}, "a <= b", "1 from the edge on, which comes first; else 0", "step(a, u)"},
        {{"smoothstep", 3, 3, kYields},
         "min(max((c - a)/(b - a), 0), 1)^2*(3 - 2*min(max((c - a)/(b - a), 0), 1))",
         "from 0 at a smoothly to 1 at b",
         "smoothstep(0.4, 0.6, u)"},
        {{"select", 3, 3, kYields},
         "where(c, b, a)",
         "the second where the third holds, else the first",
         "select(v, 1, isgreater(u, a))"},
        {{"isgreater", 2, 2, kYields}, "a > b", "1 where a > b, else 0", "isgreater(u, a)"},
        {{"isgreaterequal", 2, 2, kYields}, "a >= b", "1 where a >= b, else 0", "isgreaterequal(u, a)"},
        {{"isless", 2, 2, kYields}, "a < b", "1 where a < b, else 0", "isless(u, a)"},
        {{"islessequal", 2, 2, kYields}, "a <= b", "1 where a <= b, else 0", "islessequal(u, a)"},
        {{"mad", 3, 3, kYields}, "a*b + c", "a product and a sum", "mad(a, u, v)"},
        // VisualPDE's functions.
        {{"H", 1, 1, kYields},
         "smoothstep(-0.01, 0.01, a)",
         "a step at 0, smooth from -0.01 to 0.01",
         "H(u)"},
        {{"H", 2, 2, kYields},
         "smoothstep(-0.01, 0.01, a - b)",
         "the same at an edge, which comes second",
         "H(u, a)"},
        {{"Bump", 3, 3, kYields},
         "where((x - a)^2 + (y - b)^2 < c^2, exp(1 - 1/(1 - ((x - a)^2 + (y - b)^2)/c^2)), 0)",
         "a smooth hill of height 1 at (a, b), 0 from the radius c on",
         "Bump(Lx/2, Ly/2, Lx/10)"},
        {{"Bump", 2, 2, kYields}, "Bump(a, ny*dx/2, b)", "the same halfway down", "Bump(Lx/2, Lx/10)"},
        {{"Gauss", 3, 3, kYields},
         "exp(-((x - a)^2 + (y - b)^2)/(2*c^2))/(2*pi*c^2)",
         "a Gaussian of integral 1 at (a, b), of standard deviation c",
         "Gauss(Lx/2, Ly/2, Lx/10)"},
        {{"Gauss", 2, 2, kYields}, "Gauss(a, ny*dx/2, b)", "the same halfway down", "Gauss(Lx/2, Lx/10)"},
        {{"Gauss", 4, 5, kYields},
         gaussian,
         "the same of two standard deviations and, if you like, their correlation",
         "Gauss(Lx/2, Ly/2, 3, 5, 0.5)"},
        {{"image", 1, 2},
         data,
         "a picture's grey, red, green, blue, alpha or their mean, 0 to 1, over the field",
         R"(image("photo.png", red))"},
        {{"table", 2, 2, kYields},
         data,
         "the second column of a file at t, x or y, linear between its rows",
         R"(table("side.csv", t))"},
        {{"array", 1, 2},
         data,
         "an array or table of a file, over the field; its name comes second if the file has several",
         R"(array("start.npz", u))"},
        {{"known", 1, 2}, data, "1 where an array has a value, 0 where it has NaN", R"(known("sea.npy"))"},
    };
}

// An operation as a function; some operations also take complex arguments.
Function function_of(const OpRow& row) {
    const Spelling& spelling = row.spelling;
    Meaning meaning(row);
    if (row.op == Op::exp) meaning = takes_complex(exponential);
    if (row.op == Op::abs) meaning = takes_complex(absolute);
    return {spelling.function, meaning, spelling.help, spelling.example};
}

// Names of the same functions in other programs.
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
    {"average", "mean"},
    {"fmin", "min"},
    {"fmax", "max"},
    {"RAND", "random"},
    {"rand", "random"},
    {"RANDN", "normal"},
    {"randn", "normal"},
    {"lerp", "mix"},
    {"fma", "mad"},
    {"pown", "pow"},
    {"powr", "pow"},
});

}  // namespace

Value Meaning::of(Semantics& m, const Syntax& call, const std::vector<Value>& v) const {
    if (apply) return apply(m, call, v);
    const std::size_t operands = std::size_t(operation->operands.value);
    Expression e{.op = operation->op, .count = std::uint8_t(operands)};
    for (std::size_t i = 0; i < operands; ++i) e.args[i] = m.scalar_of(v[i], call.text);
    Node node = m.graph().make(e);
    for (std::size_t i = operands; i < v.size(); ++i)
        node = m.graph().make(e.op, {node, m.scalar_of(v[i], call.text)});
    return node;
}

const std::vector<Function>& functions() {
    static const std::vector<Function> table = [] {
        std::vector<Function> all;
        for (const OpRow& row : operations())
            if (!row.spelling->function.name.empty()) all.push_back(function_of(row));
        const std::vector<Function> others = other_functions();
        all.insert(all.end(), others.begin(), others.end());
        return all;
    }();
    return table;
}

std::vector<std::string> function_names() {
    std::vector<std::string> names = names_of(functions());
    for (const auto& [other, own] : kSynonyms) names.emplace_back(other);
    return names;
}

const Function* find_function(std::string_view name, std::optional<int> count) {
    for (const auto& [other, own] : kSynonyms)
        if (name == other) name = own;
    const Function* first = nullptr;
    for (const Function& row : functions()) {
        if (row.name != name) continue;
        if (first == nullptr) first = &row;
        if (count && row.least <= *count && *count <= row.most) return &row;
    }
    return first;
}

}  // namespace stencil::equation

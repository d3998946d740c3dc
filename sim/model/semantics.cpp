#include "sim/model/semantics.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/text/names.h"
#include "sim/text/quote.h"

namespace stencil::equation {
namespace {

// The index of the argument with this name in a built-in formula.
std::size_t place_of_argument(std::string_view name) {
    return name.size() == 1 ? std::string_view("abcde").find(name) : name.npos;
}

}  // namespace

Semantics::Semantics(const Statements& statements, Equations& equations)
    : TextReader(statements.text), statements_(statements), equations_(equations) {}

void Semantics::require_real(const Value& value) const {
    if (value.is_complex())
        refuse(value.span,
               "this is complex, where a real number is needed: real(...), imag(...), abs(...) or arg(...) "
               "makes it one, and a component of such values is declared, `complex u`");
}

Value Semantics::real_part(const Value& value) const {
    Value part = value;
    part.imaginary = nullptr;
    return part;
}

Value Semantics::imaginary_part(const Value& value) {
    if (value.is_complex()) return *value.imaginary;
    Value zero = graph().number(0);
    zero.kind = value.kind;
    zero.span = value.span;
    return zero;
}

Value Semantics::joined(Value real, const Value& imaginary) {
    const bool is_zero = imaginary.kind == Value::Kind::vector ? imaginary.gradients.empty() && !imaginary.xy
                                                               : imaginary.node == graph().number(0);
    if (!is_zero) real.imaginary = std::make_shared<const Value>(imaginary);
    return real;
}

Value Semantics::conjugate(const Value& value) {
    if (!value.is_complex()) return value;
    return joined(real_part(value), Value(graph().negate(scalar_of(*value.imaginary, "conj"))));
}

Node Semantics::square_of(const Value& value, std::string_view function) {
    const Node re = scalar_of(real_part(value), function), im = scalar_of(imaginary_part(value), function);
    return graph().add(graph().multiply(re, re), graph().multiply(im, im));
}

Node Semantics::scalar_of(const Value& value, std::string_view function) {
    require_real(value);
    if (value.kind == Value::Kind::vector)
        refuse(value.span,
               "`{}` takes numbers, and this is a vector; div(...) or dot(..., ...) makes it one",
               function);
    if (value.kind == Value::Kind::matrix)
        refuse(value.span, "a matrix multiplies a vector: `div([[a, b], [b, c]]*grad(u))`");
    if (value.kind == Value::Kind::wind) refuse(value.span, "`up(a)` multiplies a derivative: `up(a)*dx(u)`");
    return value.node;
}

Node Semantics::field_of(const Value& value, std::string_view function) {
    const Node node = scalar_of(value, function);
    if (graph().depends(node).uniform() && !in_parts_)
        refuse(value.span, "`{}` takes a field, and this is the same in every cell", function);
    return node;
}

Node Semantics::scalar(const Syntax& formula) {
    return scalar_of(value(formula), "an equation");
}

Node Semantics::measure() {
    Graph& g = graph();
    const Node one = g.number(1);
    const auto is_one = [&](Op cells) { return g.make(Op::equal, {g.leaf(cells), one}); };
    const Node is_line = g.make(Op::equal, {g.add(is_one(Op::columns), is_one(Op::rows)), one});
    return g.multiply(spacing(), g.make(Op::select, {is_line, one, spacing()}));
}

void Semantics::note(const std::string& sentence) {
    if (!contains(equations_.notes, sentence)) equations_.notes.push_back(sentence);
}

Node Semantics::laplacian(Node of) {
    Graph& g = graph();
    if (g.depends(of).uniform()) return g.number(0);
    // Factors out a uniform factor: one multiplication then replaces those at five cells.
    const Expression product = g[of];
    if (product.op == Op::multiply)
        for (const int factor : {0, 1})
            if (g.depends(product.args[std::size_t(factor)]).uniform())
                return g.multiply(product.args[std::size_t(factor)],
                                  laplacian(product.args[std::size_t(1 - factor)]));
    const bool isotropic = laplacian_kind == LaplacianKind::isotropic;
    Node sum = g.make(isotropic ? Op::laplacian9 : Op::laplacian, {of});
    if (laplacian_kind == LaplacianKind::fourth) {
        // Taking the difference of the differences cancels the second-order error (Collatz 1960).
        const auto twice = [&](Op difference) { return g.make(difference, {g.make(difference, {of})}); };
        const Node fourth = g.add(twice(Op::difference_xx), twice(Op::difference_yy));
        sum = g.subtract(sum, g.multiply(g.number(1.0 / 12), fourth));
    }
    const Node area = g.multiply(g.number(isotropic ? 6 : 1), g.multiply(spacing(), spacing()));
    return g.multiply(g.divide(g.number(1), area), sum);
}

Node Semantics::derivative(Op difference, Node of, double unit, int order) {
    Graph& g = graph();
    if (g.depends(of).uniform()) return g.number(0);
    const Node length = order == 1 ? spacing() : g.multiply(spacing(), spacing());
    return g.multiply(g.divide(g.number(1), g.multiply(g.number(unit), length)), g.make(difference, {of}));
}

Node Semantics::upwind(Node u, Node wind, bool along_x) {
    Graph& g = graph();
    const Node zero = g.number(0);
    const Node before = g.subtract(u, along_x ? g.neighbour(u, -1, 0) : g.neighbour(u, 0, -1));
    const Node behind = g.subtract(along_x ? g.neighbour(u, 1, 0) : g.neighbour(u, 0, 1), u);
    return g.add(g.multiply(g.make(Op::maximum, {wind, zero}), before),
                 g.multiply(g.make(Op::minimum, {wind, zero}), behind));
}

int Semantics::sign_of(Node node) {
    const Expression e = graph()[node];
    switch (e.op) {
        case Op::number:
            return (e.number > 0) - (e.number < 0);
        case Op::parameter: {
            const ModelParameter& parameter = equations_.parameters[std::size_t(e.index)];
            return (parameter.low >= 0) - (parameter.high <= 0);
        }
        case Op::dt:
        case Op::spacing:
        case Op::exp:
        case Op::sqrt:
            return 1;
        case Op::negate:
            return -sign_of(e.args[0]);
        case Op::multiply:
        case Op::divide:
            return e.args[0] == e.args[1] ? 1 : sign_of(e.args[0]) * sign_of(e.args[1]);
        default:
            return 0;
    }
}

bool Semantics::is_condition(Node node, bool or_data) {
    const Expression e = graph()[node];
    const auto all_are = [&](std::size_t first) {
        return std::all_of(e.args.begin() + first, e.args.begin() + e.count, [&](Node argument) {
            return is_condition(argument, or_data);
        });
    };
    switch (e.op) {
        case Op::number:
            return e.number == 0 || e.number == 1;
        case Op::less:
        case Op::less_or_equal:
        case Op::equal:
            return true;
        case Op::select:
            return all_are(1);
        case Op::add:
        case Op::multiply:
        case Op::minimum:
        case Op::maximum:
        case Op::neighbour:
        case Op::stored:
            return all_are(0);
        case Op::subtract:
            return graph().number_of(e.args[0]) == 1.0 && graph()[e.args[1]].op != Op::add && all_are(1);
        default:
            return or_data && e.op == Op::data;
    }
}

void Semantics::require_condition(Node node, const Syntax& formula, std::string_view what, bool or_data) {
    if (is_condition(node, or_data)) return;
    const std::string text = to_text(formula);
    constexpr std::size_t kShort = 40;
    refuse(formula.span,
           "{} takes a condition, and this is a number: write `{} > 0`",
           what,
           text.size() <= kShort ? text : "(...)");
}

Value Semantics::value(const Syntax& formula) {
    Value value = unmarked(formula);
    value.span = formula.span;
    return value;
}

Value Semantics::unmarked(const Syntax& formula) {
    switch (formula.kind) {
        case SyntaxKind::number:
            return graph().number(formula.number);
        case SyntaxKind::imaginary:
            return joined(graph().number(0), graph().number(formula.number));
        case SyntaxKind::name:
            if (const auto known = find(formula)) return *known;
            refuse_unknown(formula);
        case SyntaxKind::string:
            refuse(formula.span,
                   "a text in quotes stands only in image(\"...\"), array(\"...\") and table(\"...\", t)");
        case SyntaxKind::neighbour:
            return by_parts(value(formula.args[0]), [&](const Value& part) {
                return graph().neighbour(scalar_of(part, "[ ]"), formula.column, formula.row);
            });
        case SyntaxKind::call:
            return call(formula);
    }
    return {};
}

Value Semantics::built_in(std::string_view formula, const std::vector<Value>& arguments, TextSpan span) {
    const std::vector<Token> tokens = read_tokens(formula);
    const auto* outer = std::exchange(arguments_, &arguments);
    try {
        Value result = value(SyntaxReader(formula, tokens).formula());
        arguments_ = outer;
        return result;
    } catch (const TextError& error) {
        arguments_ = outer;
        const auto [begin, end] = error.span();
        const std::size_t wrong = place_of_argument(formula.substr(begin, end - begin));
        refuse(wrong < arguments.size() ? arguments[wrong].span : span, error.sentence());
    }
}

std::optional<Value> Semantics::argument(std::string_view name) {
    const std::size_t place = place_of_argument(name);
    if (!arguments_ || place == name.npos) return std::nullopt;
    return place < arguments_->size() ? (*arguments_)[place] : Value(graph().number(1));
}

std::optional<Value> Semantics::find(const Syntax& name) {
    if (auto value = argument(name.text)) return value;
    // In a built-in formula names have their built-in meaning, whatever the text defines.
    std::optional<Value> value = arguments_ ? std::nullopt : own_name(name.text, name.span);
    if (value) uses_.insert(name.text);
    if (!value) value = known_name(name.text);
    return value ? value : spelled_otherwise(name);
}

bool Semantics::knows(const Syntax& name) {
    return find(name).has_value();
}

const OwnFunction* Semantics::own_function(std::string_view name) const {
    const auto row = std::ranges::find(statements_.functions, name, &OwnFunction::name);
    return row == statements_.functions.end() ? nullptr : &*row;
}

// Evaluates the formula with the arguments in place of their names. A mistake in it is shown at the call.
Value Semantics::own_call(const OwnFunction& function, const Syntax& call) {
    constexpr std::size_t kMostBytes = 1 << 21;  // functions that call each other twice double each time
    const auto& names = function.head.args;
    const std::string shown = quotable(function.name);
    uses_.insert(function.name);
    if (call.args.size() != names.size())
        refuse(call.span,
               "`{}` takes {} argument{}, not {}",
               shown,
               names.size(),
               names.size() == 1 ? "" : "s",
               call.args.size());
    if (std::ranges::find(calling_, function.name) != calling_.end())
        refuse(call.span, "`{}` calls itself: a formula has no end then", shown);
    expanded_ += function.formula.span.end - function.formula.span.begin;
    if (expanded_ > kMostBytes)
        refuse(call.span, "the calls of functions come to more than {} bytes", kMostBytes);
    Bindings arguments;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (!arguments.emplace(names[i].text, value(call.args[i])).second)
            refuse(
                function.head.span, "two arguments of `{}` are called `{}`", shown, quotable(names[i].text));
    const auto outer = std::exchange(bound_, &arguments);
    calling_.push_back(function.name);
    const auto leave = [&] {
        bound_ = outer;
        calling_.pop_back();
    };
    try {
        Value result = value(function.formula);
        leave();
        return result;
    } catch (const TextError& error) {
        leave();
        const auto [begin, end] = error.span();
        if (begin < function.formula.span.begin || end > function.formula.span.end) throw;
        refuse(call.span, "in `{}`: {}", to_text(function.head), error.sentence());
    }
}

Value Semantics::start(const NamedFormula& initial) {
    if (const auto known = starts_.find(initial.name); known != starts_.end()) return known->second;
    if (initial.formula.kind == SyntaxKind::string)
        refuse(initial.span,
               "`{}(0)` is an initial condition by name, which no formula has",
               quotable(initial.name));
    enter(initial.name + "(0)", initial.span);
    const bool outer = std::exchange(in_start_, true);
    Value value = this->value(initial.formula);
    in_start_ = outer;
    in_work_.pop_back();
    return starts_.emplace(initial.name, std::move(value)).first->second;
}

// u(0)
std::optional<Value> Semantics::start_named(const Syntax& call) {
    if (arguments_ || call.args.size() != 1 || call.args[0].kind != SyntaxKind::number ||
        call.args[0].number != 0 ||
        std::ranges::find(statements_.evolutions, call.text, &Evolution::component) ==
            statements_.evolutions.end())
        return std::nullopt;
    const std::string name = quotable(call.text);
    if (!in_start_)
        refuse(call.span, "`{0}(0)` is the start of `{0}`, and stands in other starts alone", name);
    const auto initial = std::ranges::find(statements_.initials, call.text, &NamedFormula::name);
    if (initial == statements_.initials.end())
        refuse(call.span, "the text has no start of `{0}`: `{0}(0) = ...` is missing", name);
    return start(*initial);
}

Value Semantics::call(const Syntax& call) {
    if (const OwnFunction* own = arguments_ ? nullptr : own_function(call.text)) return own_call(*own, call);
    if (const auto started = start_named(call)) return *started;
    if (const auto elsewhere = data_elsewhere(call)) return *elsewhere;
    static constexpr std::string_view kOperators[] = {
        "+", "-", "*", "/", "^", "neg", "<", ">", "<=", ">=", "==", "!=", "and", "or", "not"};
    if (std::ranges::find(kOperators, call.text) != std::end(kOperators)) return operation(call);
    const int count = int(call.args.size());
    const Function* function = find_function(call.text, count);
    if (function != nullptr && function->yields && !arguments_ && is_own(call.text)) function = nullptr;
    const TextSpan name{call.span.begin, call.span.begin + call.text.size()};
    if (function == nullptr && is_laplacian_sign(call.text) && !is_own(call.text))
        function = find_function("lap");
    if (function == nullptr) {
        if (call.text == "flux")
            refuse(name, "`flux(u)` stands in conditions at the sides, such as `left: flux(u) = 0`");
        if (own_name(call.text, name) && count == 2)
            refuse(call.span,
                   "`{0}` is not a function: a neighbour is written `{0}[+1,0]` or `{0}[x+dx,y]`",
                   quotable(call.text));
        if (own_name(call.text, name))
            refuse(call.span, "`{0}` is not a function: write `{0}*(...)`", quotable(call.text));
        refuse_unknown_function(call.text, name);
    }
    if (count < function->least || count > function->most) refuse_count(*function, call);
    if (function->name == "image" || function->name == "array" || function->name == "known")
        return applied(*function, call, {});
    if (function->name == "table") return table(call, scalar(call.args[1]));
    const bool limited = function->name == "advect" && count == 4;  // whose last argument is a word
    std::vector<Value> args;
    for (const Syntax& argument : std::span(call.args).first(std::size_t(count - limited)))
        args.push_back(value(argument));
    return applied(*function, call, args);
}

void Semantics::refuse_count(const Function& function, const Syntax& call) const {
    int least = function.least, most = function.most;
    for (const Function& row : functions()) {
        if (row.name != function.name) continue;
        least = std::min(least, row.least);
        most = std::max(most, row.most);
    }
    refuse(call.span,
           "`{}` takes {}{} argument{}, not {}",
           call.text,
           least,
           most == least ? "" : " or more",
           most == 1 ? "" : "s",
           call.args.size());
}

Value Semantics::applied(const Function& function, const Syntax& call, const std::vector<Value>& arguments) {
    const Meaning& meaning = function.meaning;
    if (!meaning.formula.empty()) {
        for (const Value& argument : arguments) scalar_of(real_part(argument), call.text);
        return built_in(meaning.formula, arguments, call.span);
    }
    const bool real = std::ranges::none_of(arguments, &Value::is_complex);
    if (real || meaning.takes_complex) return meaning.of(*this, call, arguments);
    std::vector<Value> re = arguments, im = arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if ((meaning.linear_in >> i & 1) == 0) {
            require_real(arguments[i]);
            continue;
        }
        re[i] = real_part(arguments[i]);
        im[i] = imaginary_part(arguments[i]);
    }
    const bool outer = std::exchange(in_parts_, true);
    Value result = joined(meaning.of(*this, call, re), meaning.of(*this, call, im));
    in_parts_ = outer;
    return result;
}

// Reads the quotient d(u)/d(F) as the sensitivity that `sensitivity = F` added, and d(f)/d(F) for any formula
// f as what follows from it.
std::optional<Value> Semantics::sensitivity(const Syntax& quotient) {
    const auto differential = [](const Syntax& part) {
        return part.kind == SyntaxKind::call && part.text == "d" && part.args.size() == 1;
    };
    if (quotient.text != "/" || !differential(quotient.args[0]) || !differential(quotient.args[1]))
        return std::nullopt;
    const Syntax &of = quotient.args[0].args[0], &by = quotient.args[1].args[0];
    const bool of_name = of.kind == SyntaxKind::name;
    if (by.kind != SyntaxKind::name || (!of_name && own_function("d"))) return std::nullopt;
    if (of_name)
        if (const auto known = own_name(sensitivity_name(of.text, by.text), quotient.span)) return known;
    if (has_sensitivity(equations_, by.text))
        return by_parts(value(of), [&](const Value& part) {
            const Node formula = scalar_of(part, "d(...)/d(...)");
            return Value(derivative_by(*this, equations_, formula, by.text, quotient.span));
        });
    refuse(quotient.span,
           "there is no `d({0})/d({1})`: it needs the statement `sensitivity = {1}`, {1} being a "
           "parameter",
           of_name ? quotable(of.text) : "...",
           quotable(by.text));
}

Value Semantics::operation(const Syntax& call) {
    if (const auto known = sensitivity(call)) return *known;
    const std::string& sign = call.text;
    const Value a = value(call.args[0]);
    if (sign == "neg") return product(call, Value(graph().number(-1)), a);
    if (sign == "not")
        return Value(graph().make(Op::select, {scalar_of(a, sign), graph().number(0), graph().number(1)}));
    const Value b = value(call.args[1]);
    if (sign == "+" || sign == "-") return sum(call, a, b);
    if (sign == "*") return product(call, a, b);
    if (sign == "/") return quotient(call, a, b);
    if (sign == "^") return a.is_complex() ? complex_power(call, a, b) : power(a, b);
    Graph& g = graph();
    const Node p = scalar_of(a, sign), q = scalar_of(b, sign);
    const Node one = g.number(1), zero = g.number(0);
    Node result = 0;
    if (sign == "<") result = g.make(Op::less, {p, q});
    if (sign == ">") result = g.make(Op::less, {q, p});
    if (sign == "<=") result = g.make(Op::less_or_equal, {p, q});
    if (sign == ">=") result = g.make(Op::less_or_equal, {q, p});
    if (sign == "==") result = g.make(Op::equal, {p, q});
    if (sign == "!=") result = g.make(Op::select, {g.make(Op::equal, {p, q}), zero, one});
    if (sign == "and") result = g.make(Op::select, {p, g.make(Op::select, {q, one, zero}), zero});
    if (sign == "or") result = g.make(Op::select, {p, one, g.make(Op::select, {q, one, zero})});
    return Value(result);
}

std::vector<Value::Upwind> Semantics::times(std::vector<Value::Upwind> upwind, int sign) {
    if (sign == 0) return {};
    for (Value::Upwind& part : upwind) part.sign *= sign;
    return upwind;
}

Value Semantics::quotient(const Syntax& call, const Value& a, const Value& b) {
    if (b.is_complex()) {
        const Value over = graph().divide(graph().number(1), square_of(b, "/"));
        return product(call, product(call, a, conjugate(b)), over);
    }
    const Node divisor = scalar_of(b, "/");
    if (a.kind != Value::Kind::scalar)
        return product(call, Value(graph().divide(graph().number(1), divisor)), a);
    return by_parts(a, [&](const Value& part) {
        if (a.is_complex() && part.node == graph().number(0)) return part;
        Value quotient = Value(graph().divide(part.node, divisor));
        quotient.upwind = times(part.upwind, sign_of(divisor));
        return quotient;
    });
}

// a^n by repeated squaring.
Value Semantics::complex_power(const Syntax& call, const Value& a, const Value& b) {
    constexpr double kMost = 64;
    const std::optional<double> number = graph().number_of(scalar_of(b, "^"));
    if (!number || *number != std::trunc(*number) || std::abs(*number) > kMost)
        refuse(b.span, "a complex number has whole powers, from -{0:g} to {0:g}", kMost);
    Value result = graph().number(1), square = a;
    for (int left = int(std::abs(*number)); left > 0; left /= 2) {
        if (left % 2 == 1) result = product(call, result, square);
        if (left > 1) square = product(call, square, square);
    }
    return *number < 0 ? quotient(call, graph().number(1), result) : result;
}

Value Semantics::complex_product(const Syntax& call, const Value& a, const Value& b) {
    const Value a_re = real_part(a), b_re = real_part(b);
    // A part that is 0 stays 0 whatever the factor's value, so that the square of an imaginary number is
    // real.
    const auto times = [&](const Value& p, const Value& q) {
        const bool scalars = p.kind == Value::Kind::scalar && q.kind == Value::Kind::scalar;
        const Node zero = graph().number(0);
        return scalars && (p.node == zero || q.node == zero) ? Value(zero) : product(call, p, q);
    };
    if (!b.is_complex()) return joined(times(a_re, b), times(*a.imaginary, b));
    if (!a.is_complex()) return joined(times(a, b_re), times(a, *b.imaginary));
    const bool scalars = a.kind == Value::Kind::scalar && b.kind == Value::Kind::scalar;
    if (scalars && a.node == b.node && graph().negate(a.imaginary->node) == b.imaginary->node)
        return square_of(a, "*");
    Syntax plus = call, minus = call;
    plus.text = "+";
    minus.text = "-";
    return joined(sum(minus, times(a_re, b_re), times(*a.imaginary, *b.imaginary)),
                  sum(plus, times(a_re, *b.imaginary), times(*a.imaginary, b_re)));
}

Value Semantics::sum(const Syntax& call, const Value& a, const Value& b) {
    if (a.is_complex() || b.is_complex())
        return joined(sum(call, real_part(a), real_part(b)), sum(call, imaginary_part(a), imaginary_part(b)));
    const bool minus = call.text == "-";
    Graph& g = graph();
    if (a.kind != Value::Kind::vector || b.kind != Value::Kind::vector) {
        const Node p = scalar_of(a, call.text), q = scalar_of(b, call.text);
        Value result = Value(minus ? g.subtract(p, q) : g.add(p, q));
        result.upwind = a.upwind;
        const auto others = times(b.upwind, minus ? -1 : 1);
        result.upwind.insert(result.upwind.end(), others.begin(), others.end());
        return result;
    }
    Value result = a;
    result.span = call.span;
    const Value other = minus ? product(call, Value(g.number(-1)), b) : b;
    // Merges gradients of the same field, so that repeated sums do not double the entries.
    for (const auto& gradient : other.gradients) {
        const auto same = std::ranges::find_if(result.gradients, [&](const Value::Gradient& own) {
            return own.of == gradient.of && !own.tensor && !gradient.tensor;
        });
        if (same == result.gradients.end())
            result.gradients.push_back(gradient);
        else
            same->coefficient = g.add(same->coefficient, gradient.coefficient);
    }
    if (result.xy && other.xy)
        result.xy = {g.add((*result.xy)[0], (*other.xy)[0]), g.add((*result.xy)[1], (*other.xy)[1])};
    else if (other.xy)
        result.xy = other.xy;
    return result;
}

Value Semantics::product(const Syntax& call, const Value& a, const Value& b) {
    using enum Value::Kind;
    if (a.is_complex() || b.is_complex()) return complex_product(call, a, b);
    Graph& g = graph();
    if (a.kind == scalar && b.kind == scalar) {
        Value result = Value(g.multiply(a.node, b.node));
        result.upwind =
            b.upwind.empty() ? times(a.upwind, sign_of(b.node)) : times(b.upwind, sign_of(a.node));
        return result;
    }
    if (a.kind == matrix && b.kind == vector) return transformed(a, b);
    if (a.kind == b.kind && a.kind != matrix)
        refuse(call.span,
               a.kind == vector ? "two vectors have no product: write `dot(a, b)`"
                                : "`up(a)` multiplies a derivative: `up(a)*dx(u)`");
    const Value& factor = a.kind == scalar ? a : b;
    Value result = a.kind == scalar ? b : a;
    if (a.kind == matrix || b.kind == matrix) {
        const Node times = scalar_of(factor, call.text);
        result.span = call.span;
        for (Node& entry : result.entries) entry = g.multiply(times, entry);
        return result;
    }
    if (factor.kind != scalar) refuse(call.span, "`up(a)` multiplies a derivative: `up(a)*dx(u)`");
    result.span = call.span;
    for (auto& gradient : result.gradients)
        gradient.coefficient = g.multiply(factor.node, gradient.coefficient);
    if (result.xy)
        for (Node& part : *result.xy) part = g.multiply(factor.node, part);
    if (result.kind == vector) return result;
    if (factor.slope_axis == 0) {
        result.factor = g.multiply(factor.node, result.factor);
        return result;
    }
    const Node flow = upwind(factor.slope_of, result.node, factor.slope_axis == 'x');
    Value derivative = Value(g.multiply(g.divide(result.factor, spacing()), flow));
    if (const int sign = sign_of(result.factor); sign != 0)
        derivative.upwind = {{sign, factor.slope_of, call.span}};
    return derivative;
}

Value Semantics::transformed(const Value& matrix, const Value& vector) {
    Graph& g = graph();
    const Value::Entries& m = matrix.entries;
    const auto sum = [&](Node a, Node x, Node b, Node y) {
        return g.add(g.multiply(a, x), g.multiply(b, y));
    };
    Value result = vector;
    for (auto& [coefficient, of, tensor] : result.gradients) {
        const Value::Entries t =
            tensor.value_or(Value::Entries{g.number(1), g.number(0), g.number(0), g.number(1)});
        tensor = {sum(m[0], t[0], m[1], t[2]),
                  sum(m[0], t[1], m[1], t[3]),
                  sum(m[2], t[0], m[3], t[2]),
                  sum(m[2], t[1], m[3], t[3])};
    }
    if (vector.xy) {
        const auto [x, y] = *vector.xy;
        result.xy = {sum(m[0], x, m[1], y), sum(m[2], x, m[3], y)};
    }
    return result;
}

Value Semantics::power(const Value& a, const Value& b) {
    Graph& g = graph();
    const Node base = scalar_of(a, "^"), exponent = scalar_of(b, "^");
    const std::optional<double> number = g.number_of(exponent);
    if (number && *number == std::trunc(*number)) {
        if (std::abs(*number) > Graph::kMaxPower)
            refuse(b.span, "a whole exponent is at most {}", Graph::kMaxPower);
        if (a.square && int(*number) % 2 == 0) return Value(g.power(*a.square, int(*number) / 2));
        return Value(g.power(base, int(*number)));
    }
    if (number && *number == 0.5) return Value(g.make(Op::sqrt, {base}));
    return Value(g.real_power(base, exponent));
}

}  // namespace stencil::equation

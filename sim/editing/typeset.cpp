#include "sim/editing/typeset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "sim/text/names.h"

namespace stencil::editing {
namespace {

using equation::Syntax;
using equation::SyntaxKind;
using equation::TextSpan;

// Shares of the font's size.
constexpr float kAscent = 0.72f, kDescent = 0.2f, kAxis = 0.27f, kSpace = 0.17f, kWide = 0.28f;
constexpr float kSmaller = 0.72f, kSmallest = 0.55f;
constexpr int kDeepest = 40;  // levels of nesting
constexpr int kAtom = 8, kPower = 6, kPrefix = 5, kProduct = 4, kSum = 3;

constexpr auto kGreek = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"alpha", "α"}, {"beta", "β"},   {"gamma", "γ"}, {"delta", "δ"}, {"epsilon", "ε"}, {"eps", "ε"},
    {"zeta", "ζ"},  {"eta", "η"},    {"theta", "θ"}, {"kappa", "κ"}, {"lambda", "λ"},  {"mu", "μ"},
    {"nu", "ν"},    {"xi", "ξ"},     {"pi", "π"},    {"rho", "ρ"},   {"sigma", "σ"},   {"tau", "τ"},
    {"phi", "φ"},   {"chi", "χ"},    {"psi", "ψ"},   {"omega", "ω"}, {"Gamma", "Γ"},   {"Delta", "Δ"},
    {"Theta", "Θ"}, {"Lambda", "Λ"}, {"Xi", "Ξ"},    {"Sigma", "Σ"}, {"Phi", "Φ"},     {"Psi", "Ψ"},
    {"Omega", "Ω"},
});

// Operators that are drawn before their argument.
constexpr auto kPrefixes = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"lap", "∇²"}, {"lap2", "∇⁴"}, {"grad", "∇"}, {"div", "∇·"}, {"real", "Re "}, {"imag", "Im "}});

struct DerivativeRow {
    std::string_view name, power, over;
};
constexpr auto kDerivatives = std::to_array<DerivativeRow>({{"dx", "", "x"},
                                                            {"dy", "", "y"},
                                                            {"dxx", "²", "x²"},
                                                            {"dyy", "²", "y²"},
                                                            {"dxy", "²", "x∂y"},
                                                            {"flux", "", "n"}});

constexpr auto kSigns = std::to_array<std::pair<std::string_view, std::string_view>>({{"+", "+"},
                                                                                      {"-", "−"},
                                                                                      {"<", "<"},
                                                                                      {">", ">"},
                                                                                      {"<=", "≤"},
                                                                                      {">=", "≥"},
                                                                                      {"==", "="},
                                                                                      {"!=", "≠"},
                                                                                      {"and", "and"},
                                                                                      {"or", "or"}});

template <class Rows>
std::string_view found_in(const Rows& rows, std::string_view name) {
    const auto row = std::ranges::find(rows, name, [](const auto& r) { return r.first; });
    return row == rows.end() ? std::string_view() : row->second;
}

bool is_call(const Syntax& s, std::string_view name) {
    return s.kind == SyntaxKind::call && s.text == name;
}

bool is_convolution(const Syntax& s) {
    return is_call(s, "conv") && s.args.size() == 2;
}

bool is_prefixed(const Syntax& s) {
    return s.kind == SyntaxKind::call && s.args.size() == 1 && !found_in(kPrefixes, s.text).empty();
}

// Returns the precedence of the outermost operation as it is drawn.
int binding(const Syntax& s) {
    if (s.kind == SyntaxKind::number) return s.number < 0 ? kPrefix : kAtom;
    if (s.kind != SyntaxKind::call) return kAtom;
    if (s.text == "^" || s.text == "pow" || s.text == "/" || s.text == "exp") return kPower;
    if (s.text == "neg" || is_prefixed(s)) return kPrefix;
    if (s.text == "*" || is_convolution(s)) return kProduct;
    if (s.text == "+" || s.text == "-") return kSum;
    if (s.text == "not" || (s.args.size() == 2 && !found_in(kSigns, s.text).empty())) return 1;
    return std::ranges::any_of(kDerivatives, [&](const auto& row) { return row.name == s.text; }) ? kPower
                                                                                                  : kAtom;
}

void put(MathBox& into, const MathBox& part, float x, float y) {
    for (auto g : part.glyphs) into.glyphs.push_back({g.x + x, g.y + y, g.size, g.text});
    for (auto l : part.lines) into.lines.push_back({l.x0 + x, l.y0 + y, l.x1 + x, l.y1 + y});
    for (auto b : part.brackets)
        into.brackets.push_back({b.x + x, b.top + y, b.bottom + y, b.width, b.opens});
    into.width = std::max(into.width, x + part.width);
    into.ascent = std::max(into.ascent, part.ascent - y);
    into.descent = std::max(into.descent, part.descent + y);
}

void append(MathBox& into, const MathBox& part, float gap = 0) {
    put(into, part, into.width + gap, 0);
}

class Typesetter {
  public:
    explicit Typesetter(const Measure& measure, float size) : measure_(measure), least_(size * kSmallest) {}

    MathBox text(std::string_view text, float size) const {
        MathBox box;
        box.width = measure_(text, size);
        box.ascent = kAscent * size;
        box.descent = kDescent * size;
        box.glyphs.push_back({0, 0, size, std::string(text)});
        return box;
    }

    // Sets a formula, in brackets if its precedence is below `least`.
    MathBox set(const Syntax& s, float size, int least = 0) const {
        if (s.depth > kDeepest) return text(equation::to_text(s), size);
        return binding(s) < least ? bracketed(bare(s, size), size) : bare(s, size);
    }

    // Digits at a name's end and what follows '_' are subscripts: D_u, k1.
    MathBox name(std::string_view name, float size) const {
        std::size_t end = std::min(name.find('_', 1), name.size());
        const bool bar = end < name.size();
        if (!bar)
            while (end > 1 && name[end - 1] >= '0' && name[end - 1] <= '9') --end;
        const std::string_view stem = name.substr(0, end),
                               rest = name.substr(std::min(name.size(), end + bar));
        const auto greek = [](std::string_view part) {
            const std::string_view letter = found_in(kGreek, part);
            return letter.empty() ? part : letter;
        };
        MathBox box = text(greek(stem), size);
        if (!rest.empty()) subscript(box, text(greek(rest), smaller(size)));
        return box;
    }

    MathBox fraction(const MathBox& over, const MathBox& under, float size) const {
        const float edge = 0.08f * size, gap = 0.12f * size, axis = -kAxis * size;
        const float width = std::max(over.width, under.width) + 2 * edge;
        MathBox box;
        put(box, over, (width - over.width) / 2, axis - gap - over.descent);
        put(box, under, (width - under.width) / 2, axis + gap + under.ascent);
        box.lines.push_back({0, axis, width, axis});
        box.width = width;
        return box;
    }

    MathBox bracketed(const MathBox& inside, float size) const {
        MathBox box;
        const float wide = 0.3f * size, top = -std::max(inside.ascent, kAscent * size),
                    bottom = std::max(inside.descent, kDescent * size);
        put(box, inside, wide, 0);
        box.brackets.push_back({0, top, bottom, 0.2f * size, true});
        box.brackets.push_back({box.width + wide, top, bottom, 0.2f * size, false});
        box.width += wide;
        return box;
    }

  private:
    float smaller(float size) const { return std::max(least_, kSmaller * size); }

    static void subscript(MathBox& box, const MathBox& below) {
        put(box, below, box.width, box.descent + 0.25f * below.ascent);
    }
    static void superscript(MathBox& box, const MathBox& above) {
        put(box,
            above,
            box.width,
            -std::max(0.55f * box.ascent, box.ascent - 0.5f * above.ascent) - above.descent * 0.3f);
    }

    // 2.5e-4 is 2.5·10⁻⁴.
    MathBox number(const Syntax& s, float size) const {
        const std::string written = s.text.empty() ? fmt::format("{}", s.number) : s.text;
        const std::size_t e = written.find_first_of("eE");
        if (e == written.npos) return text(written, size);
        std::string power = written.substr(e + 1);
        if (power.starts_with("+")) power.erase(0, 1);
        if (power.starts_with("-")) power.replace(0, 1, "−");
        const std::string digits = written.substr(0, e);
        MathBox box = text(digits == "1" ? "10" : digits + "·10", size);
        superscript(box, text(power, smaller(size)));
        return box;
    }

    MathBox bare(const Syntax& s, float size) const {
        if (s.kind == SyntaxKind::number) return number(s, size);
        if (s.kind == SyntaxKind::imaginary) {
            MathBox box = s.number == 1 ? MathBox() : number(s, size);
            append(box, text("i", size));
            return box;
        }
        if (s.kind == SyntaxKind::name) return name(s.text, size);
        if (s.kind == SyntaxKind::string) return text('"' + s.text + '"', size);
        if (s.kind == SyntaxKind::neighbour) {
            MathBox box = set(s.args[0], size, kAtom);
            subscript(box, text(fmt::format("{:+d},{:+d}", s.column, s.row), smaller(size)));
            return box;
        }
        if (s.args.size() == 1) return with_one(s, size);
        if (s.args.size() == 2) return with_two(s, size);
        return call(s, size);
    }

    MathBox with_one(const Syntax& s, float size) const {
        const Syntax& of = s.args[0];
        const auto before = [&](std::string_view sign, int least, float gap = 0) {
            MathBox box = text(sign, size);
            append(box, set(of, size, least), gap);
            return box;
        };
        if (s.text == "neg") return before("−", kProduct);
        if (s.text == "not") return before("not", 2, kWide * size);
        if (is_prefixed(s)) return before(found_in(kPrefixes, s.text), kPower);
        const auto derivative =
            std::ranges::find(kDerivatives, std::string_view(s.text), &DerivativeRow::name);
        if (derivative != kDerivatives.end()) return differentiated(*derivative, of, size);
        if (s.text == "abs") return between_bars(set(of, size), size);
        if (s.text == "conj") return under_line(set(of, size), size);
        if (s.text == "mean" || s.text == "average") return between_angles(set(of, size), size);
        if (s.text == "integral") {
            MathBox box = before("∫", kProduct, 0.1f * size);
            append(box, text("dx dy", size), kWide * size);
            return bracketed(box, size);
        }
        if (s.text == "grad2") {
            MathBox inside = text("∇", size);
            append(inside, set(of, size, kPower));
            MathBox box = between_bars(inside, size);
            superscript(box, text("2", smaller(size)));
            return box;
        }
        if (s.text == "sqrt") return root(set(of, size), size);
        if (s.text == "exp" && of.depth <= 4) {
            MathBox box = text("e", size);
            superscript(box, set(of, smaller(size)));
            return box;
        }
        return call(s, size);
    }

    MathBox with_two(const Syntax& s, float size) const {
        const Syntax &a = s.args[0], &b = s.args[1];
        if (s.text == "/") return fraction(set(a, size), set(b, size), size);
        if (s.text == "^" || s.text == "pow") {
            MathBox box = set(a, size, kPower + 1);
            superscript(box, set(b, smaller(size)));
            return box;
        }
        if (s.text == "*") return product(a, b, size);
        if (is_convolution(s)) {  // the kernel comes first
            MathBox box = set(b, size, kProduct + 1);
            append(box, text("∗", size), kSpace * size);
            append(box, set(a, size, kProduct + 1), kSpace * size);
            return box;
        }
        const std::string_view sign = found_in(kSigns, s.text);
        if (sign.empty()) return call(s, size);
        const int own = binding(s);
        MathBox box = set(a, size, own);
        append(box, text(sign, size), kWide * size);
        append(box, set(b, size, own + 1), kWide * size);
        return box;
    }

    MathBox product(const Syntax& a, const Syntax& b, float size) const {
        // A prefix operator in the first factor would seem to apply to the whole product.
        const Syntax& last = is_call(a, "*") ? a.args[1] : is_call(a, "neg") ? a.args[0] : a;
        const bool apart = is_prefixed(last) && !is_call(a, "*") && !is_call(a, "neg");
        MathBox box = apart ? bracketed(set(a, size), size) : set(a, size, kProduct);
        const Syntax* first = &b;
        while ((is_call(*first, "^") || is_call(*first, "*")) && !first->args.empty())
            first = &first->args[0];
        const bool dot = first->kind == SyntaxKind::number ||
                         (first->kind == SyntaxKind::imaginary && first->number != 1) ||
                         (is_prefixed(last) && !apart);
        if (dot) append(box, text("·", size), kSpace * size);
        append(box, set(b, size, kProduct + 1), kSpace * size);
        return box;
    }

    MathBox differentiated(const DerivativeRow& row, const Syntax& of, float size) const {
        const float small = smaller(size);
        const std::string_view d = "∂";
        MathBox over = text(fmt::format("{}{}", d, row.power), small);
        const bool inside = of.kind == SyntaxKind::name;
        if (inside) append(over, name(of.text, small));
        MathBox box = fraction(over, text(fmt::format("{}{}", d, row.over), small), size);
        if (!inside) append(box, set(of, size, kPower), kSpace * size);
        return box;
    }

    MathBox between_bars(const MathBox& inside, float size) const {
        MathBox box;
        const float edge = 0.2f * size, top = -inside.ascent, bottom = inside.descent;
        put(box, inside, edge, 0);
        box.width += edge;
        for (const float x : {0.3f * edge, box.width - 0.3f * edge}) box.lines.push_back({x, top, x, bottom});
        return box;
    }

    MathBox under_line(const MathBox& inside, float size) const {
        MathBox box = inside;
        const float top = -inside.ascent - 0.06f * size;
        box.lines.push_back({0, top, box.width, top});
        box.ascent = inside.ascent + 0.12f * size;
        return box;
    }

    MathBox between_angles(const MathBox& inside, float size) const {
        MathBox box;
        const float edge = 0.35f * size, top = -inside.ascent, bottom = inside.descent;
        put(box, inside, edge, 0);
        box.width += edge;
        for (const auto& [tip, end] : {std::pair(0.08f * size, edge - 0.06f * size),
                                       std::pair(box.width - 0.08f * size, box.width - edge + 0.06f * size)})
            for (const float y : {top, bottom}) box.lines.push_back({tip, (top + bottom) / 2, end, y});
        return box;
    }

    MathBox root(const MathBox& inside, float size) const {
        MathBox box;
        const float wide = 0.55f * size, top = -inside.ascent - 0.12f * size, bottom = inside.descent;
        put(box, inside, wide, 0);
        box.width += 0.08f * size;
        const float middle = (top + bottom) / 2;
        box.lines.push_back({0.05f * size, middle, 0.15f * size, middle - 0.05f * size});
        box.lines.push_back({0.15f * size, middle - 0.05f * size, 0.3f * size, bottom});
        box.lines.push_back({0.3f * size, bottom, wide - 0.08f * size, top});
        box.lines.push_back({wide - 0.08f * size, top, box.width, top});
        box.ascent = std::max(box.ascent, -top + 0.05f * size);
        return box;
    }

    MathBox call(const Syntax& s, float size) const {
        MathBox inside;
        for (const Syntax& argument : s.args) {
            if (&argument != s.args.data()) append(inside, text(",", size));
            append(inside, set(argument, size), &argument == s.args.data() ? 0 : kWide * size);
        }
        MathBox box = s.text == "log" ? text("ln", size) : name(s.text, size);
        append(box, bracketed(inside, size), 0.1f * size);
        return box;
    }

    const Measure& measure_;
    float least_;
};

// Collects the terms of a sum, each with its sign.
void terms_of(const Syntax& s,
              std::string_view sign,
              std::vector<std::pair<std::string_view, const Syntax*>>& terms) {
    if ((is_call(s, "+") || is_call(s, "-")) && s.args.size() == 2 && s.depth <= kDeepest) {
        terms_of(s.args[0], sign, terms);
        terms.emplace_back(s.text == "+" ? "+" : "−", &s.args[1]);
    } else {
        terms.emplace_back(sign, &s);
    }
}

struct Sides {
    TextSpan span;
    std::function<MathBox(const Typesetter&, float size)> left;
    const Syntax* right;  // null: no right side
};

// Sets one statement, with line breaks before the signs of its sum; smaller if a single term is too wide.
std::vector<MathBox> in_lines(const Sides& statement, float width, float size, const Measure& measure) {
    for (float at = size;; at *= 0.85f) {
        const Typesetter setter(measure, at);
        std::vector<MathBox> lines{statement.left(setter, at)};
        if (!statement.right) return lines;
        append(lines.back(), setter.text("=", at), kWide * at);
        std::vector<std::pair<std::string_view, const Syntax*>> terms;
        terms_of(*statement.right, "", terms);
        bool fits = true, first = true;
        for (const auto& [sign, term] : terms) {
            MathBox part;
            if (!sign.empty()) {
                append(part, setter.text(sign, at));
                append(part, setter.set(*term, at, kProduct), kWide * at);
            } else {
                part = setter.set(*term, at, terms.size() > 1 ? kSum : 0);
            }
            if (lines.back().width + kWide * at + part.width > width && !first) {
                lines.emplace_back();
                lines.back().width = 1.5f * at;
            }
            append(lines.back(), part, kWide * at);
            fits &= lines.back().width <= width;
            first = false;
        }
        if (fits || at < kSmallest * size) return lines;
    }
}

std::vector<Sides> shown(const equation::Statements& statements) {
    std::vector<Sides> list;
    const auto readable = [&](TextSpan span) {
        return std::ranges::none_of(statements.unreadable, [&](TextSpan wrong) {
            return wrong.begin <= span.begin && span.end <= wrong.end;
        });
    };
    const auto add = [&](TextSpan span, const Syntax* right, auto left) {
        if (readable(span)) list.push_back({span, left, right});
    };
    for (const equation::Evolution& e : statements.evolutions)
        add(e.span, &e.formula, [&e](const Typesetter& setter, float size) {
            MathBox name = setter.name(e.component, size);
            if (!e.rate) {
                append(name, setter.text("′", size));
                return name;
            }
            MathBox over = setter.text("∂", size);
            append(over, name);
            return setter.fraction(over, setter.text("∂t", size), size);
        });
    for (const equation::ComplexName& c : statements.complex)
        add(c.span, nullptr, [&c](const Typesetter& setter, float size) {
            MathBox box = setter.text(equation::kComplex, size);
            append(box, setter.name(c.name, size), kWide * size);
            return box;
        });
    for (const equation::OwnFunction& f : statements.functions)
        add(f.span, &f.formula, [&f](const Typesetter& setter, float size) {
            return setter.set(f.head, size);
        });
    for (const equation::NamedFormula& d : statements.definitions)
        if (!contains(names_of(statements.functions), d.name))
            add(d.span, &d.formula, [&d](const Typesetter& setter, float size) {
                return setter.name(d.name, size);
            });
    for (const equation::EllipticStatement& e : statements.elliptic)
        add(e.span, &e.right, [&e](const Typesetter& setter, float size) {
            return setter.set(e.left, size);
        });
    for (const equation::NamedFormula& i : statements.initials)
        add(i.span, &i.formula, [&i](const Typesetter& setter, float size) {
            MathBox box = setter.name(i.name, size);
            append(box, setter.bracketed(setter.text("0", size), size));
            return box;
        });
    // A label of several sides, such as `all`, gives one statement for each.
    std::optional<TextSpan> last;
    const auto add_side = [&](const equation::SideStatement& s) {
        if (std::exchange(last, s.span) == s.span) return;
        add(s.span, s.word.empty() ? &s.right : nullptr, [&](const Typesetter& setter, float size) {
            const std::string_view label(statements.text);
            MathBox box =
                setter.text(fmt::format("{}:", label.substr(s.span.begin, s.span.end - s.span.begin)), size);
            append(box, s.word.empty() ? setter.set(s.left, size) : setter.text(s.word, size), kWide * size);
            return box;
        });
    };
    for (const auto* some : {&statements.sides, &statements.edges})
        for (const equation::SideStatement& s : *some) add_side(s);
    for (const TextSpan wrong : statements.unreadable)
        list.push_back(
            {wrong,
             [&statements, wrong](const Typesetter& setter, float size) {
                 return setter.text(
                     std::string_view(statements.text).substr(wrong.begin, wrong.end - wrong.begin), size);
             },
             nullptr});
    std::ranges::stable_sort(list, {}, [](const Sides& s) { return s.span.begin; });
    return list;
}

}  // namespace

MathBox typeset(const Syntax& formula, float size, const Measure& measure) {
    return Typesetter(measure, size).set(formula, size);
}

std::vector<TypesetLine> typeset(const equation::Statements& statements,
                                 float width,
                                 float size,
                                 const Measure& measure) {
    std::vector<TypesetLine> lines;
    for (const Sides& statement : shown(statements)) {
        const bool mistake = contains(statements.unreadable, statement.span);
        for (MathBox& box : in_lines(statement, width, size, measure))
            lines.push_back({std::move(box), mistake});
    }
    return lines;
}

}  // namespace stencil::editing

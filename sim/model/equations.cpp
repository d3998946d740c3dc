#include "sim/model/equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "sim/initial/initial.h"
#include "sim/model/semantics.h"
#include "sim/model/sides.h"
#include "sim/model/step/reflections.h"
#include "sim/model/step/stages.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"
#include "sim/view/colormap.h"

namespace stencil::equation {
namespace {

// Each cell of reach beyond the first needs a materialised intermediate: one more array and one more stage.
constexpr int kMostReach = 128;
constexpr int kMostWideParts = 512;
constexpr std::array<std::string_view, 5> kReserved{"flux", "and", "or", "not", "in"};

class Assembly : TextReader {
  public:
    explicit Assembly(const Statements& statements)
        : TextReader(statements.text), statements_(statements), semantics_(statements, result_) {}

    Equations assemble(const std::vector<std::string>& formulas) {
        result_.text = statements_.text;
        settings();
        components();
        unknowns();
        parameters();
        definitions();
        solutions();
        for (std::size_t i = 0; i < statements_.evolutions.size(); ++i) evolve(i);
        initials();
        set_all_sides(result_, boundary_);
        sides_ = read_conditions(semantics_, statements_, result_);
        velocities();
        if (!boundary_given_) tell_periodic(statements_, sides_, result_);
        tell_steady();
        add_sensitivities(semantics_, statements_, result_);
        shown();
        tell_unused();
        noise();
        require_meaning();
        semantics_.check_convolutions();
        for (const std::string& formula : formulas) result_.extra.push_back(extra(formula));
        return std::move(result_);
    }

  private:
    // Reads a formula that is given separately from the model's text. Error positions refer to `formula`.
    Node extra(const std::string& formula) {
        const Syntax syntax = read_formula(formula);
        try {
            const Node node = semantics_.scalar(syntax);
            semantics_.refuse_offsets(node, syntax);
            return node;
        } catch (const TextError& error) {
            throw TextError(formula, error.span(), error.sentence());
        }
    }

    void settings() {
        for (const SettingStatement& s : statements_.settings) {
            if (s.name == "dx") result_.spacing = s.number;
            if (s.name == "dt" && s.number > 0) result_.dt = s.number;
            if (s.name == "colormap") result_.colormap = s.text;
            if (s.name == "show") result_.show = s.text;
            if (s.name == "title") result_.title = s.text;
            if (s.name == "source") result_.source = s.text;
            if (s.name == "about") result_.about = s.text;
            if (s.name == "integrator") result_.integrator = scheme_of(s.text);
            if (s.name == "laplacian") semantics_.laplacian_kind = laplacian_kind(s.text);
            if (s.name == "mean") semantics_.harmonic_mean = s.text == "harmonic";
            if (s.name == "boundary") {
                boundary_ = s.text;
                boundary_given_ = true;
                if (!condition_of_word(result_.graph, boundary_))
                    refuse(s.span, "`boundary` is one of {}", fmt::join(names_of(kBoundaries), ", "));
            }
        }
    }

    static Semantics::LaplacianKind laplacian_kind(std::string_view name) {
        using enum Semantics::LaplacianKind;
        return name == "isotropic" ? isotropic : name == "fourth" ? fourth : standard;
    }

    void require_free(const std::string& name, TextSpan span) const {
        const Function* function = find_function(name);
        const bool known = std::ranges::any_of(
            known_names(), [&](const KnownName& row) { return row.name == name && !row.yields; });
        if (contains(kReserved, name) || known || (function != nullptr && !function->yields))
            refuse(span, "`{}` has a meaning of its own: take another name", quotable(name));
        const std::string first = is_complex(statements_, name) ? parts_of(name)[0] : name;
        if (contains(names_of(result_.components), first))
            refuse(span, "`{0}` evolves: its start is written `{0}(0) = ...`", quotable(name));
    }

    std::vector<std::string> names_of_evolutions() const {
        std::vector<std::string> names;
        for (const Evolution& e : statements_.evolutions) names.push_back(e.component);
        return names;
    }

    // The components that a name stands for: the component itself, or both parts of a complex one.
    std::vector<std::string> parts(const std::string& name) const {
        if (!is_complex(statements_, name)) return {name};
        const auto [re, im] = parts_of(name);
        return {re, im};
    }

    // The part of a value that component `name` gets, if the text gives one value to a complex component.
    Node part_of(const Value& value, std::string_view name) {
        const auto component = std::ranges::find(result_.components, name, &Evolving::name);
        const std::size_t index = std::size_t(component - result_.components.begin());
        const std::string& typed = statements_.evolutions[evolution_of_[index]].component;
        if (!is_complex(statements_, typed)) return semantics_.scalar_of(value, "an equation");
        const bool re = name == parts_of(typed)[0];
        return semantics_.scalar_of(re ? semantics_.real_part(value) : semantics_.imaginary_part(value),
                                    "an equation");
    }

    void components() {
        for (const NamedFormula& d : statements_.definitions) {
            const bool as_rate = d.name.size() > 3 && d.name.front() == 'd' && d.name.ends_with("dt");
            if (statements_.evolutions.empty() && (as_rate || mentions(d.formula, d.name)))
                refuse(d.span,
                       "what evolves is written `d{0}/dt = ...`, or `{0}' = ...` for its next value",
                       quotable(as_rate ? d.name.substr(1, d.name.size() - 3) : d.name));
        }
        result_.solved_alone = statements_.evolutions.empty() && !statements_.elliptic.empty();
        if (statements_.evolutions.empty() && !result_.solved_alone)
            refuse({0, statements_.text.size()},
                   "nothing evolves: an equation such as `du/dt = lap(u)` is missing");
        if (component_names(statements_).size() > kMaxComponents)
            refuse(statements_.evolutions.back().span, "a model has at most {} components", kMaxComponents);
        for (const ComplexName& c : statements_.complex)
            if (!contains(names_of_evolutions(), c.name))
                refuse(c.span, "`{0}` has no equation: `d{0}/dt = ...` is missing", quotable(c.name));
        for (std::size_t i = 0; i < statements_.evolutions.size(); ++i) {
            const Evolution& e = statements_.evolutions[i];
            require_free(e.component, e.span);
            for (const std::string& name : parts(e.component)) {
                require_free(name, e.span);
                result_.components.push_back({name, e.rate, 0, std::nullopt, {}, {}, {}});
                evolution_of_.push_back(i);
            }
        }
        for (const NamedFormula& d : statements_.definitions) {
            if (mentions(d.formula, d.name) && contains(names_of(result_.components), d.name))
                refuse(d.span,
                       "`{0}` evolves by one equation: what sets it on the way belongs there, such as "
                       "`{0}' = clamp({0}, 0, 1) + dt*(...)`",
                       quotable(d.name));
            require_free(d.name, d.span);
        }
        for (const OwnFunction& f : statements_.functions) require_free(f.name, f.span);
    }

    // Names the fields that elliptic equations are solved for; the equations are read when they are needed.
    void unknowns() {
        const std::vector<std::string> names = unknowns_of(statements_);
        for (std::size_t i = 0; i < names.size(); ++i) {
            const TextSpan span = statements_.elliptic[i].span;
            if (names[i].empty()) refuse_known(statements_.elliptic[i]);
            require_free(names[i], span);
            if (contains(names_of(result_.elliptic), names[i]))
                refuse(span, "`{}` has two equations, and one is enough", quotable(names[i]));
            Elliptic equation;
            equation.name = names[i];
            equation.span = span;
            result_.elliptic.push_back(std::move(equation));
        }
        if (!result_.solved_alone) return;
        if (names.size() > kMaxComponents)
            refuse(statements_.elliptic.back().span, "a model has at most {} components", kMaxComponents);
        for (const std::string& name : names)
            result_.components.push_back({name, false, 0, std::nullopt, {}, {}, {}});
    }

    [[noreturn]] void refuse_known(const EllipticStatement& statement) const {
        for (const Evolving& c : result_.components)
            if (mentions(statement.left, c.name))
                refuse(
                    statement.span,
                    "an equation without a time derivative is solved for a name that has no other equation, "
                    "and `{}` has one",
                    quotable(c.name));
        refuse(statement.span,
               "an equation without a time derivative is solved for a name that has no other "
               "meaning, such as `lap(psi) = -w`");
    }

    void solutions() {
        for (std::size_t i = 0; i < result_.elliptic.size(); ++i) {
            const TextSpan span = result_.elliptic[i].span;
            const Syntax name{SyntaxKind::name, result_.elliptic[i].name, 0, 0, 0, {}, span};
            const Node solution = semantics_.scalar(name);
            semantics_.refuse_offsets(solution, statements_.elliptic[i].left);
            semantics_.refuse_offsets(result_.elliptic[i].linear, statements_.elliptic[i].left);
            require_near(result_.elliptic[i].linear, span);
            require_near(result_.elliptic[i].rest, span);
            if (result_.inside)
                refuse(span,
                       "`inside` bounds the field, and `{}` is solved for by transforms of all of it",
                       quotable(result_.elliptic[i].name));
            if (!result_.solved_alone)
                result_.definitions.push_back({result_.elliptic[i].name, solution, {}, false});
            else
                result_.components[i].formula = solution, result_.components[i].initial = solution;
        }
    }

    void tell_steady() {
        if (!result_.solved_alone) return;
        const auto moves = [&](Node node) { return result_.graph.depends(node).time; };
        const auto side_moves = [&](const Condition& side) {
            return moves(side.value) || moves(side.flux) || moves(side.right);
        };
        result_.steady = std::ranges::none_of(result_.components, [&](const Evolving& component) {
            return moves(component.formula) || std::ranges::any_of(component.sides, side_moves);
        });
        if (result_.steady)
            result_.notes.push_back(fmt::format("nothing evolves: {} solved for, and a run needs no steps",
                                                result_.components.size() == 1
                                                    ? fmt::format("`{}` is", result_.components.front().name)
                                                    : "the fields are"));
    }

    void parameters() {
        for (const ParameterStatement& p : statements_.parameters) {
            require_free(p.name, p.span);
            ModelParameter parameter;
            parameter.name = p.name;
            parameter.value = p.value;
            parameter.unit = p.unit;
            const bool ranged = p.low < p.high;
            const double reach = p.value == 0 ? 1 : 2 * std::abs(p.value);
            parameter.low = ranged ? p.low : p.value < 0 || p.value == 0 ? -reach : 0;
            parameter.high = ranged ? p.high : p.value < 0 ? 0 : reach;
            result_.parameters.push_back(std::move(parameter));
        }
    }

    void evolve(std::size_t index) {
        const Evolution& e = statements_.evolutions[index];
        const Value value = semantics_.value(e.formula);
        for (std::size_t c = 0; c < result_.components.size(); ++c) {
            if (evolution_of_[c] != index) continue;
            Evolving& component = result_.components[c];
            component.formula = part_of(value, component.name);
            semantics_.refuse_offsets(component.formula, e.formula);
            require_near(component.formula, e.formula.span);
            refuse_downwind(e, value, int(c));
            if (value.is_complex()) refuse_downwind(e, *value.imaginary, int(c));
            add_terms(component, e.formula, false);
        }
    }

    void refuse_downwind(const Evolution& e, const Value& value, int component) const {
        for (const Value::Upwind& part : value.upwind)
            if (e.rate && part.sign > 0 && contains_component(part.of, component))
                refuse(part.span,
                       "this is upwind where it is subtracted, and a rate that adds it blows up: "
                       "write `-up(-a)*dx(u)` for `a*dx(u)`, or `advect(u, -a, 0)`");
    }

    void require_near(Node formula, TextSpan span) const {
        const Graph& g = result_.graph;
        int reach = 0, wide = 0;
        g.walk(formula, [&](Node part) {
            reach = std::max(reach, g.radius(part));
            wide += reaches_neighbours(g[part].op) && g.radius(part) > 1;
        });
        if (reach > kMostReach)
            refuse(span,
                   "this reaches {} cells away, one neighbour after the other, and at most "
                   "{} are allowed",
                   reach,
                   kMostReach);
        if (wide > kMostWideParts)
            refuse(span,
                   "this takes differences of differences, or neighbours of neighbours, "
                   "at {} places, each of which is an array of its own, and at most {} "
                   "are allowed",
                   wide,
                   kMostWideParts);
    }

    void add_terms(Evolving& component, const Syntax& formula, bool negative) {
        const bool sum = formula.kind == SyntaxKind::call && (formula.text == "+" || formula.text == "-");
        if (sum) {
            add_terms(component, formula.args[0], negative);
            return add_terms(component, formula.args[1], negative != (formula.text == "-"));
        }
        const Node node = part_of(semantics_.value(formula), component.name);
        component.terms.push_back(
            {negative ? result_.graph.negate(node) : node, (negative ? "-" : "") + to_text(formula)});
    }

    // Resolves all definitions, used or not, and keeps those that vary in space, since they can be shown.
    void definitions() {
        for (const NamedFormula& d : statements_.definitions) {
            refuse_misspelt_setting(d);
            const Value value = semantics_.definition(d);
            if (value.kind != Value::Kind::scalar) continue;
            if (d.name == "inside")
                inside(semantics_.scalar_of(value, d.name), d);
            else if (value.is_complex())
                continue;  // used in formulas
            else if (result_.graph.depends(value.node).cell) {
                semantics_.refuse_offsets(value.node, d.formula);
                result_.definitions.push_back({d.name, value.node, {}, false});
            }
        }
        if (statements_.origin)  // `origin` is read when x or y is resolved
            for (const char* name : {"x", "y"}) semantics_.scalar({SyntaxKind::name, name, 0, 0, 0, {}, {}});
    }

    // Catches a misspelt setting such as "boundry = periodic", which would otherwise read as a definition.
    void refuse_misspelt_setting(const NamedFormula& d) {
        const std::string nearest = nearest_name(d.name, names_of(setting_rows()));
        if (nearest.empty()) return;
        if (d.formula.kind != SyntaxKind::string &&
            (d.formula.kind != SyntaxKind::name || semantics_.knows(d.formula)))
            return;
        if (nearest == d.name)
            refuse(d.span,
                   "`{}` is {}",
                   nearest,
                   std::ranges::find(setting_rows(), nearest, &SettingRow::name)->allowed);
        refuse(d.span, "`{}` is not a setting: did you mean `{}`?", quotable(d.name), nearest);
    }

    // Checks the name that the setting `show` refers to.
    void shown() const {
        const auto s = std::ranges::find(statements_.settings, "show", &SettingStatement::name);
        if (s == statements_.settings.end()) return;
        if (is_complex(statements_, s->text))
            refuse(s->span,
                   "`{0}` is complex: show a definition of it, such as `density = abs({0})^2`",
                   quotable(s->text));
        std::vector<std::string> names = names_of(result_.components);
        for (const Defined& d : result_.definitions) names.push_back(d.name);
        for (const NamedFormula& d : statements_.definitions) names.push_back(d.name);
        if (!contains(names, s->text)) refuse(s->span, unknown_name_message("component", s->text, names));
    }

    void inside(Node node, const NamedFormula& definition) {
        const Dependence& depends = result_.graph.depends(node);
        semantics_.refuse_offsets(node, definition.formula);
        if (depends.random || depends.global || result_.graph.radius(node) > 0)
            refuse(definition.formula.span,
                   "`inside` is a condition on x, y, t and the components' values in the cell, or a "
                   "picture: {} cannot stand in it",
                   depends.random   ? "random numbers, which are others at each step,"
                   : depends.global ? "values of the whole field"
                                    : "neighbours");
        if (depends.uniform())
            refuse(definition.span,
                   "`inside` is a condition on x and y, or a picture, that says where the field is");
        semantics_.require_condition(node, definition.formula, "`inside`", true);
        result_.inside = node;
    }

    void initials() {
        for (const NamedFormula& initial : statements_.initials) {
            const std::vector<std::string> names = parts(initial.name);
            const auto component = std::ranges::find(result_.components, names.front(), &Evolving::name);
            if (contains(names_of(result_.elliptic), initial.name))
                refuse(
                    initial.span, "`{}` follows from its equation at the start, too", quotable(initial.name));
            if (component == result_.components.end())
                refuse(initial.span,
                       "`{}` has no equation: what evolves is written `d{}/dt = ...`",
                       quotable(initial.name),
                       quotable(initial.name));
            if (initial.formula.kind == SyntaxKind::string) {
                named_start(initial, names, *component);
                continue;
            }
            const Value value = semantics_.start(initial);
            for (const std::string& name : names) {
                const auto part = std::ranges::find(result_.components, name, &Evolving::name);
                part->initial = part_of(value, name);
                semantics_.refuse_offsets(*part->initial, initial.formula);
                if (contains_component(*part->initial))
                    refuse(initial.formula.span,
                           "a start is made of x, y, parameters, pictures, random numbers and other starts, "
                           "such as "
                           "`u(0)`, not of components");
            }
        }
    }

    // Noise of strength 1/sqrt(dt) that multiplies a field has two meanings (Ito 1951, Stratonovich 1966).
    void noise() {
        const bool multiplies = std::ranges::any_of(
            result_.components, [&](const Evolving& c) { return c.rate && multiplies_noise(c.formula); });
        if (!multiplies) return;
        result_.noise = statements_.value("noise");
        if (result_.noise.empty())
            result_.notes.push_back(
                fmt::format("noise multiplies a field: {} take it as Itô does, {} as Stratonovich does; "
                            "`noise = ito` or `noise = stratonovich` says which is meant",
                            listed_integrators([](const auto& row) { return row.takes_ito(); }, "and"),
                            listed_integrators([](const auto& row) { return !row.takes_ito(); }, "and")));
    }

    // Whether random numbers over the root of dt stand in it with a factor, or in a function, of components.
    bool multiplies_noise(Node formula) const {
        const Graph& g = result_.graph;
        const auto holds = [&](Node in, auto&& is) {
            bool found = false;
            g.walk(in, [&](Node part) { found = found || is(g[part]); });
            return found;
        };
        const auto is_component = [](const Expression& e) { return e.op == Op::component; };
        const auto is_root_of_dt = [&](const Expression& e) {
            const auto is_dt = [](const Expression& part) { return part.op == Op::dt; };
            return (e.op == Op::sqrt || e.op == Op::power) && holds(e.args[0], is_dt);
        };
        const auto multiplies = [&](const auto& self, Node at) -> bool {
            const Expression& e = g[at];
            if (!g.depends(at).random) return false;
            const auto args = std::span(e.args).first(e.count);
            const bool product = e.op == Op::multiply || e.op == Op::divide;
            const bool linear =
                e.op == Op::add || e.op == Op::subtract || e.op == Op::negate || e.op >= Op::stored;
            if (!product && !linear) return holds(at, is_component);
            if (product && ((g.depends(args[0]).random && holds(args[1], is_component)) ||
                            (g.depends(args[1]).random && holds(args[0], is_component))))
                return true;
            return std::ranges::any_of(args, [&](Node part) { return self(self, part); });
        };
        return holds(formula, is_root_of_dt) && multiplies(multiplies, formula);
    }

    // A velocity u_t without conditions at a side has those of u, whose given values stay.
    void velocities() {
        Graph& g = result_.graph;
        for (const std::string& name : statements_.second_order) {
            const std::string velocity = rate_name(name);
            result_.notes.push_back(fmt::format(
                "`{0}` evolves by two equations, `d{0}/dt = {1}` and that of its velocity `{1}`, whose start "
                "is `{1}(0) = ...`; the integrator is {2}",
                name,
                velocity,
                name_of(result_.integrator)));
            const auto fields = parts(name), rates = parts(velocity);
            for (std::size_t i = 0; i < fields.size(); ++i) {
                const auto field = std::ranges::find(result_.components, fields[i], &Evolving::name);
                const auto rate = std::ranges::find(result_.components, rates[i], &Evolving::name);
                for (const Side side : kSides) {
                    const auto given = sides_.find({fields[i], side});
                    if (given == sides_.end() || !sides_.insert({{rates[i], side}, given->second}).second)
                        continue;
                    Condition& condition = rate->sides[std::size_t(side)] = field->sides[std::size_t(side)];
                    condition.right = g.number(0);
                }
            }
        }
    }

    // u(0) = "gaussian:sigma=0.1"
    void named_start(const NamedFormula& initial,
                     const std::vector<std::string>& parts,
                     Evolving& component) {
        const TextSpan& span = initial.formula.span;
        if (parts.size() > 1) refuse(span, "`{}` is complex: its start is a formula", quotable(initial.name));
        try {
            if (parse_initial(initial.formula.text).condition) {
                component.start = initial.formula.text;
                return;
            }
        } catch (const InputError& error) {
            refuse(span, "{}", error.what());
        }
        refuse(span,
               "in quotes stands an initial condition, such as \"gaussian:sigma=0.1\"; a formula has no "
               "quotes, and a file is read by image(...) or array(...)");
    }

    /// Whether a formula contains any component, or that of the given index.
    bool contains_component(Node node, std::optional<int> index = {}) const {
        bool found = false;
        result_.graph.walk(node, [&](Node part) {
            const Expression& e = result_.graph[part];
            found = found || (e.op == Op::component && e.index == index.value_or(e.index));
        });
        return found;
    }

    // A statement without effect is usually a slip, so a note names it.
    void tell_unused() {
        for (const OwnFunction& f : statements_.functions)
            if (!semantics_.uses().contains(f.name) && !contains(names_of(statements_.definitions), f.name))
                result_.notes.push_back(fmt::format("nothing uses the function `{}`", f.name));
        for (const ParameterStatement& p : statements_.parameters)
            if (!semantics_.uses().contains(p.name) && !is_sensitivity(p.name))
                result_.notes.push_back(fmt::format("nothing uses the parameter `{}`", p.name));
        for (const NamedFormula& d : statements_.definitions) {
            // An unused field is no slip: it can be shown.
            const auto field = std::ranges::find(result_.definitions, d.name, &Defined::name);
            if (semantics_.uses().contains(d.name) || field != result_.definitions.end() ||
                d.name == "inside" || d.name == result_.show)
                continue;
            const auto start = std::ranges::find_if(
                result_.components, [&](const Evolving& c) { return d.name == c.name + "0"; });
            result_.notes.push_back(fmt::format(
                "nothing uses `{}`{}",
                d.name,
                start == result_.components.end()
                    ? ""
                    : fmt::format(": the start of `{0}` is written `{0}(0) = ...`", start->name)));
        }
    }

    // Checks on a copy (splitting adds nodes) that every derivative has a value at ghost cells.
    void require_meaning() {
        Equations apart = result_;
        Reflections reflections(apart);
        for (const Defined& d : apart.definitions)
            for (const std::size_t side : {0, 1, 2, 3}) {
                const std::size_t other = side ^ 1;
                if (!d.sides[side] || d.sides[other] ||
                    reflections.of(d.formula, other).kind != Reflection::Kind::periodic)
                    continue;
                refuse(sides_.at({d.name, Side(side)})->span,
                       "`{0}` is periodic at the {1} side: give `{1}:` a condition too",
                       d.name,
                       kSideNames[other]);
            }
        for (std::size_t c = 0; c < apart.components.size(); ++c) try {
                reflections.continued(apart.components[c].formula);
            } catch (const Meaningless& what) {
                const auto own = std::size_t(apart.components[c].tangent_of.value_or(int(c)));
                if (result_.solved_alone) refuse(result_.elliptic[own].span, meaningless_sentence(what));
                const Syntax& formula = statements_.evolutions[evolution_of_[own]].formula;
                refuse(place_of(what.node, formula).value_or(formula.span), meaningless_sentence(what));
            }
    }

    // Finds the position of a derivative in a formula or in the definitions that it uses, for the caret.
    std::optional<TextSpan> place_of(Node derivative, const Syntax& formula) {
        for (const Syntax& part : formula.args)
            if (const auto span = place_of(derivative, part)) return span;
        if (formula.kind == SyntaxKind::name) {
            const auto defined =
                std::ranges::find(statements_.definitions, formula.text, &NamedFormula::name);
            return defined == statements_.definitions.end() ? std::nullopt
                                                            : place_of(derivative, defined->formula);
        }
        const bool of_field = formula.kind == SyntaxKind::call && find_function(formula.text) != nullptr;
        if (!of_field) return std::nullopt;
        const Value value = semantics_.value(formula);
        if (value.kind != Value::Kind::scalar) return std::nullopt;
        const auto is_in = [&](const Value& part) {
            const Expression& e = result_.graph[part.node];
            return part.node == derivative ||
                   (e.op == Op::multiply && (e.args[0] == derivative || e.args[1] == derivative));
        };
        const bool is_it = is_in(value) || (value.is_complex() && is_in(*value.imaginary));
        return is_it ? std::optional(formula.span) : std::nullopt;
    }

    bool is_sensitivity(const std::string& name) const {
        return std::ranges::any_of(statements_.settings, [&](const SettingStatement& s) {
            return s.name == "sensitivity" && s.text == name;
        });
    }

    const Statements& statements_;
    Equations result_;
    Semantics semantics_;
    std::string boundary_ = "periodic";
    bool boundary_given_ = false;
    std::vector<std::size_t> evolution_of_;  ///< indexed by component
    GivenSides sides_;
};

}  // namespace

bool Equations::has_maps() const {
    return !std::ranges::all_of(components, &Evolving::rate);
}

bool Equations::has_global_values() const {
    for (Node node = 0; node < graph.size(); ++node)
        if (is_global(graph[node].op)) return true;
    return false;
}

void set_all_sides(Equations& equations, std::string_view word) {
    const Condition condition = *condition_of_word(equations.graph, word);
    for (Evolving& c : equations.components) {
        c.sides.fill(condition);
        std::fill_n(c.held.begin(), c.sides.size(), std::nullopt);
    }
    for (Elliptic& e : equations.elliptic) e.sides.fill(condition);
}

void make_line(Equations& equations, std::size_t flat_axis) {
    const Condition around{.periodic = true};
    for (const std::size_t side : {2 * flat_axis, 2 * flat_axis + 1}) {
        for (Evolving& c : equations.components) {
            c.sides[side] = around;
            c.held[side] = std::nullopt;
        }
        for (Elliptic& e : equations.elliptic) e.sides[side] = around;
        for (Defined& d : equations.definitions) d.sides[side].reset();
    }
}

Equations read_equations(std::string_view text, const std::vector<std::string>& formulas) {
    const auto statements = std::make_shared<const Statements>(read_statements(text));
    try {
        Equations equations = Assembly(*statements).assemble(formulas);
        equations.statements = statements;
        return equations;
    } catch (const TooManyParts& error) {
        throw TextError(statements->text, {0, 0}, error.what());
    }
}

}  // namespace stencil::equation

// The result of semantic analysis: components and their evolution, as expressions of one graph.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/files/channel.h"
#include "sim/model/expression.h"
#include "sim/model/integrator.h"
#include "sim/model/model.h"
#include "sim/model/text/statements.h"

namespace stencil::equation {

/// Boundary condition on the face between a cell and its ghost cell: value * u + flux * du/dn = right, n
/// pointing outwards; or periodic (then on both sides of the axis). Its formulas may depend on values of the
/// cell beside the face.
struct Condition {
    bool periodic = false;
    Node value = 0, flux = 0, right = 0;
    friend bool operator==(const Condition&, const Condition&) = default;
};

/// A condition at the edge of `inside`, n pointing out of the shape. Empty: no flux.
using EdgeCondition = std::optional<Condition>;

/// A summand of a component's formula, so that stability messages can name it.
struct Term {
    Node node = 0;
    std::string text;  ///< as typed
};

/// One condition per side, in the order of kSides.
using Conditions = std::array<Condition, 4>;
/// The index of the edge of `inside`, after those of the four sides.
inline constexpr std::size_t kAtEdge = std::size_t(Side::edge);

struct Evolving {
    std::string name;
    bool rate = true;  ///< `formula` is du/dt, else the next value
    Node formula = 0;
    std::optional<Node> initial;  ///< initial value; empty: zero, or `start`
    Conditions sides;
    std::vector<Term> terms;             ///< summands of the formula, signs included
    std::optional<int> tangent_of = {};  ///< for a sensitivity: the component that it is the derivative of
    EdgeCondition edge = {};
    std::string start = {};  ///< an initial condition of the table, such as "gaussian:sigma=0.1"; empty: none
    /// For an equation of fourth order, by side and at the edge: the value on the face, where the condition
    /// in `sides` or `edge` is that of a flux and both hold.
    std::array<std::optional<Node>, kAtEdge + 1> held = {};
};

/// A definition that varies from cell to cell: it can be shown, and has ghost cells where it is materialised.
struct Defined {
    std::string name;
    Node formula = 0;
    std::array<std::optional<Condition>, 4> sides;  ///< conditions given in the text
    bool tangent = false;  ///< a sensitivity: the derivative of another definition by a parameter
    EdgeCondition edge = {};
};

/// A term of a symbol: a wave in field `column` changes the rate of field `row` by coefficient * X^x_power *
/// Y^y_power, where X and Y are the eigenvalues of e + w - 2 c and n + s - 2 c.
struct LinearTerm {
    int row = 0, column = 0, x_power = 0, y_power = 0;
    Node coefficient = 0;  ///< depends on parameters only
};

/// An equation linear + rest = 0 without time derivative, which determines a field from the others at every
/// instant. Its solution is one of the definitions, made of Op::solved.
struct Elliptic {
    std::string name;
    Node linear = 0;  ///< linear in the field (Op::unknown), with constant coefficients
    Node rest = 0;
    std::vector<LinearTerm> terms = {};  ///< the symbol of `linear`
    Conditions sides = {};
    TextSpan span = {};    ///< position of the equation
    bool tangent = false;  ///< a sensitivity: the derivative of another equation by a parameter
};

/// The kernel of a convolution: a formula of Op::offset_x, Op::offset_y and parameters, in which Op::total is
/// a sum over all offsets.
struct TypedKernel {
    Node formula = 0;
    std::string text;    ///< as typed
    TextSpan span = {};  ///< position of the first convolution with it
};

/// A file named in the text by image("file") or array("file").
struct DataSource {
    bool picture = false;
    std::string file;
    Channel channel = Channel::grey;
    /// The point (x, y) at which each cell reads the picture, measured from the field's upper left corner; x
    /// may depend on x only, and y on y only. Without it each cell reads at its own position.
    std::optional<std::array<Node, 2>> place = {};
    std::string variable = {};  ///< the array's name in a file of several
    bool known = false;         ///< 1 where the array has a value, 0 where it is NaN
    TextSpan span = {};
    friend bool operator==(const DataSource& a, const DataSource& b) {
        const auto key = [](const DataSource& d) {
            return std::tie(d.picture, d.file, d.channel, d.place, d.variable, d.known);
        };
        return key(a) == key(b);
    }
};

inline constexpr std::size_t kMaxComponents = 16;

struct Equations {
    std::string text;
    std::shared_ptr<const Statements> statements;  ///< the text, parsed
    Graph graph;
    std::vector<Evolving> components;  ///< in the order of their equations
    /// Nothing evolves: the components are the fields that the elliptic equations are solved for, as maps.
    bool solved_alone = false;
    bool steady = false;  ///< and nothing in their equations and conditions changes with time
    std::vector<ModelParameter> parameters;
    std::vector<Defined> definitions;
    std::vector<Elliptic> elliptic;
    std::vector<TypedKernel> kernels;
    std::vector<DataSource> data;
    std::optional<Node> inside;  ///< mask of the domain, 0 outside
    double spacing = 1;
    std::optional<double> dt;  ///< if the text states a number
    Integrator integrator;
    std::string colormap, show, title, source, about;  ///< empty if not given
    std::string noise;                                 ///< ito or stratonovich, if noise multiplies a field
    std::vector<std::string> notes;                    ///< hints about legal but suspicious input
    std::vector<Node> extra;                           ///< formulas given separately from the text

    /// Whether a component is given by its next value.
    bool has_maps() const;
    /// Whether any formula contains a global value (mean, sum, ...).
    bool has_global_values() const;
};

/// Whether each step needs transforms of whole fields, for any integrator.
inline bool uses_transforms(const Equations& equations) {
    return !equations.elliptic.empty() || !equations.kernels.empty();
}

/// Sets the condition that a word such as `insulated` stands for, for all components and solved fields at all
/// sides.
void set_all_sides(Equations& equations, std::string_view word);

/// Parses and analyses a model's text. `formulas` (shown quantities, initial conditions) may use its names
/// and become `extra`. Throws TextError.
Equations read_equations(std::string_view text, const std::vector<std::string>& formulas = {});

}  // namespace stencil::equation

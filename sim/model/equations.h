// What a model's text means: components and how they evolve, as expressions of one graph.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/expression.h"
#include "sim/model/model.h"
#include "sim/model/text/statements.h"

namespace stencil::equation {

/// On one side, on the face between the last cell and the ghost cell: value * u + flux * du/dn = right, n
/// pointing outwards; or periodic, on both sides of an axis.
struct Condition {
    bool periodic = false;
    Node value = 0, flux = 0, right = 0;
    friend bool operator==(const Condition&, const Condition&) = default;
};

/// A term of a component's formula, for what is said of it.
struct Term {
    Node node = 0;
    std::string text;  ///< as typed
};

/// In the order of kSides.
using Conditions = std::array<Condition, 4>;

struct Evolving {
    std::string name;
    bool rate = true;  ///< `formula` is du/dt, else the next value
    Node formula = 0;
    std::optional<Node> initial;  ///< empty: zero
    Conditions sides;
    std::vector<Term> terms;             ///< that add up to the formula, their signs included
    std::optional<int> tangent_of = {};  ///< the component whose derivative by a parameter it is
};

/// A definition whose value differs from cell to cell: it can be shown, and has ghost cells where it is
/// stored.
struct Defined {
    std::string name;
    Node formula = 0;
    std::array<std::optional<Condition>, 4> sides;  ///< those that were given
    bool tangent = false;                           ///< the derivative of another one by a parameter
};

/// image("file") or array("file").
struct DataSource {
    bool picture = false;
    std::string file;
    Place place;
};

struct Equations {
    std::string text;
    Graph graph;
    std::vector<Evolving> components;  ///< in the order of their equations
    std::vector<ModelParameter> parameters;
    std::vector<Defined> definitions;
    std::vector<DataSource> data;
    std::optional<Node> inside;  ///< not 0 where the field is; nothing flows across its edge
    double spacing = 1;
    std::optional<double> dt;
    std::string stepper = "euler";
    std::string size, colormap, show, title, source, about;  ///< empty: not given
    std::optional<double> steps;
    std::vector<std::string> notes;  ///< what is worth a word although nothing is wrong
    std::vector<Node> extra;         ///< the formulas given beside the text
};

/// Throws TextError. `formulas` are read with the text's names: what is shown, or a component starts from.
Equations read_equations(std::string_view text, const std::vector<std::string>& formulas = {});

}  // namespace stencil::equation

// From formulas as typed to expressions: what names and functions mean.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/equations.h"

namespace stencil::equation {

/// What a formula is worth: a number at each cell; a vector there, sum of coefficient * grad(of) and of (x,
/// y); or the wind of an upwind derivative, which only multiplies one.
struct Value {
    enum class Kind { scalar, vector, wind } kind = Kind::scalar;
    Node node = 0;    ///< the scalar, or the wind's speed
    Node factor = 0;  ///< of a wind
    struct Gradient {
        Node coefficient, of;
    };
    std::vector<Gradient> gradients;
    std::optional<std::array<Node, 2>> xy;
    /// A scalar that is the central derivative of `of` along an axis, 'x' or 'y', and nothing else.
    char slope_axis = 0;
    Node slope_of = 0;
    /// A scalar's upwind derivatives, which are upwind where they are subtracted: 1 where it adds one, -1
    /// where it subtracts it.
    struct Upwind {
        int sign;
        Node of;
        Place place;
    };
    std::vector<Upwind> upwind;
    Place place;
};

class Meaning {
  public:
    /// Fills `equations` from its statements; `statements` must outlive this.
    Meaning(const Statements& statements, Equations& equations);

    /// Whether a name means anything.
    bool knows(const Syntax& name);
    /// A definition's value, which this is no use of.
    Value definition(const NamedFormula& definition) { return *own_name(definition.name, definition.place); }
    /// The text's own names that formulas have used.
    const std::set<std::string>& uses() const { return uses_; }
    Node scalar(const Syntax& formula);
    Value value(const Syntax& formula);

    /// `laplacian = isotropic`.
    bool isotropic = false;

    // What functions are made of.
    Graph& graph() { return equations_.graph; }
    Node scalar_of(const Value& value, std::string_view function);
    Node spacing() { return graph().leaf(Op::spacing); }
    /// A field: what differs from cell to cell.
    Node field_of(const Value& value, std::string_view function);
    Node laplacian(Node of);
    Node derivative(Op difference, Node of, double unit, int order);
    /// wind * du/dx or du/dy, for unit spacing, from where the wind blows (Courant, Isaacson & Rees 1952).
    Node upwind(Node u, Node wind, bool along_x);
    /// 1, -1, or 0 where it is not known, or changes from cell to cell. Parameters count by their ranges.
    int sign_of(Node node);
    /// Whether it is made of comparisons, so that "not 0" and "above 0" are the same.
    bool is_condition(Node node, bool or_data = false);
    /// Refuses a plain number where a condition is needed.
    void require_condition(Node node, const Syntax& formula, std::string_view what, bool or_data = false);
    Node random() { return graph().leaf(Op::random, random_++); }
    Node data(bool picture, const Syntax& call);
    [[noreturn]] void refuse(Place place, const std::string& sentence) const;

  private:
    Value name(const Syntax& name);
    std::optional<Value> find(const Syntax& name);
    std::optional<Value> own_name(const std::string& name, Place place);
    bool has_sides(std::string_view name) const;
    std::optional<Value> known_name(const std::string& name);
    std::optional<Value> spelled_otherwise(const Syntax& name);
    void tell_points(const std::string& name);
    std::optional<Value> neighbour_by_compass(const Syntax& name);
    [[noreturn]] void refuse_unknown(const Syntax& name);
    [[noreturn]] void refuse_unknown_function(const std::string& name, Place place) const;
    std::vector<std::string> names_in_use() const;
    Value call(const Syntax& call);
    std::optional<Value> sensitivity(const Syntax& quotient);
    Value operation(const Syntax& call);
    static std::vector<Value::Upwind> times(std::vector<Value::Upwind> upwind, int sign);
    Value sum(const Syntax& call, const Value& a, const Value& b);
    Value product(const Syntax& call, const Value& a, const Value& b);
    Value power(const Syntax& call, const Value& a, const Value& b);

    const Statements& statements_;
    Equations& equations_;
    std::map<std::string, Value, std::less<>> definitions_;  ///< worked out so far
    std::vector<std::string> in_work_;                       ///< definitions, outermost first
    int random_ = 0;
    std::set<std::string> uses_;
};

/// The functions of formulas. `apply` gets as many values as the row says.
struct Function {
    std::string_view name;
    int least, most;  ///< arguments
    Value (*apply)(Meaning&, const Syntax& call, const std::vector<Value>& args);
    std::string_view help;  ///< one line
};
const std::vector<Function>& functions();
/// Also by another program's name for it.
const Function* find_function(std::string_view name);
std::vector<std::string> function_names();

/// A number at each cell.
inline Value scalar_value(Node node, Place place) {
    Value value;
    value.node = node;
    value.place = place;
    return value;
}

}  // namespace stencil::equation

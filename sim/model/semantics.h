// Semantic analysis: turns parsed formulas into expressions by resolving names and functions.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/equations.h"
#include "sim/model/operations.h"
#include "sim/model/text/statements.h"
#include "sim/model/text/text_error.h"
#include "sim/text/names.h"

namespace stencil::equation {

/// The value of a formula: a scalar per cell; a vector, as a sum of coefficient * grad(of) plus (x, y); a
/// matrix, which may only multiply a vector; or the wind up(a) of an upwind derivative, which may only
/// multiply a derivative. Scalars and vectors may be complex: two values of the same kind.
struct Value {
    Value() = default;
    Value(Node scalar) : node(scalar) {}

    enum class Kind { scalar, vector, matrix, wind } kind = Kind::scalar;
    Node node = 0;                        ///< the scalar, or the speed of a wind
    Node factor = 0;                      ///< the factor of a wind
    using Entries = std::array<Node, 4>;  ///< of a matrix, row by row
    struct Gradient {
        Node coefficient, of;
        std::optional<Entries> tensor = {};  ///< multiplies the gradient, too
    };
    std::vector<Gradient> gradients;
    Entries entries{};
    std::optional<std::array<Node, 2>> xy;
    /// Set if a scalar is exactly the central derivative of `slope_of` along this axis, 'x' or 'y'.
    char slope_axis = 0;
    Node slope_of = 0;
    /// The upwind derivatives that a scalar adds (sign 1) or subtracts (-1). Only subtracted ones are stable.
    struct Upwind {
        int sign;
        Node of;
        TextSpan span;
    };
    std::vector<Upwind> upwind;
    std::shared_ptr<const Value> imaginary = {};  ///< null: the value is real
    std::optional<Node> square = {};              ///< if the value is |z| of a complex number z: |z|^2
    TextSpan span;                                ///< position of the formula
    bool is_complex() const { return imaginary != nullptr; }
};

struct Function;

class Semantics : public TextReader {
  public:
    /// Analyses formulas of `statements` into `equations`; both must outlive this object.
    Semantics(const Statements& statements, Equations& equations);

    /// Whether the name is defined.
    bool knows(const Syntax& name);
    /// The start of a component, as another start names it: u(0).
    Value start(const NamedFormula& initial);
    /// The value of a definition, without counting as a use of it.
    Value definition(const NamedFormula& definition) { return *own_name(definition.name, definition.span); }
    /// Names of the text that formulas have used, to report those that are unused.
    const std::set<std::string>& uses() const { return uses_; }
    Node scalar(const Syntax& formula);
    Value value(const Syntax& formula);

    /// Stencils of the Laplacian: 5 points, 9 points, and 5 points along each axis, of fourth order.
    enum class LaplacianKind { standard, isotropic, fourth };
    /// Set by `laplacian = ...`.
    LaplacianKind laplacian_kind = LaplacianKind::standard;
    /// Set by `mean = ...`: the mean of a coefficient at faces.
    bool harmonic_mean = false;

    // Building blocks for the table of functions.
    Graph& graph() { return equations_.graph; }
    Node scalar_of(const Value& value, std::string_view function);
    /// Whether the name is that of a complex component.
    bool is_complex_name(std::string_view name) const { return is_complex(statements_, name); }
    Value real_part(const Value& value) const;
    Value imaginary_part(const Value& value);
    /// The complex value of two parts; real if the second is 0.
    Value joined(Value real, const Value& imaginary);
    /// Applies f, a function of real values, to the real and the imaginary part.
    template <class F>
    Value by_parts(const Value& value, F&& f) {
        Value real = f(real_part(value));
        return value.is_complex() ? joined(std::move(real), f(*value.imaginary)) : real;
    }
    Value conjugate(const Value& value);
    /// The sum of the squares of both parts.
    Node square_of(const Value& value, std::string_view function);
    Node spacing() { return graph().leaf(Op::spacing); }
    /// What a cell measures: spacing^2, or the spacing on a line.
    Node measure();
    /// The node of an argument that must vary in space, such as that of a derivative; refuses any other.
    Node field_of(const Value& value, std::string_view function);
    Node laplacian(Node of);
    /// Whether the text has an `inside`.
    bool has_shape() const { return contains(names_of(statements_.definitions), "inside"); }
    /// Adds a note on legal but suspicious input, once.
    void note(const std::string& sentence);
    Node derivative(Op difference, Node of, double unit, int order);
    /// wind * du/dx (or du/dy) for unit spacing, by first-order upwind differences (Courant, Isaacson & Rees
    /// 1952).
    Node upwind(Node u, Node wind, bool along_x);
    /// The sign 1 or -1, judging parameters by their ranges; 0 if unknown or varying in space.
    int sign_of(Node node);
    /// Whether it consists of comparisons, so that "not 0" and "above 0" mean the same.
    bool is_condition(Node node, bool or_data = false);
    /// Refuses a plain number where a condition is needed, with the fix-it hint `f > 0`.
    void require_condition(Node node, const Syntax& formula, std::string_view what, bool or_data = false);
    /// conv(field, kernel)
    Node convolution(const Syntax& call, const Value& field, const Value& kernel);
    /// Refuses the offsets of kernels in any other formula.
    void refuse_offsets(Node node, const Syntax& formula) const;
    /// Checks on a copy that the argument of every convolution continues beyond the sides in a way that the
    /// transforms support.
    void check_convolutions() const;
    Node random() { return graph().leaf(Op::random, random_++); }
    Node data(const DataSource& source);
    /// Returns the source that image("file", red) or array("file") reads.
    DataSource source_of(const Syntax& call) const;

    /// The value of a built-in formula with the arguments a, b, c, d and e; missing ones are 1.
    Value built_in(std::string_view formula, const std::vector<Value>& arguments, TextSpan span = {});

  private:
    Value unmarked(const Syntax& formula);
    /// The file and channel that a definition of this name stands for, also I_SR for the red channel of I_S.
    std::optional<DataSource> picture_named(std::string_view name) const;
    std::optional<Value> channel_of_number(const std::string& name, TextSpan span);
    std::optional<Value> data_elsewhere(const Syntax& call);
    std::optional<Value> number_elsewhere(const Syntax& call);
    void require_place(Node place, bool along_x, const Syntax& typed);
    std::optional<Value> find(const Syntax& name);
    std::optional<Value> own_name(const std::string& name, TextSpan span);
    Node solution(std::size_t index, TextSpan span);
    void enter(const std::string& name, TextSpan span);
    std::optional<Value> argument(std::string_view name);
    bool has_sides(std::string_view name) const;
    bool is_own(std::string_view name) const;
    std::optional<Value> known_name(const std::string& name);
    Node coordinate(bool along_x);
    std::optional<Value> spelled_otherwise(const Syntax& name);
    void tell_points(const std::string& name);
    std::optional<Value> neighbour_by_compass(const Syntax& name);
    [[noreturn]] void refuse_unknown(const Syntax& name);
    [[noreturn]] void refuse_unknown_function(const std::string& name, TextSpan span) const;
    std::vector<std::string> names_in_use() const;
    Value call(const Syntax& call);
    const OwnFunction* own_function(std::string_view name) const;
    Value own_call(const OwnFunction& function, const Syntax& call);
    std::optional<Value> start_named(const Syntax& call);
    Value table(const Syntax& call, Node of);
    [[noreturn]] void refuse_count(const Function& function, const Syntax& call) const;
    Value applied(const Function& function, const Syntax& call, const std::vector<Value>& arguments);
    std::optional<Value> sensitivity(const Syntax& quotient);
    Value operation(const Syntax& call);
    void require_kernel(Node node, const Syntax& formula) const;
    void require_own_offsets(const Syntax& formula, std::set<std::string>& seen) const;
    static std::vector<Value::Upwind> times(std::vector<Value::Upwind> upwind, int sign);
    Value sum(const Syntax& call, const Value& a, const Value& b);
    Value product(const Syntax& call, const Value& a, const Value& b);
    Value transformed(const Value& matrix, const Value& vector);
    Value complex_product(const Syntax& call, const Value& a, const Value& b);
    Value quotient(const Syntax& call, const Value& a, const Value& b);
    Value complex_power(const Syntax& call, const Value& a, const Value& b);
    void require_real(const Value& value) const;
    Value power(const Value& a, const Value& b);

    const Statements& statements_;
    Equations& equations_;
    std::map<std::string, Value, std::less<>> definitions_;  ///< values of the definitions resolved so far
    std::map<std::string_view, Value> known_;                ///< values of the known names used so far
    std::map<bool, Node> coordinates_;                       ///< x (true) and y (false), measured from the
                                                             ///< origin
    bool from_corner_ = false;  ///< in the formulas of known names x and y are measured from the corner
    std::vector<std::string>
        in_work_;  ///< definitions and solutions being resolved, outermost first, to detect cycles
    const std::vector<Value>* arguments_ = nullptr;  ///< arguments of the built-in formula being evaluated
    using Bindings = std::map<std::string, Value, std::less<>>;
    const Bindings* bound_ = nullptr;        ///< arguments of the text's own function being evaluated
    std::vector<std::string_view> calling_;  ///< own functions being evaluated, outermost first
    std::size_t expanded_ = 0;               ///< bytes of the formulas that calls of own functions stood for
    std::map<std::string, Value, std::less<>> starts_;  ///< values of the starts resolved so far
    bool in_start_ = false;
    bool in_parts_ = false;  ///< within the argument of a derivative, whose parts may
                             ///< be uniform
    int random_ = 0;
    std::set<std::string> uses_;
};

/// How a function computes its value: by code, by a formula of its arguments a, b and c, or as an operation.
struct Meaning {
    using Apply = Value (*)(Semantics&, const Syntax& call, const std::vector<Value>& arguments);
    Meaning(Apply code) : apply(code) {}
    Meaning(const char* of_others) : formula(of_others) {}
    explicit Meaning(const OpRow& row) : operation(&row), linear_in(row.spelling->linear_in) {}

    /// Applies the code or the operation.
    Value of(Semantics& semantics, const Syntax& call, const std::vector<Value>& arguments) const;

    Apply apply = nullptr;
    std::string_view formula = {};
    const OpRow* operation = nullptr;
    unsigned linear_in =
        0;  ///< a bit for each argument in which it is linear; complex arguments are applied by parts
    bool takes_complex = false;  ///< the code accepts complex arguments itself
};

/// A row of the table of functions.
struct Function : Signature {
    Meaning meaning;
    std::string_view help;     ///< one line
    std::string_view example;  ///< uses the components u and v and the parameters D, a and b
};

/// Rows of one name differ in their numbers of arguments.
const std::vector<Function>& functions();
/// Finds a function by its name, or another program's name for it, and its number of arguments: if none takes
/// that many, the first of that name. Null if there is none.
const Function* find_function(std::string_view name, std::optional<int> count = {});
std::vector<std::string> function_names();

/// A predefined name of every text: position, time and grid.
struct KnownName {
    std::string_view name, help;
    std::optional<Op> leaf = {};  ///< leaf of the graph; empty: the name stands for `formula`
    std::string_view formula = {};
    bool yields = false;  ///< as in Signature
};
std::span<const KnownName> known_names();
/// Whether it is a predefined name that only kernels of convolutions may use.
bool is_offset_name(std::string_view name);

/// For each elliptic statement, the name that it is solved for: one that the text does not define otherwise,
/// preferably on the left. Empty for a statement without such a name.
std::vector<std::string> unknowns_of(const Statements& statements);

/// The names of the fields that have conditions at the sides: components and solved fields.
std::vector<std::string> fields_of(const Statements& statements);

/// The name of a sensitivity: du_dF.
std::string sensitivity_name(const std::string& quantity, const std::string& parameter);

/// For each `sensitivity = F` of a text: adds for each component its derivative by F, as a component with
/// differentiated formula, initial value and conditions; stepping it gives the derivative of the discrete
/// steps, to rounding. Kinks (abs, min, floor, conditions) use the branch taken, derivatives without a value
/// (sqrt at 0) are 0, and random numbers stay fixed, and so does `inside`. Varying definitions get tangents
/// too. Throws TextError for what has no derivative.
void add_sensitivities(const Semantics& semantics, const Statements& statements, Equations& equations);

/// Whether a text has sensitivities by this parameter.
bool has_sensitivity(const Equations& equations, const std::string& parameter);
/// The derivative by such a parameter of a formula, which may be the same in every cell. Throws TextError for
/// what has no derivative.
Node derivative_by(const Semantics& semantics,
                   Equations& equations,
                   Node formula,
                   const std::string& parameter,
                   TextSpan span);

}  // namespace stencil::equation

// Loops over the tables of operations and of instructions.
#include <fmt/format.h>

#include "kernels/equation/rows/scalar_machine.h"
#include "sim/code/program_text.h"
#include "sim/model/operations.h"
#include "sim/model/semantics.h"
#include "tests/model/typed_run.h"

using namespace stencil::equation;

namespace {

using Point = std::array<double, 3>;

// Arguments at which no operation has a kink. A power has positive bases, and a condition is 0 or 1.
std::vector<Point> points_of(Op op) {
    if (op == Op::select) return {{1, 0.7, -0.4}, {0, 0.3, 1.7}};
    if (op == Op::power) return {{0.4, 1.7, 1}, {2.3, -0.6, 1}};
    return {{0.4, 1.7, 0}, {2.3, 0.6, 0}};
}

double value_of(const OpRow& row, const Point& at) {
    return row.at.value(at[0], at[1], at[2]).value;
}

// The value of a formula of the components, whose values are given, and of the parameters.
double evaluated(const Graph& g, Node node, const Point& components, const Point& parameters) {
    const Expression& e = g[node];
    if (e.op == Op::number) return e.number;
    if (e.op == Op::component) return components[std::size_t(e.index)];
    if (e.op == Op::parameter) return parameters[std::size_t(e.index)];
    Point v{};
    for (std::size_t i = 0; i < e.count; ++i) v[i] = evaluated(g, e.args[i], components, parameters);
    return value_of(*row_of(e.op), v);
}

// The operation on three components.
Node on_components(Graph& g, const OpRow& row) {
    Expression e{.op = row.op, .count = std::uint8_t(row.operands.value)};
    for (int i = 0; i < row.operands; ++i) e.args[std::size_t(i)] = g.leaf(Op::component, i);
    return g.make(e);
}

}  // namespace

TEST_CASE("The slopes and the derivative of each operation are what finite differences tell") {
    for (const OpRow& row : operations())
        for (const Point& at : points_of(row.op)) {
            INFO("operation " << int(row.op.value) << " at " << at[0] << ", " << at[1]);
            Graph g;
            const Node node = on_components(g, row);
            const Expression e = g[node];
            // The derivative of argument i is parameter i.
            const auto of = [&](Node argument) { return g.leaf(Op::parameter, g[argument].index); };
            const Node derivative = row.derivative.value({g, node, e.args[0], e.args[1], e.args[2], of});
            const bool is_condition_first = row.op == Op::select;
            for (int i = is_condition_first; i < row.operands; ++i) {
                if (row.op == Op::power && i == 2) continue;  // it is a sign
                constexpr double h = 1e-6;
                Point below = at, above = at, along{};
                below[std::size_t(i)] -= h;
                above[std::size_t(i)] += h;
                along[std::size_t(i)] = 1;
                const double slope = (value_of(row, above) - value_of(row, below)) / (2 * h);
                CHECK(row.at.value(at[0], at[1], at[2]).partial[std::size_t(i)] ==
                      Approx(slope).margin(1e-8));
                CHECK(evaluated(g, derivative, at, along) == Approx(slope).margin(1e-8));
            }
        }
}

TEST_CASE("Each operation is as even or odd as its row says") {
    for (const OpRow& row : operations())
        for (int signs = 0; signs < 1 << row.operands; ++signs) {
            Mirrored mirrored;
            for (int i = 0; i < row.operands; ++i) mirrored.sign[std::size_t(i)] = signs >> i & 1 ? -1 : 1;
            const int parity = row.parity.value(mirrored);
            INFO("operation " << int(row.op.value) << ", signs " << signs);
            bool holds[2] = {true, true};  // odd, even
            for (const Point& at : points_of(row.op)) {
                Point other = at;
                for (std::size_t i = 0; i < other.size(); ++i)
                    if (mirrored.sign[i] != 0) other[i] *= mirrored.sign[i];
                for (const int sign : {-1, 1})
                    holds[sign == 1] = holds[sign == 1] && value_of(row, other) == sign * value_of(row, at);
            }
            if (parity != 0) CHECK(holds[parity == 1]);
            // Of one argument, a parity that holds is in the row.
            if (row.operands == 1 && signs == 1) CHECK(parity == (holds[1] ? 1 : holds[0] ? -1 : 0));
        }
}

TEST_CASE("The instructions of each operation compute its value") {
    for (const OpRow& row : operations())
        for (const Point& at : points_of(row.op)) {
            INFO("operation " << int(row.op.value) << " at " << at[0] << ", " << at[1]);
            Graph g;
            const Node node = on_components(g, row);
            Builder builder;
            std::array<int, 3> loads{-1, -1, -1};
            for (int i = 0; i < row.operands; ++i)
                loads[std::size_t(i)] = builder.input(Code::load, int(g[g[node].args[std::size_t(i)]].index));
            std::vector<int> result{lowered(builder, true, g, g[node], loads)};
            const Operations operations = finish(builder.operations(), result);
            std::vector<double> values(operations.size());
            run_operations(
                operations, values.data(), [&](const Operation& o) { return at[std::size_t(o.index)]; });
            CHECK(values[std::size_t(result[0])] == Approx(value_of(row, at)).epsilon(1e-14));
        }
}

TEST_CASE("Each operation that is a function has its name in a text, with help and an example that steps") {
    for (const OpRow& row : operations()) {
        const auto& [signature, help, example, linear_in] = row.spelling.value;
        if (signature.name.empty()) continue;
        INFO(signature.name);
        const stencil::equation::Function* function = find_function(signature.name, row.operands.value);
        REQUIRE(function != nullptr);
        CHECK(function->help == help);
        const auto e = read_equations(fmt::format("du/dt = {}; dv/dt = 0; D = 1; a = 2; b = 3", example));
        bool found = false;
        e.graph.walk(e.components[0].formula, [&](Node n) { found = found || e.graph[n].op == row.op; });
        CHECK(found);
    }
}

TEST_CASE("Each instruction has a form in every language, and one that can be read") {
    for (const OperationRow& row : kOperations) {
        const std::array<std::string, 4> args{"p", "q", "r", "s"};
        INFO("instruction " << int(row.code.value));
        const std::string c = filled_in(row.c, args), readable = filled_in(row.readable->form, args);
        CHECK(c.empty() == (row.code == Code::random));
        CHECK(readable.empty() == (row.code == Code::random));
        // Both forms take the same arguments.
        for (const char arg : {'p', 'q', 'r', 's'}) {
            const std::string dollar{'$', char('a' + arg - 'p')};
            CHECK(contains(row.c.value, dollar) == contains(row.readable->form, dollar));
        }
    }
}

// Halving dx or dt brings the steps nearer to a manufactured solution as the order of the operator and of the
// integrator says, at each kind of side; the reference and all other executors have the same bits there.
#include "tests/model/manufactured.h"

namespace {

const Executor kRowMachine{"rows by two threads", false, 2, {}};

using Cells = std::vector<double>;

/// Cells of all components, a component after the other.
Cells stepped(ManufacturedRun made, const Executor& by) {
    made.run.plain = by.plain;
    made.run.threads = by.threads;
    made.run.compiler = by.compiler;
    return run_typed<double>(made.text, made.run);
}

/// Those that all executors have.
Cells stepped_by_all(const ManufacturedRun& made) {
    Cells reference;
    for (const Executor& by : executors()) {
        INFO(by.name);
        const Cells cells = stepped(made, by);
        if (reference.empty()) reference = cells;
        CHECK(same_bits(cells, reference));
    }
    return reference;
}

double distance(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum / double(a.size()));
}

std::span<const double> component(const Cells& cells, std::size_t c, std::size_t count) {
    const std::size_t size = cells.size() / count;
    return std::span(cells).subspan(c * size, size);
}

}  // namespace

TEST_CASE(
    "Manufactured solutions: each operator has its order in dx at each kind of side, by each executor") {
    const OwnCache scratch;
    const Solution u;
    constexpr double kTime = 0.1;
    constexpr int kCells = 20, kSteps = 26;  // dt = 0.04 dx^2
    for (const std::string& sides : kSideKinds) {
        const auto problems = manufactured(sides);
        const auto errors = [&](const Cells& cells, int n) {
            Cells all;
            const double dx = 2 * std::numbers::pi / n;
            for (std::size_t c = 0; c < problems.size(); ++c) {
                Cells exact, there;
                const auto own = component(cells, c, problems.size());
                for (int y = 0; y < n; ++y)
                    for (int x = 0; x < n; ++x)
                        if (!at_edge(sides) || in_square((x + 0.5) * dx, (y + 0.5) * dx)) {
                            exact.push_back(u.at((x + 0.5) * dx, (y + 0.5) * dx, kTime));
                            there.push_back(own[std::size_t(y * n + x)]);
                        }
                all.push_back(distance(there, exact));
            }
            return all;
        };
        const auto coarse =
            errors(stepped_by_all(run_of(u, problems, kCells, kTime, kSteps, "euler")), kCells);
        const auto fine = errors(
            stepped(run_of(u, problems, 2 * kCells, kTime, 4 * kSteps, "euler"), kRowMachine), 2 * kCells);
        for (std::size_t c = 0; c < problems.size(); ++c) {
            INFO(problems[c].op.formula << ", sides: " << sides << ", errors " << coarse[c] << " and "
                                        << fine[c]);
            CHECK(fine[c] > 1e-9);
            CHECK(std::abs(std::log2(coarse[c] / fine[c]) - problems[c].op.order) < 0.4);
        }
    }
}

TEST_CASE(
    "Manufactured solutions: each integrator has its order in dt at each kind of side, by each executor") {
    const OwnCache scratch;
    const Solution u;
    // Other integrators than these are tried at two kinds of sides.
    const std::vector<std::string> some{"mixed", "edge Robin"}, few{"periodic", "mixed", "edge value"};
    const std::vector<std::string> at_sides(kSideKinds.begin(), kSideKinds.begin() + 5);
    const std::map<std::string, std::vector<std::string>> more{
        {"euler", few}, {"heun", kSideKinds}, {"rk4", kSideKinds}};
    const auto& by = stencil::equation::integrators()[GENERATE(
        range(std::size_t(0), stencil::equation::integrators().size()))];
    const std::string name = by.name + (by.stages > 0 ? ":5" : "");
    // At steps whose differences are not lost in rounding, dp54 is a little better than its order.
    const double order = by.name == "dp54" ? 5.25 : by.order.value;
    for (const std::string& sides : by.is_implicit           ? at_sides
                                    : more.contains(by.name) ? more.at(by.name)
                                                             : some) {
        const auto run = [&](int parts) { return run_of(u, {{kNonlinear, sides}}, 12, 0.8, parts, name); };
        // Compiling takes most of the time, so that one kind of sides is enough for all executors.
        const bool by_all = sides == "mixed" || by.is_implicit;
        const Cells coarse = by_all ? stepped_by_all(run(32)) : stepped(run(32), kRowMachine),
                    middle = stepped(run(64), kRowMachine), fine = stepped(run(128), kRowMachine);
        const double first = distance(coarse, middle), second = distance(middle, fine);
        INFO(by.name << ", sides: " << sides << ", differences " << first << " and " << second);
        CHECK(std::abs(std::log2(first / second) - order) < 0.25);
    }
}

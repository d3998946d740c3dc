// The check of user kernels, tested with faulty host code.
#include "sim/kernel_trial/check.h"

#include "kernels/field/cell_update.h"
#include "tests/support/catch.h"

using namespace stencil::user_kernel;

namespace {

/// Returns a cell after a step of diffusion, u <- u + c lap(u).
template <class T>
T diffused(const GuardedShape& shape,
           const Cells<T>& u,
           int x,
           int y,
           double c,
           Boundary boundary = Boundary::zero) {
    const auto at = [&](int i, int j) {
        const int column = inside_index(boundary, i, shape.nx);
        const int row = inside_index(boundary, j, shape.ny);
        const bool outside = column == kOutside || row == kOutside;
        return outside ? T(0) : u[shape.at(column, row)];
    };
    const T around = at(x, y - 1) + at(x, y + 1) + at(x - 1, y) + at(x + 1, y);
    return at(x, y) + T(c) * (around - 4 * at(x, y));
}

using Arrays = std::vector<Cells<float>>;

constexpr double kC = 0.2;

RunSpec diffusion(Boundary boundary = Boundary::zero, DType dtype = DType::float32) {
    RunSpec spec;
    spec.initial = "noise";
    spec.boundary = boundary;
    spec.dtype = dtype;
    spec.threads = 1;
    return spec;
}

template <class T>
Check check(const RunSpec& spec, const Launch<T>& launch, LaunchShape shape = {}) {
    return check_kernel<T>(launch, entry_of(spec), shape, spec, [](const std::string&) {});
}

// Returns the fault of a kernel that is correct except that `plant` changes or skips a cell.
template <class Plant>
std::string fault_with(Plant plant, Boundary boundary = Boundary::zero) {
    const auto kernel = [&](const GuardedShape& shape, Arrays& from, Arrays& to, int, double) {
        for (int y = 0; y < shape.ny; ++y)
            for (int x = 0; x < shape.nx; ++x) {
                to[0][shape.at(x, y)] = diffused(shape, from[0], x, y, kC, boundary);
                plant(shape, from[0], to[0], x, y);
            }
    };
    return check<float>(diffusion(boundary), kernel).fault;
}

bool says(const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find('\n') == std::string::npos);
    return contains(text, part);
}

using Float = const GuardedShape&;
using Field32 = Cells<float>&;

}  // namespace

TEST_CASE("A right kernel passes under every boundary, in both precisions and with several steps a launch") {
    for (const BoundaryRow& row : kBoundaries) {
        INFO(row.name);
        CHECK(fault_with([](Float, Field32, Field32, int, int) {}, row.boundary).empty());
    }
    const auto several = [](const GuardedShape& shape, auto& from, auto& to, int steps, double) {
        auto u = from[0];
        for (int i = 0; i < steps; ++i) {
            to[0] = u;
            for (int y = 0; y < shape.ny; ++y)
                for (int x = 0; x < shape.nx; ++x) to[0][shape.at(x, y)] = diffused(shape, u, x, y, kC);
            u = to[0];
        }
    };
    LaunchShape shape;
    shape.steps = 3;
    shape.fused = true;
    const Check made = check<double>(diffusion(Boundary::zero, DType::float64), several, shape);
    CHECK(made.fault.empty());
    CHECK(made.sizes == 7);
    CHECK(made.error < 1e-14);
}

TEST_CASE("A wrong value is told with its cell, the right value and where such cells lie") {
    const std::string edge = fault_with([](Float s, Field32 u, Field32 to, int x, int y) {
        to[s.at(x, y)] = diffused(s, u, x, y, kC, Boundary::insulated);
    });
    CHECK(says(edge, "edge of the field"));
    CHECK(says(edge, "zero boundary"));
    const std::string column = fault_with([](Float s, Field32 u, Field32 to, int x, int y) {
        if (s.nx > 60 && x == s.nx - 1) to[s.at(x, y)] = u[s.at(x, y)];
    });
    CHECK(says(column, "last column"));
    const std::string one = fault_with([](Float s, Field32, Field32 to, int x, int y) {
        if (s.nx == 37 && x == 5 && y == 7) to[s.at(x, y)] = 42;
    });
    CHECK(says(one, "37x53"));
    CHECK(says(one, "(5, 7), is 42"));
    CHECK(says(one, "1 of 1961"));
    CHECK(says(one, "64x16 cells came out right"));
    const std::string tiles = fault_with([](Float s, Field32 u, Field32 to, int x, int y) {
        if (x % 32 == 31 && x < s.nx - 1) to[s.at(x, y)] = u[s.at(x, y)];
    });
    CHECK(says(tiles, "32x8"));
}

TEST_CASE("A field that is moved, or was never stepped, is recognised") {
    const std::string moved = fault_with([](Float s, Field32 u, Field32 to, int x, int y) {
        to[s.at(x, y)] = diffused(s, u, std::min(x + 1, s.nx - 1), y, kC);
    });
    CHECK(says(moved, "to the right"));
    const std::string same =
        fault_with([](Float s, Field32 u, Field32 to, int x, int y) { to[s.at(x, y)] = u[s.at(x, y)]; });
    CHECK(says(same, "as it was"));
}

TEST_CASE("Cells that are never written are told from wrong ones") {
    const std::string last = fault_with([](Float s, Field32, Field32 to, int x, int y) {
        if (x >= s.nx / 32 * 32) to[s.at(x, y)] = unwritten_mark<float>();
    });
    CHECK(says(last, "never written"));
    CHECK(says(last, "last 5 columns"));
}

TEST_CASE("Writing outside of the field and into the source is caught, and so is reading outside") {
    const std::string beyond = fault_with([](Float s, Field32, Field32 to, int x, int y) {
        to[s.at(x, y) + (x == s.nx - 1 ? 1 : 0)] = 1;
        to[s.at(x, y)] = 0;
    });
    CHECK(says(beyond, "outside of the field"));
    CHECK(says(beyond, "1 right of (63, 0)"));
    const std::string before = fault_with([](Float s, Field32, Field32 to, int x, int y) {
        if (x == 0 && y == 0) to[s.at(0, 0) - 2] = 1;
    });
    CHECK(says(before, "2 cells before"));
    const std::string behind = fault_with([](Float s, Field32 u, Field32, int x, int y) {
        if (y == s.ny - 1) u[s.at(x, s.ny)] = 1;
    });
    CHECK(says(behind, "behind the last row"));
    CHECK(says(behind, "`from`"));
    const std::string in_place =
        fault_with([](Float s, Field32 u, Field32 to, int x, int y) { u[s.at(x, y)] = to[s.at(x, y)]; });
    CHECK(says(in_place, "changes `from`"));
    const std::string read = fault_with([](Float s, Field32 u, Field32 to, int x, int y) {
        if (y == 0) to[s.at(x, y)] += u[s.at(x, -1)];
    });
    CHECK(says(read, "not a number"));
    CHECK(says(read, "ask before you read"));
}

TEST_CASE("A result that differs from one launch to the next is a race") {
    int launches = 0;
    const std::string race = fault_with([&](Float s, Field32, Field32 to, int x, int y) {
        if (x == 3 && y == 2) to[s.at(x, y)] += 1e-7F * float(++launches % 5);
    });
    CHECK(says(race, "different results"));
}

TEST_CASE("Float arithmetic in a kernel of doubles is wrong, and the advice says what to look for") {
    const auto kernel = [](const GuardedShape& shape, auto& from, auto& to, int, double) {
        for (int y = 0; y < shape.ny; ++y)
            for (int x = 0; x < shape.nx; ++x)
                to[0][shape.at(x, y)] = diffused(shape, from[0], x, y, double(0.2F));
    };
    const Check made = check<double>(diffusion(Boundary::zero, DType::float64), kernel);
    CHECK(says(made.fault, "0.2f"));
}

TEST_CASE("A model of several components is checked component by component, and its parameters are told") {
    RunSpec spec = diffusion();
    spec.use_model(
        model_of_text("du/dt = D*lap(u) - u*v; dv/dt = u*v; D = 0.1; dt = 0.5; boundary = periodic"));
    spec.initial = "";
    const Entry entry = entry_of(spec);
    CHECK(entry.parameters == std::vector<std::string>{"D", "dt", "dx"});
    const auto kernel = [&](bool right) {
        return [&, right](const GuardedShape& shape, Arrays& from, Arrays& to, int, double) {
            const auto p = parameter_values(entry, spec.params(), spec.dx, 0);
            for (int y = 0; y < shape.ny; ++y)
                for (int x = 0; x < shape.nx; ++x) {
                    const std::size_t i = shape.at(x, y);
                    const float reaction = float(p[1]) * from[0][i] * from[1][i];
                    to[0][i] = diffused(shape, from[0], x, y, p[0] * p[1], Boundary::periodic) - reaction;
                    to[1][i] = right ? from[1][i] + reaction : from[1][i];
                }
        };
    };
    CHECK(check<float>(spec, kernel(true)).fault.empty());
    CHECK(says(check<float>(spec, kernel(false)).fault, "v: "));
    spec.use_model(model_of_text("du/dt = lap(u) + 0.1*normal"));
    CHECK_THROWS(entry_of(spec));
}

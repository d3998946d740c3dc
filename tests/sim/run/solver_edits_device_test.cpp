#include "kernels/view/paint_cell.h"
#include "sim/problem/event.h"
#include "sim/solvers/solver.h"
#include "tests/support/device.h"
#include "tests/support/fields.h"

namespace {

std::unique_ptr<Solver> solver_for(const Method& method,
                                   DType dtype,
                                   const DiffusionParams& params,
                                   FieldShape size) {
    return make_solver({&method, size.nx, size.ny, dtype, params, 3});
}

template <class F>
void for_methods(F&& check) {
    for (const Method& method : methods())
        if (method.device == kDevice)
            for (const DType dtype : kDTypes)
                for (const BoundaryRow& row : kBoundaries) {
                    INFO(method.name << " " << name_of(dtype) << " " << row.name);
                    check(method, dtype, row.boundary);
                }
}

double brush_share(const Brush& brush, double distance) {
    const double t = distance / brush.radius;
    if (t >= 1) return 0;
    return brush.soft ? (1 - t * t) * (1 - t * t) : 1;
}

// Minimises a function that falls and then rises on [0, 1] by ternary search.
template <class F>
double least_of(F&& value) {
    double from = 0, to = 1;
    for (int i = 0; i < 90; ++i) {
        const double third = (to - from) / 3;
        if (value(from + third) < value(to - third))
            to -= third;
        else
            from += third;
    }
    return std::min({value(0), value(from), value(1)});
}

// Computes the effect of a stroke segment on a cell from the distances to the segment and its start; `share`
// is 0 if there is none.
double plainly_painted(const BrushPiece& piece, int x, int y, double u, double& share) {
    const double cx = x + 0.5;
    const double cy = y + 0.5;
    const double length = std::hypot(piece.x1 - piece.x0, piece.y1 - piece.y0);
    double along = 0;
    if (length > 0)
        along = ((cx - piece.x0) * (piece.x1 - piece.x0) + (cy - piece.y0) * (piece.y1 - piece.y0)) /
                (length * length);
    along = std::clamp(along, 0.0, 1.0);
    const bool square = piece.brush.shape == BrushShape::square;
    const auto distance = [&](double t) {
        const double across = std::abs(cx - piece.x0 - t * (piece.x1 - piece.x0));
        const double down = std::abs(cy - piece.y0 - t * (piece.y1 - piece.y0));
        return square ? std::max(across, down) : std::hypot(across, down);
    };
    share = brush_share(piece.brush, square ? least_of(distance) : distance(along));
    if (piece.brush.add && piece.joined) share = std::max(0.0, share - brush_share(piece.brush, distance(0)));
    if (piece.brush.shape == BrushShape::rectangle) {
        const auto [left, right] = std::minmax(piece.x0, piece.x1);
        const auto [top, bottom] = std::minmax(piece.y0, piece.y1);
        share = left < cx && cx < right && top < cy && cy < bottom ? 1 : 0;
    }
    return piece.brush.add ? u + share * piece.brush.value : (1 - share) * u + share * piece.brush.value;
}

BrushPiece random_piece(Dice& dice, FieldShape size) {
    BrushPiece piece;
    piece.brush = {dice.uniform(-3, 3), dice.uniform(0.3, 30), dice.flip(), dice.flip()};
    piece.x0 = dice.uniform(-10, size.nx + 10);
    piece.y0 = dice.uniform(-10, size.ny + 10);
    piece.x1 = dice.integer(0, 2) == 0 ? piece.x0 : dice.uniform(-10, size.nx + 10);
    piece.y1 = dice.integer(0, 2) == 0 ? piece.y0 : dice.uniform(-10, size.ny + 10);
    piece.joined = dice.flip();
    piece.brush.shape = BrushShape(dice.integer(0, 2));  // all but fill
    if (piece.brush.shape == BrushShape::rectangle) piece.joined = false;
    return piece;
}

void paint_and_compare(Solver& solver, const BrushPiece& piece) {
    INFO(to_string(piece));
    const Field before = solver.field();
    solver.paint(piece);
    const Field old_field = before.to(DType::float64);
    const Field new_field = solver.field().to(DType::float64);
    const Array<double>& old_cells = old_field.as<double>();
    const Array<double>& new_cells = new_field.as<double>();
    const double epsilon = before.dtype() == DType::float32 ? 3e-7 : 1e-13;
    for (int y = 0; y < before.ny(); ++y)
        for (int x = 0; x < before.nx(); ++x) {
            double share = 0;
            const double u = old_cells.at(x, y);
            const double expected = plainly_painted(piece, x, y, u, share);
            const double tolerance =
                share > 1e-12 ? epsilon * (std::abs(u) + std::abs(piece.brush.value)) : 0;
            INFO("cell " << x << " " << y << ": " << new_cells.at(x, y) << " instead of " << expected);
            // At the brush's edge, the last bit decides whether it reaches a cell.
            if (share > 0 && share < 1e-9) continue;
            REQUIRE(std::abs(new_cells.at(x, y) - (share > 0 ? expected : u)) <= tolerance);
        }
}

}  // namespace

TEST_CASE("Every method steps what was painted, and cells beyond the brush keep every bit") {
    Dice dice;
    const FieldShape size{83, 45};
    for_methods([&](const Method& method, DType dtype, Boundary boundary) {
        const DiffusionParams params{0.13, boundary};
        const auto solver = solver_for(method, dtype, params, size);
        solver->load(Field(random_field(size.nx, size.ny)));
        solver->advance(5);
        for (int i = 0; i < 6; ++i) paint_and_compare(*solver, random_piece(dice, size));
        paint_and_compare(*solver, {{2.5, 1000, false, true}, 3, 4, 80, 20, false});

        // Later steps include it.
        const auto other = solver_for(method, dtype, params, size);
        other->load(solver->field());
        solver->advance(9);
        other->advance(9);
        REQUIRE(relative_error(solver->field(), other->field()) <= error_bound(dtype, 9));

        // A segment outside the field changes nothing, also not later.
        const auto saved = solver->save();
        solver->advance(20);
        const Field untouched = solver->field();
        solver->restore(*saved);
        solver->paint({{5, 4, true, false}, -30, 10, -9, 40, false});
        solver->paint({{5, 4, false, true}, 10, 60, 1e9, 60, false});
        solver->advance(20);
        REQUIRE(same_bits(solver->field(), untouched));
    });
}

TEST_CASE("Every method fills what is joined to a cell by like values, and no other cell changes a bit") {
    const FieldShape size{83, 45};
    for_methods([&](const Method& method, DType dtype, Boundary boundary) {
        const auto solver = solver_for(method, dtype, {0.13, boundary}, size);
        solver->load(Field(random_field(size.nx, size.ny)));
        solver->advance(9);
        const double tolerance = 0.1;
        const Field before = solver->field().to(DType::float64);
        const FieldView<const double> cells = before.as<double>().view();
        Array<double> filled = array_of(size.nx, size.ny, [](int, int) { return 0; });  // 1 in filled cells
        for (const CellBox& box : flood_fill(cells, 40, 20, tolerance))
            for (int y = box.y; y < box.y + box.ny; ++y)
                for (int x = box.x; x < box.x + box.nx; ++x) filled.at(x, y) = 1;
        solver->paint({{2.5, tolerance, false, false, BrushShape::fill}, 40.5, 20.5, 40.5, 20.5, false});
        const Field after = solver->field().to(DType::float64);
        long long count = 0, different = 0;
        for (int y = 0; y < size.ny; ++y)
            for (int x = 0; x < size.nx; ++x) {
                const double u = after.as<double>().at(x, y);
                const bool in = filled.at(x, y) == 1;
                count += in;
                different += in ? std::abs(u - 2.5) > 1e-6 : u != cells.at(x, y);
            }
        CHECK(different == 0);
        CHECK(count > 0);
    });
}

TEST_CASE("Every method goes on from a snapshot as if it had never stopped") {
    const FieldShape size{101, 77};
    for_methods([&](const Method& method, DType dtype, Boundary boundary) {
        const DiffusionParams params{0.13, boundary};
        const auto solver = solver_for(method, dtype, params, size);
        solver->load(Field(random_field(size.nx, size.ny)), 1000);
        solver->advance(17);
        const SolverRecord snapshot = solver->snapshot();
        REQUIRE(snapshot.plain.step == 1017);
        REQUIRE(same_bits(snapshot.plain.components.front(), solver->field()));
        // The coefficient changes between the saved state and the next step.
        const DiffusionParams later{0.11, boundary};
        solver->set_params(later);
        solver->advance(301);

        const auto resumed = solver_for(method, dtype, later, size);
        REQUIRE(resumed->resume(snapshot));
        REQUIRE(resumed->step() == 1017);
        resumed->advance(301);
        REQUIRE(resumed->step() == solver->step());
        REQUIRE(same_bits(resumed->field(), solver->field()));

        // Another method cannot load this state, and continues from the plain field.
        const auto other = solver_for(*find_method(method.jumps ? "cpu" : "spectral"), dtype, later, size);
        REQUIRE_FALSE(other->resume(snapshot));
        REQUIRE(same_bits(other->field(), snapshot.plain.components.front()));
        SolverRecord broken{snapshot.plain.clone(), snapshot.method, snapshot.backend, {}};
        broken.inner.numbers["steps"] = 1.5;
        REQUIRE_FALSE(resumed->resume(broken));
        REQUIRE(same_bits(resumed->field(), snapshot.plain.components.front()));
    });
}

TEST_CASE("Every method repeats every bit after its state was restored") {
    const FieldShape size{101, 77};
    for_methods([&](const Method& method, DType dtype, Boundary boundary) {
        const DiffusionParams params{0.13, boundary};
        const auto solver = solver_for(method, dtype, params, size);
        solver->load(Field(random_field(size.nx, size.ny)));
        solver->advance(17);
        const auto saved = solver->save();
        REQUIRE(saved->bytes() >= std::size_t(size.nx) * std::size_t(size.ny) * bytes_of(dtype));
        const Field then = solver->field();
        solver->advance(301);
        const Field first = solver->field();
        for (const long long between : {32, 131}) {
            solver->set_params({0.07, Boundary::zero});
            solver->advance(between);
            solver->paint({{2, 12, false, false}, 40, 40, 50, 30, false});
            solver->advance(1);
            solver->restore(*saved);
            solver->set_params(params);
            REQUIRE(same_bits(solver->field(), then));
            solver->advance(301);
            REQUIRE(same_bits(solver->field(), first));
        }
    });
}

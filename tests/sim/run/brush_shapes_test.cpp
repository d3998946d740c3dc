// The cells covered by brush shapes are the same for every method.
#include <cmath>
#include <limits>
#include <set>

#include "kernels/view/brush.h"
#include "kernels/view/flood_fill.h"
#include "sim/run/edit.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"
#include "sim/run/start.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/runs.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

namespace {

Simulation with_disk(std::vector<Edit> edits = {}) {
    RunSpec spec = noise_run({40, 30});
    spec.initial = "disk:radius=0.2";
    spec.edits.add(std::move(edits));
    return begun(std::move(spec));
}

Simulation painted_with(std::string_view value) {
    Simulation simulation = with_disk();
    simulation.apply(Paint{parse_piece(value)});
    return simulation;
}

// The number of cells with a value, and the sums of their columns and rows.
struct Cells {
    long long count = 0, columns = 0, rows = 0;
    friend bool operator==(const Cells&, const Cells&) = default;
};

Cells cells_of(Simulation& simulation, double value) {
    const Field wide = simulation.field().to(DType::float64);
    const Array<double>& cells = wide.as<double>();
    Cells found;
    for (int y = 0; y < cells.ny(); ++y)
        for (int x = 0; x < cells.nx(); ++x)
            if (cells.at(x, y) == value) found = {found.count + 1, found.columns + x, found.rows + y};
    return found;
}

// Estimates the distance of a square's centre from a line by sampling the line.
double tried_distance(double x, double y, double dx, double dy) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= 20000; ++i) {
        const double t = i / 20000.0;
        least = std::min(least, std::max(std::abs(x - t * dx), std::abs(y - t * dy)));
    }
    return least;
}

}  // namespace

TEST_CASE("A square brush reaches as far as the nearest point of its line, across and down") {
    Dice dice;
    for (int i = 0; i < 60; ++i) {
        const double x = dice.uniform(-9, 9), y = dice.uniform(-9, 9);
        double dx = dice.uniform(-9, 9), dy = dice.uniform(-9, 9);
        if (i % 4 == 0) dx = 0;
        if (i % 6 == 0) dy = 0;
        if (i % 5 == 0) dy = i % 2 == 0 ? dx : -dx;
        CAPTURE(x, y, dx, dy);
        const double found = std::sqrt(brush_distance2(BrushShape::square, x, y, dx, dy));
        CHECK(std::abs(found - tried_distance(x, y, dx, dy)) < 2e-3);
    }
}

TEST_CASE("Squares and rectangles cover the cells whose centres are within them, and no others") {
    Simulation square = painted_with("7,2,replace-square,10,12");
    CHECK(cells_of(square, 7) == Cells{16, 16 * 9 + 8, 16 * 11 + 8});  // 8..11 across, 10..13 down
    Simulation box = painted_with("7,0,replace-rectangle,5,20,2,18");
    CHECK(cells_of(box, 7) == Cells{6, 2 * (2 + 3 + 4), 3 * (18 + 19)});
    Simulation beyond = painted_with("7,0,replace-rectangle,-5,-5,400,3");
    CHECK(cells_of(beyond, 7).count == 3 * 40);
    Simulation none = painted_with("7,0,replace-rectangle,5,5,5,9");
    CHECK(cells_of(none, 7).count == 0);
}

TEST_CASE("A fill takes in what is joined to its cell by values near to its own") {
    // A disc of 1 in a field of 0.
    Simulation start = with_disk();
    const long long inside = cells_of(start, 1).count;
    Simulation disc = painted_with("7,0.5,replace-fill,20.5,15.5");
    CHECK(cells_of(disc, 7).count == inside);
    CHECK(cells_of(disc, 1).count == 0);
    Simulation around = painted_with("7,0.5,replace-fill,0,29.9");
    CHECK(cells_of(around, 7).count == 40 * 30 - inside);
    Simulation all = painted_with("7,1,replace-fill,3,3");
    CHECK(cells_of(all, 7).count == 40 * 30);
    Simulation more = painted_with("6,0.5,add-fill,20.5,15.5");
    CHECK(cells_of(more, 7).count == inside);
    Simulation beyond = painted_with("7,1,replace-fill,-0.5,3");
    CHECK(cells_of(beyond, 7).count == 0);
}

TEST_CASE("A fill agrees with one that looks at each cell's neighbours, whatever the field") {
    Dice dice;
    for (int i = 0; i < 30; ++i) {
        const int nx = dice.integer(1, 23), ny = dice.integer(1, 17);
        Array<float> field(nx, ny);
        for (float& u : field.cells()) u = float(dice.integer(0, 2));
        if (i % 3 == 0) field.at(0, 0) = std::numeric_limits<float>::quiet_NaN();
        const int x = i % 3 == 0 ? 0 : dice.integer(0, nx - 1), y = i % 3 == 0 ? 0 : dice.integer(0, ny - 1);
        const double tolerance = dice.integer(0, 1), value = double(field.at(x, y));
        const auto like = [&](int cx, int cy) {
            const double u = double(field.at(cx, cy));
            return std::isnan(value) ? std::isnan(u) : std::abs(u - value) <= tolerance;
        };
        std::set<std::pair<int, int>> expected{{x, y}}, waiting = expected;
        while (!waiting.empty()) {
            const auto [cx, cy] = *waiting.begin();
            waiting.erase(waiting.begin());
            for (const auto& [nextx, nexty] :
                 {std::pair(cx - 1, cy), std::pair(cx + 1, cy), std::pair(cx, cy - 1), std::pair(cx, cy + 1)})
                if (nextx >= 0 && nexty >= 0 && nextx < nx && nexty < ny && like(nextx, nexty) &&
                    expected.insert({nextx, nexty}).second)
                    waiting.insert({nextx, nexty});
        }
        std::set<std::pair<int, int>> found;
        std::size_t cells = 0;
        for (const CellBox& box : flood_fill(FieldView<const float>(field.view()), x, y, tolerance))
            for (int cy = box.y; cy < box.y + box.ny; ++cy)
                for (int cx = box.x; cx < box.x + box.nx; ++cx, ++cells) found.insert({cx, cy});
        CHECK(found == expected);
        CHECK(cells == found.size());  // no cell twice
    }
}

TEST_CASE("Strokes of every shape are spelled so that they read back, and repeat the run to the bit") {
    Simulation live = with_disk();
    live.apply(Advance{7});
    for (const char* piece : {"0.7,3.5,replace-soft-square,12.25,9",
                              "0.7,3.5,replace-soft-square,12.25,9,20,14",
                              "0.25,2,add-square,30,20",
                              "-0.5,0,add-rectangle,3,4,17,12",
                              "2,0.125,replace-fill,25,25",
                              "1,0.5,add-fill,18,15"}) {
        CHECK(to_string(parse_piece(piece)) == piece);
        live.apply(Paint{parse_piece(piece)});
        live.apply(Advance{5});
    }
    std::vector<Edit> edits;
    for (const Edit& edit : live.edits()) edits.push_back(parse_edit(to_string(edit)));
    CHECK(edits.size() == 6);
    Simulation again = with_disk(std::move(edits));
    again.apply(Advance{live.step()});
    CHECK(same_bits(again.field(), live.field()));
}

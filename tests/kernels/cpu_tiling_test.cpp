#include "kernels/methods/cpu/cpu_tiling.h"

#include <algorithm>

#include "kernels/methods/cpu/lifted_rows.h"
#include "kernels/methods/steppers.h"
#include "sim/run/solvers/solver.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"

using namespace stencil;
using namespace stencil_test;

TEST_CASE(
    "The parts of a field cover it, and their halos fit into a block that stays in the first-level cache") {
    for (const FieldShape field : {FieldShape{1, 1},
                                   FieldShape{1, 5000},
                                   FieldShape{5000, 1},
                                   FieldShape{63, 65},
                                   FieldShape{511, 513},
                                   FieldShape{2000, 2000},
                                   FieldShape{8192, 8192},
                                   FieldShape{100001, 37}})
        for (const int threads : {1, 2, 3, 16, 61})
            for (const int lanes : {1, 2, 4, 8, 16})
                for (const std::size_t bytes : {sizeof(float), sizeof(double)}) {
                    INFO(field.nx << "x" << field.ny << " threads " << threads << " lanes " << lanes);
                    const CpuTiling tiling = choose_tiling(field, {threads, lanes, bytes});
                    REQUIRE((tiling.levels >= 1 && tiling.levels <= kCpuSteps));
                    REQUIRE((tiling.bands >= 1 && tiling.bands <= field.ny));
                    REQUIRE(tiling.strips * tiling.strip_width >= field.nx);
                    REQUIRE((tiling.strips - 1) * tiling.strip_width < field.nx);
                    REQUIRE(tiling.columns % kColumnUnit == 0);
                    REQUIRE(tiling.columns * lanes >= tiling.strip_width + 2 * tiling.levels);
                    REQUIRE(std::size_t(tiling.columns * lanes * kBlockRows) * bytes <= 32768);
                }
}

TEST_CASE(
    "The method cpu steps a field of a few columns to the same bits as its rows and columns exchanged") {
    const auto exchanged = [](const Array<float>& field) {
        Array<float> result(field.ny(), field.nx());
        for (int y = 0; y < field.ny(); ++y)
            for (int x = 0; x < field.nx(); ++x) result.at(y, x) = field.at(x, y);
        return result;
    };
    const auto stepped = [](Array<float> start, Boundary boundary) {
        const auto solver = make_solver(
            {find_method("cpu", Device::cpu), start.nx(), start.ny(), DType::float32, {0.2, boundary}, 2});
        solver->load(Field(std::move(start)));
        for (const long long steps : {1, 70}) solver->advance(steps);
        return solver->field();
    };
    for (const BoundaryRow& row : kBoundaries)
        for (const int columns : {1, 2, 7, 8}) {
            CAPTURE(row.name, columns);
            const Field start = Field(random_field(columns, 1001)).to(DType::float32);
            const Field across = stepped(exchanged(start.as<float>()), row.boundary);
            const Field down = stepped(start.as<float>().clone(), row.boundary);
            CHECK(std::ranges::equal(exchanged(down.as<float>()).cells(), across.as<float>().cells()));
        }
}

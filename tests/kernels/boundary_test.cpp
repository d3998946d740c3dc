#include "kernels/field/boundary.h"

#include <random>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/seed.h"

using namespace stencil;

TEST_CASE("A continued field is the field inside and keeps its boundary under steps that know of none") {
    std::mt19937_64 generator{stencil_test::next_seed()};
    std::uniform_real_distribution<double> uniform(0.25, 1.0);
    for (const BoundaryRow& row : kBoundaries)
        for (const int n : {1, 2, 3, 7}) {
            INFO(row.name << " n " << n);
            std::vector<double> field(std::size_t(n), 0.0);
            for (double& value : field) value = uniform(generator);
            const auto continued = [&](int i) {
                const Unfolded u = unfold(row.boundary, i, n);
                return u.sign * field[std::size_t(u.index)];
            };
            const int reach = 9;
            std::vector<double> line;
            for (int i = -reach; i < n + reach; ++i) line.push_back(continued(i));
            for (int step = 0; step < reach; ++step) {
                const std::vector<double> old = field;
                const auto outside = [&](int i) {
                    const int inside = inside_index(row.boundary, i, n);
                    return inside == kOutside ? 0.0 : old[std::size_t(inside)];
                };
                for (int i = 0; i < n; ++i)
                    field[std::size_t(i)] =
                        0.6 * old[std::size_t(i)] + 0.2 * (outside(i - 1) + outside(i + 1));
                const std::vector<double> before = line;
                for (std::size_t i = 1; i + 1 < line.size(); ++i)
                    line[i] = 0.6 * before[i] + 0.2 * (before[i - 1] + before[i + 1]);
                for (int i = 0; i < n; ++i) REQUIRE(line[std::size_t(i + reach)] == field[std::size_t(i)]);
            }
        }
}

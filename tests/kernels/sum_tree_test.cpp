#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/view/cpu_view.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/plain_sums.h"

using namespace stencil;
using namespace stencil_test;

namespace {

SumTree tree_over(const std::vector<double>& leaves, std::size_t begin, std::size_t end) {
    SumTree tree{std::int64_t(begin)};
    for (std::size_t i = begin; i < end; ++i) tree.add(leaves[i]);
    return tree;
}

std::vector<double> random_leaves(std::size_t count, Dice& dice) {
    std::vector<double> leaves;
    for (std::size_t i = 0; i < count; ++i) leaves.push_back(dice.uniform(-1, 1));
    return leaves;
}

}  // namespace

TEST_CASE("A sum tree has the same bits wherever its leaves are cut") {
    Dice dice;
    for (const std::size_t count : {1, 2, 3, 7, 8, 31, 100, 257, 1000}) {
        const std::vector<double> leaves = random_leaves(count, dice);
        const double whole = tree_over(leaves, 0, count).total();
        CAPTURE(count);
        REQUIRE(whole == plain_tree(leaves));
        for (int attempt = 0; attempt < 50; ++attempt) {
            std::vector<std::size_t> cuts{0, count};
            for (int i = dice.integer(0, 5); i > 0; --i)
                cuts.push_back(std::size_t(dice.integer(0, int(count))));
            std::ranges::sort(cuts);
            SumTree all;
            for (std::size_t i = 1; i < cuts.size(); ++i) all.append(tree_over(leaves, cuts[i - 1], cuts[i]));
            CAPTURE(cuts);
            REQUIRE(all.total() == whole);
        }
    }
}

TEST_CASE("Sums of a field have the same bits for any number of threads and wherever its rows are cut") {
    Dice dice;
    for (const auto& [nx, ny] : {std::pair{1, 1}, {1, 300}, {311, 97}, {2048, 5}, {2049, 33}, {5000, 12}}) {
        Field start = Field(random_field(nx, ny)).to(DType::float32);
        Array<float>& cells = start.as<float>();
        cells.at(nx / 2, ny / 2) = std::numeric_limits<float>::quiet_NaN();
        const FieldView<const float> field = cells.view();
        std::vector<double> values(cells.cells().begin(), cells.cells().end());
        for (const Summand summand : {Summand::value, Summand::square}) {
            const double expected = plain_sum(values, nx, summand);
            for (int threads = 1; threads <= 4; ++threads) {
                ThreadPool pool(threads);
                PartialStatistics all;
                for (int y = 0, next = 0; y < ny; y = next) {
                    next = dice.integer(y + 1, ny);
                    const CpuView<float> view{
                        {PlainView<const float>(field.rows(y, next - y)), {}, {}}, Quantity::value, pool};
                    all.append(sums(view, summand, y));
                }
                CAPTURE(nx, ny, threads);
                REQUIRE(all.sum.total() == expected);
                REQUIRE(all.cells - all.finite.count == 1);
            }
        }
    }
}

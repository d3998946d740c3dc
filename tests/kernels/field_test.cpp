// Boundaries, strips and sums of a field.
#include "kernels/field/boundary.h"

#include "kernels/field/cell_update.h"
#include "kernels/field/strips.h"
#include "kernels/view/view.h"
#include "tests/support/fields.h"
#include "tests/support/plain_sums.h"

namespace {

SumTree tree_over(const std::vector<double>& leaves, std::size_t begin, std::size_t end) {
    SumTree tree{std::int64_t(begin)};
    for (std::size_t i = begin; i < end; ++i) tree.add(leaves[i]);
    return tree;
}

}  // namespace

TEST_CASE("A continued field is the field inside and keeps its boundary under steps that know of none") {
    Dice dice;
    for (const BoundaryRow& row : kBoundaries)
        for (const int n : {1, 2, 3, 7}) {
            INFO(row.name << " n " << n);
            std::vector<double> field(std::size_t(n), 0.0);
            dice.fill(std::span(field), 0.25, 1);
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

TEST_CASE("Strips cover all lines by pairs and differ by one pair at most") {
    for (const int lines : {1, 2, 5, 64, 131, 2147483647 / 2 - 1})
        for (const int parts : {1, 2, 3, 7, 64}) {
            CAPTURE(lines, parts);
            const Strips strips{lines, parts};
            int at = 0, fewest = lines, most = 0;
            for (int part = 0; part < parts; ++part) {
                REQUIRE(strips.begin(part) == at);
                REQUIRE((at % 2 == 0 || strips.count(part) == 0));
                fewest = std::min(fewest, strips.count(part));
                most = std::max(most, strips.count(part));
                at += strips.count(part);
            }
            REQUIRE(at == lines);
            REQUIRE(most - fewest <= 3);
        }
}

TEST_CASE("Strips of lines for halos of an even depth are as deep as those") {
    for (const int depth : {2, 16, 32, 50})
        for (const int parts : {2, 3, 7})
            for (int lines = depth * parts; lines < depth * parts + 8; ++lines) {
                CAPTURE(depth, parts, lines);
                const Strips strips{lines, parts};
                for (int part = 0; part < parts; ++part) REQUIRE(strips.count(part) >= depth);
            }
}

TEST_CASE("A field's rows and columns in strips are where its cells are") {
    float cells[4 * 8] = {};
    const FieldView<float> field{cells, 5, 4, 8};
    const auto bytes_from_start = [&](const ByteRows& cut) {
        return cut.data - reinterpret_cast<std::byte*>(cells);
    };
    const auto rows = cut_rows(field, {4, 2});
    REQUIRE(rows.size() == 2);
    REQUIRE(bytes_from_start(rows[1]) == 2 * 8 * 4);
    REQUIRE(rows[1].bytes() == 2 * 5 * 4);
    const auto columns = cut_columns(field, {5, 3});
    REQUIRE(columns.size() == 3);
    REQUIRE(bytes_from_start(columns[2]) == 4 * 4);
    REQUIRE(columns[2].width == 4);
    REQUIRE(columns[2].rows == 4);
    REQUIRE(columns[2].pitch == 8 * 4);
}

TEST_CASE("A sum tree has the same bits wherever its leaves are cut") {
    Dice dice;
    for (const std::size_t count : {1, 2, 3, 7, 8, 31, 100, 257, 1000}) {
        std::vector<double> leaves(count);
        dice.fill(std::span(leaves), -1, 1);
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

#include "kernels/field/strips.h"

#include "tests/support/catch.h"

using namespace stencil;

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

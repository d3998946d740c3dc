#include "sim/view/colormap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <string>
#include <vector>

#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

namespace {

struct Known {
    const char* name;
    Rgb first, hundredth, last;
};

// Entries 0, 100 and 255 of the maps in matplotlib, cmcrameri and cmocean (for coolwarm, the two colours
// between which it lies).
constexpr Known kKnown[] = {{"viridis", {68, 1, 84}, {42, 118, 142}, {253, 231, 37}},
                            {"inferno", {0, 0, 4}, {144, 37, 104}, {252, 255, 164}},
                            {"magma", {0, 0, 4}, {137, 40, 129}, {252, 253, 191}},
                            {"plasma", {13, 8, 135}, {174, 40, 146}, {240, 249, 33}},
                            {"turbo", {48, 18, 59}, {63, 246, 138}, {122, 4, 3}},
                            {"cividis", {0, 34, 78}, {101, 104, 112}, {254, 232, 56}},
                            {"grey", {0, 0, 0}, {100, 100, 100}, {255, 255, 255}},
                            {"batlow", {1, 25, 89}, {83, 116, 73}, {250, 204, 250}},
                            {"lapaz", {26, 12, 100}, {64, 117, 161}, {254, 242, 242}},
                            {"oslo", {0, 1, 0}, {41, 90, 146}, {254, 255, 254}},
                            {"lajolla", {25, 25, 0}, {174, 71, 70}, {255, 254, 202}},
                            {"thermal", {3, 35, 51}, {135, 81, 141}, {231, 250, 90}},
                            {"haline", {41, 24, 107}, {43, 122, 137}, {253, 238, 153}},
                            {"ice", {3, 5, 18}, {62, 91, 167}, {234, 252, 253}},
                            {"coolwarm", {59, 76, 192}, {190, 211, 246}, {180, 4, 38}},
                            {"vik", {0, 17, 96}, {160, 197, 215}, {89, 0, 7}},
                            {"berlin", {158, 175, 254}, {18, 42, 53}, {254, 173, 173}},
                            {"balance", {23, 28, 66}, {163, 191, 200}, {60, 9, 17}}};

}  // namespace

TEST_CASE("The colour tables are those that are known, in the order of the list") {
    const auto maps = colormaps();
    REQUIRE(maps.size() == std::size(kKnown));
    for (std::size_t i = 0; i < maps.size(); ++i) {
        CAPTURE(kKnown[i].name);
        CHECK(maps[i].name == kKnown[i].name);
        CHECK((maps[i].colors[0] == kKnown[i].first));
        CHECK((maps[i].colors[100] == kKnown[i].hundredth));
        CHECK((maps[i].colors[255] == kKnown[i].last));
        CHECK(maps[i].diverging == (i >= 14));
        CHECK(&colormap(kKnown[i].name) == &maps[i]);
    }
}

TEST_CASE("Neighbouring colours of a table are alike and distant ones are not") {
    for (const Colormap& map : colormaps()) {
        CAPTURE(std::string(map.name));
        const auto distance = [&](std::size_t a, std::size_t b) {
            const Rgb p = map.colors[a], q = map.colors[b];
            return std::max({std::abs(p.r - q.r), std::abs(p.g - q.g), std::abs(p.b - q.b)});
        };
        int largest = 0;
        for (std::size_t i = 1; i < 256; ++i) largest = std::max(largest, distance(i - 1, i));
        CHECK(largest <= 8);
        CHECK(distance(0, 255) > 40);
        CHECK(distance(0, 128) > 60);
    }
}

TEST_CASE("A diverging table is neutral in its middle") {
    const Rgb middle = colormap("coolwarm").at(0, {-3, 3});
    CHECK(std::abs(middle.r - middle.g) <= 2);
    CHECK(std::abs(middle.g - middle.b) <= 2);
    CHECK(middle.r > 200);
}

TEST_CASE("A value picks the entry of its 256th of the range") {
    Dice random;
    const Colormap& grey = colormap("grey");
    CHECK(grey.at(0, {0, 256}).r == 0);
    CHECK(grey.at(0.999, {0, 256}).r == 0);
    CHECK(grey.at(1, {0, 256}).r == 1);
    CHECK(grey.at(254.999, {0, 256}).r == 254);
    CHECK(grey.at(255, {0, 256}).r == 255);
    CHECK(grey.at(256, {0, 256}).r == 255);
    for (int i = 0; i < 1000; ++i) {
        const double low = random.uniform(-10, 10), width = random.uniform(0.1, 10);
        const int entry = random.integer(0, 255);
        const double value = low + width * (entry + random.uniform(0.01, 0.99)) / 256;
        CAPTURE(low, width, value);
        CHECK(grey.at(value, {low, low + width}).r == entry);
    }
}

TEST_CASE("Values beyond the range take the nearer end, and what is not finite has a colour of its own") {
    for (const Colormap& map : colormaps()) {
        CAPTURE(std::string(map.name));
        CHECK((map.at(-1e300, {-2, 2}) == map.colors[0]));
        CHECK((map.at(1e300, {-2, 2}) == map.colors[255]));
        const Rgb magenta{255, 0, 255};
        for (const double lost : {kInfinity, -kInfinity, std::nan("")}) {
            CHECK((map.at(lost, {-2, 2}) == magenta));
            CHECK((map.at(lost, {1e-3, 1, Scale::log}) == magenta));
        }
        CHECK(std::ranges::find(map.colors, magenta) == map.colors.end());
        CHECK((map.at(5, {5, 5}) == map.colors[0]));
    }
}

TEST_CASE("An unknown table is refused with the nearest name") {
    const std::string message = message_of<InputError>([] { colormap("virdis"); });
    CHECK(message.find("unknown colour table 'virdis': did you mean 'viridis'?") == 0);
    for (const Known& known : kKnown) CHECK(message.find(known.name) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
}

TEST_CASE("A reversed table has the colours of its table from the last to the first") {
    for (const Colormap& map : colormaps()) {
        const Colormap& reversed = colormap(map.name + "_r");
        CHECK(reversed.name == map.name + "_r");
        CHECK(reversed.diverging == map.diverging);
        CHECK(std::ranges::equal(reversed.colors, std::views::reverse(map.colors)));
    }
    CHECK_THROWS_AS(colormap("viridis_r_r"), InputError);
}

TEST_CASE("On every scale a value picks the entry of its place, and borders find the same") {
    Dice random;
    const Colormap& grey = colormap("grey");
    for (const ValueRange& range : {ValueRange{1e-4, 1, Scale::log},
                                    ValueRange{3e-30, 5e-29, Scale::log},
                                    ValueRange{-1, 1, Scale::symlog},
                                    ValueRange{-0.25, 40, Scale::symlog},
                                    ValueRange{-7, 7, Scale::centred}}) {
        CAPTURE(int(range.scale), range.low, range.high);
        CHECK(place_of(range.low, range) == 0);
        CHECK(place_of(range.high, range) == 1);
        for (int i = 0; i < 500; ++i) {
            const int entry = random.integer(0, 255);
            const double place = (entry + random.uniform(0.01, 0.99)) / 256, value = value_at(place, range);
            CHECK(place_of(value, range) == Approx(place).epsilon(1e-9));
            REQUIRE(grey.at(value, range).r == entry);
            if (!has_borders(range)) continue;
            const EntryBorders borders = entry_borders(range);
            const auto& border = borders[std::size_t(random.integer(0, 254))];
            REQUIRE(grey.at(border, range).r == &border - borders.data() + 1);
            REQUIRE(grey.at(std::nextafter(border, -1e9), range).r == &border - borders.data());
        }
    }
    CHECK(grey.at(0, {1e-4, 1, Scale::log}).r == 0);
    CHECK(grey.at(-3, {1e-4, 1, Scale::log}).r == 0);
    CHECK(grey.at(1.01e-2, {1e-4, 1, Scale::log}).r == 128);
    CHECK(grey.at(0.99e-2, {1e-4, 1, Scale::log}).r == 127);
    CHECK(grey.at(0, {-2, 2, Scale::symlog}).r == 128);
}

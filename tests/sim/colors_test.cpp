// Colour tables and the ranges that they show.
#include "sim/view/colormap.h"

#include <ranges>

#include "sim/files/npy.h"
#include "sim/problem/panes.h"
#include "sim/problem/run_spec.h"
#include "sim/text/parse.h"
#include "tests/support/fields.h"
#include "tests/support/picture.h"

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
                            {"balance", {23, 28, 66}, {163, 191, 200}, {60, 9, 17}},
                            {"vikO", {78, 25, 60}, {158, 182, 199}, {79, 25, 59}}};

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string refusal(std::string_view text) {
    return message_of<InputError>([&] { parse_range(text, "range"); });
}

template <class T>
Field field_of(const std::vector<T>& cells) {
    Array<T> array(int(cells.size()), 1);
    std::ranges::copy(cells, array.data());
    return array;
}

RangeRule percentiles(double low, double high) {
    return {RangeRule::Kind::percentile, low, high};
}

std::pair<double, double> ends(const ValueRange& range) {
    return {range.low, range.high};
}

// By sorting, with the interpolation written in another way.
double sorted_percentile(std::vector<double> values, double percentile) {
    std::ranges::sort(values);
    const double position = double(values.size() - 1) * percentile / 100;
    const auto below = std::min(std::size_t(position), values.size() - 1);
    const auto above = std::min(below + 1, values.size() - 1);
    const double part = position - double(below);
    return values[below] * (1 - part) + values[above] * part;
}

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
        CHECK(maps[i].diverging == (i >= 14 && i < 18));
        CHECK(maps[i].cyclic == (i == 18));
        CHECK(&colormap(kKnown[i].name) == &maps[i]);
    }
}

TEST_CASE("Neighbouring colours of a table are alike and distant ones are not") {
    for (const Colormap& map : colormaps()) {
        CAPTURE(std::string(map.name));
        const auto distance = [&](std::size_t a, std::size_t b) {
            return apart(map.colors[a], map.colors[b]);
        };
        int largest = 0;
        for (std::size_t i = 1; i < 256; ++i) largest = std::max(largest, distance(i - 1, i));
        CHECK(largest <= 8);
        CHECK((distance(0, 255) > 40) == !map.cyclic);
        CHECK(distance(0, 128) > 60);
    }
}

TEST_CASE("A diverging table is neutral in its middle") {
    const Rgb middle = colormap("coolwarm").at(0, {-3, 3});
    CHECK(std::abs(middle.r - middle.g) <= 2);
    CHECK(std::abs(middle.g - middle.b) <= 2);
    CHECK(middle.r > 200);
}

TEST_CASE("A Laplacian has a diverging table, but in the figure, unless another one is asked for") {
    RunSpec spec;
    CHECK(laplacian_colors(spec, false).name == "coolwarm");
    CHECK(laplacian_colors(spec, true).name == "inferno");
    spec.colormap = "magma";
    CHECK(laplacian_colors(spec, false).name == "coolwarm");
    spec.colormap = "vik";
    CHECK(laplacian_colors(spec, false).name == "vik");
    spec.laplacian_colormap = "magma";
    CHECK(laplacian_colors(spec, false).name == "magma");
    CHECK(laplacian_colors(spec, true).name == "magma");
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
    for (const Known& known : kKnown) CHECK(contains(message, known.name));
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

TEST_CASE("Rules of ranges are read as they are written") {
    CHECK(parse_range("auto", "range").kind == RangeRule::Kind::automatic);
    const RangeRule percentile = parse_range("percentile:2.5:99", "range");
    CHECK((percentile.kind == RangeRule::Kind::percentile && percentile.low == 2.5 && percentile.high == 99));
    const RangeRule fixed = parse_range("-1e-3:2", "range");
    CHECK((fixed.kind == RangeRule::Kind::fixed && fixed.low == -1e-3 && fixed.high == 2));
    for (const std::string& text :
         split("auto percentile:0:100 percentile:2.5:97.5 -1:1 -2:-1.5 1e-300:1e+300 0.1:0.30000000000000004 "
               "log centred symlog:percentile:1:99.5 log:0.0001:1 symlog:-1:1",
               ' '))
        CHECK(to_string(parse_range(text, "range")) == text);
}

TEST_CASE("Texts that are no rule are refused with what is allowed") {
    const auto cases = pairs(
        " => not a range | Auto => not a range | 7 => not a range | 1:1 => below the largest | "
        "1:-1 => below the largest | :1 => '' is not | 1: => '' is not | 0:1x => '1x' is not | "
        " 0:1 => ' 0' is not | 0:1:2 => '1:2' is not | 0:inf => 'inf' is not | "
        "nan:1 => 'nan' is not | 0:1e999 => '1e999' is not | -1.7e308:1.7e308 => too wide | "
        "percentile: => two percentiles | percentile:5 => two percentiles | "
        "percentile:95:5 => below the upper | percentile:5:5 => below the upper | "
        "percentile:-1:5 => beyond 0 to 100 | percentile:5:100.5 => beyond 0 to 100 | "
        "percentile:a:5 => 'a' is not | log: => not a range | log:0:1 => must be above 0 | "
        "logs:1:2 => 'logs' is not | log:log:1:2 => 'log' is not");
    for (const auto& [text, part] : cases) {
        CHECK(refusal(text).starts_with("range " + std::string(text)));
        CHECK(contains(refusal(text), part));
        CHECK(contains(refusal(text), "percentile:LO:HI"));
    }
    CHECK(refusal("1\n2").find('\n') == std::string::npos);
}

TEST_CASE("An automatic range spans the finite values") {
    const auto of = [](const Field& field) { return ends(find_range(field, {}, false)); };
    CHECK(of(field_of<double>({kNaN, 3, -kInfinity, -2.5, kInfinity, 1})) == std::pair(-2.5, 3.0));
    CHECK(of(field_of<float>({0.1f, 0.1f})) == std::pair(double(0.1f), double(0.1f)));
    CHECK(of(field_of<double>({kNaN, kInfinity})) == std::pair(0.0, 1.0));
    const auto [low, high] = of(field_of<double>({-1.7e308, 1.7e308}));
    CHECK(std::isfinite(high - low));
}

TEST_CASE("A range for a diverging table is centred at zero") {
    const auto centred = [](const std::vector<double>& cells, const RangeRule& rule) {
        return ends(find_range(field_of(cells), rule, true));
    };
    CHECK(centred({-1, 3}, {}) == std::pair(-3.0, 3.0));
    CHECK(centred({-4, -3}, {}) == std::pair(-4.0, 4.0));
    CHECK(centred({0, 0}, {}) == std::pair(-1.0, 1.0));
    CHECK(centred({kNaN}, {}).first == -1);
    CHECK(centred({1, 2}, parse_range("-0.5:0.25", "range")) == std::pair(-0.5, 0.5));
    CHECK(centred({-8, 0, 2}, percentiles(50, 100)).first == -2);
}

TEST_CASE(
    "A scale comes with the range: logarithms need values above zero, centred ones have zero in the middle") {
    const auto found = [](const char* rule, const std::vector<double>& cells, bool diverging = false) {
        return find_range(field_of(cells), parse_range(rule, "range"), diverging);
    };
    const auto some = found("log", {0.25, 8});
    CHECK(some.scale == Scale::log);
    CHECK(ends(some) == std::pair(0.25, 8.0));
    CHECK_FALSE(some.below);
    CHECK(found("log", {0, 2}).low == 2e-4);
    CHECK(found("log", {0, 2}).below);
    CHECK(found("log", {-3, -2}).high == 1);
    CHECK(found("log", {0.5, 2}, true).low == 0.5);
    CHECK(found("centred", {-1, 3}).low == -3);
    CHECK(found("centred:percentile:0:50", {-1, 2, 3}).low == -2);
    CHECK(found("symlog", {-1, 3}).low == -1);
    CHECK(found("symlog", {-1, 3}, true).low == -3);
    CHECK(found("symlog", {-1, 3}).scale == Scale::symlog);
}

TEST_CASE("A range knows whether values lie beyond its ends") {
    const Field field = field_of<float>({-1, 0, 1, 2, float(kNaN)});
    const auto beyond = [&](const char* rule) {
        const auto range = find_range(field, parse_range(rule, "range"), false);
        return std::pair(range.below, range.above);
    };
    CHECK(beyond("auto") == std::pair(false, false));
    CHECK(beyond("-1:2") == std::pair(false, false));
    CHECK(beyond("-0.5:2") == std::pair(true, false));
    CHECK(beyond("-1:1.5") == std::pair(false, true));
    CHECK(beyond("percentile:5:95") == std::pair(true, true));
    CHECK(beyond("percentile:0:95") == std::pair(false, true));
    CHECK(beyond("centred") == std::pair(false, false));
    CHECK_FALSE(find_range(field_of<float>({float(kNaN)}), parse_range("0:1", "range"), false).above);
}

TEST_CASE("Percentiles are those of NumPy") {
    // numpy.percentile of the same file, NumPy 2
    const Field field = read_npy(std::filesystem::path(reference_file("")) /
                                 "jagged_96x128_insulated_c0.25_200steps_laplacian.npy");
    const auto of = [](const Field& from, double low, double high) {
        return ends(find_range(from, percentiles(low, high), false));
    };
    CHECK(of(field, 2.5, 99.9) == std::pair(-0.01938079577656864, 0.030260190578487972));
    CHECK(of(field, 37, 50) == std::pair(-0.0004974926544873876, 0.00010885207063657221));
    CHECK(of(field, 0, 100) == std::pair(-0.030979554475338844, 0.030897785232945618));
    CHECK(of(field.to(DType::float32), 2.5, 99.9) == std::pair(-0.01938079590909183, 0.030260190922767084));
}

TEST_CASE(
    "Percentiles of random values are those of the sorted values, without the ones that are not finite") {
    Dice random;
    for (const int count : {1, 2, 3, 10, 1001}) {
        std::vector<double> cells, finite;
        for (int i = 0; i < count; ++i) finite.push_back(std::floor(random.uniform(-100, 100)) / 8);
        for (const double value : finite) {
            cells.push_back(value);
            if (random.integer(0, 2) == 0) cells.push_back(random.integer(0, 1) ? kNaN : -kInfinity);
        }
        const Field field = field_of(cells);
        for (int i = 0; i < 20; ++i) {
            const double low = random.uniform(0, 60), high = random.uniform(low, 100);
            CAPTURE(count, low, high);
            const auto range = find_range(field, percentiles(low, high), false);
            CHECK(std::abs(range.low - sorted_percentile(finite, low)) < 1e-12);
            CHECK(std::abs(range.high - sorted_percentile(finite, high)) < 1e-12);
        }
    }
    CHECK(ends(find_range(field_of<float>({float(kNaN)}), percentiles(1, 99), false)) == std::pair(0.0, 1.0));
}

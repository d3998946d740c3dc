#include "sim/view/value_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sim/files/npy.h"
#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string refusal(std::string_view text) {
    return message_of<InputError>([&] { parse_range(text, "--range"); });
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

TEST_CASE("Rules of ranges are read as they are written") {
    CHECK(parse_range("auto", "--range").kind == RangeRule::Kind::automatic);
    const RangeRule percentile = parse_range("percentile:2.5:99", "--range");
    CHECK(percentile.kind == RangeRule::Kind::percentile);
    CHECK(percentile.low == 2.5);
    CHECK(percentile.high == 99);
    const RangeRule fixed = parse_range("-1e-3:2", "--range");
    CHECK(fixed.kind == RangeRule::Kind::fixed);
    CHECK(fixed.low == -1e-3);
    CHECK(fixed.high == 2);
    for (const auto* text : {"auto",
                             "percentile:0:100",
                             "percentile:2.5:97.5",
                             "-1:1",
                             "-2:-1.5",
                             "1e-300:1e+300",
                             "0.1:0.30000000000000004",
                             "log",
                             "centred",
                             "symlog:percentile:1:99.5",
                             "log:0.0001:1",
                             "symlog:-1:1"})
        CHECK(to_string(parse_range(text, "--range")) == text);
}

TEST_CASE("Texts that are no rule are refused with what is allowed") {
    const std::pair<const char*, const char*> cases[] = {
        {"", "not a range"},
        {"Auto", "not a range"},
        {"7", "not a range"},
        {"1:1", "below the largest"},
        {"1:-1", "below the largest"},
        {":1", "'' is not"},
        {"1:", "'' is not"},
        {"0:1x", "'1x' is not"},
        {" 0:1", "' 0' is not"},
        {"0:1:2", "'1:2' is not"},
        {"0:inf", "'inf' is not"},
        {"nan:1", "'nan' is not"},
        {"0:1e999", "'1e999' is not"},
        {"-1.7e308:1.7e308", "too wide"},
        {"percentile:", "two percentiles"},
        {"percentile:5", "two percentiles"},
        {"percentile:95:5", "below the upper"},
        {"percentile:5:5", "below the upper"},
        {"percentile:-1:5", "beyond 0 to 100"},
        {"percentile:5:100.5", "beyond 0 to 100"},
        {"percentile:a:5", "'a' is not"},
        {"log:", "not a range"},
        {"log:0:1", "must be above 0"},
        {"logs:1:2", "'logs' is not"},
        {"log:log:1:2", "'log' is not"},
    };
    for (const auto& [text, part] : cases) {
        CHECK(refusal(text).starts_with("--range " + std::string(text)));
        CHECK(contains(refusal(text), part));
        CHECK(contains(refusal(text), "percentile:LO:HI"));
    }
    CHECK(refusal("1\n2").find('\n') == std::string::npos);
}

TEST_CASE("An automatic range spans the finite values") {
    const RangeRule rule;
    const auto range = find_range(field_of<double>({kNaN, 3, -kInfinity, -2.5, kInfinity, 1}), rule, false);
    CHECK(range.low == -2.5);
    CHECK(range.high == 3);
    const auto single = find_range(field_of<float>({0.1f, 0.1f}), rule, false);
    CHECK(single.low == double(0.1f));
    CHECK(single.high == double(0.1f));
    const auto none = find_range(field_of<double>({kNaN, kInfinity}), rule, false);
    CHECK(none.low == 0);
    CHECK(none.high == 1);
    const auto widest = find_range(field_of<double>({-1.7e308, 1.7e308}), rule, false);
    CHECK(std::isfinite(widest.high - widest.low));
}

TEST_CASE("A range for a diverging table is centred at zero") {
    const auto centred = [](const std::vector<double>& cells, const RangeRule& rule) {
        return find_range(field_of(cells), rule, true);
    };
    CHECK(centred({-1, 3}, {}).low == -3);
    CHECK(centred({-1, 3}, {}).high == 3);
    CHECK(centred({-4, -3}, {}).low == -4);
    CHECK(centred({-4, -3}, {}).high == 4);
    CHECK(centred({0, 0}, {}).low == -1);
    CHECK(centred({0, 0}, {}).high == 1);
    CHECK(centred({kNaN}, {}).low == -1);
    CHECK(centred({1, 2}, parse_range("-0.5:0.25", "--range")).low == -0.5);
    CHECK(centred({1, 2}, parse_range("-0.5:0.25", "--range")).high == 0.5);
    CHECK(centred({-8, 0, 2}, percentiles(50, 100)).low == -2);
}

TEST_CASE(
    "A scale comes with the range: logarithms need values above zero, centred ones have zero in the middle") {
    const auto found = [](const char* rule, const std::vector<double>& cells, bool diverging = false) {
        return find_range(field_of(cells), parse_range(rule, "--range"), diverging);
    };
    const auto some = found("log", {0.25, 8});
    CHECK(some.scale == Scale::log);
    CHECK(some.low == 0.25);
    CHECK(some.high == 8);
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
        const auto range = find_range(field, parse_range(rule, "--range"), false);
        return std::pair(range.below, range.above);
    };
    CHECK(beyond("auto") == std::pair(false, false));
    CHECK(beyond("-1:2") == std::pair(false, false));
    CHECK(beyond("-0.5:2") == std::pair(true, false));
    CHECK(beyond("-1:1.5") == std::pair(false, true));
    CHECK(beyond("percentile:5:95") == std::pair(true, true));
    CHECK(beyond("percentile:0:95") == std::pair(false, true));
    CHECK(beyond("centred") == std::pair(false, false));
    CHECK_FALSE(find_range(field_of<float>({float(kNaN)}), parse_range("0:1", "--range"), false).above);
}

TEST_CASE("Percentiles are those of NumPy") {
    // numpy.percentile of the same file, NumPy 2
    const Field field = read_npy(std::filesystem::path(reference_file("")) /
                                 "jagged_96x128_insulated_c0.25_200steps_laplacian.npy");
    const auto outer = find_range(field, percentiles(2.5, 99.9), false);
    CHECK(outer.low == -0.01938079577656864);
    CHECK(outer.high == 0.030260190578487972);
    const auto inner = find_range(field, percentiles(37, 50), false);
    CHECK(inner.low == -0.0004974926544873876);
    CHECK(inner.high == 0.00010885207063657221);
    const auto all = find_range(field, percentiles(0, 100), false);
    CHECK(all.low == -0.030979554475338844);
    CHECK(all.high == 0.030897785232945618);
    const auto rounded = find_range(field.to(DType::float32), percentiles(2.5, 99.9), false);
    CHECK(rounded.low == -0.01938079590909183);
    CHECK(rounded.high == 0.030260190922767084);
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
    const auto none = find_range(field_of<float>({float(kNaN)}), percentiles(1, 99), false);
    CHECK(none.low == 0);
    CHECK(none.high == 1);
}

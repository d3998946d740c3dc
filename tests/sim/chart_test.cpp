#include "sim/figure/chart.h"

#include <fmt/format.h>

#include "sim/figure/labels.h"
#include "tests/support/catch.h"

using namespace stencil::figure;
using stencil_test::Dice;

namespace {

/// Records what is drawn. All characters have the same width.
class Recording : public Surface {
  public:
    struct Text {
        std::string text;
        Box box;
        Rgb color;
    };
    struct Line {
        std::vector<Point> points;
        Stroke stroke;
    };
    struct Shape {
        Box box;
        Rgb color;
    };

    void path(std::span<const Point> points, const Stroke& stroke) override {
        lines.push_back({{points.begin(), points.end()}, stroke});
        box_of(points);
    }
    void fill(std::span<const Point> polygon, Rgb color) override {
        shapes.push_back({box_of(polygon), color});
    }
    void text(std::string_view text, Point at, const TextStyle& style) override {
        const double width = text_width(text, style.size);
        const bool deep = text.find_first_of("gpqyj(),|") != std::string_view::npos;
        texts.push_back({std::string(text),
                         {at.x - width * int(style.anchor) / 2,
                          at.y - kCapital * style.size,
                          width,
                          (kCapital + (deep ? kDescent : 0)) * style.size},
                         style.color});
    }
    double text_width(std::string_view text, double size) const override {
        const auto signs = std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
        return 0.6 * size * double(signs);
    }

    const Text* find(const std::string& text) const {
        const auto found = std::ranges::find(texts, text, &Text::text);
        return found == texts.end() ? nullptr : &*found;
    }

    std::vector<Text> texts;
    std::vector<Line> lines;
    std::vector<Shape> shapes;
    std::vector<Box> extents;

  private:
    Box box_of(std::span<const Point> points) {
        const auto [left, right] = std::ranges::minmax(points, {}, &Point::x);
        const auto [top, bottom] = std::ranges::minmax(points, {}, &Point::y);
        extents.push_back({left.x, top.y, right.x - left.x, bottom.y - top.y});
        return extents.back();
    }
};

void check_texts(const Recording& drawn, const Box& area) {
    for (std::size_t i = 0; i < drawn.texts.size(); ++i) {
        const auto& [text, box, color] = drawn.texts[i];
        CAPTURE(text, box.left, box.top, area.width, area.height);
        CHECK(area.grown(0.01).holds(box));
        for (std::size_t k = 0; k < i; ++k) {
            INFO(drawn.texts[k].text);
            CHECK_FALSE(drawn.texts[k].box.overlaps(box));
        }
    }
    for (const Box& box : drawn.extents) CHECK(area.grown(0.01).holds(box));
}

Chart random_chart(Dice& dice) {
    const bool logarithmic = dice.integer(0, 1) == 1;
    Chart chart{"id", "title", "across", "up", logarithmic, dice.integer(0, 1) == 1};
    const double scale = std::pow(10, dice.uniform(-8, 8));
    const int count = dice.integer(1, 4);
    for (int s = 0; s < count; ++s) {
        ChartSeries series{fmt::format("series {}", s), {}, dice.integer(0, 1) == 1};
        const int points = dice.integer(0, 40);
        for (int i = 0; i < points; ++i)
            series.points.push_back({scale * std::pow(10, dice.uniform(0, 4)),
                                     std::pow(10, dice.uniform(-3, 3)),
                                     i % 4 ? "" : fmt::format("{}/{}", s, i),
                                     i == 8});
        std::ranges::sort(series.points, {}, &ChartPoint::x);
        chart.series.push_back(series);
    }
    chart.names_at_ends = dice.integer(0, 1) == 1;
    for (int i = dice.integer(0, 2); i > 0; --i)
        chart.limits.push_back({fmt::format("limit {}", i), std::pow(10, dice.uniform(-3, 3))});
    return chart;
}

}  // namespace

TEST_CASE("texts of a chart stay within its area and apart from each other, whatever it holds") {
    Dice dice;
    int drawn_charts = 0;
    for (int round = 0; round < 300; ++round) {
        const Chart chart = random_chart(dice);
        const Box area{
            dice.uniform(-50, 50), dice.uniform(0, 900), dice.uniform(150, 900), dice.uniform(120, 500)};
        ChartStyle style;
        style.text = dice.uniform(8, 14);
        Recording drawn;
        const ChartMap map = draw_chart(drawn, chart, area, style);
        CAPTURE(round);
        check_texts(drawn, area);
        if (!map.drawn()) continue;
        ++drawn_charts;
        CHECK(area.holds(map.box));
        const std::size_t named = chart.series.size() > 1 ? chart.series.size() : 0;
        for (std::size_t i = 0; i < named; ++i)
            if (!chart.names_at_ends) CHECK(drawn.find(chart.series[i].name));
        for (const ChartSeries& series : chart.series)
            for (const ChartPoint& point : series.points) {
                const Point at = map.at(point.x, point.y);
                CHECK(map.box.grown(0.01).holds({at.x, at.y, 0, 0}));
            }
    }
    CHECK(drawn_charts > 200);
}

TEST_CASE("a chart of speeds has its limits' names within the axes, and ticks at the sizes measured") {
    Chart chart{"speeds", "", "edge", "GCells/s", true, true};
    chart.series = {{"cpu", {{128, 0.3}, {256, 0.7}, {512, 1.5}}}, {"reference", {{128, 0.1}, {512, 0.2}}}};
    chart.limits = {{"copy", 0.72}, {"issue", 3.2}};
    chart.x_ticks = {128, 256, 512};
    chart.names_at_ends = true;
    for (const double width : {150.0, 280.0, 560.0}) {
        const Box area{0, 0, width, 200};
        Recording drawn;
        const ChartMap map = draw_chart(drawn, chart, area, {});
        CAPTURE(width);
        check_texts(drawn, area);
        for (const char* text : {"cpu", "reference", "copy: 0.72", "issue: 3.2", "GCells/s", "edge"}) {
            CAPTURE(text);
            REQUIRE(drawn.find(text));
        }
        for (const char* limit : {"copy: 0.72", "issue: 3.2"})
            CHECK(map.box.grown(4).holds(drawn.find(limit)->box));
        for (const double tick : chart.x_ticks) {
            const Recording::Text* label = drawn.find(fmt::format("{:g}", tick));
            REQUIRE(label);
            CHECK(label->box.middle_x() == Approx(map.at(tick, 1).x));
        }
        CHECK_FALSE(drawn.find("200"));
    }
}

TEST_CASE("whatever is written in a chart has the colour of ink, so that it can be read on any ground") {
    Chart chart{"id", "", "x", "y"};
    for (const char* name : {"one", "two", "three"})
        chart.series.push_back({name, {{1, 2, "here"}, {2, double(chart.series.size()), "there"}}});
    const ChartStyle style;
    for (const bool at_ends : {false, true}) {
        chart.names_at_ends = at_ends;
        Recording surface;
        draw_chart(surface, chart, {0, 0, 500, 300}, style);
        REQUIRE(surface.find("three"));
        for (const Recording::Text& text : surface.texts)
            CHECK((text.color == style.ink || text.color == style.faint));
    }
}

TEST_CASE("the legend shows dots for a series of dots, and dashes for a dashed line") {
    Chart chart{"id", "", "x", "y"};
    chart.series = {{"line", {{0, 0}, {1, 1}}, true, false},
                    {"dots", {{0, 1}, {1, 0}}, false, true},
                    {"dashes", {{0, 0.5}, {1, 0.6}}, true, false, true}};
    Recording drawn;
    draw_chart(drawn, chart, {0, 0, 400, 300}, {});
    const auto lines_in = [&](std::size_t series) {
        return std::ranges::count_if(drawn.lines, [&](const Recording::Line& line) {
            return line.stroke.color == series_color(series);
        });
    };
    const auto dots_in = [&](std::size_t series) {
        return std::ranges::count(drawn.shapes, series_color(series), &Recording::Shape::color);
    };
    CHECK(lines_in(0) == 2);
    CHECK(dots_in(0) == 0);
    CHECK(lines_in(1) == 0);
    CHECK(dots_in(1) == 3);
    CHECK(lines_in(2) == 2);
    for (const Recording::Line& line : drawn.lines)
        CHECK((line.stroke.dash > 0) == (line.stroke.color == series_color(2)));
}

TEST_CASE("rows of times are dots on a logarithmic axis, with names and texts that keep apart") {
    Dice dice;
    const Rgb color{1, 2, 3};
    for (int round = 0; round < 100; ++round) {
        DotChart chart{"title", "milliseconds"};
        const int count = dice.integer(1, 12);
        for (int i = 0; i < count; ++i)
            chart.rows.push_back({fmt::format("group {}", i / 3),
                                  fmt::format("a way of doing it, number {}", i),
                                  std::pow(10, dice.uniform(-4, 4)),
                                  fmt::format("{} ms, error 1e-7", i),
                                  color});
        if (dice.integer(0, 1)) chart.limits = {{"copy", 1}, {"issue", 7}};
        chart.keys = {{"CPU", {4, 5, 6}}};
        ChartStyle style;
        style.text = dice.uniform(8, 14);
        const Box area{10, 20, dice.uniform(300, 600), height_of(chart, style)};
        Recording drawn;
        const std::vector<Point> dots = draw_dots(drawn, chart, area, style);
        REQUIRE(dots.size() == chart.rows.size());
        CAPTURE(round);
        check_texts(drawn, area);
        for (std::size_t i = 0; i + 1 < dots.size(); ++i)
            CHECK((dots[i].x < dots[i + 1].x) == (chart.rows[i].value < chart.rows[i + 1].value));
        // Dots are drawn without bars from the axis.
        for (const Recording::Shape& shape : drawn.shapes) {
            CHECK(shape.box.width < 4 * style.marker);
            CHECK(shape.box.width == Approx(shape.box.height));
        }
    }
}

TEST_CASE("charts are drawn on axes that hold any numbers, or not at all") {
    const double nan = std::numeric_limits<double>::quiet_NaN(), most = std::numeric_limits<double>::max();
    for (const bool logarithmic : {false, true})
        for (const std::vector<ChartPoint>& points :
             std::vector<std::vector<ChartPoint>>{{},
                                                  {{nan, 1}, {1, nan}, {INFINITY, -INFINITY}},
                                                  {{-1, -1}, {0, 0}},
                                                  {{-most, -most}, {most, most}},
                                                  {{1e-300, 1e300}, {1e300, 1e-300}},
                                                  {{5, 0.3}, {5, 0.3}}}) {
            Chart chart{"id", "", "x", "y", logarithmic, logarithmic};
            chart.series = {{"one", points}, {"bars", points}};
            Recording drawn;
            CHECK(draw_chart(drawn, chart, {0, 0, 300, 200}, {}).drawn());
            check_texts(drawn, {0, 0, 300, 200});
            Recording nothing;
            CHECK_FALSE(draw_chart(nothing, chart, {0, 0, 20, 200}, {}).drawn());
            CHECK((nothing.texts.empty() && nothing.lines.empty() && nothing.shapes.empty()));
        }
}

TEST_CASE("labels of a plot stand apart from each other and from the points, within the plot") {
    Dice dice;
    std::size_t placed = 0, wished = 0;
    for (int round = 0; round < 50; ++round) {
        PlotObstacles obstacles{{0, 0, 400, 300}, {}, {}};
        std::vector<PlotLabel> labels;
        const int count = dice.integer(1, 25);
        for (int i = 0; i < count; ++i) {
            const double x = dice.uniform(0, 400), y = dice.uniform(0, 300);
            labels.push_back({x, y, dice.uniform(20, 80), 14});
            obstacles.taken.push_back({x - 3, y - 3, 6, 6});
            obstacles.lines.push_back({x - 30, y - 1, 60, 2});
        }
        const auto places = place_labels(labels, obstacles, 6);
        REQUIRE(places.size() == labels.size());
        // Two points in a corner leave no room there, one point always does.
        CHECK((places.front() || count > 1));
        for (std::size_t i = 0; i < places.size(); ++i) {
            ++wished;
            if (!places[i]) continue;
            ++placed;
            CHECK(obstacles.area.holds(*places[i]));
            CHECK(places[i]->width == labels[i].width);
            for (const Box& point : obstacles.taken) CHECK_FALSE(places[i]->overlaps(point));
            for (std::size_t k = 0; k < i; ++k)
                if (places[k]) CHECK_FALSE(places[i]->overlaps(*places[k]));
        }
    }
    CHECK(placed > wished / 2);
    // Without a free position a label is omitted, instead of covering something.
    const PlotLabel label{10, 10, 50, 14};
    CHECK_FALSE(place_labels(std::span(&label, 1), {{0, 0, 40, 40}, {}, {}}, 6).front());
}

TEST_CASE(
    "a colour bar that has room for three labels has three ticks, on ranges around zero of every size") {
    Dice dice;
    const LabelWidth measure = [](std::string_view label) { return 6.0 * double(label.size()); };
    for (int round = 0; round < 500; ++round) {
        const double most = std::pow(10, dice.uniform(-9, 9));
        CAPTURE(most);
        for (int count = 3; count < 8; ++count) {
            const Ticks ticks = value_ticks({-most, most}, count);
            REQUIRE(ticks.marks.size() >= 3);
            REQUIRE(int(ticks.marks.size()) <= count);
        }
        const Ticks fitting = fitting_ticks(
            [&](int count) {
                return value_ticks({-most, most}, count);
            },
            dice.uniform(150, 400),
            4,
            measure);
        REQUIRE(fitting.marks.size() >= 3);
    }
}

TEST_CASE("the title of an axis says what its labels leave out") {
    CHECK(axis_title("Total", value_ticks({18040.0001, 18040.0006}, 5)) == "Total − 18040 (×10⁻⁴)");
    CHECK(axis_title("u", value_ticks({-300.6, -300.59999}, 5)).starts_with("u + 300"));
    CHECK(axis_title("Cells", value_ticks({0, 3e7}, 5)) == "Cells (×10⁷)");
    CHECK(axis_title("u", value_ticks({0, 1}, 5)) == "u");
}

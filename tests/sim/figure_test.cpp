#include "sim/figure/figure.h"

#include <fmt/format.h>

#include "sim/figure/canvas.h"
#include "sim/figure/raster.h"
#include "sim/figure/text.h"
#include "sim/figure/ticks.h"
#include "sim/text/parse.h"
#include "tests/support/fields.h"
#include "tests/support/picture.h"

namespace fs = std::filesystem;
using namespace stencil::figure;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T = double>
Array<T> random_array(int nx, int ny, double low = 0, double high = 1) {
    Array<T> array(nx, ny);
    Dice().fill(array.cells(), low, high);
    return array;
}

/// A figure as a PNG, with the box of its first panel, which is inside the widest dark grey frame.
struct Figure : Picture {
    int left = 0, top = 0, panel_width = 0, panel_height = 0;

    explicit Figure(const fs::path& path) : Picture(read_picture(path)) { find_panel(); }

    Rgb panel_at(int x, int y) const { return at({left + x, top + y}); }

  private:
    bool dark(int x, int y) const { return at({x, y}) == Rgb{0x1A, 0x1A, 0x1A}; }

    // The frame's lines are two pixels wide, one of them inside the panel. Ticks may lengthen them, and the
    // colour bar has equal height, so the sides are searched between the ends of the longest line.
    void find_panel() {
        int longest = 0, begin = 0, first = 0, last = 0;
        for (int y = 0; y < height; ++y) {
            for (int x = 0, run = 0; x < width; ++x) {
                run = dark(x, y) ? run + 1 : 0;
                if (run > longest) {
                    longest = run;
                    begin = x + 1 - run;
                    first = y;
                }
            }
        }
        const int middle = begin + longest / 2, end = begin + longest;
        for (int y = first; y < height; ++y)
            if (dark(middle, y) && dark(middle + longest / 4, y) && dark(middle - longest / 4, y)) last = y;
        const auto side = [&](int x) {
            for (int y = first; y <= last; ++y)
                if (!dark(x, y)) return false;
            return true;
        };
        while (begin < end && !side(begin)) ++begin;
        int right = end - 1;
        while (right > begin && !side(right)) --right;
        left = begin + 1;
        top = first + 1;
        panel_width = right - left;
        panel_height = last - top;
    }
};

std::string written(FigureFormat format, const FigurePanel& panel, const std::string& caption = "") {
    const ScratchFolder folder;
    write_figure(folder / "figure", format, {&panel, 1}, caption);
    return read_bytes(folder / "figure");
}

Figure png_of(const FigurePanel& panel, const std::string& caption = "") {
    const ScratchFolder folder;
    return Figure(write_bytes(folder / "figure.png", written(FigureFormat::png, panel, caption)));
}

int count_of(const std::string& text, const std::string& part) {
    int count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

double value_of(std::string label) {
    if (label.starts_with("−")) label.replace(0, std::string("−").size(), "-");
    return std::stod(label);
}

std::vector<std::string> labels_of(const Ticks& ticks) {
    std::vector<std::string> labels;
    for (const Tick& tick : ticks.marks) labels.push_back(tick.label);
    return labels;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("a PNG figure shows every cell of a small field in its colour, row 0 on top") {
    const Field field(random_array(7, 5, -2, 3));
    const Colormap& colors = colormap("viridis");
    const Figure picture = png_of({"Start", &field, &colors, {-2, 3}, "u"}, "a caption");
    REQUIRE(picture.panel_width > 500);
    CHECK(std::abs(picture.panel_width * 5 - picture.panel_height * 7) <= 7);
    for (int y = 0; y < 5; ++y) {
        for (int x = 0; x < 7; ++x) {
            const Rgb expected = colors.at(field.as<double>().at(x, y), {-2, 3});
            const int cell_x = (2 * x + 1) * picture.panel_width / 14,
                      cell_y = (2 * y + 1) * picture.panel_height / 10;
            INFO("cell " << x << ", " << y);
            CHECK(picture.panel_at(cell_x, cell_y) == expected);
            const int border = x * picture.panel_width / 7 + 3;
            CHECK(picture.panel_at(border, cell_y) == expected);
        }
    }
}

TEST_CASE("a PNG figure shows the mean of the cells where there are more cells than pixels") {
    const int nx = 1901, ny = 1500;
    const Field field(random_array<float>(nx, ny));
    const auto& cells = field.as<float>();
    const Colormap& colors = colormap("viridis");
    const Figure picture = png_of({"Start", &field, &colors, {0, 1}, "u"});
    REQUIRE(picture.panel_width > 400);
    REQUIRE(picture.panel_width < nx);
    const double wide = double(nx) / picture.panel_width, high = double(ny) / picture.panel_height;
    const auto overlap = [](int cell, double from, double to) {
        return std::max(0.0, std::min(cell + 1.0, to) - std::max(double(cell), from));
    };
    Dice dice;
    for (int trial = 0; trial < 200; ++trial) {
        const int px = dice.integer(2, picture.panel_width - 3),
                  py = dice.integer(2, picture.panel_height - 3);
        double sum = 0;
        for (int y = int(py * high); y < std::min(ny, int((py + 1) * high) + 1); ++y)
            for (int x = int(px * wide); x < std::min(nx, int((px + 1) * wide) + 1); ++x)
                sum += overlap(x, px * wide, (px + 1) * wide) * overlap(y, py * high, (py + 1) * high) *
                       cells.at(x, y);
        INFO("pixel " << px << ", " << py);
        CHECK(apart(picture.panel_at(px, py), colors.at(sum / (wide * high), {0, 1})) <= 3);
    }
}

TEST_CASE("an SVG figure holds its words and numbers as text") {
    const ScratchFolder folder;
    const Field field(random_array(600, 300)), laplacian(random_array(600, 300, -0.0034, 0.0034));
    const std::vector<FigurePanel> panels = {
        {"Start & <go>", &field, &colormap("inferno"), {0, 1}, "u"},
        {"Laplacian", &laplacian, &colormap("coolwarm"), {-0.0034, 0.0034}, "Laplacian of u"}};
    write_figure(folder / "figure.svg", FigureFormat::svg, panels, "seed 17,\n\"zero\" boundary \xff.");
    const std::string svg = read_bytes(folder / "figure.svg");
    CHECK(svg.starts_with("<?xml"));
    CHECK(svg.ends_with("</svg>\n"));
    for (const std::string& text :
         split("Start &amp; &lt;go&gt;|Laplacian|Laplacian of u|u|x (cells)|y (cells)|seed 17, "
               "&quot;zero&quot; boundary \uFFFD.|0.2|0.8|−2|3.40|×10⁻³|600",
               '|')) {
        INFO(text);
        CHECK(contains(svg, fmt::format(">{}</text>", text)));
    }
    CHECK(count_of(svg, ">x (cells)<") == 2);
    CHECK(count_of(svg, ">y (cells)<") == 1);
    CHECK(count_of(svg, "<image ") == 4);  // two panels, two colour bars
    CHECK_FALSE(contains(svg, ">-"));
}

TEST_CASE("colour bars of flat panels have arrows, and numbers at both ends") {
    const Field flat(random_array(400, 8));
    const FigurePanel panel{"Flat", &flat, &colormap("vik"), {0.123, 0.873, Scale::linear, true, true}, "u"};
    const std::vector<FigurePanel> three(3, panel);
    for (const double width : {3.0, 5.0, 8.0, 14.0}) {
        CAPTURE(width);
        const FigurePage page{3, "", {width * kPointsPerCm, 0}};
        CHECK(figure_bytes(FigureFormat::png, three, "", page).starts_with("\x89PNG"));
        const std::string svg = figure_bytes(FigureFormat::svg, three, "", page);
        CHECK(count_of(svg, ">0.12") == 3);
        CHECK(count_of(svg, ">0.87") == 3);
    }
}

TEST_CASE("figures are the same bytes when they are written again, and others for another field") {
    const Field field(random_array(90, 70)), other(random_array(90, 70));
    const FigurePanel panel{"Start", &field, &colormap("plasma"), {0, 1}, "u"},
        of_other{"Start", &other, &colormap("plasma"), {0, 1}, "u"};
    for (const auto& [format, start] : {std::pair{FigureFormat::pdf, "%PDF-"},
                                        std::pair{FigureFormat::svg, "<?xml"},
                                        std::pair{FigureFormat::png, "\x89PNG"}}) {
        const std::string first = written(format, panel, "caption");
        INFO(start);
        CHECK(first.starts_with(start));
        CHECK(first.size() > 2000);
        CHECK(first == written(format, panel, "caption"));
        CHECK(first != written(format, of_other, "caption"));
        CHECK_FALSE(contains(first, "CreationDate"));
    }
}

TEST_CASE("fields of every shape make figures of bounded size") {
    const std::pair<int, int> shapes[] = {
        {1, 1}, {1, 3000}, {3000, 1}, {3, 200}, {200, 3}, {2, 1}, {16384, 5}};
    for (const auto& [nx, ny] : shapes) {
        const Field field(random_array(nx, ny));
        const FigurePanel panel{"Start", &field, &colormap("turbo"), {0, 1}, "u"};
        INFO(nx << " x " << ny);
        const Figure picture = png_of(panel, "caption");
        CHECK(picture.width == 1200);
        CHECK(picture.height > 200);
        CHECK(picture.height < 2400);
        for (const auto format : {FigureFormat::svg, FigureFormat::pdf})
            CHECK(written(format, panel, "caption").size() < 4'000'000);
    }
}

TEST_CASE("a field that is constant has one colour and one tick") {
    const Colormap& colors = colormap("viridis");
    for (const auto& [nx, ny] : {std::pair{64, 64}, std::pair{1777, 1333}}) {
        const Field field(array_of(nx, ny, [](int, int) { return 0.3; }));
        const FigurePanel panel{"Constant", &field, &colors, {0.3, 0.3}, "u"};
        const Figure picture = png_of(panel);
        REQUIRE(picture.panel_width > 400);
        int others = 0;
        for (int y = 2; y < picture.panel_height - 2; ++y)
            for (int x = 2; x < picture.panel_width - 2; ++x)
                others += picture.panel_at(x, y) != colors.colors[0];
        CHECK(others == 0);
        CHECK(count_of(written(FigureFormat::svg, panel), ">0.3</text>") == 1);
    }
}

TEST_CASE("cells that are not finite are magenta, alone and among the cells of a pixel") {
    const Colormap& colors = colormap("inferno");
    Array<double> array = random_array(40, 20);
    array.at(8, 4) = kNan;
    array.at(30, 4) = kInfinity;
    array.at(30, 12) = -kInfinity;
    const Field field(std::move(array));
    for (const int shrink : {1, 4}) {
        const Raster raster = field_raster(field, colors, {0, 1}, 40 / shrink, 20 / shrink);
        const auto at = [&](int x, int y) {
            return raster
                .pixels[std::size_t(y / shrink) * std::size_t(raster.width) + std::size_t(x / shrink)];
        };
        CHECK(at(8, 4) == 0xff00ff);
        CHECK(at(30, 4) == 0xff00ff);
        CHECK(at(30, 12) == 0xff00ff);
        CHECK(std::ranges::count(raster.pixels, 0xff00ffu) == 3);
    }
}

TEST_CASE("ranges that no colour can show still make a figure") {
    const Field field(random_array(30, 20, -1, 1));
    const double largest = std::numeric_limits<double>::max();
    for (const ValueRange range : {ValueRange{-kInfinity, kInfinity},
                                   ValueRange{kNan, 1},
                                   ValueRange{0, kInfinity},
                                   ValueRange{-largest, largest},
                                   ValueRange{1, -1},
                                   ValueRange{0, 5e-324}}) {
        INFO(range.low << " to " << range.high);
        const std::string svg = written(FigureFormat::svg, {"Start", &field, &colormap("grey"), range, "u"});
        CHECK(svg.ends_with("</svg>\n"));
        CHECK_FALSE(contains(svg, "nan"));
        CHECK_FALSE(contains(svg, ">inf<"));
    }
}

TEST_CASE(
    "a figure that cannot be written is a MachineError that names the file, and leaves nothing behind") {
    const ScratchFolder folder;
    const Field field(random_array(30, 20));
    const FigurePanel panel{"Start", &field, &colormap("grey"), {0, 1}, "u"};
    const fs::path path = folder / "missing" / "figure.pdf";
    const std::string message = message_of<MachineError>([&] {
        write_figure(path, FigureFormat::pdf, {&panel, 1}, "");
    });
    CHECK(contains(message, path.string()));
    CHECK(folder.entries() == 0);

    // Wider than Cairo's largest image.
    const std::vector<FigurePanel> many(60, panel);
    CHECK_THROWS_AS(
        write_figure(folder / "figure.png", FigureFormat::png, many, "", {.columns = many.size()}),
        MachineError);
    CHECK(folder.entries() == 0);
}

TEST_CASE("colour bars have round ticks with a common number of decimals") {
    CHECK(labels_of(value_ticks({0, 1}, 10)) == Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"});
    CHECK(labels_of(value_ticks({-3.2, 4.1}, 4)) == Labels{"−2", "0", "2", "4"});
    CHECK(value_ticks({0, 1}, 10).note.empty());

    const Ticks tiny = value_ticks({1e-30, 2e-30}, 10);
    CHECK(tiny.note == "×10⁻³⁰");
    CHECK(labels_of(tiny) == Labels{"1.0", "1.2", "1.4", "1.6", "1.8", "2.0"});

    const Ticks huge = value_ticks({-1e12, 3e12}, 10);
    CHECK(huge.note == "×10¹²");
    CHECK(labels_of(huge) == Labels{"−1", "0", "1", "2", "3"});

    const Ticks near_300 = value_ticks({300.0001, 300.0006}, 10);
    CHECK(near_300.note == "×10⁻⁴ + 300");
    CHECK(labels_of(near_300) == Labels{"1", "2", "3", "4", "5", "6"});

    const Ticks constant = value_ticks({-2e-7, -2e-7}, 10);
    CHECK(constant.note == "×10⁻⁷");
    CHECK(labels_of(constant) == Labels{"−2"});
    CHECK(labels_of(value_ticks({0, 0}, 10)) == Labels{"0"});
    CHECK(labels_of(value_ticks({1, 1 + 1e-15}, 10)) == Labels{"1"});
    CHECK(value_ticks({0, kInfinity}, 10).marks.empty());
}

TEST_CASE("ticks stand where their labels say, for ranges of every size") {
    Dice dice;
    for (int trial = 0; trial < 2000; ++trial) {
        const double scale = std::pow(10.0, dice.uniform(-250, 250));
        const auto [low, high] = std::minmax({dice.uniform(-1, 1) * scale, dice.uniform(-1, 1) * scale});
        if (high - low < 1e-3 * scale) continue;  // labels are relative to an offset
        const Ticks ticks = value_ticks({low, high}, 10);
        INFO(fmt::format("{} to {}: {}", low, high, ticks.note));
        CHECK(ticks.marks.size() >= 3);
        CHECK(ticks.marks.size() <= 8);
        const double first = ticks.marks.front().position, last = ticks.marks.back().position;
        CHECK(first >= 0);
        CHECK(last <= 1);
        // Two ticks determine the unit in the note, a power of ten.
        const double a = value_of(ticks.marks.front().label), b = value_of(ticks.marks.back().label);
        const double unit = (last - first) * (high - low) / (b - a);
        CHECK(std::abs(std::log10(unit) - std::round(std::log10(unit))) < 1e-6);
        CHECK(ticks.note.empty() == (std::abs(std::log10(unit)) < 0.5));
        for (const Tick& tick : ticks.marks)
            CHECK(std::abs(value_of(tick.label) * unit - std::lerp(low, high, tick.position)) <
                  1e-6 * (high - low));
        CHECK(std::abs(value_of(ticks.low) * unit - low) < 5e-3 * (high - low));
        CHECK(std::abs(value_of(ticks.high) * unit - high) < 5e-3 * (high - low));
    }
}

TEST_CASE("the ends of a narrow colour bar have short labels, which differ") {
    const auto ends = [](ValueRange range, int digits) { return labels_of(end_ticks(range, digits)); };
    CHECK(ends({-3.21e-8, 4.567e-8}, 2) == Labels{"−3.2e−8", "4.6e−8"});
    CHECK(ends({0.96, 1.04}, 1) == Labels{"0.96", "1"});
    CHECK(ends({300.0001, 300.0006}, 2) == Labels{"300.0001", "300.0006"});
    CHECK(ends({1.5e-13, 0.784}, 3) == Labels{"0", "0.784"});
    CHECK(ends({1.5e-13, 0.784, Scale::log}, 2) == Labels{"1.5e−13", "0.78"});
    CHECK(ends({-2e-7, -2e-7}, 3) == Labels{"−2e−7"});
}

TEST_CASE("the ends of a colour bar are labelled where there is room, and nothing touches them") {
    CHECK(value_ticks({0, 0.5039}, 6).low == "0.0");
    CHECK(value_ticks({0, 0.5039}, 6).high == "0.504");
    Dice dice;
    const LabelWidth measure = [](std::string_view label) { return 6.0 * double(label.size()); };
    constexpr double kGap = 4;
    for (int trial = 0; trial < 500; ++trial) {
        const auto [low, high] = std::minmax({dice.uniform(-1, 1), dice.uniform(-1, 1)});
        const double length = dice.uniform(40, 400);
        const Ticks ticks = with_ends(value_ticks({low, high}, 9), length, kGap, measure);
        CAPTURE(low, high, length);
        const bool room = measure(ticks.low) + kGap + measure(ticks.high) <= length;
        REQUIRE((ticks.marks.front().label == ticks.low && ticks.marks.back().label == ticks.high) >= room);
        if (!room) continue;
        CHECK(ticks.marks.front().position == 0);
        CHECK(ticks.marks.back().position == 1);
        REQUIRE(ticks.marks.size() >= 3);
        for (std::size_t i = 1; i + 1 < ticks.marks.size(); ++i) {
            if (ticks.marks[i].label.empty()) continue;
            const double half = measure(ticks.marks[i].label) / 2, middle = ticks.marks[i].position * length;
            CHECK(middle - half >= measure(ticks.low) + kGap);
            CHECK(middle + half <= length - measure(ticks.high) - kGap);
        }
    }
}

TEST_CASE("bars of logarithmic and symlog scales have powers of ten, where their values are") {
    for (const ValueRange& range : {ValueRange{2e-4, 3, Scale::log},
                                    ValueRange{1e-30, 1e5, Scale::log},
                                    ValueRange{-0.5, 40, Scale::symlog},
                                    ValueRange{-1e-7, 1e-7, Scale::symlog}})
        for (const int most : {3, 5, 9}) {
            CAPTURE(range.low, range.high, most);
            const Ticks ticks = value_ticks(range, most);
            REQUIRE(ticks.marks.size() >= 2);
            CHECK(int(ticks.marks.size()) <= most);
            for (const Tick& tick : ticks.marks) {
                const double value = value_at(tick.position, range);
                CAPTURE(tick.label, value);
                if (tick.label == "0") {
                    CHECK(std::abs(value) < 1e-9 * range.high);
                    continue;
                }
                const double mantissa =
                    std::abs(value) / std::pow(10.0, std::floor(std::log10(std::abs(value)) + 1e-9));
                CHECK(std::min({std::abs(mantissa - 1), std::abs(mantissa - 2), std::abs(mantissa - 5)}) <
                      1e-6);
                CHECK(tick.label.starts_with("−") == (value < 0));
            }
        }
    CHECK(labels_of(value_ticks({-1e-3, 10, Scale::symlog}, 9)) == Labels{"0", "0.1", "1", "10"});
    CHECK(value_ticks({1, 1.2, Scale::log}, 5).low == "1.00");
}

TEST_CASE("axes have ticks at whole cells") {
    CHECK(labels_of(cell_ticks({0, 500}, 8)) == Labels{"0", "100", "200", "300", "400", "500"});
    CHECK(labels_of(cell_ticks({0, 3}, 8)) == Labels{"0", "1", "2", "3"});
    CHECK(labels_of(cell_ticks({0, 1}, 8)) == Labels{"0", "1"});
    CHECK(labels_of(cell_ticks({0, 16384}, 5)) == Labels{"0", "5000", "10000", "15000"});
    CHECK(std::abs(cell_ticks({0, 16384}, 5).marks.back().position - 15000.0 / 16384) < 1e-12);
}

TEST_CASE("captions are broken into lines that fit, without losing a word") {
    std::string text = "stencilscope run";
    for (int i = 0; i < 40; ++i) text += fmt::format(" --option{} größer", i * i * i);
    const auto lines = wrap_text(text, 300, 8);
    CHECK(lines.size() > 5);
    std::string joined;
    for (const std::string& line : lines) {
        CHECK(text_width(line, 8) <= 300);
        joined += (joined.empty() ? "" : " ") + line;
    }
    CHECK(joined == text);

    const std::string word(200, 'm');
    std::string pieces;
    for (const std::string& line : wrap_text(word, 100, 8)) pieces += line;
    CHECK(pieces == word);
    CHECK(wrap_text("ab", 0.1, 8) == Labels{"a", "b"});
}

TEST_CASE("titles shrink, and lose their end where that is not enough") {
    const std::string title = "Größe nach 400 Schritten";
    const double natural = text_width(title, 12);
    CHECK(fit_text(title, natural + 1, 12, 8).size == 12);
    const FittedText smaller = fit_text(title, natural * 0.8, 12, 8);
    CHECK(smaller.text == title);
    CHECK(std::abs(text_width(smaller.text, smaller.size) - natural * 0.8) < 0.5);
    const FittedText cut = fit_text(title, natural * 0.4, 12, 8);
    CHECK(cut.text.ends_with("…"));
    CHECK(text_width(cut.text, cut.size) <= natural * 0.4);
    CHECK(clean_text(cut.text) == cut.text);
}

#include "app/window/panels/plots/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "app/window/format.h"
#include "app/window/panels/widgets.h"
#include "sim/figure/ticks.h"

namespace stencil {
namespace {

struct Span {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;

    void take(double value) {
        if (!std::isfinite(value)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    double share(double value) const { return (value - low) / (high - low); }
    bool is_point() const { return low == high; }
};

Span span_of(std::span<const double> values) {
    Span span;
    for (const double value : values) span.take(value);
    return span.low <= span.high ? span : Span{0, 1};
}

// With room around values that are all the same.
Span widened(Span span) {
    if (!span.is_point()) return span;
    const double room = std::max(std::abs(span.low) * 1e-3, 1e-12);
    return {span.low - room, span.high + room};
}

// A rectangle of the screen in which x and y are drawn.
struct Area {
    ImVec2 least, most;
    Span x, y;

    ImVec2 at(double px, double py) const {
        return {least.x + float(x.share(px)) * (most.x - least.x),
                most.y - float(y.share(py)) * (most.y - least.y)};
    }
};

// A line through each pixel column's extremes where there are more points than columns.
void draw_line(ImDrawList* list, const Area& area, std::span<const double> x, std::span<const double> y) {
    const ImU32 color = ImGui::GetColorU32(ImGuiCol_PlotLines);
    const float thickness = std::max(1.0f, em(0.09f));
    const std::size_t columns = std::size_t(std::max(1.0f, area.most.x - area.least.x));
    const std::size_t stride = std::max<std::size_t>(1, x.size() / columns);
    std::optional<ImVec2> last;
    // Piece by piece: ImGui's polylines thin out where a line turns back sharply.
    const auto go_to = [&](ImVec2 point) {
        if (last) list->AddLine(*last, point, color, thickness);
        last = point;
    };
    if (x.size() == 1 && std::isfinite(y[0]))
        list->AddCircleFilled(area.at(x[0], y[0]), 2 * thickness, color);
    for (std::size_t i = 0; i < x.size(); i += stride) {
        const auto part = y.subspan(i, std::min(stride, x.size() - i));
        Span extremes;
        for (const double value : part) extremes.take(value);
        if (!(extremes.low <= extremes.high)) {
            last.reset();
            continue;
        }
        go_to(area.at(x[i], extremes.low));
        if (extremes.low < extremes.high) go_to(area.at(x[i], extremes.high));
    }
}

void draw_bars(ImDrawList* list, const Area& area, std::span<const double> y) {
    const ImU32 color = ImGui::GetColorU32(ImGuiCol_PlotHistogram);
    const float width = (area.most.x - area.least.x) / float(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
        const float left = area.least.x + width * float(i);
        const float top = area.at(area.x.low, y[i]).y;
        if (y[i] > 0)
            list->AddRectFilled(ImVec2(left, std::min(top, area.most.y - 1)),
                                ImVec2(std::max(left + 1, left + width - (width > 6 ? 1 : 0)), area.most.y),
                                color);
    }
}

void draw_text(ImDrawList* list, ImVec2 at, ImU32 color, const std::string& text, float align) {
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    list->AddText(ImVec2(at.x - align * width, at.y), color, text.c_str());
}

// What stands at the axes.
struct Labels {
    figure::Ticks y;
    std::string y_title;
    std::string x_low, x_high;
};

// An end of the x axis: as many decimals as tell the ends apart, unless that is mostly zeros.
std::string end_label(double value, const Span& x) {
    constexpr double kMinSpan = 1e-2;
    const double span = x.high - x.low;
    return span > 0 && span < kMinSpan ? figure::number_text(value, 3) : format_in_span(value, span);
}

Labels labels_of(const PlotLook& look, const Span& x, const Span& y) {
    constexpr int kMaxTicks = 5;
    Labels labels{figure::value_ticks({y.low, y.high}, kMaxTicks), look.y_label, end_label(x.low, x), ""};
    // One value alone can be written out.
    if (y.is_point()) labels.y = {{{0.5, format_value(y.low)}}, ""};
    if (!labels.y.note.empty()) labels.y_title = fmt::format("{}  ({})", look.y_label, labels.y.note);
    if (!x.is_point()) labels.x_high = end_label(x.high, x);
    return labels;
}

float widest_label(const Labels& labels) {
    float width = 0;
    for (const figure::Tick& tick : labels.y.marks)
        width = std::max(width, ImGui::CalcTextSize(tick.label.c_str()).x);
    return width;
}

// Frame, round values of y with lines across, the ends of x, and what the axes are.
void draw_axes(ImDrawList* list, const Area& area, const PlotLook& look, const Labels& labels) {
    const ImU32 text = ImGui::GetColorU32(faint_color());
    const ImU32 grid = ImGui::GetColorU32(ImGuiCol_Separator);
    const float line = ImGui::GetTextLineHeight();
    const float label_x = area.least.x - em(0.4f);
    list->AddRectFilled(area.least, area.most, ImGui::GetColorU32(ImGuiCol_FrameBg));
    for (const figure::Tick& tick : labels.y.marks) {
        const float y = area.most.y - float(tick.position) * (area.most.y - area.least.y);
        list->AddLine(ImVec2(area.least.x, y), ImVec2(area.most.x, y), grid);
        draw_text(list, ImVec2(label_x, y - line / 2), text, tick.label, 1);
    }
    list->AddRect(area.least, area.most, grid);
    const float below = area.most.y + em(0.2f);
    draw_text(list, ImVec2(area.least.x, below), text, labels.x_low, 0);
    draw_text(list, ImVec2((area.least.x + area.most.x) / 2, below), text, look.x_label, 0.5f);
    draw_text(list, ImVec2(area.most.x, below), text, labels.x_high, 1);
    draw_text(list, ImVec2(area.least.x, area.least.y - line - em(0.25f)), text, labels.y_title, 0);
}

void draw_hover(ImDrawList* list,
                const Area& area,
                const PlotLook& look,
                std::span<const double> x,
                std::span<const double> y) {
    const ImVec2 mouse = ImGui::GetMousePos();
    const double share = std::clamp<double>((mouse.x - area.least.x) / (area.most.x - area.least.x), 0, 1);
    const double wanted = area.x.low + share * (area.x.high - area.x.low);
    auto found = std::ranges::lower_bound(x, wanted);
    if (found == x.end() || (found != x.begin() && wanted - *(found - 1) < *found - wanted)) --found;
    const std::size_t i = std::size_t(found - x.begin());
    const float at = area.at(x[i], area.y.low).x;
    list->AddLine(ImVec2(at, area.least.y), ImVec2(at, area.most.y), ImGui::GetColorU32(ImGuiCol_Text));
    // Finer than the axis' labels.
    const double fine = (area.y.high - area.y.low) / 100;
    const std::string text = fmt::format(
        "{}: {}\n{}: {}", look.x_label, format_short(x[i], 8), look.y_label, format_in_span(y[i], fine));
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(text.c_str());
    ImGui::EndTooltip();
}

}  // namespace

void draw_plot(const PlotLook& look, std::span<const double> x, std::span<const double> y) {
    if (x.empty() || x.size() != y.size()) return;
    const float line = ImGui::GetTextLineHeight();
    const ImVec2 size(ImGui::GetContentRegionAvail().x, em(6) + 2 * line + em(0.6f));
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton(look.id, ImVec2(std::max(1.0f, size.x), size.y));
    Span across = span_of(x), up = span_of(y);
    if (look.bars) {
        // The bars stand around their points.
        const double half = x.size() > 1 ? (x[1] - x[0]) / 2 : 0;
        across = {across.low - half, across.high + half};
        up = {0, up.high > 0 ? up.high : 1};
    }
    const Labels labels = labels_of(look, across, up);
    Area area{{}, {}, widened(across), widened(up)};
    area.least = ImVec2(corner.x + widest_label(labels) + em(0.4f), corner.y + line + em(0.3f));
    area.most = ImVec2(corner.x + size.x - 1, corner.y + size.y - line - em(0.3f));
    if (area.most.x - area.least.x < em(2)) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_axes(list, area, look, labels);
    list->PushClipRect(area.least, area.most, true);
    if (look.bars)
        draw_bars(list, area, y);
    else
        draw_line(list, area, x, y);
    list->PopClipRect();
    if (ImGui::IsItemHovered()) draw_hover(list, area, look, x, y);
}

void draw_sparkline(std::span<const double> values, ImVec2 size) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::Dummy(size);
    if (values.empty()) return;
    std::vector<double> x(values.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = double(i);
    const float pad = em(0.15f);
    Area area{{}, {}, widened(span_of(x)), widened(span_of(values))};
    area.least = ImVec2(corner.x, corner.y + pad);
    area.most = ImVec2(corner.x + size.x, corner.y + size.y - pad);
    draw_line(ImGui::GetWindowDrawList(), area, x, values);
}

}  // namespace stencil

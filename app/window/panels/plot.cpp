#include "app/window/panels/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "app/window/format.h"
#include "app/window/panels/widgets.h"

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
    std::string label(double value) const { return format_in_span(value, high - low); }
};

Span span_of(std::span<const double> values) {
    Span span;
    for (const double value : values) span.take(value);
    if (!(span.low <= span.high)) return {0, 1};
    if (span.low == span.high) {
        const double room = std::max(std::abs(span.low) * 1e-3, 1e-12);
        span.low -= room;
        span.high += room;
    }
    return span;
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
                                ImVec2(std::max(left + 1, left + width - (width > 3 ? 1 : 0)), area.most.y),
                                color);
    }
}

void draw_text(ImDrawList* list, ImVec2 at, ImU32 color, const std::string& text, float align) {
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    list->AddText(ImVec2(at.x - align * width, at.y), color, text.c_str());
}

// Frame, the ends of both axes, a middle line, and what the axes are.
void draw_axes(ImDrawList* list, const Area& area, const PlotLook& look) {
    const ImU32 text = ImGui::GetColorU32(faint_color());
    const ImU32 grid = ImGui::GetColorU32(ImGuiCol_Separator);
    const float line = ImGui::GetTextLineHeight();
    const float middle = (area.least.y + area.most.y) / 2;
    list->AddRectFilled(area.least, area.most, ImGui::GetColorU32(ImGuiCol_FrameBg));
    list->AddLine(ImVec2(area.least.x, middle), ImVec2(area.most.x, middle), grid);
    list->AddRect(area.least, area.most, grid);
    const float label_x = area.least.x - em(0.4f);
    const double y_middle = (area.y.low + area.y.high) / 2;
    draw_text(list, ImVec2(label_x, area.least.y - line / 2), text, area.y.label(area.y.high), 1);
    draw_text(list, ImVec2(label_x, middle - line / 2), text, area.y.label(y_middle), 1);
    draw_text(list, ImVec2(label_x, area.most.y - line / 2), text, area.y.label(area.y.low), 1);
    const float below = area.most.y + em(0.2f);
    draw_text(list, ImVec2(area.least.x, below), text, area.x.label(area.x.low), 0);
    draw_text(list, ImVec2((area.least.x + area.most.x) / 2, below), text, look.x_label, 0.5f);
    draw_text(list, ImVec2(area.most.x, below), text, area.x.label(area.x.high), 1);
    draw_text(list, ImVec2(area.least.x, area.least.y - line - em(0.25f)), text, look.y_label, 0);
}

void draw_hover(ImDrawList* list, const Area& area, std::span<const double> x, std::span<const double> y) {
    const ImVec2 mouse = ImGui::GetMousePos();
    const double share = std::clamp<double>((mouse.x - area.least.x) / (area.most.x - area.least.x), 0, 1);
    const double wanted = area.x.low + share * (area.x.high - area.x.low);
    auto found = std::ranges::lower_bound(x, wanted);
    if (found == x.end() || (found != x.begin() && wanted - *(found - 1) < *found - wanted)) --found;
    const std::size_t i = std::size_t(found - x.begin());
    const float at = area.at(x[i], area.y.low).x;
    list->AddLine(ImVec2(at, area.least.y), ImVec2(at, area.most.y), ImGui::GetColorU32(ImGuiCol_Text));
    const std::string text = fmt::format("{}: {}", format_short(x[i], 6), format_short(y[i], 6));
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(text.c_str());
    ImGui::EndTooltip();
}

float widest_label(const Span& y) {
    float width = 0;
    for (const double value : {y.low, (y.low + y.high) / 2, y.high})
        width = std::max(width, ImGui::CalcTextSize(y.label(value).c_str()).x);
    return width;
}

}  // namespace

void draw_plot(const PlotLook& look, std::span<const double> x, std::span<const double> y) {
    if (x.empty() || x.size() != y.size()) return;
    const float line = ImGui::GetTextLineHeight();
    const ImVec2 size(ImGui::GetContentRegionAvail().x, em(6) + 2 * line + em(0.6f));
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton(look.id, ImVec2(std::max(1.0f, size.x), size.y));
    Area area{{}, {}, span_of(x), span_of(y)};
    if (look.bars) area.y.low = 0;
    area.least = ImVec2(corner.x + widest_label(area.y) + em(0.4f), corner.y + line + em(0.3f));
    area.most = ImVec2(corner.x + size.x - 1, corner.y + size.y - line - em(0.3f));
    if (area.most.x - area.least.x < em(2)) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_axes(list, area, look);
    list->PushClipRect(area.least, area.most, true);
    if (look.bars)
        draw_bars(list, area, y);
    else
        draw_line(list, area, x, y);
    list->PopClipRect();
    if (ImGui::IsItemHovered()) draw_hover(list, area, x, y);
}

void draw_sparkline(std::span<const double> values, ImVec2 size) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::Dummy(size);
    if (values.empty()) return;
    std::vector<double> x(values.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = double(i);
    const float pad = em(0.15f);
    Area area{{}, {}, span_of(x), span_of(values)};
    area.least = ImVec2(corner.x, corner.y + pad);
    area.most = ImVec2(corner.x + size.x, corner.y + size.y - pad);
    draw_line(ImGui::GetWindowDrawList(), area, x, values);
}

}  // namespace stencil

#include "app/window/panels/plots/plot.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "app/window/canvas/canvas_painter.h"
#include "app/window/format.h"
#include "app/window/panels/widgets/widgets.h"

namespace stencil {
namespace {

ImVec2 at(figure::Point point) {
    return {float(point.x), float(point.y)};
}

Rgb style_color(const ImVec4& color) {
    return rgb_of(ImGui::ColorConvertFloat4ToU32(color));
}

class ImGuiSurface : public figure::Surface {
  public:
    // Draws segments one by one, because ImGui's polylines become thin at sharp corners.
    void path(std::span<const figure::Point> points, const figure::Stroke& stroke) override {
        double part = 0;  // length drawn of the present dash or gap, which continue around corners
        bool drawn = true;
        for (std::size_t i = 1, last = 0; i < points.size(); ++i) {
            const figure::Point from = points[last], to = points[i];
            const double length = std::hypot(to.x - from.x, to.y - from.y);
            if (length < 0.7) continue;  // less than a pixel from the previous point
            const auto along = [&](double distance) {
                return at(
                    {std::lerp(from.x, to.x, distance / length), std::lerp(from.y, to.y, distance / length)});
            };
            for (double done = 0; done < length;) {
                const double end = stroke.dash > 0 ? std::min(length, done + stroke.dash - part) : length;
                if (drawn) list_->AddLine(along(done), along(end), packed(stroke.color), float(stroke.width));
                part += end - done;
                done = end;
                if (stroke.dash <= 0 || part < stroke.dash - 1e-3) continue;
                part = 0;
                drawn = !drawn;
            }
            last = i;
        }
    }

    void fill(std::span<const figure::Point> polygon, Rgb color) override {
        for (const figure::Point& point : polygon) list_->PathLineTo(at(point));
        list_->PathFillConvex(packed(color));
    }

    void text(std::string_view text, figure::Point baseline, const figure::TextStyle& style) override {
        const ImFont* font = ImGui::GetFont();
        const double width = text_width(text, style.size);
        const double rise = font->Ascent * style.size / font->FontSize;
        list_->AddText(font,
                       float(style.size),
                       at({baseline.x - width * int(style.anchor) / 2, baseline.y - rise}),
                       packed(style.color),
                       text.data(),
                       text.data() + text.size());
    }

    double text_width(std::string_view text, double size) const override {
        return ImGui::GetFont()
            ->CalcTextSizeA(float(size), 1e9f, 0, text.data(), text.data() + text.size())
            .x;
    }

  private:
    ImDrawList* list_ = ImGui::GetWindowDrawList();
};

figure::ChartStyle window_style() {
    const auto color = [](ImGuiCol index) { return style_color(ImGui::GetStyleColorVec4(index)); };
    return {.text = ImGui::GetFontSize(),
            .line = std::max(1.0f, em(0.11f)),
            .hair = 1,
            .marker = em(0.22f),
            .dash = em(0.45f),
            .ink = color(ImGuiCol_Text),
            .faint = style_color(faint_color()),
            .grid = color(ImGuiCol_Separator),
            .ground = color(ImGuiCol_FrameBg),
            .ink_share = 0.25};
}

// Reserves the area of a plot in its window.
figure::Box reserve(const char* id, float height) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const ImVec2 size(std::max(1.0f, ImGui::GetContentRegionAvail().x), std::max(1.0f, height));
    ImGui::InvisibleButton(id, size);
    return {corner.x, corner.y, size.x - 1, size.y};
}

struct Nearest {
    const figure::ChartSeries* series = nullptr;
    const figure::ChartPoint* point = nullptr;
};

Nearest nearest_to_mouse(const figure::ChartMap& map, const figure::Chart& chart) {
    const ImVec2 mouse = ImGui::GetMousePos();
    Nearest found;
    double least = INFINITY;
    for (const figure::ChartSeries& series : chart.series)
        for (const figure::ChartPoint& point : series.points) {
            if (!map.axes.holds(point)) continue;
            const figure::Point place = map.at(point.x, point.y);
            const bool course = !series.markers || series.bars;
            const double away =
                course ? std::abs(place.x - mouse.x) : std::hypot(place.x - mouse.x, place.y - mouse.y);
            if (away >= (course ? map.box.width : em(1.5f)) || away >= least) continue;
            least = away;
            found = {&series, &point};
        }
    return found;
}

// Formats a value with more digits than the axis labels.
std::string told(const figure::Axis& axis, double value) {
    if (axis.logarithmic) return format_short(value, 6);
    return format_in_span(value, (axis.range.high - axis.range.low) / 100);
}

void draw_hover(const figure::ChartMap& map, const figure::Chart& chart, const AboutSeries& about) {
    const auto [series, point] = nearest_to_mouse(map, chart);
    if (!point) return;
    draw_ring(map, point->x, point->y);
    std::string text = series->name;
    if (!point->label.empty()) text += (text.empty() ? "" : ", ") + point->label;
    if (!text.empty()) text += "\n";
    text += fmt::format("{}: {}\n{}: {}",
                        chart.x_label,
                        format_short(point->x, 8),
                        chart.y_label,
                        told(map.axes.y, point->y));
    if (!point->note.empty()) text += "\n" + point->note;
    if (about) {  // more than fits at the mouse
        if (!begin_tooltip(0)) return;
        ImGui::TextUnformatted(text.c_str());
        about(series->name);
        return end_tooltip();
    }
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(text.c_str());
    ImGui::EndTooltip();
}

}  // namespace

figure::ChartMap draw_plot(const figure::Chart& chart, float height, const AboutSeries& about) {
    const figure::Box area = reserve(chart.id.c_str(), height);
    if (!ImGui::IsItemVisible()) return {};
    const bool hovered = ImGui::IsItemHovered();
    ImGuiSurface surface;
    const figure::ChartMap map = draw_chart(surface, chart, area, window_style());
    if (hovered && map.drawn()) draw_hover(map, chart, about);
    return map;
}

void draw_dot_plot(const figure::DotChart& chart) {
    const figure::ChartStyle style = window_style();
    ImGuiSurface surface;
    draw_dots(surface, chart, reserve("dots", float(height_of(chart, style))), style);
}

void draw_ring(const figure::ChartMap& map, double x, double y) {
    if (!map.drawn() || !map.axes.holds({x, y})) return;
    ImGui::GetWindowDrawList()->AddCircle(
        at(map.at(x, y)), em(0.42f), ImGui::GetColorU32(ImGuiCol_Text), 0, em(0.1f));
}

}  // namespace stencil

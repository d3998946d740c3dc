#include "app/window/panels/plots/speed_plot.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "app/window/format.h"
#include "app/window/panels/widgets.h"
#include "sim/figure/ticks.h"

namespace stencil {
namespace {

constexpr float kHeight = 13;  // in font sizes
constexpr int kMaxTicks = 7;

struct Plot {
    ImDrawList* list;
    ImVec2 least, most;

    float x(double share) const { return least.x + float(share) * (most.x - least.x); }
    float y(double share) const { return most.y - float(share) * (most.y - least.y); }
    ImVec2 at(const SpeedChart& chart, double edge, double speed) const {
        return {x(chart.across(edge)), y(chart.up(speed))};
    }
};

void draw_text(const Plot& plot, ImVec2 at, ImU32 color, const std::string& text, float align) {
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    plot.list->AddText(ImVec2(at.x - align * width, at.y), color, text.c_str());
}

void draw_axes(const Plot& plot, const figure::Ticks& edges, const figure::Ticks& speeds) {
    const ImU32 grid = ImGui::GetColorU32(ImGuiCol_Separator);
    const ImU32 text = ImGui::GetColorU32(faint_color());
    const float line = ImGui::GetTextLineHeight();
    plot.list->AddRectFilled(plot.least, plot.most, ImGui::GetColorU32(ImGuiCol_FrameBg));
    for (const figure::Tick& tick : edges.marks) {
        const float x = plot.x(tick.position);
        plot.list->AddLine(ImVec2(x, plot.least.y), ImVec2(x, plot.most.y), grid);
        draw_text(plot, ImVec2(x, plot.most.y + em(0.2f)), text, tick.label, 0.5f);
    }
    for (const figure::Tick& tick : speeds.marks) {
        const float y = plot.y(tick.position);
        plot.list->AddLine(ImVec2(plot.least.x, y), ImVec2(plot.most.x, y), grid);
        draw_text(plot, ImVec2(plot.least.x - em(0.4f), y - line / 2), text, tick.label, 1);
    }
    plot.list->AddRect(plot.least, plot.most, grid);
    draw_text(plot, ImVec2(plot.least.x, plot.least.y - line - em(0.25f)), text, "GCells/s", 0);
    draw_text(plot,
              ImVec2((plot.least.x + plot.most.x) / 2, plot.most.y + line + em(0.3f)),
              text,
              "edge of the field (cells)",
              0.5f);
}

void draw_limits(const Plot& plot, const SpeedChart& chart) {
    const ImU32 color = ImGui::GetColorU32(ImGuiCol_Text);
    const float dash = em(0.4f);
    for (const SpeedLimit& limit : chart.limits) {
        const float y = plot.y(chart.up(limit.gcells_per_s));
        for (float x = plot.least.x; x < plot.most.x; x += 2 * dash)
            plot.list->AddLine(ImVec2(x, y), ImVec2(std::min(x + dash, plot.most.x), y), color);
        draw_text(plot,
                  ImVec2(plot.least.x + em(0.4f), y - ImGui::GetTextLineHeight()),
                  color,
                  fmt::format("{}: {}", limit.name, format_figures(limit.gcells_per_s)),
                  0);
    }
}

void draw_curves(const Plot& plot, const SpeedChart& chart) {
    const float radius = em(0.22f);
    for (const SpeedCurve& curve : chart.curves) {
        const ImU32 color = line_color(curve.color);
        std::optional<ImVec2> last;
        for (const MethodSpeed& point : curve.points) {
            const ImVec2 at = plot.at(chart, point.edge, point.gcells_per_s);
            if (last) plot.list->AddLine(*last, at, color, em(0.12f));
            plot.list->AddCircleFilled(at, radius, color);
            last = at;
        }
    }
}

// Beside the curves' last points, apart from each other.
void draw_names(const Plot& plot, const SpeedChart& chart) {
    struct Name {
        const SpeedCurve* curve;
        ImVec2 at;
    };
    std::vector<Name> names;
    for (const SpeedCurve& curve : chart.curves) {
        const MethodSpeed& end = curve.points.back();
        names.push_back({&curve, plot.at(chart, end.edge, end.gcells_per_s)});
    }
    std::ranges::sort(names, {}, [](const Name& name) { return name.at.y; });
    const float line = ImGui::GetTextLineHeight();
    float free = plot.least.y;
    for (const Name& name : names) {
        const float y = std::max(name.at.y - line / 2, free);
        free = y + line;
        const float width = ImGui::CalcTextSize(name.curve->name.c_str()).x;
        const float gap = em(0.5f);
        const bool beyond = name.at.x + gap + width > plot.most.x;
        draw_text(plot,
                  ImVec2(beyond ? name.at.x - gap : name.at.x + gap, y),
                  line_color(name.curve->color),
                  name.curve->name,
                  beyond ? 1.0f : 0.0f);
    }
}

const MethodSpeed* nearest(const Plot& plot, const SpeedChart& chart) {
    const ImVec2 mouse = ImGui::GetMousePos();
    const MethodSpeed* found = nullptr;
    float least = em(1.2f);
    for (const SpeedCurve& curve : chart.curves)
        for (const MethodSpeed& point : curve.points) {
            const ImVec2 at = plot.at(chart, point.edge, point.gcells_per_s);
            const float distance = std::hypot(at.x - mouse.x, at.y - mouse.y);
            if (distance < least) {
                least = distance;
                found = &point;
            }
        }
    return found;
}

std::string told(const MethodSpeed* point, const RunningSpeed& now) {
    const long long edge = std::llround(point ? point->edge : now.edge);
    std::string text =
        "What the methods reached in this session, and the limits of the machine: copies of all cells, one "
        "step a pass, and instructions, three a cell. The ring is the run.";
    if (point)
        text = fmt::format(
            "{}: {} GCells/s, {}",
            point->method->name,
            format_figures(point->gcells_per_s),
            point->error ? fmt::format("error {:.1e} from float64", *point->error) : "as the run goes");
    return text + fmt::format("\nstencilscope bench --size {}", edge);
}

float widest_label(const figure::Ticks& ticks) {
    float width = 0;
    for (const figure::Tick& tick : ticks.marks)
        width = std::max(width, ImGui::CalcTextSize(tick.label.c_str()).x);
    return width;
}

}  // namespace

void draw_speed_plot(const SpeedChart& chart, const RunningSpeed& now) {
    const float line = ImGui::GetTextLineHeight();
    const ImVec2 size(ImGui::GetContentRegionAvail().x, em(kHeight));
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton("speeds", ImVec2(std::max(1.0f, size.x), size.y));
    const figure::Ticks edges = figure::log_ticks(chart.edges, kMaxTicks);
    const figure::Ticks speeds = figure::log_ticks(chart.speeds, kMaxTicks);
    const Plot plot{ImGui::GetWindowDrawList(),
                    ImVec2(corner.x + widest_label(speeds) + em(0.4f), corner.y + line + em(0.3f)),
                    ImVec2(corner.x + size.x - 1, corner.y + size.y - 2 * line - em(0.4f))};
    if (plot.most.x - plot.least.x < em(4)) return;
    draw_axes(plot, edges, speeds);
    plot.list->PushClipRect(plot.least, plot.most, true);
    draw_limits(plot, chart);
    draw_curves(plot, chart);
    draw_names(plot, chart);
    if (now.gcells_per_s > 0)
        plot.list->AddCircle(plot.at(chart, now.edge, now.gcells_per_s),
                             em(0.45f),
                             ImGui::GetColorU32(ImGuiCol_Text),
                             0,
                             em(0.12f));
    plot.list->PopClipRect();
    if (ImGui::IsItemHovered()) tooltip(told(nearest(plot, chart), now));
}

}  // namespace stencil

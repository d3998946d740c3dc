#include "app/window/panels/plots/report_plot.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/window/format.h"
#include "app/window/panels/widgets.h"
#include "sim/examples/report/curve_axes.h"

namespace stencil {
namespace {

struct Plot {
    ImDrawList* list;
    ImVec2 least, most;
    CurveAxes axes;

    bool shows(double x, double y) const { return axes.x.holds(x) && axes.y.holds(y); }
    ImVec2 at(double x, double y) const {
        return {least.x + float(axes.x.place(x)) * (most.x - least.x),
                most.y - float(axes.y.place(y)) * (most.y - least.y)};
    }
};

void draw_text(const Plot& plot, ImVec2 at, ImU32 color, const std::string& text, float align) {
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    plot.list->AddText(ImVec2(at.x - align * width, at.y), color, text.c_str());
}

float widest_label(const figure::Ticks& ticks) {
    float width = 0;
    for (const figure::Tick& tick : ticks.marks)
        width = std::max(width, ImGui::CalcTextSize(tick.label.c_str()).x);
    return width;
}

std::string with_note(const std::string& label, const figure::Ticks& ticks) {
    return ticks.note.empty() ? label : fmt::format("{}  ({})", label, ticks.note);
}

// Of very many powers of ten only every so many.
figure::Ticks thinned(figure::Ticks ticks, int most) {
    const std::size_t stride = (ticks.marks.size() + std::size_t(most) - 1) / std::size_t(most);
    std::vector<figure::Tick> kept;
    for (std::size_t i = 0; i < ticks.marks.size(); i += stride) kept.push_back(std::move(ticks.marks[i]));
    ticks.marks = std::move(kept);
    return ticks;
}

// As many as stand apart from each other on so many pixels.
figure::Ticks ticks_across(const CurveAxis& axis, float length) {
    constexpr int kMin = 2, kMax = 9;
    for (int most = kMax;; --most) {
        const figure::Ticks ticks = thinned(axis.ticks(most), most);
        if (most == kMin || float(ticks.marks.size()) * (widest_label(ticks) + em(0.8f)) <= length)
            return ticks;
    }
}

figure::Ticks ticks_up(const CurveAxis& axis, float length) {
    const int most = std::max(2, int(length / (1.6f * ImGui::GetTextLineHeight())));
    return thinned(axis.ticks(most), most);
}

void draw_axes(const Plot& plot,
               const ReportCurve& curve,
               const figure::Ticks& across,
               const figure::Ticks& up) {
    const ImU32 grid = ImGui::GetColorU32(ImGuiCol_Separator);
    const ImU32 text = ImGui::GetColorU32(faint_color());
    const float line = ImGui::GetTextLineHeight();
    plot.list->AddRectFilled(plot.least, plot.most, ImGui::GetColorU32(ImGuiCol_FrameBg));
    for (const figure::Tick& tick : across.marks) {
        const float x = plot.least.x + float(tick.position) * (plot.most.x - plot.least.x);
        plot.list->AddLine(ImVec2(x, plot.least.y), ImVec2(x, plot.most.y), grid);
        draw_text(plot, ImVec2(x, plot.most.y + em(0.2f)), text, tick.label, 0.5f);
    }
    for (const figure::Tick& tick : up.marks) {
        const float y = plot.most.y - float(tick.position) * (plot.most.y - plot.least.y);
        plot.list->AddLine(ImVec2(plot.least.x, y), ImVec2(plot.most.x, y), grid);
        draw_text(plot, ImVec2(plot.least.x - em(0.4f), y - line / 2), text, tick.label, 1);
    }
    plot.list->AddRect(plot.least, plot.most, grid);
    draw_text(
        plot, ImVec2(plot.least.x, plot.least.y - line - em(0.25f)), text, with_note(curve.y_label, up), 0);
    draw_text(plot,
              ImVec2((plot.least.x + plot.most.x) / 2, plot.most.y + line + em(0.3f)),
              text,
              with_note(curve.x_label, across),
              0.5f);
}

// Lines in dashes that go on around corners.
class Dashes {
  public:
    Dashes(ImDrawList* list, ImU32 color, float width) : list_(list), color_(color), width_(width) {}

    void draw(ImVec2 from, ImVec2 to) {
        const float length = std::hypot(to.x - from.x, to.y - from.y);
        const auto at = [&](float distance) {
            const float share = length > 0 ? distance / length : 0;
            return ImVec2(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y));
        };
        for (float done = 0; done < length;) {
            const float end = std::min(length, done + dash_ - part_);
            if (drawn_) list_->AddLine(at(done), at(end), color_, width_);
            part_ += end - done;
            done = end;
            if (part_ < dash_ - 1e-3f) continue;
            part_ = 0;
            drawn_ = !drawn_;
        }
    }

  private:
    ImDrawList* list_;
    ImU32 color_;
    float width_;
    float dash_ = em(0.45f), part_ = 0;
    bool drawn_ = true;
};

void draw_line(const Plot& plot, const ReportSeries& series, ImU32 color) {
    const float width = std::max(1.0f, em(0.11f));
    Dashes dashes(plot.list, color, width);
    std::optional<ImVec2> last;
    for (const ReportPoint& point : series.points) {
        if (!plot.shows(point.x, point.y)) {
            last.reset();
            continue;
        }
        const ImVec2 at = plot.at(point.x, point.y);
        // Of points closer than a pixel the first one stands for all.
        if (last && std::hypot(at.x - last->x, at.y - last->y) < 0.7f) continue;
        if (last && series.dashed) dashes.draw(*last, at);
        if (last && !series.dashed) plot.list->AddLine(*last, at, color, width);
        last = at;
    }
}

void draw_markers(const Plot& plot, const ReportSeries& series, ImU32 color) {
    const float radius = em(0.22f);
    // Where they would only thicken the line they are left out.
    const bool crowded = series.line && float(series.points.size()) * 3 * radius > plot.most.x - plot.least.x;
    for (const ReportPoint& point : series.points) {
        if (!plot.shows(point.x, point.y)) continue;
        const ImVec2 at = plot.at(point.x, point.y);
        if (series.markers && (!crowded || !point.label.empty()))
            plot.list->AddCircleFilled(at, radius, color);
        if (point.marked) plot.list->AddCircle(at, em(0.5f), ImGui::GetColorU32(ImGuiCol_Text), 0, em(0.13f));
    }
}

// Small boxes along a line.
void cover_line(const Plot& plot, const ReportSeries& series, std::vector<PlotBox>& boxes) {
    const float step = em(0.4f), half = em(0.12f);
    ImVec2 from;
    bool joined = false;  // the point to the one before
    for (const ReportPoint& point : series.points) {
        if (!plot.shows(point.x, point.y)) {
            joined = false;
            continue;
        }
        const ImVec2 at = plot.at(point.x, point.y);
        const ImVec2 way(at.x - from.x, at.y - from.y);
        const float length = joined ? std::hypot(way.x, way.y) : 0;
        if (joined && length < step) continue;
        const int count = int(length / step);
        for (int i = 0; i < count; ++i) {
            const float share = (float(i) + 0.5f) / float(count);
            const ImVec2 middle(from.x + share * way.x, from.y + share * way.y);
            boxes.push_back({middle.x - half, middle.y - half, middle.x + half, middle.y + half});
        }
        from = at;
        joined = true;
    }
}

struct Wish {
    const ReportPoint* point;
    ImU32 color;
};

// Marked points choose first.
std::vector<Wish> label_wishes(const Plot& plot, const ReportCurve& curve) {
    std::vector<Wish> wishes;
    for (std::size_t i = 0; i < curve.series.size(); ++i)
        for (const ReportPoint& point : curve.series[i].points)
            if (plot.shows(point.x, point.y) && !point.label.empty())
                wishes.push_back({&point, line_color(series_color(i))});
    std::ranges::stable_sort(
        wishes, std::ranges::greater(), [](const Wish& wish) { return wish.point->marked; });
    return wishes;
}

// A label that finds no place is told by the tooltip alone.
void draw_point_labels(const Plot& plot, const ReportCurve& curve) {
    const std::vector<Wish> wishes = label_wishes(plot, curve);
    if (wishes.empty()) return;
    // A little beyond the frame, for points that lie on it.
    const float beyond = em(0.3f);
    const PlotBox area{plot.least.x, plot.least.y - beyond, plot.most.x, plot.most.y + beyond};
    PlotObstacles obstacles{area, {}, {}};
    const float radius = em(0.22f);
    for (const ReportSeries& series : curve.series) {
        if (series.line) cover_line(plot, series, obstacles.lines);
        for (const ReportPoint& point : series.points) {
            if (!series.markers || !plot.shows(point.x, point.y)) continue;
            const ImVec2 at = plot.at(point.x, point.y);
            obstacles.taken.push_back({at.x - radius, at.y - radius, at.x + radius, at.y + radius});
        }
    }
    std::vector<PlotLabel> labels;
    for (const Wish& wish : wishes) {
        const ImVec2 at = plot.at(wish.point->x, wish.point->y);
        const ImVec2 size = ImGui::CalcTextSize(wish.point->label.c_str());
        labels.push_back({at.x, at.y, size.x, size.y});
    }
    const auto places = place_labels(labels, std::move(obstacles), em(0.45f));
    plot.list->PushClipRect(ImVec2(area.left, area.top), ImVec2(area.right, area.bottom));
    for (std::size_t i = 0; i < wishes.size(); ++i) {
        if (!places[i]) continue;
        const ImU32 color = wishes[i].point->marked ? ImGui::GetColorU32(ImGuiCol_Text) : wishes[i].color;
        draw_text(plot, ImVec2(places[i]->left, places[i]->top), color, wishes[i].point->label, 0);
    }
    plot.list->PopClipRect();
}

void draw_moving(const Plot& plot, const LivePoint& moving) {
    if (!plot.shows(moving.x, moving.y)) return;
    const ImVec2 at = plot.at(moving.x, moving.y);
    const ImU32 color = ImGui::GetColorU32(ImGuiCol_SliderGrabActive);
    plot.list->AddLine(ImVec2(plot.least.x, at.y), ImVec2(plot.most.x, at.y), color);
    plot.list->AddLine(ImVec2(at.x, plot.least.y), ImVec2(at.x, plot.most.y), color);
    plot.list->AddCircleFilled(at, em(0.35f), color);
    plot.list->AddCircle(at, em(0.35f), ImGui::GetColorU32(ImGuiCol_Text), 0, em(0.1f));
}

// Samples of the lines with their names, in as many lines as they need.
void draw_legend(const ReportCurve& curve) {
    if (curve.series.size() < 2) return;
    const float sample = em(1.6f), gap = em(0.4f), apart = em(1.2f);
    const float line = ImGui::GetTextLineHeight();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImDrawList* list = ImGui::GetWindowDrawList();
    ImVec2 at(0, 0);
    for (std::size_t i = 0; i < curve.series.size(); ++i) {
        const ReportSeries& series = curve.series[i];
        const float own = sample + gap + ImGui::CalcTextSize(series.name.c_str()).x;
        if (at.x > 0 && at.x + own > width) at = ImVec2(0, at.y + line + em(0.15f));
        const ImVec2 left(corner.x + at.x, corner.y + at.y + line / 2);
        const ImVec2 right(left.x + sample, left.y);
        const ImU32 color = line_color(series_color(i));
        if (series.line && series.dashed) Dashes(list, color, em(0.12f)).draw(left, right);
        if (series.line && !series.dashed) list->AddLine(left, right, color, em(0.12f));
        if (series.markers) list->AddCircleFilled(ImVec2(left.x + sample / 2, left.y), em(0.22f), color);
        list->AddText(
            ImVec2(right.x + gap, corner.y + at.y), ImGui::GetColorU32(ImGuiCol_Text), series.name.c_str());
        at.x += own + apart;
    }
    ImGui::Dummy(ImVec2(width, at.y + line));
}

struct Nearest {
    const ReportSeries* series = nullptr;
    const ReportPoint* point = nullptr;
};

Nearest nearest_to_mouse(const Plot& plot, const ReportCurve& curve) {
    const ImVec2 mouse = ImGui::GetMousePos();
    Nearest found;
    float least = em(1.5f);
    for (const ReportSeries& series : curve.series)
        for (const ReportPoint& point : series.points) {
            if (!plot.shows(point.x, point.y)) continue;
            const ImVec2 at = plot.at(point.x, point.y);
            const float distance = std::hypot(at.x - mouse.x, at.y - mouse.y);
            if (distance >= least) continue;
            least = distance;
            found = {&series, &point};
        }
    return found;
}

// At once, for the point under the mouse; there is nothing to explain elsewhere.
void draw_hover(const Plot& plot, const ReportCurve& curve) {
    const auto [series, point] = nearest_to_mouse(plot, curve);
    if (!point) return;
    plot.list->AddCircle(
        plot.at(point->x, point->y), em(0.4f), ImGui::GetColorU32(ImGuiCol_Text), 0, em(0.1f));
    std::string text = series->name;
    if (!point->label.empty()) text += (text.empty() ? "" : ", ") + point->label;
    if (!text.empty()) text += "\n";
    text += fmt::format(
        "{}: {}\n{}: {}", curve.x_label, format_short(point->x, 6), curve.y_label, format_short(point->y, 6));
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(text.c_str());
    ImGui::EndTooltip();
}

}  // namespace

void draw_report_plot(const ReportCurve& curve, float height, const LivePoint* moving) {
    ImGui::PushID(curve.id.c_str());
    paragraph(curve.title, ImGui::GetStyleColorVec4(ImGuiCol_Text));
    draw_legend(curve);
    const float line = ImGui::GetTextLineHeight();
    const ImVec2 size(ImGui::GetContentRegionAvail().x, height);
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton("plot", ImVec2(std::max(1.0f, size.x), std::max(1.0f, size.y)));
    Plot plot{ImGui::GetWindowDrawList(), {}, {}, axes_of(curve)};
    plot.least.y = corner.y + line + em(0.3f);
    plot.most.y = corner.y + size.y - 2 * line - em(0.4f);
    const figure::Ticks up = ticks_up(plot.axes.y, plot.most.y - plot.least.y);
    plot.least.x = corner.x + widest_label(up) + em(0.4f);
    plot.most.x = corner.x + size.x - em(0.6f);
    if (plot.most.x - plot.least.x >= em(4) && plot.most.y - plot.least.y >= em(3)) {
        draw_axes(plot, curve, ticks_across(plot.axes.x, plot.most.x - plot.least.x), up);
        plot.list->PushClipRect(plot.least, plot.most, true);
        for (std::size_t i = 0; i < curve.series.size(); ++i) {
            if (curve.series[i].line) draw_line(plot, curve.series[i], line_color(series_color(i)));
            draw_markers(plot, curve.series[i], line_color(series_color(i)));
        }
        draw_point_labels(plot, curve);
        if (moving) draw_moving(plot, *moving);
        plot.list->PopClipRect();
        if (ImGui::IsItemHovered()) draw_hover(plot, curve);
    }
    ImGui::PopID();
}

}  // namespace stencil

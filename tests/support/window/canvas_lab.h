// A canvas with an emulated mouse, and an engine that answers every request at the next frame.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "app/window/canvas/canvas.h"
#include "tests/support/window/imgui_panels.h"

namespace stencil_test {

using namespace stencil;

inline constexpr CanvasColors kColors{IM_COL32(20, 20, 24, 255),
                                      IM_COL32(230, 230, 230, 255),
                                      IM_COL32(140, 140, 140, 255),
                                      IM_COL32(90, 90, 90, 255),
                                      IM_COL32(250, 180, 60, 255),
                                      IM_COL32(250, 80, 60, 255)};

/// Returns the larger of the distances along the axes.
inline double apart(SamplePoint a, SamplePoint b) {
    return std::max(std::abs(a.x - b.x), std::abs(a.y - b.y));
}

/// The canvas takes the whole frame buffer of 1000x700 pixels.
struct Lab : HeadlessImGui {
    explicit Lab(FieldSize field_size = {2000, 1500}, float framebuffer_scale = 1)
        : HeadlessImGui(1000 / framebuffer_scale, 700 / framebuffer_scale),
          framebuffer(framebuffer_scale),
          field(field_size) {
        ImGui::GetIO().DisplayFramebufferScale = {framebuffer, framebuffer};
        ImGui::GetIO().ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
        draw = [this] {
            if (panel) {
                begin_window("panel", 300, 700);
                ImGui::End();
            }
            output = canvas.update(ui, snapshot, {{0, 0, 1000, 700}, kColors, ImGui::GetTime()});
        };
        snapshot.now.size = Size{field.nx, field.ny};
        snapshot.running = true;
        frame();
    }

    void frame() {
        drawn = snapshot.frame;
        frames();
        if (answers) answer();
    }

    void answer() {
        auto next = std::make_shared<Frame>();
        next->nx = field.nx;
        next->ny = field.ny;
        for (const PaneRequest& pane : output.request.panes)
            next->panes.push_back({pane, std::make_shared<Pixels>(), {-1, 1}, "viridis"});
        if (output.request.numbers) {
            const CellBlock& block = *output.request.numbers;
            next->numbers =
                Numbers{block, std::vector<double>(std::size_t(block.nx) * std::size_t(block.ny), -0.25)};
        }
        snapshot.frame = next;
    }

    /// Moves to a pixel of the frame buffer.
    void move(double px, double py) {
        hands.x = float(px) / framebuffer;
        hands.y = float(py) / framebuffer;
        frame();
    }
    void press(bool& button) {
        button = true;
        frame();
    }
    void release(bool& button) {
        button = false;
        frame();
    }
    void click(bool& button) {
        press(button);
        release(button);
    }
    void wheel(float notches) {
        hands.wheel = notches;
        frame();
    }
    /// Presses at one point, moves to another in so many parts, releases.
    void drag(bool& button, SamplePoint from, SamplePoint to, int parts = 5) {
        move(from.x, from.y);
        press(button);
        for (int i = 1; i <= parts; ++i)
            move(from.x + (to.x - from.x) * i / parts, from.y + (to.y - from.y) * i / parts);
        release(button);
    }

    PaneSlot slot(std::size_t index = 0) {
        const double line = ImGui::GetFontSize() * framebuffer;
        std::vector<Pane> places = ui.panes;
        if (ui.plots.width > 0) places.push_back(Pane::now);
        slots = stencil::lay_out(places, {0, 0, 1000, 700}, line, field, ui.preferences.axes);
        return slots[index];
    }
    SamplePoint cell(double px, double py, std::size_t index = 0) {
        return stencil::cell_at(ui.view, slot(index).picture, px, py);
    }
    template <class T>
    std::vector<T> sent() const {
        return actions_of<T>(ui);
    }

    float framebuffer;
    FieldSize field;
    UiState ui;
    Snapshot snapshot;
    Canvas canvas;
    CanvasOutput output;
    std::shared_ptr<const Frame> drawn;  ///< the frame with the output's images
    std::vector<PaneSlot> slots;
    bool panel = false;
    bool answers = true;
};

}  // namespace stencil_test

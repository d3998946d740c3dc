// The gallery: ready runs and models, chosen by their pictures.
#include <fmt/format.h>

#include <algorithm>

#include "app/window/panels/commands.h"
#include "app/window/panels/gallery/gallery_tile.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"

namespace stencil {
namespace {

constexpr float kTile = 6.8f;  // in font sizes
constexpr float kBeside = 12;  // width of a run's title and sentence, in font sizes

// Arranges tiles of this width in as many columns as fit. Returns true if one was clicked.
template <class F>
void draw_group(GalleryRow::Kind kind, float width, F&& tile) {
    const float spacing = ImGui::GetStyle().ItemSpacing.x;
    const int columns = std::max(1, int((ImGui::GetContentRegionAvail().x + spacing) / (width + spacing)));
    const auto rows = gallery_rows();
    int drawn = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].kind != kind) continue;
        if (drawn++ % columns != 0) ImGui::SameLine(0, spacing);
        tile(i, rows[i].name);
    }
}

}  // namespace

void draw_gallery(UiState& ui, const Snapshot& snapshot) {
    if (!ui.gallery.open) return;
    const ImVec2 share(0.96f, 0.96f), most(em(69), em(48));
    if (begin_over_canvas("Gallery", &ui.gallery.open, ui.canvas, share, most, ImGuiCond_Appearing)) {
        subtitle("Runs", "Each begins with a field and settings of its own, and runs on");
        draw_group(GalleryRow::Kind::run, em(kTile + kBeside), [&](std::size_t i, std::string_view name) {
            if (!gallery_tile(ui, i, {em(kTile), false, em(kBeside)}, fmt::format("--spec {}", name))) return;
            ui.act(action::Open{std::string(name)});
            ui.gallery.open = false;
        });
        subtitle("Models", "Equations, each with a field to begin with; the panel Equation has their text");
        draw_group(GalleryRow::Kind::model, em(kTile), [&](std::size_t i, std::string_view name) {
            const bool chosen = name == snapshot.now.model->name;
            if (!gallery_tile(ui, i, {em(kTile), chosen}, fmt::format("--model {}", name))) return;
            begin_model(ui, name);
            ui.gallery.open = false;
        });
    }
    ImGui::End();
}

}  // namespace stencil

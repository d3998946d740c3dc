// All presets, to choose from by their pictures.
#include <fmt/format.h>

#include <algorithm>

#include "app/window/display/gallery_texture.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets.h"

namespace stencil {
namespace {

constexpr float kTile = 6.8f;  // in sizes of the font

// Where the picture is in the texture, and how much of the tile it takes.
void draw_picture(const UiState& ui, std::size_t index, const GalleryPicture& picture, ImVec2 least) {
    constexpr float kSide = GalleryPicture::kSide;
    const float side = em(kTile);
    const ImVec2 size(side * float(picture.nx) / kSide, side * float(picture.ny) / kSide);
    const ImVec2 at(least.x + (side - size.x) / 2, least.y + (side - size.y) / 2);
    const float columns = GalleryTexture::kColumns;
    const float rows = float(GalleryTexture::rows(ui.gallery.pictures.size()));
    const float left = float(index % GalleryTexture::kColumns), top = float(index / GalleryTexture::kColumns);
    const ImVec2 from(left / columns, top / rows);
    const ImVec2 to((left + float(picture.nx) / kSide) / columns, (top + float(picture.ny) / kSide) / rows);
    ImGui::GetWindowDrawList()->AddImage(
        (ImTextureID)ui.gallery.texture, at, ImVec2(at.x + size.x, at.y + size.y), from, to);
}

// True where it was clicked.
bool draw_tile(const UiState& ui, std::size_t index, bool chosen) {
    const Preset& preset = presets()[index];
    const auto picture = index < ui.gallery.pictures.size() ? ui.gallery.pictures[index] : nullptr;
    const float side = em(kTile), pad = em(0.25f), text = 2.1f * ImGui::GetTextLineHeight();
    const ImVec2 least = ImGui::GetCursorScreenPos();
    const bool clicked = ImGui::InvisibleButton(preset.name.data(), ImVec2(side, side + pad + text));
    const ImVec2 most(least.x + side, least.y + side);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(least, most, ImGui::GetColorU32(ImGuiCol_FrameBg), pad);
    const bool hovered = ImGui::IsItemHovered();
    if (picture && !picture->pixels.empty() && ui.gallery.texture != 0)
        draw_picture(ui, index, *picture, least);
    if (hovered || chosen)
        list->AddRect(
            least, most, ImGui::GetColorU32(ImGuiCol_SliderGrabActive), 0, 0, std::max(1.0f, em(0.12f)));
    const std::string title = picture ? picture->title : std::string(preset.name);
    const ImVec4 clip(least.x, most.y, most.x, most.y + pad + text);
    list->AddText(ImGui::GetFont(),
                  ImGui::GetFontSize(),
                  ImVec2(least.x, most.y + pad),
                  ImGui::GetColorU32(ImGuiCol_Text),
                  title.c_str(),
                  nullptr,
                  side,
                  &clip);
    tooltip(fmt::format("{}\n--model {}", title, preset.name));
    return clicked;
}

}  // namespace

void draw_gallery(UiState& ui, const Snapshot& snapshot) {
    if (!ui.gallery.open) return;
    const ImVec2 share(0.96f, 0.96f), most(em(66), em(48));
    if (begin_over_canvas("Gallery", &ui.gallery.open, ui.canvas, share, most, ImGuiCond_Appearing)) {
        const float spacing = ImGui::GetStyle().ItemSpacing.x;
        const int columns =
            std::max(1, int((ImGui::GetContentRegionAvail().x + spacing) / (em(kTile) + spacing)));
        for (std::size_t i = 0; i < presets().size(); ++i) {
            if (int(i) % columns != 0) ImGui::SameLine(0, spacing);
            if (!draw_tile(ui, i, presets()[i].name == snapshot.now.model->name)) continue;
            begin_model(ui, presets()[i].name);
            ui.gallery.open = false;
        }
    }
    ImGui::End();
}

}  // namespace stencil

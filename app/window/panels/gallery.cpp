
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

#include "app/window/display/gallery_texture.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"

namespace stencil {
namespace {

// Begins a new line after the hyphens of words that are wider than this; ImGui would break them anywhere.
std::string broken_at_hyphens(std::string_view text, float width) {
    std::string broken;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, std::min(text.find(' '), text.size() - 1) + 1);
        text.remove_prefix(word.size());
        const std::size_t hyphen = word.rfind('-');
        const bool breaks = hyphen != word.npos && text_width(word) > width;
        broken += word.substr(0, breaks ? hyphen + 1 : word.size());
        if (breaks) broken.append("\n").append(word.substr(hyphen + 1));
    }
    return broken;
}

// Draws wrapped text, clipped to its area. Returns its height.
float draw_text(std::string_view text, ImVec2 at, ImVec2 most, ImGuiCol color) {
    const ImVec4 clip(at.x, at.y, most.x, most.y);
    const float width = most.x - at.x;
    const std::string broken = broken_at_hyphens(text, width);
    const char* begin = broken.data();
    const char* end = begin + broken.size();
    ImGui::GetWindowDrawList()->AddText(
        ImGui::GetFont(), ImGui::GetFontSize(), at, ImGui::GetColorU32(color), begin, end, width, &clip);
    return ImGui::CalcTextSize(begin, end, false, width).y;
}

constexpr float kTile = 6.8f;  // in font sizes
constexpr float kBeside = 12;  // width of a run's title and sentence, in font sizes

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& letter : lower) letter = char(std::tolower(static_cast<unsigned char>(letter)));
    return lower;
}

// Whether the row's name, title or sentence contains the searched text.
bool is_found(const GalleryView& gallery, std::size_t index) {
    const GalleryPicture* picture = index < gallery.pictures.size() ? gallery.pictures[index].get() : nullptr;
    const std::string text = fmt::format("{}\n{}\n{}",
                                         gallery_rows()[index].name,
                                         picture ? picture->title : "",
                                         picture ? picture->about : "");
    return lower_case(text).find(lower_case(gallery.search)) != std::string::npos;
}

// Arranges tiles of at least this width in as many columns as fit, which share the room equally.
template <class F>
void draw_group(const GalleryView& gallery, GalleryRow::Kind kind, float width, F&& tile) {
    const float spacing = ImGui::GetStyle().ItemSpacing.x;
    const float room = ImGui::GetContentRegionAvail().x + spacing;
    const int columns = std::max(1, int(room / (width + spacing)));
    const float share = std::floor(room / float(columns) - spacing);
    const auto rows = gallery_rows();
    int drawn = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].kind != kind || !is_found(gallery, i)) continue;
        if (drawn++ % columns != 0) ImGui::SameLine(0, spacing);
        tile(i, rows[i].name, share);
    }
}

}  // namespace

bool has_thumbnail(const Thumbnails& thumbnails, std::size_t index) {
    return index < thumbnails.pictures.size() && thumbnails.pictures[index] &&
           !thumbnails.pictures[index]->pixels.empty() && thumbnails.texture != 0;
}

void draw_thumbnail(const Thumbnails& thumbnails, std::size_t index, ImVec2 at, float side) {
    const GalleryPicture& picture = *thumbnails.pictures[index];
    constexpr float kSide = GalleryPicture::kSide;
    const ImVec2 size(side * float(picture.nx) / kSide, side * float(picture.ny) / kSide);
    const ImVec2 least(at.x + (side - size.x) / 2, at.y + (side - size.y) / 2);
    const float columns = GalleryTexture::kColumns;
    const float rows = float(GalleryTexture::rows(thumbnails.pictures.size()));
    const float left = float(index % GalleryTexture::kColumns), top = float(index / GalleryTexture::kColumns);
    const ImVec2 from(left / columns, top / rows);
    const ImVec2 to((left + float(picture.nx) / kSide) / columns, (top + float(picture.ny) / kSide) / rows);
    ImGui::GetWindowDrawList()->AddImage(
        (ImTextureID)thumbnails.texture, least, ImVec2(least.x + size.x, least.y + size.y), from, to);
}

bool gallery_tile(UiState& ui, std::size_t index, const TileLook& look, std::string_view option) {
    GalleryView& gallery = ui.gallery;
    gallery.wanted = true;
    const std::string_view name = gallery_rows()[index].name;
    const auto picture = index < gallery.pictures.size() ? gallery.pictures[index] : nullptr;
    const std::string title = picture ? picture->title : "";
    const float pad = em(0.25f), lines = 2.1f * ImGui::GetTextLineHeight();
    const bool beside = look.text_beside > 0;
    const ImVec2 least = ImGui::GetCursorScreenPos();
    const float side = std::max(1.0f, look.side);  // a panel may have no room at all
    const ImVec2 corner(least.x + side, least.y + side);
    const ImVec2 most =
        beside ? ImVec2(corner.x + look.text_beside, corner.y) : ImVec2(corner.x, corner.y + pad + lines);
    const bool clicked =
        ImGui::InvisibleButton(std::string(name).c_str(), ImVec2(most.x - least.x, most.y - least.y));
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(least, corner, ImGui::GetColorU32(ImGuiCol_FrameBg), pad);
    if (has_thumbnail(gallery, index)) draw_thumbnail(gallery, index, least, side);
    if (ImGui::IsItemHovered() || look.chosen)
        list->AddRect(
            least, corner, ImGui::GetColorU32(ImGuiCol_SliderGrabActive), 0, 0, std::max(1.0f, em(0.12f)));
    if (beside) {
        const ImVec2 at(corner.x + 2 * pad, least.y);
        const float height = draw_text(title, at, most, ImGuiCol_Text);
        if (picture) draw_text(picture->about, ImVec2(at.x, at.y + height), most, ImGuiCol_TextDisabled);
    } else {
        draw_text(title, ImVec2(least.x, corner.y + pad), most, ImGuiCol_Text);
    }
    // The tooltip leaves out the words that are drawn beside the picture.
    const bool says = !beside && picture && !picture->about.empty();
    tooltip(beside ? std::string(option)
                   : fmt::format("{}{}{}\n{}", title, says ? "\n" : "", says ? picture->about : "", option));
    return clicked;
}

void draw_gallery(UiState& ui, const Snapshot& snapshot) {
    if (!ui.gallery.open) return;
    over_canvas(ui, "Gallery", ui.gallery.open, {{0.96f, 0.96f}, {69, 48}}, [&] {
        ImGui::SetNextItemWidth(em(16));
        text_input("##search", "Search", ui.gallery.search, "Shows what has this in its title or sentence");
        ui.gallery.wanted = true;  // though the search finds nothing yet
        subtitle("Runs", "Complete examples with their own start and settings");
        draw_group(ui.gallery,
                   GalleryRow::Kind::run,
                   em(kTile + kBeside),
                   [&](std::size_t i, std::string_view name, float width) {
                       const TileLook look{em(kTile), false, std::max(1.0f, width - em(kTile))};
                       if (!gallery_tile(ui, i, look, fmt::format("--spec {}", name))) return;
                       ui.act(action::Open{std::string(name)});
                       ui.gallery.open = false;
                   });
        subtitle("Models", "Equations with an initial condition; their text is in the section Equation");
        draw_group(
            ui.gallery, GalleryRow::Kind::model, em(kTile), [&](std::size_t i, std::string_view name, float) {
                const bool chosen = name == snapshot.now.model->name;
                if (!gallery_tile(ui, i, {em(kTile), chosen}, fmt::format("--model {}", name))) return;
                begin_model(ui, name);
                ui.gallery.open = false;
            });
    });
}

}  // namespace stencil

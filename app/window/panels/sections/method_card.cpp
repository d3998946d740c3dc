// A card for each method: what it does, why it is faster, what limits it, and a picture of that.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"

namespace stencil {
namespace {

struct MethodCard {
    std::string_view method, model;
    std::string_view advantage, limit;
    MethodPicture picture;
    std::string_view heading = "Why it is faster";  ///< of its advantage
};

// kernels/README.md compares the methods at more length.
const MethodCard* card_of(const Method& method) {
    static const MethodCard cards[] = {
        {"reference",
         kDiffusion,
         "the others are compared with it",
         "one thread, which takes one cell after the other",
         {.cells = {".......h......", "......h#h.....", ".......h......"},
          .legend = "A cell and the neighbours that its step reads"},
         "What it is for"},
        {"cpu",
         kDiffusion,
         "rows make up to 32 steps while they are in the L1 cache, so memory is read and written once in 32 "
         "steps; cells are arranged so that all neighbours are whole vectors",
         "arithmetic, and bringing rows into that order",
         {.boxes = {"memory", "4 rows in L1:\n32 steps", "memory"},
          .legend = "Rows move down a strip of the field; each thread has strips"}},
        {"spectral",
         kDiffusion,
         "each mode is multiplied once by its growth over all steps, so the time does not depend on their "
         "number",
         "the transforms; it rounds once per call",
         {.boxes = {"field", "modes:\n\xc3\x97 growth^n", "field"},
          .legend = "A transform, a factor per mode for n steps, and back"}},
        {"naive",
         kDiffusion,
         "a row of threads reads a row of cells in one access; neighbours come from the caches, and no "
         "thread "
         "waits for another",
         "memory: too few bytes are under way at a time",
         {.cells = {"..hhhhhhhhhh..", ".h##########h.", "..hhhhhhhhhh.."},
          .legend = "A thread per cell; what it reads of other rows is in the caches"}},
        {"tiled",
         kDiffusion,
         "a thread has 8 cells and several loads under way, each of 16 bytes; only the halo of a 128x8 tile "
         "is read twice",
         "memory: 98 to 100% of the speed of a copy",
         {.cells = {"..hhhhhhhhhhhhhhhh..",
                    ".hAAAABBBBAAAABBBBh.",
                    ".hAAAABBBBAAAABBBBh.",
                    ".hAAAABBBBAAAABBBBh.",
                    "..hhhhhhhhhhhhhhhh.."},
          .legend = "A tile: each thread has 4 cells next to each other, in several rows, and its halo"}},
        {"streaming",
         kDiffusion,
         "memory is read and written once in 16 steps (temporal blocking); the warps of a block are a "
         "pipeline",
         "instructions: 77% of the slots for issuing them",
         {.boxes = {"memory", "warp 0:\n1-4", "warp 1:\n5-8", "warp 2:\n9-12", "warp 3:\n13-16", "memory"},
          .legend = "A block walks down a strip; each warp makes 4 of the 16 steps"}},
        {"resident",
         kDiffusion,
         "while it steps nothing is read from memory and nothing is launched",
         "the exchanges; the field has to fit into the registers of the GPU",
         {.cells = {"#####h.h#####h.h#####",
                    "#####h.h#####h.h#####",
                    "#####h.h#####h.h#####",
                    "hhhhh...hhhhh...hhhhh",
                    ".....................",
                    "hhhhh...hhhhh...hhhhh",
                    "#####h.h#####h.h#####"},
          .legend = "A tile per multiprocessor stays in registers; halos are exchanged every few steps"}},
        {"reference",
         kEquation,
         "the others are compared with it",
         "decoding each operation anew for each cell",
         {.cells = {".......h......", "......h#h.....", ".......h......"},
          .legend = "A cell and the neighbours that its formulas read"},
         "What it is for"},
        {"cpu",
         kEquation,
         "an operation is decoded once for a row of a tile, or compiled as C where there is a compiler; a "
         "tile makes several steps while it is in the cache",
         "loads of neighbours, and the L2 cache",
         {.boxes = {"memory", "tile of rows:\nseveral steps", "memory"},
          .legend = "Each thread takes tiles, whose halo is computed twice"}},
        {"generated",
         kEquation,
         "the formulas are compiled for this GPU; fused kernels make several steps per pass over memory, "
         "resident ones keep the field on the chip; the fastest takes over",
         "single steps: memory, 98% of the speed of a copy; the others: instructions",
         {.boxes = {"formulas", "CUDA", "single steps,\nfused or resident"},
          .legend = "Compiled while single steps go on, and timed on the present field"}},
        {"fast",
         kEquation,
         "dt and the middle of Laplacians are part of coefficients; products and sums are contracted, "
         "exponentials, logarithms and quotients approximated by the GPU's "
         "own instructions; the field has other bits than every other method gives it, and other ones on "
         "another GPU",
         "as generated, with fewer instructions",
         {.boxes = {"formulas", "CUDA, not\nexactly rounded", "single steps,\nfused or resident"},
          .legend = "For looking around; what has to repeat bit for bit is for generated"}},
    };
    const auto found = std::ranges::find_if(cards, [&](const MethodCard& card) {
        return card.method == method.name && card.model == method.model;
    });
    return found == std::end(cards) ? nullptr : found;
}

ImU32 color_of_cell(char letter) {
    if (letter == '#' || letter == 'A') return ImGui::GetColorU32(ImGuiCol_SliderGrab);
    if (letter == 'B') return ImGui::GetColorU32(ImGuiCol_SliderGrabActive);
    return ImGui::GetColorU32(letter == 'h' ? ImGuiCol_TextSelectedBg : ImGuiCol_FrameBg);
}

void draw_cells(const std::vector<std::string_view>& rows) {
    const float side = std::round(em(0.75f)), gap = std::max(1.0f, std::round(em(0.06f)));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    for (std::size_t row = 0; row < rows.size(); ++row)
        for (std::size_t column = 0; column < rows[row].size(); ++column) {
            const ImVec2 least(at.x + float(column) * side, at.y + float(row) * side);
            ImGui::GetWindowDrawList()->AddRectFilled(
                least, ImVec2(least.x + side - gap, least.y + side - gap), color_of_cell(rows[row][column]));
        }
    ImGui::Dummy(ImVec2(float(rows.front().size()) * side, float(rows.size()) * side));
}

// Draws boxes with arrows; the field comes from the first box and goes to the last.
void draw_boxes(const std::vector<std::string_view>& boxes) {
    const float pad = em(0.35f), arrow = em(0.9f), height = 2.9f * ImGui::GetTextLineHeight();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    float x = at.x;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text);
        if (i > 0) {
            const float head = em(0.25f), y = at.y + height / 2, tip = x + arrow - em(0.1f);
            list->AddLine({x + em(0.1f), y}, {tip, y}, ink, std::max(1.0f, em(0.08f)));
            list->AddTriangleFilled({tip, y}, {tip - head, y - head}, {tip - head, y + head}, ink);
            x += arrow;
        }
        const bool is_end = i == 0 || i + 1 == boxes.size();
        const char *begin = boxes[i].data(), *end = begin + boxes[i].size();
        const ImVec2 text = ImGui::CalcTextSize(begin, end);
        const ImVec2 most(x + text.x + 2 * pad, at.y + height);
        const ImU32 back = ImGui::GetColorU32(is_end ? ImGuiCol_FrameBg : ImGuiCol_TextSelectedBg);
        list->AddRectFilled({x, at.y}, most, back, em(0.25f));
        list->AddRect({x, at.y}, most, ImGui::GetColorU32(ImGuiCol_Border), em(0.25f));
        list->AddText({x + pad, at.y + (height - text.y) / 2}, ink, begin, end);
        x = most.x;
    }
    ImGui::Dummy(ImVec2(x - at.x, height));
}

void draw_card(const Method& method, const MethodCard& card) {
    const auto part = [](std::string_view name, std::string_view text) {
        colored_text(name, faint_color());
        colored_text(text, text_color());
    };
    colored_text(method.summary, text_color());
    ImGui::Spacing();
    draw_picture(card.picture);
    ImGui::Spacing();
    part(card.heading, card.advantage);
    part("What limits it", card.limit);
}

}  // namespace

void draw_picture(const MethodPicture& picture) {
    if (!picture.cells.empty()) draw_cells(picture.cells);
    if (!picture.boxes.empty()) draw_boxes(picture.boxes);
    colored_text(picture.legend, faint_color());
}

void draw_method_card(const Method& method) {
    if (const MethodCard* card = card_of(method)) draw_card(method, *card);
}

void method_tooltip(const Method& method, std::string_view beside) {
    const MethodCard* card = card_of(method);
    if (!card) return tooltip(fmt::format("{}{}", method.summary, beside));
    if (!begin_tooltip(method.name.size() + beside.size())) return;
    colored_text(method.name, good_color());
    draw_card(method, *card);
    if (!beside.empty()) {
        ImGui::Spacing();
        colored_text(beside, faint_color());
    }
    end_tooltip();
}

}  // namespace stencil

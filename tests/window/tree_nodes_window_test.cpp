// Opens every tab, tree node, menu and popup, while memory freed by ImGui is checked.
#include <imgui_internal.h>

#include "app/window/panels/panels.h"
#include "tests/support/session_lab.h"
#include "tests/support/window/imgui_panels.h"

namespace {

// Keeps blocks that ImGui frees and fills them with a pattern: a changed byte reveals a write after free,
// which usually goes unnoticed.
class FreedMemory {
  public:
    FreedMemory() {
        ImGui::GetAllocatorFunctions(&alloc_, &free_, &data_);
        ImGui::SetAllocatorFunctions(take, give_back, this);
    }
    ~FreedMemory() {
        ImGui::SetAllocatorFunctions(alloc_, free_, data_);
        for (const auto& [block, bytes] : freed_) std::free(block);
    }
    FreedMemory(const FreedMemory&) = delete;
    FreedMemory& operator=(const FreedMemory&) = delete;

    bool is_untouched() const {
        for (const auto& [block, bytes] : freed_)
            for (std::size_t i = 0; i < bytes; ++i)
                if (static_cast<const unsigned char*>(block)[i] != kFreed) return false;
        return true;
    }

  private:
    static constexpr unsigned char kFreed = 0xdd;
    static void* take(std::size_t bytes, void* self) {
        void* block = std::malloc(bytes);
        static_cast<FreedMemory*>(self)->sizes_[block] = bytes;
        return block;
    }
    static void give_back(void* block, void* self) {
        auto& [alloc, free, data, sizes, freed] = *static_cast<FreedMemory*>(self);
        const auto known = sizes.find(block);
        if (known == sizes.end()) {
            free(block, data);
            return;
        }
        std::memset(block, kFreed, known->second);
        freed.push_back({block, known->second});
        sizes.erase(known);
    }

    ImGuiMemAllocFunc alloc_ = nullptr;
    ImGuiMemFreeFunc free_ = nullptr;
    void* data_ = nullptr;
    std::map<void*, std::size_t> sizes_;
    std::vector<std::pair<void*, std::size_t>> freed_;
};

Snapshot typed_snapshot() {
    RunSpec spec = noise_run({32, 24});
    spec.initial.clear();
    spec.use_model(find_model("brusselator"));
    Session session(spec, standing());
    perform(session, action::Step{3});
    return *session.snapshot();
}

}  // namespace

TEST_CASE("Every tree node of the panel is opened, and nothing is written to memory that ImGui has freed") {
    FreedMemory freed;
    const Snapshot snapshot = typed_snapshot();
    std::size_t opened = 0;
    for (const Section& section : sections()) {
        CAPTURE(section.title);
        HeadlessImGui imgui(1280, 2400);
        UiState ui = open_interface();
        open_only(ui, {section.title});
        imgui.draw = [&] { draw_interface(ui, snapshot); };
        imgui.frames(3);
        ImGuiWindow* panel = ImGui::FindWindowByName("##panel");
        const auto nodes = [&] { return panel->StateStorage.Data.Size; };
        const float right = panel->WorkRect.Max.x - 3;  // only full lines reach so far to the right
        const auto end = [&] { return panel->Pos.y + panel->WindowPadding.y + panel->ContentSize.y; };
        for (float y = panel->WorkRect.Min.y; y < end(); y += ImGui::GetFontSize()) {
            imgui.move_mouse({right, y});
            const ImGuiID hovered = ImGui::GetCurrentContext()->HoveredId;
            const ImGuiID header = ImHashStr(section.title, 0, panel->ID);
            if (hovered == 0 || hovered == header) continue;
            const int before = nodes();
            imgui.click({right, y});
            opened += nodes() > before ? 1 : 0;
        }
        CHECK(freed.is_untouched());
    }
    CHECK(opened >= 6);
}

TEST_CASE(
    "Every tab, and every menu and popup around the canvas, is opened without a write to freed memory") {
    FreedMemory freed;
    const Snapshot snapshot = typed_snapshot();
    HeadlessImGui imgui(1280, 800);
    UiState ui = open_interface();
    imgui.draw = [&] { draw_interface(ui, snapshot); };
    imgui.frames(3);
    std::set<PanelTab> tabs;
    int popups = 0;
    for (const char* name : {"##tabs", "##toolbar", "##tools", "##timeline", "##status"}) {
        CAPTURE(name);
        const WindowRect part = window_rect(name);
        REQUIRE(part.drawn);
        const float width = part.most.x - part.least.x, height = part.most.y - part.least.y;
        const float length = std::max(width, height), step = ImGui::GetFontSize();
        for (float along = step / 2; along < length; along += step) {
            imgui.click(width > height ? ImVec2(part.least.x + along, part.least.y + height / 2)
                                       : ImVec2(part.least.x + width / 2, part.least.y + along));
            imgui.frames(2);
            tabs.insert(ui.preferences.panel_tab);
            popups += ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup) ? 1 : 0;
            ui = open_interface();
            ui.ask(ClosePopups{});
            imgui.frames(2);
        }
        CHECK(freed.is_untouched());
    }
    CHECK(tabs.size() == kPanelTabs.size());
    CHECK(popups >= 4);
}

#include "tests/support/window/imgui_panels.h"

#include <stdexcept>

#include "app/window/panels/panels.h"
#include "app/window/theme.h"
#include "sim/text/names.h"
#include "tests/support/session_lab.h"

namespace stencil_test {

using namespace stencil;

namespace {

Frame full_frame(Dice& dice, const Size& size) {
    Frame frame;
    frame.nx = size.nx;
    frame.ny = size.ny;
    frame.hover = SamplePoint{dice.uniform(0, size.nx), dice.uniform(0, size.ny)};
    frame.hover_value = dice.uniform(-1, 1);
    frame.panes.push_back({{Pane::now, {}}, nullptr, {dice.uniform(-1, 0), dice.uniform(0, 1)}, "viridis"});
    Histogram histogram{{-1, 1}, {}};
    for (int i = 0; i < 64; ++i)
        histogram.counts.push_back(
            std::uint64_t(1e5 * std::exp(-0.01 * (i - 30) * (i - 30)) * dice.uniform(0.8, 1)));
    frame.histogram = histogram;
    Profile profile;
    for (int i = 0; i < 300; ++i) {
        profile.distance.push_back(i);
        profile.values.push_back(std::sin(i * 0.05) + dice.uniform(0, 0.2));
    }
    frame.profiles = {profile};
    return frame;
}

}  // namespace

HeadlessImGui::HeadlessImGui(float width, float height, float scale, Theme theme)
    : before_(ImGui::GetCurrentContext()), context_(ImGui::CreateContext()) {
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = ImVec2(width, height);
    io.ConfigInputTextCursorBlink = false;
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
#if IMGUI_VERSION_NUM < 18700
    for (int key = 0; key < ImGuiKey_COUNT; ++key) io.KeyMap[key] = key;
#endif
    load_fonts(15 * scale);
    unsigned char* pixels = nullptr;
    int w = 0, h = 0;
    io.Fonts->GetTexDataAsAlpha8(&pixels, &w, &h);
    theme == Theme::dark ? ImGui::StyleColorsDark() : ImGui::StyleColorsLight();
    ImGui::GetStyle().ScaleAllSizes(scale);
}

HeadlessImGui::~HeadlessImGui() {
    ImGui::DestroyContext(context_);
    ImGui::SetCurrentContext(before_);
}

void HeadlessImGui::resize(float width, float height) {
    ImGui::GetIO().DisplaySize = ImVec2(width, height);
}

void HeadlessImGui::frames(int count) {
    for (int i = 0; i < count; ++i) frame_of(draw);
}

// ImGui takes events from 1.87 on; before that, its IO holds the state.
void HeadlessImGui::frame_of(const std::function<void()>& once) {
    ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18700
    io.ConfigInputTrickleEventQueue = false;
    io.AddMousePosEvent(hands.x, hands.y);
    io.AddMouseButtonEvent(0, hands.left);
    io.AddMouseButtonEvent(1, hands.right);
    io.AddMouseButtonEvent(2, hands.middle);
    if (hands.wheel != 0) io.AddMouseWheelEvent(0, hands.wheel);
#if IMGUI_VERSION_NUM >= 18837
    io.AddKeyEvent(ImGuiMod_Ctrl, hands.ctrl);
    io.AddKeyEvent(ImGuiMod_Alt, hands.alt);
    io.AddKeyEvent(ImGuiMod_Shift, hands.shift);
#else
    io.AddKeyEvent(ImGuiKey_ModCtrl, hands.ctrl);
    io.AddKeyEvent(ImGuiKey_ModAlt, hands.alt);
    io.AddKeyEvent(ImGuiKey_ModShift, hands.shift);
#endif
#else
    io.MousePos = {hands.x, hands.y};
    io.MouseDown[0] = hands.left;
    io.MouseDown[1] = hands.right;
    io.MouseDown[2] = hands.middle;
    io.MouseWheel = hands.wheel;
    io.KeyCtrl = hands.ctrl;
    io.KeyAlt = hands.alt;
    io.KeyShift = hands.shift;
#endif
    io.DeltaTime = 1.0f / 60;
    ImGui::NewFrame();
    once();
    ImGui::Render();
    hands.wheel = 0;
}

void HeadlessImGui::move_mouse(ImVec2 to) {
    hands.x = to.x;
    hands.y = to.y;
    frames();
}

void HeadlessImGui::press_mouse(bool down) {
    hands.left = down;
    frames();
}

void HeadlessImGui::click(ImVec2 at) {
    move_mouse(at);
    press_mouse(true);
    press_mouse(false);
    frames();
}

void HeadlessImGui::type(std::string_view text) {
    ImGui::GetIO().AddInputCharactersUTF8(std::string(text).c_str());
    frames();
}

void HeadlessImGui::press(ImGuiKey key) {
    for (const bool down : {true, false}) {
#if IMGUI_VERSION_NUM >= 18700
        ImGui::GetIO().AddKeyEvent(key, down);
#else
        ImGui::GetIO().KeysDown[key] = down;
#endif
        frames();
    }
    frames();
}

void HeadlessImGui::enter(std::string_view text) {
    type(text);
    press(ImGuiKey_Enter);
}

ImGuiID HeadlessImGui::id_of(const char* window, std::initializer_list<const char*> labels) {
    const ImGuiWindow* found = ImGui::FindWindowByName(window);
    ImGuiID id = found && found->Active ? found->ID : 0;
    for (const char* label : labels) id = ImHashStr(label, 0, id);
    return id;
}

ImRect HeadlessImGui::find(const char* window,
                           std::initializer_list<const char*> labels,
                           std::optional<float> column) {
    frames();
    const WindowRect area = window_rect(window);
    const ImGuiID id = id_of(window, labels);
    const auto hovers = [&](ImVec2 at) {
        move_mouse(at);
        return ImGui::GetCurrentContext()->HoveredId == id;
    };
    const ImVec2 size(area.most.x - area.least.x, area.most.y - area.least.y);
    const bool wide = !column && size.x > size.y;
    const auto place = [&](float along) {
        return wide ? ImVec2(area.least.x + along, area.least.y + size.y / 2)
                    : ImVec2(area.least.x + column.value_or(0.65f) * size.x, area.least.y + along);
    };
    const float step = ImGui::GetFontSize() / 2;
    float along = step;
    while (along < (wide ? size.x : size.y) && !hovers(place(along))) along += step;
    const ImVec2 at = place(along);
    if (!hovers(at)) throw std::runtime_error("no " + std::string(*(labels.end() - 1)) + " in " + window);
    ImRect found(at, at);
    while (hovers({found.Min.x - 1, at.y})) --found.Min.x;
    while (hovers({found.Max.x + 1, at.y})) ++found.Max.x;
    while (hovers({at.x, found.Min.y - 1})) --found.Min.y;
    while (hovers({at.x, found.Max.y + 1})) ++found.Max.y;
    move_mouse({-1, -1});
    return found;
}

void HeadlessImGui::click(const char* window,
                          std::initializer_list<const char*> labels,
                          std::optional<float> column) {
    click(find(window, labels, column).GetCenter());
}

void HeadlessImGui::drag(ImVec2 from, ImVec2 to, int parts) {
    move_mouse(from);
    press_mouse(true);
    for (int i = 1; i <= parts; ++i) {
        const float share = float(i) / float(parts);
        move_mouse({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
    }
    press_mouse(false);
}

std::string HeadlessImGui::text_of(float width, const std::function<void()>& once) {
    std::string text;
    frame_of([&] {
        begin_window("alone", width, 100);
        ImGui::LogToBuffer();
        once();
        text = ImGui::GetCurrentContext()->LogBuffer.c_str();
        ImGui::End();
    });
    return text;
}

void HeadlessImGui::unfold(const char* section, const char* node) {
    ImGuiWindow* panel = ImGui::FindWindowByName("##panel");
    panel->StateStorage.SetInt(ImHashStr(node, 0, ImHashStr(section, 0, panel->ID)), 1);
}

void begin_window(const char* name, float width, float height) {
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({width, height});
    ImGui::Begin(name);
}

Interface::Interface(std::vector<std::string> sections)
    : HeadlessImGui(1280, 800), ui(open_interface()), snapshot(full_snapshot(dice)) {
    if (!sections.empty()) open_only(ui, std::move(sections));
    draw = [this] { moves = draw_interface(ui, snapshot); };
    frames();
}

void Interface::quiet() {
    snapshot.messages.clear();
    snapshot.busy.clear();
    snapshot.recording.clear();
    snapshot.exporting = snapshot.measuring_suite = false;
    ui.example = {};
}

SectionLab::SectionLab(const RunSpec& run, const char* section, float height)
    : HeadlessImGui(1280, height), session(run, standing()) {
    open_only(ui, {section});
    draw = [this] {
        draw_interface(ui, snapshot);
        for (const Action& action : std::exchange(ui.actions, {})) session.apply(action);
        follow();
    };
    follow();
    frames(3);
}

void SectionLab::follow() {
    if (!session.snapshot()->running) settle(session);
    snapshot = *session.snapshot();
}

void SectionLab::act(const Action& action) {
    session.apply(action);
    follow();
}

WindowRect window_rect(const char* name) {
    const ImGuiWindow* window = ImGui::FindWindowByName(name);
    if (!window || !window->Active) return {};
    const ImVec2 least = window->Pos;
    const ImVec2 most(least.x + window->Size.x, least.y + window->Size.y);
    return {least, most, window->WorkRect.GetSize(), window->ContentSize, true};
}

Snapshot empty_snapshot() {
    Snapshot snapshot;
    snapshot.spec.size = snapshot.now.size = Size{2000, 2000};
    snapshot.now.backend = "cpu";
    snapshot.now.method = "cpu";
    snapshot.now.threads = 4;
    return snapshot;
}

Snapshot full_snapshot(Dice& dice) {
    Snapshot snapshot = empty_snapshot();
    Machine machine;
    machine.cpu_name = "A processor with a long name, 64 cores";
    machine.cpu_threads = 8;
    machine.cuda.why_none = "no NVIDIA driver found";
    snapshot.machine = std::make_shared<const Machine>(machine);
    snapshot.device = machine.cpu_name;
    snapshot.step = dice.integer(1000, 999999);
    snapshot.running = true;
    snapshot.last_batch = dice.integer(1, 500);
    for (int i = 0; i <= 100; ++i) {
        const Statistics statistics{
            -std::exp(-0.02 * i), std::exp(-0.03 * i), 1e6 + dice.uniform(0, 10), 0.25, 0};
        snapshot.series.push_back({i * snapshot.step / 100, statistics});
    }
    snapshot.series.modify(
        [&](auto& series) { series.back().statistics.not_finite = std::size_t(dice.integer(1, 1000)); });
    snapshot.drift = dice.uniform(-1e-6, 1e-6);
    for (int k = 0; k < 3; ++k) {
        ProbeSeries probe{dice.integer(0, 1999), dice.integer(0, 1999), {}, {}};
        for (int i = 0; i < 200; ++i) {
            probe.steps.push_back(i * 10);
            probe.values.push_back(std::cos(i * 0.03 * (k + 1)) + dice.uniform(0, 0.1));
        }
        snapshot.probes.push_back(probe);
    }
    snapshot.speed = {dice.uniform(50, 5000), dice.uniform(0.5, 500), dice.uniform(5, 4000)};
    snapshot.limits = {1.1 * snapshot.speed.effective_gb_per_s, 1e12 * dice.uniform(0.1, 30)};
    for (const Method& method : methods())
        for (const double edge : {512.0, 2000.0, 8192.0})
            snapshot.speeds.push_back(
                {&method, edge, dice.uniform(0.2, 3000), edge > 512 ? std::optional(1e-7) : std::nullopt});
    snapshot.auto_method = true;
    snapshot.cost = {dice.uniform(1, 12), dice.uniform(0.1, 2), dice.uniform(0.01, 1)};
    snapshot.memory = {3.1e10, 1.4e11, 2.2e10, 1.2e11};
    snapshot.can_undo = "brush stroke";
    snapshot.messages = {{Message::Level::notice, 1, "wrote 6 files to stencilscope-out"},
                         {Message::Level::error,
                          2,
                          "stencilscope-out/field.npy: No space left on device",
                          "stencilscope-out"}};
    snapshot.frame = std::make_shared<const Frame>(full_frame(dice, *snapshot.now.size));
    return snapshot;
}

UiState open_interface(float scale) {
    UiState ui;
    ui.scale = scale;
    ui.preferences.open_sections.clear();
    for (const Section& section : sections()) ui.preferences.open_sections.emplace_back(section.title);
    ui.cost = {0.11, 0.75, 0.62, 16.6, 60};
    ui.transfer = {false, "copy: OpenGL draws in software"};
    ui.gl_renderer = "llvmpipe (LLVM 15.0.6, 256 bits)";
    return ui;
}

void open_only(UiState& ui, std::vector<std::string> sections) {
    ui.preferences.panel_tab = tab_of(sections.front()).value();
    ui.preferences.open_sections = std::move(sections);
}

std::vector<std::string> changes_of(const UiState& ui) {
    std::vector<std::string> changes;
    for (const auto& change : actions_of<action::Change>(ui))
        changes.push_back(change.setting + "=" + change.value);
    return changes;
}

}  // namespace stencil_test

#include "tests/support/window/imgui_session.h"

namespace stencil_test {
namespace {

// ImGui takes events from 1.87 on; before that, its IO holds the state.
void apply(const InputState& hands) {
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
}

}  // namespace

ImGuiSession::ImGuiSession(ImVec2 size, float framebuffer_scale) {
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = size;
    io.DisplayFramebufferScale = {framebuffer_scale, framebuffer_scale};
    io.DeltaTime = 1.0f / 60;
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
}

ImGuiSession::~ImGuiSession() {
    ImGui::DestroyContext();
}

void ImGuiSession::frame(const std::function<void()>& build) {
    apply(hands);
    ImGui::NewFrame();
    build();
    ImGui::Render();
    hands.wheel = 0;
}

int ImGuiSession::vertices() const {
    return ImGui::GetDrawData()->TotalVtxCount;
}

double ImGuiSession::seconds() const {
    return ImGui::GetTime();
}

}  // namespace stencil_test

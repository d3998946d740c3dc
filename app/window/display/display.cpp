#include "app/window/display/display.h"

#include <fmt/format.h>
#include <glad/gl.h>
// After the OpenGL loader, which must come before GLFW.
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>

#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

constexpr int kSmallestWidth = 480, kSmallestHeight = 320;

// Returns GLFW's error message on one line.
std::string reason() {
    const char* text = nullptr;
    glfwGetError(&text);
    std::string line = text ? text : "GLFW does not say why";
    std::ranges::replace(line, '\n', ' ');
    return line;
}

[[noreturn]] void refuse(const std::string& what) {
    throw InputError(what + "; 'stencilscope run --out DIR' runs headless");
}

GLFWwindow* open_window(const DisplayOptions& options) {
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
#ifndef NDEBUG
    glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, GLFW_TRUE);
#endif
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    glfwWindowHint(GLFW_SRGB_CAPABLE, GLFW_FALSE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    glfwWindowHint(GLFW_VISIBLE, options.visible ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "stencilscope");
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "stencilscope");
    int width = options.width, height = options.height;
    // A window that is seen fits the screen without its panels.
    if (GLFWmonitor* monitor = glfwGetPrimaryMonitor(); monitor && options.visible) {
        int x = 0, y = 0, most_width = 0, most_height = 0;
        float scale_x = 1, scale_y = 1;
        glfwGetMonitorWorkarea(monitor, &x, &y, &most_width, &most_height);
        glfwGetMonitorContentScale(monitor, &scale_x, &scale_y);
        if (most_width > 0) width = std::min(width, int(float(most_width) / scale_x));
        if (most_height > 0) height = std::min(height, int(float(most_height) / scale_y));
    }
    GLFWwindow* window = glfwCreateWindow(
        std::max(width, kSmallestWidth), std::max(height, kSmallestHeight), "Stencilscope", nullptr, nullptr);
    if (!window) refuse(fmt::format("no OpenGL 4.5 window on this display ({})", reason()));
    return window;
}

#ifndef NDEBUG
void print_debug_message(
    GLenum, GLenum type, GLuint, GLenum severity, GLsizei, const GLchar* text, const void*) {
    if (type == GL_DEBUG_TYPE_ERROR || severity == GL_DEBUG_SEVERITY_HIGH)
        std::fprintf(stderr, "OpenGL: %s\n", text);
}
#endif

void load_functions(bool vsync) {
    if (gladLoadGL(glfwGetProcAddress) == 0 || !GLAD_GL_VERSION_4_5)
        refuse("no OpenGL 4.5 on this display (its functions can't be loaded)");
    glfwSwapInterval(vsync ? 1 : 0);
#ifndef NDEBUG
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(print_debug_message, nullptr);
#endif
}

std::string gl_text(GLenum which) {
    const auto* text = reinterpret_cast<const char*>(glGetString(which));
    return text ? text : "";
}

// GLFW names letter keys by their US position; shortcuts use the letter printed on the key.
int printed_key(int key, int scancode) {
    const char* name = glfwGetKeyName(key, scancode);
    if (!name || name[0] == 0) return key;
    // Other alphabets leave the letters at their US places.
    if (name[1] != 0) return key >= GLFW_KEY_A && key <= GLFW_KEY_Z ? key : GLFW_KEY_UNKNOWN;
    if (name[0] >= 'a' && name[0] <= 'z') return GLFW_KEY_A + (name[0] - 'a');
    return name[0] == '+' ? GLFW_KEY_KP_ADD : name[0];  // GLFW's codes of digits and signs are ASCII
}

// A shortcut that is a sign or digit is typed with Shift or AltGr on some layouts.
void name_by_sign(KeyPress& press, unsigned typed) {
    constexpr std::string_view kSigns = ".[]-=0123456789";
    if ((press.mods & GLFW_MOD_CONTROL) != 0 || typed > 127) return;
    const int sign = typed == '?' ? GLFW_KEY_SLASH : typed == '+' ? GLFW_KEY_KP_ADD : int(typed);
    if (typed != '?' && typed != '+' && kSigns.find(char(typed)) == kSigns.npos) return;
    press.key = sign;
    press.mods = typed == '?' ? GLFW_MOD_SHIFT : 0;
}

#if IMGUI_VERSION_NUM < 18700
// Ctrl+Z and the like in texts, by the letters printed on the keys; later versions do so themselves.
void map_letters() {
    constexpr std::string_view kPlaces = "ABCDEFGHIJKLMNOPQRSTUVWXYZ',-./;=[]`";
    static constexpr std::pair<ImGuiKey_, char> kLetters[] = {{ImGuiKey_A, 'a'},
                                                              {ImGuiKey_C, 'c'},
                                                              {ImGuiKey_V, 'v'},
                                                              {ImGuiKey_X, 'x'},
                                                              {ImGuiKey_Y, 'y'},
                                                              {ImGuiKey_Z, 'z'}};
    for (const char place : kPlaces) {
        const char* name = glfwGetKeyName(place, 0);
        if (!name || name[0] == 0 || name[1] != 0) continue;
        for (const auto& [key, letter] : kLetters)
            if (name[0] == letter) ImGui::GetIO().KeyMap[key] = place;
    }
}
#endif

}  // namespace

Display::Library::Library() {
    if (!glfwInit()) refuse(fmt::format("no display to open a window on ({})", reason()));
}

Display::Library::~Library() {
    glfwTerminate();
}

Display::Gui::Gui(GLFWwindow* window) {
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    // Otherwise missing a slider by a pixel would move the window.
    io.ConfigWindowsMoveFromTitleBarOnly = true;
    io.LogFilename = nullptr;
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    ImGui_ImplOpenGL3_Init("#version 450 core");
#if IMGUI_VERSION_NUM < 18700
    map_letters();
#endif
}

Display::Gui::~Gui() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
}

Display::Display(const DisplayOptions& options) : window_(open_window(options)) {
    glfwMakeContextCurrent(window_);
    load_functions(options.vsync);
    gl_renderer_ = gl_text(GL_RENDERER);
    gl_version_ = gl_text(GL_VERSION);
    glfwSetWindowSizeLimits(window_, kSmallestWidth, kSmallestHeight, GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfwSetWindowUserPointer(window_, this);
    platform_ = std::make_unique<Platform>(window_);
    // Must precede ImGui's backend, which chains the callbacks installed before it.
    listen();
    gui_ = std::make_unique<Gui>(window_);
}

Display::~Display() = default;

void Display::listen() {
    GLFWwindow* const window = window_;
    static constexpr auto of = [](GLFWwindow* w) -> Display& {
        auto& display = *static_cast<Display*>(glfwGetWindowUserPointer(w));
        display.input_ = true;
        return display;
    };
    glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int scancode, int action, int modifiers) {
        Display& display = of(w);
        if (action != GLFW_RELEASE)
            display.keys_.push_back({printed_key(key, scancode), modifiers, action == GLFW_REPEAT, false});
        if (action != GLFW_RELEASE) Platform::line_typed(key, scancode, modifiers);
        if (action == GLFW_PRESS && key >= 0) display.platform_->key_pressed(key, modifiers);
    });
    glfwSetCharCallback(window, [](GLFWwindow* w, unsigned typed) {
        Display& display = of(w);
        if (display.keys_.empty()) return;
        display.keys_.back().types = true;
        name_by_sign(display.keys_.back(), typed);
    });
    glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
        Display& display = of(w);
        display.drops_.insert(display.drops_.end(), paths, paths + count);
    });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int) {
        of(w).platform_->button_changed(button, action == GLFW_PRESS);
    });
    // The position at the event; glfwGetCursorPos() would give the present one.
    glfwSetCursorPosCallback(window, [](GLFWwindow* w, double x, double y) { of(w).platform_->moved(x, y); });
    glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int inside) { of(w).platform_->entered(inside); });
    glfwSetScrollCallback(
        window, [](GLFWwindow* w, double across, double up) { of(w).platform_->wheel_turned(across, up); });
    glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int) { of(w); });
    glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { of(w); });
    glfwSetWindowIconifyCallback(window, [](GLFWwindow* w, int) { of(w); });
    glfwSetWindowCloseCallback(window, [](GLFWwindow* w) { of(w); });
    glfwSetWindowSizeCallback(
        window, [](GLFWwindow* w, int width, int height) { of(w).platform_->resized(width, height); });
    glfwSetFramebufferSizeCallback(
        window, [](GLFWwindow* w, int width, int height) { of(w).platform_->frame_resized(width, height); });
    glfwSetWindowContentScaleCallback(window, [](GLFWwindow* w, float, float) { of(w); });
}

void Display::set_full_screen(bool on) {
    if (!on) {
        const WindowRect& p = windowed_;
        if (p.width > 0) glfwSetWindowMonitor(window_, nullptr, p.x, p.y, p.width, p.height, GLFW_DONT_CARE);
        return;
    }
    GLFWmonitor* monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
    if (!mode) return;
    glfwGetWindowPos(window_, &windowed_.x, &windowed_.y);
    glfwGetWindowSize(window_, &windowed_.width, &windowed_.height);
    glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

bool Display::take_close() {
    const bool closed = glfwWindowShouldClose(window_);
    glfwSetWindowShouldClose(window_, GLFW_FALSE);
    return closed;
}

void Display::wait_events(double timeout_s) {
    if (timeout_s > 0)
        glfwWaitEventsTimeout(timeout_s);
    else
        glfwPollEvents();
}

void Display::wake() {
    glfwPostEmptyEvent();
}

void Display::begin_frame() {
    ImGui_ImplOpenGL3_NewFrame();
    platform_->begin_frame();
    ImGui::NewFrame();
}

void Display::clear(std::uint32_t color) {
    const auto [width, height] = frame_size();
    const ImVec4 parts = ImGui::ColorConvertU32ToFloat4(color);
    glViewport(0, 0, width, height);
    glDisable(GL_SCISSOR_TEST);
    glClearColor(parts.x, parts.y, parts.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

void Display::end_frame() {
    ImGui::Render();
    platform_->end_frame();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void Display::finish_drawing() {
    glFinish();
}

void Display::swap() {
    glfwSwapBuffers(window_);
}

void Display::remake_font_texture() {
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
}

std::pair<int, int> Display::logical_size() const {
    const auto [width, height] = frame_size();
    const float scale = content_scale();
    return {int(std::lround(float(width) / scale)), int(std::lround(float(height) / scale))};
}

float Display::content_scale() const {
    float across = 1, down = 1;
    glfwGetWindowContentScale(window_, &across, &down);
    return across > 0 ? across : 1;
}

double Display::refresh_rate() const {
    GLFWmonitor* monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
    return mode && mode->refreshRate > 0 ? mode->refreshRate : 60;
}

// Keys wait one frame longer than buttons: by then ImGui knows whether a text is edited.
std::vector<KeyPress> Display::take_keys() {
    const bool waited = std::exchange(keys_wait_, platform_->waits());
    return keys_wait_ || waited ? std::vector<KeyPress>() : std::exchange(keys_, {});
}

void Display::set_clipboard(const std::string& text) {
    glfwSetClipboardString(window_, printable_lines(text).c_str());
}

}  // namespace stencil

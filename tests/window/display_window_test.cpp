// The window: opening or refusing, keys, screenshots, pacing of frames.

#include <GLFW/glfw3.h>
#include <imgui.h>

#include "app/window/display/display.h"
#include "app/window/display/frame_clock.h"
#include "app/window/display/gl_objects.h"
#include "app/window/shortcuts.h"
#include "app/window/theme.h"
#include "sim/files/image.h"
#include "tests/support/fields.h"
#include "tests/support/window/virtual_display.h"
#include "tests/support/window/window_robot.h"

namespace {

using stencil_test::contains;
using stencil_test::Environment;
using stencil_test::input_error;
using stencil_test::seconds_since;
using stencil_test::wait_until;

using Clock = std::chrono::steady_clock;

/// A window with a theme and fonts; skips the test where a tool for keys is needed and missing.
struct ReadyDisplay : Display {
    explicit ReadyDisplay(bool takes_keys = false) : Display(options(takes_keys)) {
        apply_theme(Theme::dark, 1);
        load_fonts(15);
    }
    static DisplayOptions options(bool takes_keys) {
        stencil_test::require_display();
        if (takes_keys && std::system("command -v xdotool >/dev/null") != 0) stencil_test::skip("no xdotool");
        return {640, 480, false, true};
    }
    template <class F>
    void frame(F&& draw) {
        begin_frame();
        draw();
        end_frame();
    }
};

std::string try_to_open() {
    return input_error([] { Display display({}); });
}

}  // namespace

TEST_CASE("Without a display the window says so in one line, with the reason and the way out") {
    const Environment wayland("WAYLAND_DISPLAY", std::nullopt);
    const Environment display("DISPLAY", std::nullopt);
    const std::string none = try_to_open();
    CHECK(contains(none, "no display to open a window on ("));
    CHECK(contains(none, "'stencilscope run --out DIR' runs headless"));
    CHECK(none.find('\n') == std::string::npos);
    const Environment other("DISPLAY", ":4711");
    const std::string wrong = try_to_open();
    CHECK(contains(wrong, ":4711"));
    CHECK(contains(wrong, "runs headless"));
}

TEST_CASE("The window opens again and again in one process, at the size that was asked for") {
    stencil_test::require_display();
    for (const int width : {700, 901}) {
        Display display({width, 500, false, true});
        CHECK(display.frame_size() == std::pair(width, 500));
        CHECK(display.logical_size() == std::pair(width, 500));
        CHECK(display.content_scale() == 1);
        CHECK(!display.gl_renderer().empty());
        CHECK(contains(display.gl_version(), "."));
        CHECK(!display.take_close());
    }
}

TEST_CASE("A wait ends when another thread wakes the window, and when its time is over") {
    stencil_test::require_display();
    Display display({640, 480, false, true});
    // The answer comes after all events of the opening.
    int x = 0, y = 0;
    glfwGetWindowPos(glfwGetCurrentContext(), &x, &y);
    display.wait_events(0);
    std::thread waker([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        Display::wake();
    });
    const auto start = Clock::now();
    display.wait_events(20);
    CHECK(seconds_since(start) < 10);
    waker.join();
    display.take_input();
    const auto again = Clock::now();
    display.wait_events(0.05);
    CHECK(seconds_since(again) > 0.02);
    CHECK(!display.take_input());
}

TEST_CASE("Keys and the mouse arrive, for the program and for ImGui") {
    ReadyDisplay display(true);
    // Without a window manager keys go to the window under the pointer.
    REQUIRE(std::system("xdotool mousemove 100 80 key ctrl+z key plus key F1 key question click 1") == 0);
    std::vector<KeyPress> keys;
    bool mouse = false, released = false;
    const auto start = Clock::now();
    const auto pressed = [&](int key) { return std::ranges::find(keys, key, &KeyPress::key); };
    const auto look = [&] {
        mouse = mouse || ImGui::IsMouseClicked(0);
        released = released || ImGui::IsMouseReleased(0);
    };
    while ((!mouse || pressed(GLFW_KEY_SLASH) == keys.end()) && seconds_since(start) < 20) {
        display.wait_events(0.1);
        for (const KeyPress& key : display.take_keys()) keys.push_back(key);
        display.frame(look);
    }
    CHECK(mouse);
    CHECK(ImGui::GetIO().MousePos.x == 100);
    CHECK(ImGui::GetIO().MousePos.y == 80);
    REQUIRE(pressed(GLFW_KEY_Z) != keys.end());
    CHECK(pressed(GLFW_KEY_Z)->mods == GLFW_MOD_CONTROL);
    CHECK(!pressed(GLFW_KEY_Z)->repeat);
    REQUIRE(pressed(GLFW_KEY_F1) != keys.end());
    CHECK(pressed(GLFW_KEY_F1)->mods == 0);
    REQUIRE(pressed(GLFW_KEY_SLASH) != keys.end());
    CHECK(pressed(GLFW_KEY_SLASH)->mods == GLFW_MOD_SHIFT);
    CHECK(display.take_keys().empty());
    // The click was shorter than a frame, so its release takes further frames.
    for (int frames = 0; display.take_input() && frames < 10; ++frames) display.frame(look);
    CHECK(released);
    CHECK(!display.take_input());
}

TEST_CASE("Shortcuts go by what is printed on the keys, on every layout of the keyboard") {
    stencil_test::require_display();
    if (std::system("command -v setxkbmap >/dev/null") != 0) stencil_test::skip("no setxkbmap");
    const std::string layout = GENERATE("us", "de", "fr", "us -variant dvorak");
    CAPTURE(layout);
    REQUIRE(std::system(("setxkbmap " + layout).c_str()) == 0);
    std::vector<std::string> pressed;
    {
        ReadyDisplay display(true);
        REQUIRE(std::system("xdotool mousemove 100 80 key ctrl+z key y key period key 1 key plus key F2") ==
                0);
        const auto start = Clock::now();
        while ((pressed.empty() || pressed.back() != "F2") && seconds_since(start) < 20) {
            display.wait_events(0.1);
            for (const KeyPress& key : display.take_keys()) pressed.push_back(text_of(chord_of(key)));
            display.frame([] {});
        }
    }
    CHECK(std::system("setxkbmap us") == 0);
    std::erase_if(pressed,
                  [](const std::string& one) { return one.size() != 1 && one != "Ctrl+Z" && one != "F2"; });
    CHECK(pressed == std::vector<std::string>{"Ctrl+Z", "Y", ".", "1", "+", "F2"});
}

TEST_CASE("The wheel turns where the mouse was, though the mouse moved on and clicked before the frame") {
    ReadyDisplay display(true);
    REQUIRE(std::system("xdotool mousemove 100 80 click 4 click 4 mousemove 300 200 click 1 click 5") == 0);
    std::vector<std::pair<float, float>> turns;  // notches and where
    bool clicked = false;
    CHECK(wait_until([&] {
        display.wait_events(0.1);
        display.frame([&] {
            const ImGuiIO& io = ImGui::GetIO();
            clicked = clicked || (ImGui::IsMouseClicked(0) && io.MousePos.x == 300);
            if (io.MouseWheel != 0) turns.emplace_back(io.MouseWheel, io.MousePos.x);
        });
        return !turns.empty() && turns.back().first < 0;
    }));
    CHECK(clicked);
    float notches = 0;
    for (const auto& [by, x] : turns) {
        CHECK(x == (by > 0 ? 100 : 300));
        notches += by > 0 ? by : 0;
    }
    CHECK(notches == 2);
    CHECK(turns.back() == std::pair(-1.0F, 300.0F));
}

TEST_CASE("What is typed right after Ctrl+A takes the place of all text, in one frame too") {
    ReadyDisplay display(true);
    char text[16] = "1234";
    const auto frame = [&](bool focus) {
        display.begin_frame();
        ImGui::SetNextWindowPos({200, 200});
        ImGui::Begin("window");
        if (focus) ImGui::SetKeyboardFocusHere();
        ImGui::InputText("##text", text, sizeof text);
        ImGui::End();
        display.end_frame();
    };
    for (int i = 0; i < 3; ++i) frame(i == 0);
    REQUIRE(std::system("xdotool mousemove 100 80 key ctrl+a type 56") == 0);
    CHECK(wait_until([&] {
        display.wait_events(0.1);
        frame(false);
        return std::string(text) == "56";
    }));
}

TEST_CASE("A key that comes in one frame with a click into a text belongs to the text") {
    ReadyDisplay display(true);
    char text[16] = "";
    std::vector<KeyPress> keys;
    bool typing = false;
    const auto frame = [&] {
        for (const KeyPress& key : display.take_keys()) {
            keys.push_back(key);
            typing = ImGui::GetIO().WantTextInput;
        }
        display.begin_frame();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({640, 480});
        ImGui::Begin("window");
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 200});  // so large that it contains the mouse
        ImGui::SetNextItemWidth(-1);
        ImGui::InputText("##text", text, sizeof text);
        ImGui::PopStyleVar();
        ImGui::End();
        display.end_frame();
    };
    for (int i = 0; i < 3; ++i) frame();
    REQUIRE(std::system("xdotool mousemove 100 150 click 1 key period") == 0);
    REQUIRE(wait_until([&] {
        display.wait_events(0.1);
        frame();
        return keys.size() == 1;
    }));
    CHECK(keys.front().key == GLFW_KEY_PERIOD);
    CHECK(typing);
    CHECK(std::string(text) == ".");
    display.take_input();
    CHECK(!display.take_input());
}

TEST_CASE("A screenshot has the window's pixels, row 0 on top, and is whole or not there at all") {
    ReadyDisplay display;
    display.begin_frame();
    display.clear(IM_COL32(10, 20, 30, 255));
    ImGui::GetBackgroundDrawList()->AddRectFilled({0, 0}, {100, 50}, IM_COL32(200, 100, 50, 255));
    display.end_frame();
    const stencil_test::ScratchFolder folder;
    save_screenshot(folder / "shot.png", 640, 480);
    display.swap();
    CHECK(folder.entries() == 1);
    const Array<double> picture = read_image(folder / "shot.png");
    REQUIRE(picture.nx() == 640);
    REQUIRE(picture.ny() == 480);
    const double rectangle = (0.299 * 200 + 0.587 * 100 + 0.114 * 50) / 255;
    const double background = (0.299 * 10 + 0.587 * 20 + 0.114 * 30) / 255;
    CHECK(picture.cells()[20 * 640 + 50] == Approx(rectangle).margin(0.005));
    CHECK(picture.cells()[0] == Approx(rectangle).margin(0.03));
    CHECK(picture.cells()[470 * 640 + 50] == Approx(background).margin(0.005));
    CHECK_THROWS_AS(save_screenshot(folder / "missing" / "shot.png", 640, 480), MachineError);
}

TEST_CASE("Frames keep to the clock's rate and their costs are measured") {
    ReadyDisplay display;
    FrameClock clock(50);
    constexpr int kFrames = 20;
    const auto start = Clock::now();
    for (int i = 0; i < kFrames; ++i) {
        clock.wait_until_due();
        display.wait_events(0);
        clock.begin_frame(i > 0);
        display.begin_frame();
        ImGui::TextUnformatted("Some text");
        clock.begin_drawing();
        display.clear(IM_COL32_BLACK);
        display.end_frame();
        clock.end_drawing();
        clock.end_frame();
        display.swap();
    }
    CHECK(seconds_since(start) > 0.9 * (kFrames - 1) / 50.0);
    const InterfaceCost cost = clock.cost();
    CHECK(cost.frame_ms >= 0.97 * 1000 / 50);
    CHECK(cost.interface_ms > 0);
    CHECK(cost.interface_ms < cost.frame_ms);
    CHECK(cost.drawing_ms > 0);
}

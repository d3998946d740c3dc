// The sections of generated code and of user kernels, without a window.

#include <stdexcept>

#include "app/window/panels/panels.h"
#include "sim/user_kernel/user_kernel.h"
#include "tests/support/session_lab.h"
#include "tests/support/window/imgui_panels.h"
#include "tests/support/window/window_robot.h"

namespace {

// A typed equation that is not stepped.
struct CodeLab : SectionLab {
    explicit CodeLab(const std::string& text) : SectionLab(run_of_text(text), "Generated code") {
        draw = [this] { draw_interface(ui, snapshot); };
        settle();
    }
    // Draws until the code has been generated, and then until sizes are those of its section: the code may
    // have been ready only for the last frame, and a window has its content's size one frame later.
    void settle() {
        do {
            frames(1);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        } while (ui.panel.code.waits);
        frames(2);
    }
    ImRect enlarge() { return find("##panel", {"Generated code", "Enlarge"}); }
    // Clicks the button at the left of that one.
    void copy() {
        const ImRect right = enlarge();
        click({right.Min.x - right.GetWidth() / 2, right.GetCenter().y});
    }
    const GeneratedCode& code() const { return ui.panel.code.code.result; }
};

constexpr const char* kText = "du/dt = D*lap(u) - u^3; D = 0.1; size = 40x30";

std::shared_ptr<const user_kernel::UserKernel> kernel_for(const RunSpec& run) {
    auto kernel = std::make_shared<user_kernel::UserKernel>();
    kernel->name = "heat.cu";
    kernel->entry = user_kernel::entry_of(run);
    kernel->model = run.model;
    kernel->integrator = run.integrator;
    kernel->spacing = run.dx;
    return kernel;
}

// Shows the report of a kernel that passed.
void show_right_kernel(Interface& window) {
    choose_kernel(window.ui, "heat.cu");
    user_kernel::KernelNews& news = window.ui.kernel;
    news.file = "heat.cu";
    news.report.emplace();
    news.report->compiled = "compiled for sm_90: 24 registers, no spills";
    news.report->on_gpu = true;
    news.report->sizes = 7;
    news.report->rows.emplace_back();
    news.kernel = kernel_for(window.snapshot.now);
}

}  // namespace

TEST_CASE("The stages are shown at first, any text of the device can be chosen, and all of it is copied") {
    CodeLab lab(kText);
    lab.copy();
    CHECK(lab.code().stages == ImGui::GetClipboardText());
    lab.ui.panel.code.chosen = 1;
    lab.frames(2);
    lab.copy();
    CHECK(lab.code().texts[0].text == ImGui::GetClipboardText());
    lab.click(lab.enlarge().GetCenter());
    lab.frames(2);
    CHECK(window_rect("Generated code##large").drawn);
}

TEST_CASE("The code follows the run: its text, precision, stepper and device") {
    CodeLab lab(kText);
    const auto shown = [&] {
        std::string all = lab.code().stages;
        for (const auto& text : lab.code().texts) all += text.text;
        return all;
    };
    const auto changes = [&](const char* setting, const char* value) {
        const std::string before = shown();
        lab.snapshot.now = with_setting(lab.snapshot.now, setting, value);
        lab.ui.panel.code.chosen = 2;
        lab.settle();
        CHECK(lab.ui.panel.code.chosen <= lab.code().texts.size());
        return shown() != before;
    };
    CHECK(changes("dtype", "float64"));
    CHECK(lab.code().bytes == 16);
    CHECK(changes("integrator", "heun"));
    CHECK(changes("equation", "du/dt = lap(u) - u; size = 40x30"));
    lab.snapshot.now.method = "naive";
    lab.snapshot.now.backend = "cuda";
    lab.settle();
    CHECK(lab.code().texts[0].language == "CUDA");
}

TEST_CASE("What is known of the kernels is drawn, and diffusion has no generated code") {
    CodeLab lab(kText);
    const float before = window_rect("##panel").content.y;
    lab.snapshot.way.compiling = true;
    lab.snapshot.way.tried.push_back({"12 steps per pass", 168, 0, 2, 900, true});
    lab.frames(2);
    CHECK(window_rect("##panel").content.y > before);
    lab.snapshot.now.use_model(find_model(kDefaultModel));
    lab.frames(2);
    CHECK(window_rect("##panel").content.y < before);
}

TEST_CASE("A kernel that was found right goes live once, and another method takes over for good") {
    Interface window;
    show_right_kernel(window);
    window.frames(3);
    const auto kernel = only<action::UseKernel>(window.ui).kernel;
    CHECK(kernel == window.ui.kernel.kernel);
    window.snapshot.now.kernel = kernel;
    window.frames(2);
    window.snapshot.now.kernel.reset();  // another method was chosen
    window.frames(2);
    CHECK_FALSE(window.ui.panel.kernel.live);
    window.ui.kernel.kernel = kernel_for(window.snapshot.now);  // the file was saved again
    window.frames(2);
    CHECK(actions_of<action::UseKernel>(window.ui).size() == 1);
}

TEST_CASE("A kernel that was made for another run stays away") {
    Interface window;
    show_right_kernel(window);
    window.snapshot.now.dtype = window.snapshot.now.dtype == DType::float32 ? DType::float64 : DType::float32;
    window.frames(2);
    CHECK(actions_of<action::UseKernel>(window.ui).empty());
}

TEST_CASE("What is wrong with a kernel, and what it is at, is shown in a section that opens") {
    Interface window;
    window.ui.preferences.open_sections = {};
    choose_kernel(window.ui, "heat.cu");
    window.ui.kernel.file = "heat.cu";
    window.ui.kernel.doing = "on 37x53 cells, step 1";
    window.ui.kernel.report.emplace();
    window.ui.kernel.report->fault = "heat.cu, line 3: identifier \"cc\" is undefined";
    window.frames(3);
    CHECK(window.ui.preferences.open_sections == std::vector<std::string>{"Your kernel"});
    CHECK(actions_of<action::UseKernel>(window.ui).empty());
}

TEST_CASE(
    "The section of a kernel says where its file is, what a lesson is about, and marks the line that fails") {
    const ScratchFolder scratch;
    Interface window({"Your kernel"});
    const auto height = [&] {
        window.frames(3);
        return window_rect("##panel").content.y;
    };
    const float empty = height();
    choose_kernel(window.ui, (scratch / "02_race.cu").string());
    const float chosen = height();
    CHECK(chosen > empty);
    CHECK(window.find("##panel", {"Your kernel", "Open"}).GetWidth() > 0);
    window.ui.kernel.file = window.ui.panel.kernel.file;
    window.ui.kernel.report.emplace();
    window.ui.kernel.report->fault = "02_race.cu: a race";
    const float told = height();
    window.ui.kernel.text = "one\ntwo\nthree\nfour\n";
    CHECK(height() == told);
    window.ui.kernel.report->fault = "02_race.cu: a race, line 3";
    CHECK(height() > told + 4 * ImGui::GetTextLineHeight());
    CHECK_FALSE(std::filesystem::exists(scratch / "02_race.cu"));
}

TEST_CASE("Going live is on offer where there is a GPU") {
    Interface window({"Your kernel"});
    show_right_kernel(window);
    window.ui.panel.kernel.live = false;
    const auto find_box = [&] {
        window.frames(2);
        return window.find("##panel", {"Your kernel", "once it is correct"});
    };
    Machine machine = *window.snapshot.machine;
    machine.cuda.devices.emplace_back();
    const auto without = std::exchange(window.snapshot.machine, std::make_shared<const Machine>(machine));
    CHECK(find_box().GetWidth() > 0);
    window.snapshot.machine = without;
    CHECK_THROWS(find_box());
}

TEST_CASE("The ladder has a card per rung with its code, and is measured where there is a GPU") {
    Interface window({"Kernel ladder"});
    window.frames(2);
    const float folded = window_rect("##panel").content.y;
    window.click("##panel", {"Kernel ladder", "###3_shared_tile"}, 0.1f);
    window.frames(2);
    CHECK(window_rect("##panel").content.y > folded + 16 * ImGui::GetTextLineHeight());
    const auto find_button = [&] {
        window.frames(2);
        return window.find("##panel", {"Kernel ladder", "Measure the ladder"});
    };
    Machine machine = *window.snapshot.machine;
    machine.cuda.devices.clear();
    window.snapshot.machine = std::make_shared<const Machine>(machine);
    CHECK_THROWS(find_button());
    machine.cuda.devices.emplace_back();
    window.snapshot.machine = std::make_shared<const Machine>(machine);
    CHECK(find_button().GetWidth() > 0);
}

TEST_CASE("Work that throws in its thread has a message, and is done once for each key") {
    Job<int> job;
    int begun = 0;
    const auto follow = [&](const std::string& key, bool fails) {
        return wait_until([&] {
            return job.follow(key, [&begun, fails] {
                ++begun;
                if (fails) throw std::runtime_error("there is no such code");
                return 7;
            });
        });
    };
    REQUIRE(follow("a", false));
    CHECK(job.result == 7);
    CHECK(job.failure.empty());
    REQUIRE(follow("b", true));
    REQUIRE(follow("b", true));
    CHECK(begun == 2);
    CHECK(job.failure == "there is no such code");
    CHECK(job.result == 0);
    REQUIRE(follow("a", false));
    CHECK(job.result == 7);
    CHECK(job.failure.empty());
}

TEST_CASE("Code that cannot be generated is a line in its section") {
    CodeLab lab(kText);
    const float before = window_rect("##panel").content.y;
    lab.ui.panel.code.code.failure = "there is no such code";
    lab.frames(2);
    CHECK(window_rect("##panel").content.y < before);
    lab.snapshot.now = with_setting(lab.snapshot.now, "dtype", "float64");
    lab.settle();
    CHECK(lab.ui.panel.code.code.failure.empty());
}

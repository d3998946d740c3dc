// The section of user kernels: what it shows, and when a kernel takes over.

#include "app/window/layout.h"
#include "app/window/panels/panels.h"
#include "sim/user_kernel/user_kernel.h"
#include "tests/support/catch.h"
#include "tests/support/window/imgui_panels.h"

using namespace stencil;
using namespace stencil_test;

namespace {

std::shared_ptr<const user_kernel::UserKernel> kernel_for(const RunSpec& run) {
    auto kernel = std::make_shared<user_kernel::UserKernel>();
    kernel->name = "heat.cu";
    kernel->entry = user_kernel::entry_of(run);
    kernel->model = run.model;
    kernel->stepper = run.stepper;
    kernel->spacing = run.spacing();
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

TEST_CASE("A kernel that was found right goes live once, and another method takes over for good") {
    Interface window;
    CAPTURE(window.dice.seed);
    show_right_kernel(window);
    window.frames(3);
    const auto orders = actions_of<action::UseKernel>(window.ui);
    REQUIRE(orders.size() == 1);
    CHECK(orders[0].kernel == window.ui.kernel.kernel);
    window.snapshot.now.kernel = orders[0].kernel;
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
    CAPTURE(window.dice.seed);
    show_right_kernel(window);
    window.snapshot.now.dtype = window.snapshot.now.dtype == DType::float32 ? DType::float64 : DType::float32;
    window.frames(2);
    CHECK(actions_of<action::UseKernel>(window.ui).empty());
}

TEST_CASE("What is wrong with a kernel, and what it is at, is shown in a section that opens") {
    Interface window;
    CAPTURE(window.dice.seed);
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

TEST_CASE("Going live is on offer where there is a GPU") {
    Interface window;
    CAPTURE(window.dice.seed);
    window.ui.preferences.open_sections = {"Your kernel"};
    show_right_kernel(window);
    window.ui.panel.kernel.live = false;
    const auto find_box = [&] {
        window.frames(2);
        return window.imgui.find("##panel", {"Your kernel", "once it is correct"}, window.draw());
    };
    Machine machine = *window.snapshot.machine;
    machine.cuda.devices.emplace_back();
    const auto without = std::exchange(window.snapshot.machine, std::make_shared<const Machine>(machine));
    CHECK(find_box().GetWidth() > 0);
    window.snapshot.machine = without;
    CHECK_THROWS(find_box());
}

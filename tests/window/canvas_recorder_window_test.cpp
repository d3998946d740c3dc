// Films of the canvas, started by hand.
#include "app/window/display/canvas_recorder.h"

#include <filesystem>
#include <future>

#include "sim/run/output/film.h"
#include "tests/support/catch.h"
#include "tests/support/scratch.h"
#include "tests/support/skip.h"
#include "tests/support/window/screen.h"

using namespace stencil;
using namespace stencil_test;

TEST_CASE("A film of the canvas has its fresh frames, and ends with it or when its size changes") {
    if (!why_no_video().empty()) skip(why_no_video());
    const ScratchFolder folder;
    const Screen screen(400, 300);
    const bool resized = GENERATE(false, true);
    std::promise<void> woken;
    UiState ui;
    ui.canvas = {40, 30, 200, 100};
    CanvasRecorder recorder([&] { woken.set_value(); });
    recorder.follow(ui, true, 300);
    CHECK_FALSE(ui.canvas_film.on());
    ui.canvas_film.asked = {folder.path().string(), ".gif", 10};
    for (int i = 0; i < 6; ++i) recorder.follow(ui, i % 2 == 0, 300);
    CHECK(ui.canvas_film.on());
    CHECK(ui.canvas_film.frames == 3);
    CHECK_FALSE(recorder.take(ui));
    if (resized)
        ui.canvas.width = 210;
    else
        ui.canvas_film.stop = true;
    recorder.follow(ui, true, 300);
    woken.get_future().wait();
    REQUIRE(recorder.take(ui));
    CHECK_FALSE(ui.canvas_film.on());
    REQUIRE(ui.actions.size() == 1);
    const auto& told = std::get<action::Tell>(ui.actions.front());
    CAPTURE(told.text);
    CHECK_FALSE(told.failed);
    CHECK(told.text.find("3 frames") != std::string::npos);
    CHECK(std::filesystem::file_size(folder / "film.gif") > 100);
}

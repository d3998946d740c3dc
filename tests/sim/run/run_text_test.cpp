// The text of a run contains all of it, and parses to the same run.
#include "sim/run/run_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/model/equations.h"
#include "sim/model/presets.h"
#include "sim/run/start.h"
#include "tests/support/catch.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

namespace {

RunSpec of_text(const std::string& text) {
    RunSpec spec;
    spec.use_model(model_of_text(text));
    return spec;
}

bool same_run(const RunSpec& a, const RunSpec& b) {
    return a.parameters == b.parameters && a.size == b.size && a.time_step() == b.time_step() &&
           a.spacing() == b.spacing() && a.boundary_as_typed == b.boundary_as_typed &&
           (a.boundary_as_typed || a.boundary == b.boundary) && a.scheme() == b.scheme();
}

}  // namespace

TEST_CASE("The text of any preset with random settings says them, and is itself when it is read again") {
    Dice dice;
    for (const Preset& preset : presets()) {
        CAPTURE(std::string(preset.name));
        RunSpec spec;
        spec.use_model(find_model(preset.name));
        CHECK(text_of_run(spec) == spec.model->text);
        for (int i = 0; i < 8; ++i) {
            for (std::size_t p = 0; p < spec.parameters.size(); ++p) {
                const ModelParameter& row = spec.model->parameters[p];
                if (dice.integer(0, 1) == 0)
                    spec.parameters[p] = dice.uniform(row.low, row.high + 0.2 * (row.high - row.low));
            }
            if (dice.integer(0, 1) == 0) spec.size = Size{dice.integer(1, 999), dice.integer(1, 999)};
            if (dice.integer(0, 1) == 0) spec.dt = fmt::format("{}", dice.uniform(1e-6, 1));
            if (dice.integer(0, 1) == 0) spec.dx = dice.uniform(1e-3, 10);
            if (dice.integer(0, 2) == 0) {
                spec.boundary = Boundary(dice.integer(0, 2));
                spec.boundary_as_typed = false;
            }
            const std::string text = text_of_run(spec);
            CAPTURE(text);
            const RunSpec again = of_text(text);
            CHECK(same_run(again, spec));
            CHECK(text_of_run(again) == text);
        }
    }
}

TEST_CASE("Comments, layout and what was not changed stay as they were typed") {
    const std::string text =
        "# title\n"
        "du/dt = D*lap(u)   # spreads\n"
        "D = 1/8 in [0, 1] [m^2/s];  k=3\n"
        "left: u = k;  right: u = 0  # hot\n"
        "dx = 1;  dt = 0.5;  u(0) = 0\n";
    RunSpec spec = of_text(text);
    CHECK(text_of_run(spec) == text);
    spec.set_parameter("D", 2);
    spec.dt = "0.25";
    spec.size = Size{64, 32};
    CHECK(text_of_run(spec) ==
          "# title\n"
          "du/dt = D*lap(u)   # spreads\n"
          "D = 2 in [0, 2] [m^2/s];  k=3\n"
          "left: u = k;  right: u = 0  # hot\n"
          "dx = 1;  dt = 0.25;  u(0) = 0\n"
          "size = 64x32\n");
    spec.boundary = Boundary::periodic;
    spec.boundary_as_typed = false;
    CHECK(text_of_run(spec).find("left") == std::string::npos);
    CHECK(text_of_run(spec).find("boundary = periodic") != std::string::npos);
    // An initial condition that a text can express is included, any other is left out.
    spec.initial = "exp(-x)";
    CHECK(text_of_run(spec).find("u(0) = exp(-x)") != std::string::npos);
    spec.initial = "jagged";
    CHECK(text_of_run(spec).find("u(0)") == std::string::npos);
}

TEST_CASE("An open dt is left open, and a chosen one is written") {
    RunSpec spec = of_text("du/dt = lap(u)\n");
    spec.dt = "0.2";
    CHECK(text_of_run(spec, false) == spec.model->text);
    CHECK(text_of_run(spec, true) == "du/dt = lap(u)\ndt = 0.2\n");
}

TEST_CASE("What a text says counts, and what it does not say stays as it is in the run") {
    RunSpec before = of_text("du/dt = D*lap(u)\nD = 0.1 in [0, 1]; dt = 0.5; boundary = zero; size = 40x30");
    before.set_parameter("D", 0.3);
    before.boundary = Boundary::periodic;
    before.size = Size{64, 64};
    before.dx = 2;
    const auto edited = [&](const std::string& text) {
        RunSpec next = changed(before, "equation", text);
        for (const auto& [setting, value] : choices_of_text(before, next))
            next = changed(next, setting, value);
        return next;
    };
    // Edits outside of the statements do not change the run.
    CHECK(same_run(edited(text_of_run(before) + " # more"), before));
    // Returns to the text before the sliders were moved.
    const RunSpec back =
        edited("du/dt = D*lap(u)\nD = 0.1 in [0, 1]; dt = 0.5; boundary = zero; size = 40x30; dx = 1");
    CHECK(back.parameter("D") == 0.1);
    CHECK(back.boundary == Boundary::zero);
    CHECK(back.size == Size{40, 30});
    CHECK(back.spacing() == 1);
    const RunSpec bare = edited("du/dt = 0.2*lap(u)");
    CHECK(bare.boundary == Boundary::periodic);
    CHECK(bare.size == Size{64, 64});
    CHECK(bare.spacing() == 2);
    CHECK(bare.dt.empty());
}

TEST_CASE("A start that no text can say stays the start of the edited equation") {
    RunSpec before;
    before.initial = "jagged";
    RunSpec next = of_text("du/dt = 0.2*lap(u) - 0.001*u");
    keep_starts_of(before, next);
    CHECK(next.initial == "jagged");
    RunSpec own = of_text("du/dt = 0.2*lap(u)\nu(0) = 1");
    keep_starts_of(before, own);
    CHECK(own.initial.empty());
}

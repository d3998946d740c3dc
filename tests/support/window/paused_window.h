// Starts the real program with a small field, ready to be used.
#pragma once

#include "sim/initial/initial.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"
#include "tests/support/catch.h"
#include "tests/support/picture.h"
#include "tests/support/program.h"
#include "tests/support/window/window_robot.h"

namespace stencil_test {

class ExpectedRun {
  public:
    using Settings = std::vector<std::pair<std::string, std::string>>;

    explicit ExpectedRun(const Settings& settings)
        : simulation_(make(settings)), range_(simulation_.spec().range) {}

    /// Returns the picture in viridis over the range of the settings. Steps must not decrease.
    Picture at_step(long long step) {
        simulation_.apply(stencil::Advance{step - simulation_.step()});
        const stencil::Field field = simulation_.field();
        return colored(field, "viridis", stencil::find_range(field, range_, false));
    }

    /// Returns the settings as command-line options.
    static std::vector<std::string> arguments(const Settings& settings) {
        std::vector<std::string> words;
        for (const auto& [name, value] : settings) {
            words.push_back("--" + name);
            words.push_back(value);
        }
        return words;
    }

  private:
    static stencil::Simulation make(const Settings& settings) {
        stencil::RunSpec spec;
        for (const auto& [name, value] : settings) spec = stencil::with_setting(std::move(spec), name, value);
        spec = stencil::resolve(spec, stencil::query_machine());
        const stencil::InitialChoice choice = stencil::parse_initial(spec.initial);
        return {spec,
                stencil::make_initial(
                    choice, {spec.size->nx, spec.size->ny, spec.seed, spec.boundary, choice.parameters})};
    }

    stencil::Simulation simulation_;
    stencil::RangeRule range_;
};

/// Returns noise that changes slowly enough to distinguish every step, and never settles.
inline ExpectedRun::Settings slow_noise() {
    static Dice random;
    return {{"size", "240x170"},
            {"initial", "noise"},
            {"seed", std::to_string(random.integer(0, 1 << 30))},
            {"boundary", "periodic"},
            {"range", "0.3:0.7"}};
}

inline constexpr int kWidth = 240, kHeight = 170;

/// A paused run with one step per frame and one pixel per cell.
struct PausedWindow {
    explicit PausedWindow(const Words& more = {})
        : settings(slow_noise()),
          run(settings),
          start(run.at_step(0)),
          robot(
              joined(joined(ExpectedRun::arguments(settings),
                            words("--paused --zoom 1 --steps-per-frame 1 --json {}", folder / "report.json")),
                     more),
              home) {
        robot.park();
        const auto found = robot.find(start);
        INFO(robot.errors());
        REQUIRE(found.has_value());
        at = *found;
        // The program first measures the copy bandwidth and ignores input meanwhile; wait for its answer.
        robot.key("period");
        REQUIRE(wait_for(run.at_step(1)));
        robot.key("r");
        REQUIRE(wait_for(start));
        REQUIRE(settles());
    }

    bool moves() const { return robot.moves(at, kWidth, kHeight); }
    bool settles() const { return robot.settles(at, kWidth, kHeight); }
    bool wait_for(const Picture& picture) const { return robot.wait_for(at, picture); }
    nlohmann::json quit() {
        CHECK(robot.quit() == 0);
        return read_json(folder / "report.json");
    }

    ScratchFolder folder;
    RobotHome home;
    ExpectedRun::Settings settings;
    ExpectedRun run;
    Picture start;
    WindowRobot robot;
    Spot at;
};

}  // namespace stencil_test

// The expected state of a run shown in the window.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/initial/initial.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"
#include "tests/support/picture.h"

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
        for (const auto& [name, value] : settings) spec = stencil::changed(std::move(spec), name, value);
        spec = stencil::resolve(spec, stencil::query_machine());
        const stencil::InitialChoice choice = stencil::parse_initial(spec.initial);
        return {spec,
                stencil::make_initial(
                    choice, {spec.size->nx, spec.size->ny, spec.seed, spec.boundary, choice.parameters})};
    }

    stencil::Simulation simulation_;
    stencil::RangeRule range_;
};

}  // namespace stencil_test

// The texts of the cards. Facts: |1 - 8c| <= 1 holds up to c = 0.25; a float32 step reads and writes 4 bytes
// per cell; the chart's limit assumes three instructions per cell (sim/bench/speed_chart.cpp).
#include <algorithm>

#include "app/window/panels/commands.h"
#include "app/window/panels/tour/tour.h"

namespace stencil {
namespace {

template <class T>
bool sent(const UiState& ui, const Snapshot&) {
    return std::ranges::any_of(ui.actions,
                               [](const Action& action) { return std::holds_alternative<T>(action); });
}

bool changed_one_of(const UiState& ui, std::initializer_list<std::string_view> settings) {
    return std::ranges::any_of(ui.actions, [&](const Action& action) {
        const auto* change = std::get_if<action::Change>(&action);
        return change && std::ranges::find(settings, change->setting) != settings.end();
    });
}

bool shows_laplacian(const UiState& ui, const Snapshot&) {
    return std::ranges::find(ui.panes, Pane::laplacian) != ui.panes.end();
}

constexpr TourStep kSteps[] = {
    {"one step",
     "The picture is a grid of numbers, each a cell. In a step every cell takes a new value from its old one "
     "and its four neighbours: new = old + c * (sum of the neighbours - 4 * old). Press Step.",
     "",
     TourSpot::step,
     sent<action::Step>},
    {"many steps",
     "Step after step the cells even out, as heat does in a plate. The rule behind it is a partial "
     "differential equation, diffusion. Press Run.",
     "",
     TourSpot::run,
     sent<action::Run>},
    {"why 0.25",
     "This is c. A checkerboard of cells is multiplied by 1 - 8c in every step: beyond 0.25 that is below "
     "-1, and the least error grows instead of fading. So the slider ends there. Pull it.",
     "Simulation",
     TourSpot::coefficient,
     [](const UiState& ui, const Snapshot&) { return changed_one_of(ui, {"coefficient"}); }},
    {"what drives it",
     "Sum of the neighbours - 4 * old has a name, the Laplacian. Where it is above zero a cell is about to "
     "rise, below zero to fall. Choose Laplacian here, or Start, now, Laplacian.",
     "",
     TourSpot::view,
     shows_laplacian},
    {"what a kernel waits for",
     "A kernel is the code that makes the steps. For each cell it has to move 8 bytes (in float32), and to "
     "carry out three instructions: on a field larger than the caches it waits for memory. Methods that "
     "make several steps in one pass over memory wait less. Choose another one.",
     "Simulation",
     TourSpot::method,
     [](const UiState& ui, const Snapshot&) {
         return changed_one_of(ui, {"method", "backend"});
     }},
    {"the roofline",
     "Measure all methods: they come into the chart here. Its dashed lines are what this machine can do: as "
     "fast as it copies memory, with one step a pass, and as fast as it computes. The ring is your run.",
     "Performance",
     TourSpot::ladder,
     sent<action::MeasureLadder>,
     8},
    {"your own equation",
     "What is stepped is this text, and you can type over it: with  - 0.001*u  behind the Laplacian the "
     "field fades as it spreads. It is applied as you type; undo takes it back. The gallery (G) has others.",
     "Equation",
     TourSpot::equation,
     [](const UiState& ui, const Snapshot&) {
         return changed_one_of(ui, {"equation", "model"});
     }},
    {"beat the ladder",
     "Write a kernel of your own: a button here makes a CUDA file to start from. Whenever you save it, it is "
     "compiled, and on an NVIDIA GPU checked, timed beside the methods, and live once it is right.",
     "Your kernel",
     TourSpot::kernel,
     [](const UiState& ui, const Snapshot&) { return !ui.panel.kernel.file.empty(); }},
};

}  // namespace

std::span<const TourStep> tour_steps() {
    return kSteps;
}

}  // namespace stencil

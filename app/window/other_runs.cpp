#include "app/window/other_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {

void follow_beside(UiState& ui, const Snapshot& snapshot) {
    struct Seen {
        bool run_b = false, tiles = false, fit = false;
    };
    Seen& seen = ui.panel.of<Seen>();
    const auto follow = [&](bool& was, bool is, const std::vector<Pane>& shows) {
        if (std::exchange(was, is) == is) return;
        if (is)
            ui.panes = shows;
        else if (ui.panes == shows)
            ui.panes = {Pane::now};
    };
    follow(seen.run_b, snapshot.beside.run_b.has_value(), two_runs());
    follow(seen.tiles, snapshot.tiles != nullptr, {Pane::mosaic});
    follow(seen.fit, snapshot.fit && snapshot.fit->has_fields(), fit_panes());
}

const MosaicTiles* watched_tiles(const UiState& ui, const Snapshot& snapshot) {
    return ui.panes.front() == Pane::mosaic ? snapshot.tiles.get() : nullptr;
}

ShownStep shown_step(const UiState& ui, const Snapshot& snapshot) {
    if (const MosaicTiles* tiles = watched_tiles(ui, snapshot)) return {tiles->step, tiles->furthest};
    return {snapshot.step, snapshot.end_step};
}

std::optional<std::size_t> tile_at(const UiState& ui, const Snapshot& snapshot) {
    const MosaicTiles* tiles = watched_tiles(ui, snapshot);
    if (!tiles || !ui.hover) return std::nullopt;
    return tiles->at(*ui.hover);
}

void show_sweep(UiState& ui, const Snapshot& snapshot, SweepSpec sweep) {
    RunSpec now = snapshot.now;
    if (snapshot.auto_method) now.method = "auto";
    try {
        sweep.base = sweep_base(std::move(now), sweep.base.size.value_or(usual_tile(snapshot.now)));
    } catch (const InputError& error) {
        return ui.say(error.what());
    }
    ui.act(action::ShowSweep{std::make_shared<const SweepSpec>(std::move(sweep))});
}

void sweep_over(UiState& ui, const Snapshot& snapshot, std::size_t axis, const Vary& vary) {
    SweepSpec sweep;
    if (snapshot.beside.sweep) sweep = *snapshot.beside.sweep;
    // The parameter moves from the other axis.
    if (sweep.vary.size() == 2 && sweep.vary[1 - axis].name == vary.name)
        sweep.vary.erase(sweep.vary.begin() + std::ptrdiff_t(1 - axis));
    if (axis < sweep.vary.size())
        sweep.vary[axis] = vary;
    else
        sweep.vary.push_back(vary);
    if (sweep.vary.size() == 2 && sweep.vary[0].name == sweep.vary[1].name) sweep.vary.pop_back();
    show_sweep(ui, snapshot, std::move(sweep));
}

void show_run_b(
    UiState& ui, const Snapshot& snapshot, const std::string& parameter, double value, bool continuing) {
    RunB run = snapshot.beside.run_b.value_or(RunB());
    if (run.parameter != parameter) run = {parameter, {}};
    run.set(run.values.empty() ? 0 : snapshot.step, format_real(value));
    ui.act(action::ShowRunB{std::move(run), continuing});
}

}  // namespace stencil

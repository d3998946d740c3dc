#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "app/window/other_runs.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/sweep/sweep_table.h"
#include "sim/text/error.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

constexpr std::array kAxisRows{"Over x", "Over y"};

void draw_axis(UiState& ui, const Snapshot& snapshot, std::size_t axis) {
    const auto& sweep = snapshot.beside.sweep;
    const std::string shown = sweep && axis < sweep->vary.size() ? to_string(sweep->vary[axis]) : "";
    constexpr std::string_view kTip =
        "A parameter or another setting with its values, e.g. F=0.01:0.07:16, K=1e-3:1:9:log or "
        "seed=1:16:16\n--vary NAME=FROM:TO:COUNT[:log]";
    text_row({ui, kAxisRows[axis], kTip}, shown, [&](const std::string& text) {
        if (!text.empty()) return sweep_over(ui, snapshot, axis, parse_vary(text));
        if (!sweep || sweep->vary.size() < 2) return ui.act(action::ShowSweep{});
        SweepSpec less = *sweep;
        less.vary.erase(less.vary.begin() + std::ptrdiff_t(axis));
        show_sweep(ui, snapshot, std::move(less));
    });
}

void color_by(UiState& ui, const SweepSpec& sweep, const std::string& map) {
    auto next = std::make_shared<SweepSpec>(sweep);
    next->map = map;
    if (map.empty()) next->observe.clear();
    with_map_observed(*next);  // throws
    ui.act(action::ShowSweep{std::move(next)});
}

// A measure of the table, or a formula.
void draw_color_choice(UiState& ui, const SweepSpec& sweep) {
    constexpr std::string_view kTip =
        "A number of each run that colours small tiles and frames large ones: a formula of the whole field, "
        "e.g. mean(v) or max(v) - min(v), or a column of sweep.csv, such as wavelength, growth or v_max. "
        "Empty: pictures alone\n--map NAME";
    constexpr const char* kPictures = "pictures alone";
    const std::string now = color_of(sweep);
    std::vector<std::string> names{kPictures};
    for (const SweepMeasure& one : sweep_measures(sweep)) names.push_back(one.name);
    const auto chosen = name_row("Colour by", names, now.empty() ? kPictures : now, kTip);
    if (chosen) color_by(ui, sweep, *chosen == 0 ? "" : names[*chosen]);
    const bool named = contains(names, now);
    text_row(
        {ui, "Formula", kTip}, named ? "" : now, [&](const std::string& text) { color_by(ui, sweep, text); });
}

}  // namespace

void draw_sweep(UiState& ui, const Snapshot& snapshot) {
    for (const std::size_t axis : {0, 1}) draw_axis(ui, snapshot, axis);
    const auto& sweep = snapshot.beside.sweep;
    if (!sweep)
        return paragraph(
            "Many runs at once, each a tile. Right-click a slider to begin, or enter what varies.",
            faint_color());
    const MosaicTiles& tiles = *snapshot.tiles;
    const auto restart = [&](auto&& edit) {
        SweepSpec next = *sweep;
        edit(next);
        show_sweep(ui, snapshot, std::move(next));
    };
    text_row({ui, "Tiles", "Columns x rows of each run's field\n--size NX[xNY]"},
             fmt::format("{}x{}", tiles.tile.nx, tiles.tile.ny),
             [&](const std::string& text) {
                 restart([&](SweepSpec& next) { set_setting(next.base, setting_name::size, text); });
             });
    draw_color_choice(ui, *sweep);
    std::size_t failed = 0;
    for (std::size_t run = 0; run < tiles.count(); ++run) failed += tiles.failed(run) ? 1 : 0;
    paragraph(fmt::format("{} runs, step {}{}{}",
                          tiles.count(),
                          tiles.step,
                          tiles.begun < tiles.count() ? fmt::format(", {} begun", tiles.begun) : "",
                          failed > 0 ? fmt::format(", {} failed", failed) : ""),
              faint_color());
    if (!tiles.way.empty()) paragraph("On the GPU: " + tiles.way, faint_color());
    const ImVec2 half = button_size(2);
    if (button("Restart", half, "Begins all runs again, with the present settings of the run"))
        restart([](SweepSpec&) {});
    same_line();
    if (button("Close", half, "Shows the run alone; Undo brings the sweep back")) ui.act(action::ShowSweep{});
    if (button("Export", half, "Writes sweep.csv and sweep.png of this step to the folder of Export"))
        ui.act(action::ExportSweep{ui.preferences.exports.folder});
    same_line();
    if (button("Copy command", half, "The command that repeats these runs up to this step"))
        copy_sweep_command(ui, *sweep);
}

}  // namespace stencil

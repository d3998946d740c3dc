// The pictures that the canvas and figures of the view show of a field.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/view/quantity.h"
#include "sim/view/value_range.h"

namespace stencil {

struct Colormap;
struct Model;
struct RunSpec;

/// A picture of the field; kPanes in panes.cpp names them. Panes from `first` on show the model's components,
/// from_bookmark needs a bookmark, surface draws the present field in 3D, xt its middle row over time, and
/// those from run_b on show other runs beside this one.
enum class Pane {
    now,
    laplacian,
    from_start,
    from_reference,
    start,
    first,
    second,
    third,
    from_bookmark,
    surface,
    xt,
    run_b,
    mosaic,
    fit_target,
    fit_run,
    fit_difference
};
inline constexpr std::size_t kPaneKinds = 16;
/// Whether the pane shows what only a session has, so that no run can be told to show it.
bool is_of_session(Pane pane);
/// Whether the pane shows the target, the run or the residuals of a fit.
inline bool is_of_fit(Pane pane) {
    return pane >= Pane::fit_target;
}

struct PaneRow {
    Pane pane;
    std::string_view name;   ///< for --view
    std::string_view title;  ///< above the picture
    std::string_view brief;  ///< shorter title
    std::string_view help;
};
std::span<const PaneRow> panes();
const PaneRow& row_of(Pane pane);
/// Whether the pane is a picture of the field's cells, which can be panned, painted on and measured.
inline bool shows_cells(Pane pane) {
    return pane != Pane::surface && pane != Pane::xt;
}

inline constexpr PaneRow kThreeUp{
    Pane::now, "three-up", "Start, field, Laplacian", "3-up", "The start, the field and its Laplacian"};
inline constexpr PaneRow kComponents{Pane::first,
                                     "components",
                                     "Components side by side",
                                     "All",
                                     "The first three components of typed equations"};

/// Panes of the first components, at most three.
std::vector<Pane> component_panes(const Model& model);
/// Returns the component that the pane always shows; empty for other panes.
std::optional<std::size_t> component_of(Pane pane);
/// Returns the formula that a pane shows; empty if the model has no such component.
std::string formula_of(Pane pane, const RunSpec& spec);
/// Title above the picture: the observable of typed equations, otherwise "Field".
std::string title_of(Pane pane, const RunSpec& spec);

/// Names the quantity of a pane beside its colours, such as "Laplacian of u" or "u (mol/L)".
std::string quantity_label(Pane pane, const RunSpec& spec);
/// A formula with the unit of its values.
std::string value_label(const RunSpec& spec, const std::string& formula);

// Differences use a diverging colour map centred at zero and the range of all values.
Quantity quantity_of(Pane pane);
std::string colormap_of(Pane pane, const RunSpec& spec);
RangeRule rule_of(Pane pane, const RunSpec& spec);

/// The panes of three-up, from left to right.
const std::vector<Pane>& three_up();
/// Parses the value of --view; empty if unknown.
std::optional<std::vector<Pane>> panes_named(std::string_view name);

/// Checks the value of --view. Throws InputError.
std::string read_view(std::string_view text);
/// Returns the value of --view that shows these panes; empty for the field alone.
std::string_view view_of(const std::vector<Pane>& panes);
/// The run and run B.
const std::vector<Pane>& two_runs();
/// The target of a fit, its run, and their difference.
const std::vector<Pane>& fit_panes();
/// Returns the panes of the spec's view, from left to right.
std::vector<Pane> panes_of(const RunSpec& spec);

/// Colormaps of a run's pictures, as --colormap says; the figure shows the Laplacian in inferno by default.
const Colormap& field_colors(const RunSpec& spec, const std::string& formula);
/// Those of the shown formula.
const Colormap& field_colors(const RunSpec& spec);
const Colormap& laplacian_colors(const RunSpec& spec, bool in_figure);

}  // namespace stencil

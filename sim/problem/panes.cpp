#include "sim/problem/panes.h"

#include <algorithm>
#include <iterator>

#include "sim/problem/run_spec.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/view/colormap.h"

namespace stencil {
namespace {

constexpr PaneRow kPanes[] = {
    {Pane::now, "now", "Field", "Field", "The field."},
    {Pane::laplacian,
     "laplacian",
     "Laplacian",
     "Laplacian",
     "Laplacian of the field: it rises where this is positive and falls where it is negative."},
    {Pane::from_start,
     "from-start",
     "Difference from the start",
     "From start",
     "The field minus the initial condition."},
    {Pane::from_reference,
     "from-reference",
     "Difference from float64",
     "From float64",
     "The field minus the same run in float64: its error."},
    {Pane::start, "start", "Start", "Start", "The initial condition."},
    {Pane::surface,
     "surface",
     "Surface",
     "Surface",
     "The field as a surface: drag to turn it, wheel to zoom."},
    {Pane::xt,
     "xt",
     "Over time (x-t)",
     "Over time",
     "The middle row over time, downwards: for a line, and for a section of a field."},
    // Always shown together, so they cannot be chosen singly.
    {Pane::first, "first", "First component", "First", "The first component."},
    {Pane::second, "second", "Second component", "Second", "The second component."},
    {Pane::third, "third", "Third component", "Third", "The third component."},
    // Offered if there is a bookmark.
    {Pane::from_bookmark,
     "from-bookmark",
     "Difference from bookmark",
     "From bookmark",
     "The field minus that of a bookmark."},
    // Offered if there is another run.
    {Pane::run_b, "run-b", "Two runs", "Run B", "The run beside run B, which has one parameter apart."},
    {Pane::mosaic, "mosaic", "Sweep", "Sweep", "The runs of a sweep, each as a tile."},
    // Always shown together.
    {Pane::fit_target, "fit-target", "Target", "Target", "The target of the fit."},
    {Pane::fit_run, "fit-run", "Fitted run", "Fitted run", "The run with the best parameters so far."},
    {Pane::fit_difference,
     "fit",
     "Fit",
     "Fit",
     "The fit's target, its best run so far, and their difference."},
};
static_assert(std::size(kPanes) == kPaneKinds);
constexpr std::size_t kChosenSingly = 7;

bool is_difference(Pane pane) {
    return pane == Pane::from_start || pane == Pane::from_reference || pane == Pane::from_bookmark ||
           pane == Pane::fit_difference;
}

}  // namespace

bool is_of_session(Pane pane) {
    return pane == Pane::from_bookmark || pane == Pane::run_b || pane == Pane::mosaic || is_of_fit(pane);
}

const std::vector<Pane>& two_runs() {
    static const std::vector<Pane> panes{Pane::now, Pane::run_b};
    return panes;
}

const std::vector<Pane>& fit_panes() {
    static const std::vector<Pane> panes{Pane::fit_target, Pane::fit_run, Pane::fit_difference};
    return panes;
}

std::span<const PaneRow> panes() {
    return std::span(kPanes).first(kChosenSingly);
}

const PaneRow& row_of(Pane pane) {
    return *std::ranges::find(kPanes, pane, &PaneRow::pane);
}

std::vector<Pane> component_panes(const Model& model) {
    std::vector<Pane> panes{Pane::first, Pane::second, Pane::third};
    panes.resize(std::min(panes.size(), model.components.size()));
    return panes;
}

std::optional<std::size_t> component_of(Pane pane) {
    if (pane < Pane::first || pane > Pane::third) return std::nullopt;
    return std::size_t(pane) - std::size_t(Pane::first);
}

std::string formula_of(Pane pane, const RunSpec& spec) {
    const auto component = component_of(pane);
    if (!component) return spec.shown();
    const auto& components = spec.model->components;
    return *component < components.size() ? components[*component].name : "";
}

std::string title_of(Pane pane, const RunSpec& spec) {
    const bool plain = pane == Pane::now || pane == Pane::surface || component_of(pane);
    if (plain) return formula_of(pane, spec);
    if (pane == Pane::xt) return formula_of(pane, spec) + " over time";
    if (pane == Pane::fit_difference) return "Difference";
    return std::string(row_of(pane).title);
}

std::string quantity_label(Pane pane, const RunSpec& spec) {
    const std::string formula = formula_of(pane, spec);
    if (pane == Pane::laplacian) return "Laplacian of " + formula;
    return is_difference(pane) ? with_unit("difference", spec.value_unit(formula))
                               : value_label(spec, formula);
}

std::string value_label(const RunSpec& spec, const std::string& formula) {
    return with_unit(formula, spec.value_unit(formula));
}

Quantity quantity_of(Pane pane) {
    if (pane == Pane::laplacian) return Quantity::laplacian;
    if (is_difference(pane)) return Quantity::difference;
    return pane == Pane::start ? Quantity::base : Quantity::value;
}

std::string colormap_of(Pane pane, const RunSpec& spec) {
    if (is_difference(pane)) return "coolwarm";
    return std::string(pane == Pane::laplacian ? laplacian_colors(spec, false).name
                                               : field_colors(spec, formula_of(pane, spec)).name);
}

RangeRule rule_of(Pane pane, const RunSpec& spec) {
    if (is_difference(pane)) return {};
    return pane == Pane::laplacian ? spec.laplacian_range : spec.coloring(formula_of(pane, spec)).range;
}

const std::vector<Pane>& three_up() {
    static const std::vector<Pane> panes{Pane::start, Pane::now, Pane::laplacian};
    return panes;
}

std::optional<std::vector<Pane>> panes_named(std::string_view name) {
    if (name == kThreeUp.name) return three_up();
    if (name == kComponents.name) return std::vector{kComponents.pane};  // as many as the model has
    const auto rows = panes();
    const auto found = std::ranges::find(rows, name, &PaneRow::name);
    if (found == rows.end()) return std::nullopt;
    return std::vector{found->pane};
}

std::string read_view(std::string_view text) {
    std::vector<std::string> known = names_of(panes());
    known.insert(known.begin(), {std::string(kThreeUp.name), std::string(kComponents.name)});
    if (!text.empty() && !panes_named(text))
        throw InputError(Given{"view"}, unknown_name_message("view", text, known));
    return text == row_of(Pane::now).name ? "" : std::string(text);
}

std::string_view view_of(const std::vector<Pane>& panes) {
    if (panes.empty() || (panes.size() == 1 && panes.front() == Pane::now)) return "";
    if (component_of(panes.front())) return kComponents.name;
    if (is_of_session(panes.back())) return row_of(panes.back()).name;
    return panes.size() > 1 ? kThreeUp.name : row_of(panes.front()).name;
}

std::vector<Pane> panes_of(const RunSpec& spec) {
    if (spec.view == kComponents.name) return component_panes(*spec.model);
    const auto rows = std::span(kPanes);
    const auto row = std::ranges::find(rows, spec.view, &PaneRow::name);
    return spec.view == kThreeUp.name ? three_up() : std::vector{row == rows.end() ? Pane::now : row->pane};
}

const Colormap& field_colors(const RunSpec& spec, const std::string& formula) {
    const std::string& chosen = spec.chosen_colormap(formula);
    return colormap(chosen.empty() ? "viridis" : chosen);
}

const Colormap& field_colors(const RunSpec& spec) {
    return field_colors(spec, spec.shown());
}

const Colormap& laplacian_colors(const RunSpec& spec, bool in_figure) {
    if (!spec.laplacian_colormap.empty()) return colormap(spec.laplacian_colormap);
    if (in_figure) return colormap("inferno");
    // A Laplacian has both signs.
    const std::string& chosen = spec.chosen_colormap(spec.shown());
    return colormap(!chosen.empty() && colormap(chosen).diverging ? chosen : "coolwarm");
}

}  // namespace stencil

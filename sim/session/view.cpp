#include "sim/session/view.h"

#include <algorithm>
#include <iterator>
#include <span>

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
};
static_assert(std::size(kPanes) == kPaneKinds);
constexpr std::size_t kChosenSingly = 6;

}  // namespace

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
    if (!spec.model->built_in && plain) return formula_of(pane, spec);
    return std::string(row_of(pane).title);
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

}  // namespace stencil

#include "sim/session/view.h"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace stencil {
namespace {

constexpr PaneRow kPanes[] = {
    {Pane::now, "now", "Now", "Now", "The field as it is."},
    {Pane::laplacian,
     "laplacian",
     "Laplacian",
     "Laplacian",
     "Of the field: where it is about to rise (> 0) and to fall (< 0)."},
    {Pane::from_start,
     "from-start",
     "Difference from the start",
     "From start",
     "The field minus the initial condition."},
    {Pane::from_reference,
     "from-reference",
     "Difference from float64",
     "From float64",
     "The field minus the same run in double precision from its start: the error of what runs."},
    {Pane::start, "start", "Start", "Start", "The initial condition."},
};

}  // namespace

std::span<const PaneRow> panes() {
    return kPanes;
}

const PaneRow& row_of(Pane pane) {
    const auto row = std::ranges::find(kPanes, pane, &PaneRow::pane);
    if (row == std::end(kPanes)) throw std::logic_error("a pane without a row");
    return *row;
}

const std::vector<Pane>& three_up() {
    static const std::vector<Pane> panes{Pane::start, Pane::now, Pane::laplacian};
    return panes;
}

}  // namespace stencil

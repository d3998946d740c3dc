#include <imgui.h>

#include <algorithm>

#include "app/window/panels/panels.h"
#include "app/window/panels/plots/plot.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/run/output/dispersion.h"

namespace stencil {
namespace {

constexpr float kRatesHeight = 15, kSpectrumHeight = 11;  // in font sizes
constexpr float kLowestRates = 8;

// Returns the relation at the newest means and the present sliders; null before the first step.
const DispersionRelation* known_dispersion(UiState& ui, const Snapshot& snapshot) {
    DispersionState& state = ui.panel.dispersion;
    const RunSpec& now = snapshot.now;
    const auto& limit = snapshot.step_limit;
    const bool known = why_no_dispersion(now).empty() && limit && now.size &&
                       limit->means.size() == now.model->components.size();
    if (!known) {
        state.relation.reset();
        state.at.reset();
    } else if (state.at != limit || state.parameters != now.parameters || state.spacing != now.dx) {
        state.relation = dispersion_relation(now, limit->means, limit->time);
        state.at = limit;
        state.parameters = now.parameters;
        state.spacing = now.dx;
    }
    return state.relation ? &*state.relation : nullptr;
}

// Describes the base state, in amber if it is not steady, and the fastest-growing wave.
void draw_numbers(const DispersionRelation& relation, const RunSpec& now) {
    std::string about = relation.about(now);
    about.front() = 'A';
    paragraph(about, relation.base.steady ? faint_color() : warning_color());
    paragraph(relation.text(now), text_color());
}

// The relation, and the measured spectrum below it.
void draw_relation(UiState& ui,
                   const Snapshot& snapshot,
                   const DispersionRelation& relation,
                   float rates_height,
                   float spectrum_height) {
    draw_plot(dispersion_chart(relation, snapshot.now), rates_height);
    ui.wants_spectrum = true;
    const auto& frame = snapshot.frame;
    if (!frame || !frame->spectrum || frame->spectrum->power.empty()) return;
    draw_plot(dispersion_spectrum(relation, *frame->spectrum, main_quantity(ui, snapshot), snapshot.now),
              spectrum_height);
}

}  // namespace

void draw_dispersion(UiState& ui, const Snapshot& snapshot) {
    if (!why_no_dispersion(snapshot.now).empty()) return;
    if (!unfolded(
            "Dispersion relation",
            "Growth rates of small waves about a steady state over their wave number (solid), and their "
            "frequencies (dashed), one curve per eigenmode: above 0 they grow. The steady state is the "
            "one that Newton's method reaches from the field's mean. Below it, the measured spectrum of "
            "the field.\n--export dispersion.csv,dispersion.pdf"))
        return;
    const DispersionRelation* relation = known_dispersion(ui, snapshot);
    if (!relation) return paragraph("Available after the first step.", faint_color());
    bool& large = ui.panel.dispersion.large;
    if (button(large ? "Close##dispersion" : "Enlarge##dispersion",
               button_size(2),
               "Shows the plots in a separate window"))
        large = !large;
    same_line();
    bool ring = snapshot.now.wave_ring;
    if (checkbox("Ring on the field",
                 &ring,
                 "A circle over the field, as wide as the fastest growing wave is long\n--wave-ring"))
        change(ui, setting_name::wave_ring, ring ? "true" : "false");
    draw_numbers(*relation, snapshot.now);
    draw_relation(ui, snapshot, *relation, em(kRatesHeight), em(kSpectrumHeight));
}

void draw_large_dispersion(UiState& ui, const Snapshot& snapshot) {
    bool& large = ui.panel.dispersion.large;
    if (!large && !snapshot.now.wave_ring) return;
    const DispersionRelation* relation = known_dispersion(ui, snapshot);
    if (!large || !relation) return;
    over_canvas(ui, "Dispersion relation##large", large, {.share = {0.8f, 0.8f}, .once = true}, [&] {
        draw_numbers(*relation, snapshot.now);
        const float spacing = ImGui::GetStyle().ItemSpacing.y;
        const float room = ImGui::GetContentRegionAvail().y - 2 * spacing;
        const float lowest = em(kLowestRates);
        draw_relation(ui, snapshot, *relation, std::max(0.6f * room, lowest), std::max(0.4f * room, lowest));
    });
}

}  // namespace stencil

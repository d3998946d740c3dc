// The tour: eight cards, each beside the control that it speaks of, for whoever knows neither GPUs nor
// equations.
#pragma once

#include <span>
#include <string_view>

#include "app/window/ui_state.h"

namespace stencil {

struct TourStep {
    std::string_view title, text;
    std::string_view section;                       ///< of the panel, which it opens; empty: none
    TourSpot spot;                                  ///< the control
    bool (*done)(const UiState&, const Snapshot&);  ///< in this frame: what the card asks for
    double stays = 1;                               ///< seconds for which it can be seen what that came to
};

/// In their order.
std::span<const TourStep> tour_steps();

/// From the first card on, with the built-in diffusion at rest.
void begin_tour(UiState& ui, const Snapshot& snapshot);
void end_tour(UiState& ui);
bool in_tour(const UiState& ui);

/// The item that was drawn last is this control, which the present card may point at.
void mark(UiState& ui, TourSpot spot);

/// Once for each card: its section is to open.
bool tour_reveals(const UiState& ui, std::string_view section);

/// Goes on where this frame did what the card asks for, before its actions are sent.
void follow_tour(UiState& ui, const Snapshot& snapshot);

/// The card, and a frame around its control.
void draw_tour(UiState& ui);

/// Where a card of this size stands: in the area, as near to the control as it gets, which is outside.
figure::Point card_place(const figure::Box& control,
                         const figure::Box& card,
                         const figure::Box& area,
                         double gap);

}  // namespace stencil

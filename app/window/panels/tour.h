// The tour, for people new to GPUs and equations: eight cards, each beside the control that it explains.
#pragma once

#include <span>
#include <string_view>

#include "app/window/ui_state.h"

namespace stencil {

struct TourStep {
    std::string_view title, text;
    std::string_view section;                       ///< section of the panel to open; empty: none
    TourSpot spot;                                  ///< the control that the card points at
    bool (*done)(const UiState&, const Snapshot&);  ///< whether the card's task was done in this frame
    double stays = 1;                               ///< seconds for which the result stays visible
};

/// Returns the cards in order.
std::span<const TourStep> tour_steps();

/// Starts at the first card, with the default model, paused.
void begin_tour(UiState& ui, const Snapshot& snapshot);
void end_tour(UiState& ui);
bool in_tour(const UiState& ui);

/// Records the last item drawn as this control, for the card to point at.
void mark(UiState& ui, TourSpot spot);

/// Returns true once per card, if its section should open.
bool tour_reveals(const UiState& ui, std::string_view section);

/// Advances if this frame did the card's task; call it before the frame's actions are sent.
void follow_tour(UiState& ui, const Snapshot& snapshot);

/// Draws the card, and a frame around its control.
void draw_tour(UiState& ui);

/// Returns where to put a card of this size: in the area, outside the control, as near to it as possible.
figure::Point card_place(const figure::Box& control,
                         const figure::Box& card,
                         const figure::Box& area,
                         double gap);

}  // namespace stencil

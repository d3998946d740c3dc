// Events change a run at a step, as its user did or planned. The step log holds the time steps that the run
// chose by its limit or tolerance.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/view/brush.h"
#include "sim/problem/shared_list.h"

namespace stencil {

/// A new value of a setting or of a parameter of the model, as its option takes it.
struct SetSetting {
    std::string setting;
    std::string value;
    friend bool operator==(const SetSetting&, const SetSetting&) = default;
};

/// A segment of a brush stroke.
struct Paint {
    BrushPiece piece;
    std::string component = {};  ///< empty: the first
    friend bool operator==(const Paint&, const Paint&) = default;
};

/// New values of a component: a formula of the present state, or what --initial takes.
struct SetField {
    std::string what;
    std::string component = {};  ///< empty: the first
    friend bool operator==(const SetField&, const SetField&) = default;
};

/// Written in --at and spec.json as STEP:SETTING=VALUE, STEP:paint=PIECE, STEP:field=WHAT, and for a
/// component STEP:paint-COMPONENT=PIECE or STEP:field-COMPONENT=WHAT.
struct Event {
    long long step = 0;
    std::variant<SetSetting, Paint, SetField> change;
    friend bool operator==(const Event&, const Event&) = default;

    /// Null for strokes and fields.
    const SetSetting* setting() const { return std::get_if<SetSetting>(&change); }
};

/// Ordered by step; events of one step in the order in which they happen.
using EventList = SharedList<Event>;
/// Inserts each behind those of the same and earlier steps.
void add_events(EventList& events, std::vector<Event> more);

/// From this step on the time step is `dt`: decided by the stability limit, by the error, or for a new text.
struct DecidedStep {
    long long step = 0;
    double dt = 0;
    friend bool operator==(const DecidedStep&, const DecidedStep&) = default;
};
/// One entry for each change of dt. A run that has the log of another one takes that one's dt as far as the
/// log goes.
using StepLog = SharedList<DecidedStep>;

struct RunSpec;
/// Reads a spec.json of before there was a step log: moves decided steps from the events to the log.
void separate_decisions(RunSpec& spec);

inline constexpr std::string_view kPaint = "paint", kField = "field";

/// Parses STEP:SETTING=VALUE and checks the value. Throws InputError.
Event parse_event(std::string_view text);
std::string to_string(const Event& event);

/// Parse and format a segment of a stroke: VALUE,RADIUS,STYLE,X,Y (a point) or VALUE,RADIUS,STYLE,X0,Y0,X1,Y1
/// (continuing the previous segment). STYLE is replace or add, optionally -soft and -square, or -rectangle
/// (from corner to corner, radius unused), or -fill (flood fill from X,Y over values within RADIUS of that
/// cell's). Short decimal coordinates round-trip exactly.
BrushPiece parse_piece(std::string_view text);
std::string to_string(const BrushPiece& piece);

}  // namespace stencil

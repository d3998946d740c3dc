// Which method steps the field where `auto` was asked for: the fastest for as many steps as a frame has.
#pragma once

#include <optional>

#include "sim/run/choose_method.h"
#include "sim/run/run_spec.h"

namespace stencil {

/// The request for so many steps of a run's present settings, at least one.
MethodRequest request_for(const RunSpec& now, long long steps);

/// Changing the method takes the field once over the host, so another one has to be better by more than a
/// little, frame after frame, or by much for one long order. Each function gives the method that ought to
/// take over from `now`, or null where it stays.
struct AutoMethod {
    bool on = false;  ///< asked for: the method follows the steps of a frame

    /// A frame of the request's steps is about to be made.
    const Method* for_frame(const Method& now, const MethodRequest& request);
    /// One long order.
    static const Method* for_order(const Method& now, const MethodRequest& request);
    /// Another size or precision, which the present method may not fit.
    static const Method* for_change(const RunSpec& now, const RunSpec& next, long long steps);

    /// A jump that would take long by steps can be done at once.
    struct Jump {
        const Method* method = nullptr;
        double seconds = 0;  ///< of stepping
    };
    static constexpr double kLongJump = 2;  ///< seconds of stepping
    /// `seconds_per_step`: 0 where it is not known. Empty where steps take no longer than `longer_than`
    /// seconds, the present method jumps anyway, or no method does.
    static std::optional<Jump> for_jump(const RunSpec& now,
                                        long long steps,
                                        double seconds_per_step,
                                        double longer_than = kLongJump);

  private:
    int better_frames_ = 0;  ///< in a row
};

}  // namespace stencil

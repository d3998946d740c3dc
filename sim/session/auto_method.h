// Method `auto`: chooses the fastest method for the number of steps per frame.
#pragma once

#include <optional>

#include "sim/run/choose_method.h"
#include "sim/run/run_spec.h"

namespace stencil {

/// Returns the request for so many steps (at least one) with the present settings.
MethodRequest request_for(const RunSpec& now, long long steps);

/// Changing the method copies the field through the host, so another method must be clearly better for
/// several frames, or save much time in one long order. Each function returns the method to change to, or
/// null to stay.
struct AutoMethod {
    bool on = false;  ///< `auto` was asked for

    /// Call it before a frame with the request's steps.
    const Method* for_frame(const Method& now, const MethodRequest& request);
    /// Decides for one long order of steps.
    static const Method* for_order(const Method& now, const MethodRequest& request);
    /// Decides for another size or precision, which the present method may not support.
    static const Method* for_change(const RunSpec& now, const RunSpec& next, long long steps);

    /// A method of exact n-step propagation that replaces a long series of steps.
    struct Jump {
        const Method* method = nullptr;
        double seconds = 0;  ///< what the steps would take
    };
    static constexpr double kLongJump = 2;  ///< seconds of stepping
    /// `seconds_per_step` is 0 if unknown. Returns nothing if stepping takes at most `longer_than` seconds,
    /// the present method already propagates n steps at once, or no method does.
    static std::optional<Jump> for_jump(const RunSpec& now,
                                        long long steps,
                                        double seconds_per_step,
                                        double longer_than = kLongJump);

  private:
    int better_frames_ = 0;  ///< consecutive frames in which another method was faster
};

}  // namespace stencil

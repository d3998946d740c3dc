// Which method should step a run whose method is `auto`.
#pragma once

#include "sim/run/choose_method.h"

namespace stencil {

/// Changing the method takes the field once over the host, so another one has to be better by more than a
/// little, frame after frame, or by much for one long order.
class MethodFollower {
  public:
    /// A frame of the request's steps is about to be made by `now`: the method that ought to take over, or
    /// null where it stays.
    const Method* for_frame(const Method& now, const MethodRequest& request);

    /// The same for one long order.
    static const Method* for_order(const Method& now, const MethodRequest& request);

  private:
    int better_frames_ = 0;  ///< in a row
};

}  // namespace stencil

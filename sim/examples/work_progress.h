// How much of an example's time is over, from the estimated seconds of its parts.
#pragma once

#include <vector>

#include "kernels/methods/method.h"

namespace stencil {

/// Time is in seconds by any clock. Estimates are corrected by how long the parts before took, so that they
/// need to be right only in proportion.
class WorkProgress {
  public:
    /// The estimated seconds of the parts that follow the current one, in their order, instead of those that
    /// were expected before. Without any, at() is what it is told.
    void expect(const std::vector<double>& seconds);
    /// The next part begins.
    void begin_part(double now);
    /// Within a part: the first, second, ... of so many equal calls. `repeats` are those after a first one,
    /// which warms up; 0: not known yet, as many as time_host() takes.
    void begin_call(double now, int call, int repeats);

    /// The share of all work that is over where `share` of the current call is; never less than before.
    double at(double now, double share);

  private:
    std::vector<double> parts_;  // the current one's estimate, and those to come
    bool in_part_ = false;
    double past_ = 0, past_estimate_ = 0;  // seconds of the parts that are over
    double part_begun_ = 0, call_begun_ = 0;
    int call_ = 0, repeats_ = 1;
    double shown_ = 0;
};

/// The repeats of work that takes so many seconds which time_host() makes: about as many as a second takes.
int sensible_repeats(double seconds);
/// The same with the first call, which is a repeat itself where only one is made.
int calls_of(int repeats);
/// The seconds that time_host() takes with all its calls of work that takes `once`; `repeats` as there.
double timed_seconds(double once, int repeats);

/// Right within a factor of a few: WorkProgress needs proportions.
struct RoughRates {
    double flops, bytes;  ///< per second
};
RoughRates rough_rates(Device device, int threads);

}  // namespace stencil

// Whether a kernel does what the reference does: on sizes that are no multiple of anything, one launch after
// the other, each of them again.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/user_kernel/entry.h"
#include "sim/user_kernel/faults.h"

namespace stencil::user_kernel {

/// Launches a kernel once; tests have some that are made of host code.
template <class T>
class Launcher {
  public:
    virtual ~Launcher() = default;

    /// From one component's array each to another, by `steps` steps at the time `t`; both are as the launch
    /// leaves them when this returns.
    virtual void launch(const GuardedShape& shape,
                        std::vector<Cells<T>>& from,
                        std::vector<Cells<T>>& to,
                        int steps,
                        double t) = 0;
};

struct Check {
    std::string fault;  ///< one line; empty where the kernel is right
    int sizes = 0;      ///< on which it was found right
    double error = 0;   ///< the largest, relative to the largest value of its field
};

/// `run` says what is stepped; its size does not count. `alive` is called before every piece of the work with
/// what that is.
template <class T>
Check check_kernel(Launcher<T>& launcher,
                   const Entry& entry,
                   const LaunchShape& shape,
                   const RunSpec& run,
                   const std::function<void(const std::string&)>& alive);

}  // namespace stencil::user_kernel

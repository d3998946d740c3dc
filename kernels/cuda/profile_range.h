// NVTX ranges: what the host does, on the timeline of a profiler such as Nsight Systems. Without a profiler a
// range costs nanoseconds; a build without CUDA has none.
#pragma once

#include <string>

namespace stencil {

/// A range from construction to destruction, on its thread's row. `name` is copied.
class ProfileRange {
  public:
    explicit ProfileRange(const std::string& name);
    ~ProfileRange();
    ProfileRange(const ProfileRange&) = delete;
    ProfileRange& operator=(const ProfileRange&) = delete;
};

}  // namespace stencil

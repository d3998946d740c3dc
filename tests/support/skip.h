// Tests that cannot run here end as skipped, and are counted.
#pragma once

#include <string>

namespace stencil_test {

/// Ends the test case without a failure; ctest counts it as skipped.
[[noreturn]] void skip(const std::string& why);

/// Skips for want of a GPU or of what comes with it; fails where STENCILSCOPE_REQUIRE_GPU=1 says that they
/// are there.
[[noreturn]] void skip_without_gpu(const std::string& why);
bool requires_gpu();

/// How many tests have been skipped in this process.
int skipped_tests();

}  // namespace stencil_test

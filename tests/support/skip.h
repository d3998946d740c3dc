// Skips tests that cannot run on this machine, and counts them.
#pragma once

#include <string>

namespace stencil_test {

/// Ends the test case without a failure; ctest counts it as skipped.
[[noreturn]] void skip(const std::string& why);

/// Skips because there is no GPU or something that belongs to one; fails if STENCILSCOPE_REQUIRE_GPU=1.
[[noreturn]] void skip_without_gpu(const std::string& why);
bool requires_gpu();

/// Returns the number of tests skipped in this process.
int skipped_tests();

}  // namespace stencil_test

// The tests' main for both versions of Catch2. Exits with the status that ctest counts as skipped if all
// tests were skipped, or if there is no GPU for tests labelled cuda.

#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_RUNNER
#endif
#include "tests/support/catch.h"

#include <cstdio>

#include "kernels/cuda/cuda_runtime.h"
#include "tests/support/seed.h"

namespace {

int tests_run = 0;

struct CountTests : Catch::TestEventListenerBase {
    using Catch::TestEventListenerBase::TestEventListenerBase;
    void testCaseStarting(const Catch::TestCaseInfo& test) override {
        Catch::TestEventListenerBase::testCaseStarting(test);
        ++tests_run;
    }
};
CATCH_REGISTER_LISTENER(CountTests)

// Catch2 3's own exit status for skipped tests.
constexpr int kSkipped = 4;

bool only_lists(int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        if (std::strncmp(argv[i], "--list", 6) == 0) return true;
    return false;
}

bool is_cuda_executable(const char* path) {
    const char* name = std::strrchr(path, '/');
    return std::strcmp(name ? name + 1 : path, "tests_cuda") == 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (is_cuda_executable(argv[0]) && !only_lists(argc, argv)) {
        const stencil::CudaStatus cuda = stencil::query_cuda();
        if (cuda.devices.empty()) {
            const bool required = stencil_test::requires_gpu();
            std::printf("%s: %s\n",
                        required ? "failed, by STENCILSCOPE_REQUIRE_GPU=1" : "skipped",
                        cuda.why_none.c_str());
            return required ? 1 : kSkipped;
        }
    }
    // Catch2 2 returns the number of failures, which must not be mistaken for the status of skipped tests,
    // nor for the number of listed tests that CMake asks for.
    const int status = Catch::Session().run(argc, argv);
    if (only_lists(argc, argv)) return status;
    const int skipped = stencil_test::skipped_tests();
    if (skipped > 0) std::printf("%d of %d tests were skipped\n", skipped, tests_run);
    if (skipped > 0 && skipped == tests_run) return kSkipped;
    if (status == 0) return 0;
    std::fprintf(stderr,
                 "The same random numbers again: STENCILSCOPE_TEST_SEED=%llu\n",
                 static_cast<unsigned long long>(stencil_test::test_seed()));
    return 1;
}

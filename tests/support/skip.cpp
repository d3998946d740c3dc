#include <cstdio>

#include "tests/support/catch.h"

namespace stencil_test {
namespace {

std::set<std::string>& skipped() {
    static std::set<std::string> names;
    return names;
}

}  // namespace

void skip(const std::string& why) {
    std::printf("skipped: %s\n", why.c_str());
    std::fflush(stdout);
    skipped().insert(Catch::getResultCapture().getCurrentTestName());
#ifdef SKIP
    SKIP(why);
    std::abort();
#else
    throw Catch::TestFailureException();  // Catch2 2 counts failures before throwing this
#endif
}

bool requires_gpu() {
    const char* value = std::getenv("STENCILSCOPE_REQUIRE_GPU");
    return value && std::string_view(value) == "1";
}

void skip_without_gpu(const std::string& why) {
    if (requires_gpu()) FAIL("STENCILSCOPE_REQUIRE_GPU=1, but " << why);
    skip(why);
}

int skipped_tests() {
    return int(skipped().size());
}

}  // namespace stencil_test

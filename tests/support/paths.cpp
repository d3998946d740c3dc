// The only file compiled with absolute paths, so that a compiler cache works across checkouts.
#include "tests/support/scratch.h"

namespace stencil_test {

std::string reference_file(const std::string& name) {
    return TEST_REFERENCE_DIR "/" + name;
}

const char* program_file() {
    return TEST_PROGRAM;
}

}  // namespace stencil_test

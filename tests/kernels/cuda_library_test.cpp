#include "kernels/cuda/cuda_library.h"

#include "tests/support/catch.h"

using namespace stencil;

TEST_CASE("A library of the CUDA toolkit that is not there is told in a line", "[cuda_library]") {
    const CudaLibrary missing("libof-no-toolkit.so.", 13);
    const std::string& why = missing.why_none();
    CHECK(why.find("CUDA toolkit") != std::string::npos);
    CHECK(why.find("libof-no-toolkit.so.13") != std::string::npos);
    CHECK(why.find('\n') == std::string::npos);
    CHECK_THROWS_AS(missing.function<void (*)()>("nothing"), MissingLibrary);
}

TEST_CASE("Functions of a library that is there are found by name", "[cuda_library]") {
    const CudaLibrary mathematics("libm.so.", 6);
    REQUIRE(mathematics.why_none().empty());
    CHECK(mathematics.function<double (*)(double)>("fabs")(-2) == 2);
    CHECK_THROWS_WITH(mathematics.function<void (*)()>("nothing"), "libm.so.6 is too old: no nothing");
}

#include "kernels/cuda/cuda_library.h"
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/cuda/nvml.h"
#include "kernels/methods/spectral/fftw.h"
#include "tests/support/catch.h"

TEST_CASE("A library that is not there is told in a line", "[late_library]") {
    const LazyLibrary missing("libof-nobody.so.3", "something is needed");
    const std::string& why = missing.why_none();
    CHECK(why.starts_with("something is needed: libof-nobody.so.3: "));
    CHECK(why.find('\n') == std::string::npos);
    CHECK_THROWS_AS(missing.function<void (*)()>("nothing"), MissingLibrary);
}

TEST_CASE("A library of the CUDA toolkit has its version in its name", "[late_library]") {
    const CudaLibrary missing("libof-no-toolkit.so.", 13);
    CHECK(contains(missing.why_none(), "CUDA toolkit"));
    CHECK(contains(missing.why_none(), "libof-no-toolkit.so.13"));
}

TEST_CASE("Functions of a library that is there are found by name", "[late_library]") {
    const LazyLibrary mathematics("libm.so.6", "mathematics are needed");
    REQUIRE(mathematics.why_none().empty());
    CHECK(mathematics.function<double (*)(double)>("fabs")(-2) == 2);
    CHECK_THROWS_WITH(mathematics.function<void (*)()>("nothing"), "libm.so.6 is too old: no nothing");
}

TEST_CASE("FFTW is there in both precisions where the tests run", "[late_library]") {
    CHECK(why_no_fftw(sizeof(float)).empty());
    CHECK(why_no_fftw(sizeof(double)).empty());
}

TEST_CASE("A GPU that the build has no kernels for is left out with a line") {
    CHECK(why_too_old(70, 75) ==
          "whose compute capability 7.0 is below 7.5, the lowest that this build has kernels for");
    CHECK(why_too_old(75, 75).empty());
    CHECK(why_too_old(120, 75).empty());
}

TEST_CASE("Why a GPU's clock is lowered is told in words, and a CPU has no power") {
    CHECK(throttle_text(0).empty());
    CHECK(throttle_text(0x01).empty());  // idle
    CHECK(throttle_text(0x04) == "power limit");
    CHECK(throttle_text(0x60) == "temperature, temperature (by hardware)");
    PowerMeter cpu(std::nullopt);
    cpu.start();
    cpu.stop(10);
    CHECK_FALSE(cpu.use());
}

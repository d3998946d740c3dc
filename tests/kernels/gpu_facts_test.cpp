// The test switch that plans kernels as on another GPU.

#include "kernels/cuda/gpu_facts.h"
#include "kernels/cuda/cuda_runtime.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

TEST_CASE("STENCILSCOPE_AS_GPU takes a known compute capability, and refuses others in one line") {
    CHECK_FALSE(acts_as_other_gpu());
    const Environment as("STENCILSCOPE_AS_GPU", "8.7");
    require_refused(stencilscope("devices --backend cpu"),
                    2,
                    "STENCILSCOPE_AS_GPU=8.7: there is no such GPU (allowed here: 7.5, 8.0, 8.6, 8.9, 9.0, "
                    "10.0, 12.0, each also with its multiprocessors, as in 8.6,132)");
    for (const char* wrong : {"86", "8.6,", "8.6,0", "8.6,2000", "8.6,28x", ",28", "8.6 "})
        CHECK(act_as_gpu(wrong).starts_with(std::string("STENCILSCOPE_AS_GPU=") + wrong + ": "));
    CHECK_FALSE(acts_as_other_gpu());
}

TEST_CASE("Facts are the known GPU's that acts, with no more multiprocessors than the device has") {
    const GpuFacts here = gpu_facts();
    for (const KnownGpu& gpu : known_gpus()) {
        const std::string value = capability_name(gpu.facts.capability);
        REQUIRE(act_as_gpu(value) == "");
        CHECK(acts_as_other_gpu());
        CHECK(gpu_facts().capability == gpu.facts.capability);
        CHECK(gpu_facts().shared_per_block <= gpu.facts.shared_per_block);
        CHECK(gpu_facts().multiprocessors <= gpu.facts.multiprocessors);
        REQUIRE(act_as_gpu(value + ",7") == "");
        CHECK(gpu_facts().multiprocessors == 7);
    }
    REQUIRE(act_as_gpu("") == "");
    CHECK(gpu_facts().capability == here.capability);
    CHECK(GpuFacts{86, 28, 99 << 10, 100 << 10}.blocks_with(49 << 10) == 2);
    CHECK(GpuFacts{86, 28, 99 << 10, 100 << 10}.blocks_with(99 << 10) == 1);
    CHECK(GpuFacts{86, 28, 99 << 10, 100 << 10}.blocks_with(100 << 10) == 0);
}

// The functions that libFuzzer calls, for the one target that is linked.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>

#include "tests/fuzz/fuzz.h"

static stencil_fuzz::Target& target() {
    return stencil_fuzz::targets().front();
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t max_size,
                                               unsigned) {
    size = LLVMFuzzerMutate(data, size, max_size);
    if (target().repair != nullptr) target().repair(data, size);
    return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    target().run_one({reinterpret_cast<const char*>(data), size});
    return 0;
}

// With FUZZ_SEEDS=FOLDER the program writes its seeds there and exits.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
    const char* folder = std::getenv("FUZZ_SEEDS");
    if (folder == nullptr) return 0;
    int count = 0;
    for (const std::string& seed : target().seeds())
        std::ofstream(std::filesystem::path(folder) / fmt::format("seed-{}", count++), std::ios::binary)
            << seed;
    std::exit(0);
}

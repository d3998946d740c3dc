// GpuFacts is all that planners and generators know of a GPU. A test switch replaces it by another GPU's.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stencil {

struct GpuFacts {
    int capability = 90;  ///< compute capability; 90 is 9.0
    int multiprocessors = 132;
    int shared_per_block = 227 * 1024;           ///< bytes that one block may have
    int shared_per_multiprocessor = 228 * 1024;  ///< bytes
    int registers_per_multiprocessor = 65536;    ///< of 32 bits
    bool cooperative = true;                     ///< cooperative launches: blocks may wait for each other
    double instructions_per_byte = 6.8;  ///< of float32, at peak, while memory moves a byte at its peak
    int float64_cost = 2;                ///< instructions of float32 in the time of one of float64

    /// Lanes that issue a float32 instruction together on a multiprocessor.
    int lanes() const { return capability <= 80 ? 64 : 128; }
    /// CUDA takes some shared memory of each block for itself.
    int reserved_per_block() const { return capability >= 80 ? 1024 : 0; }
    /// Blocks with so much shared memory that fit a multiprocessor.
    int blocks_with(int shared_bytes) const {
        if (shared_bytes > shared_per_block) return 0;
        const int bytes = shared_bytes + reserved_per_block();
        return bytes == 0 ? shared_per_multiprocessor : shared_per_multiprocessor / bytes;
    }
};

/// "8.6" for 86.
std::string capability_name(int capability);

/// A GPU whose facts are known without having it, an example of its compute capability.
struct KnownGpu {
    const char* name;
    GpuFacts facts;
};
std::span<const KnownGpu> known_gpus();
/// The example of this compute capability, else of the nearest older one.
const KnownGpu& known_gpu(int capability);

/// The facts of CUDA's device number `device`; without a device, those of an H200. STENCILSCOPE_AS_GPU=8.6
/// gives those of the known GPU of this compute capability instead, and 8.6,132 the same with 132
/// multiprocessors, so that plans for other GPUs are made, run and timed on this one; of each, no more than
/// the device has.
GpuFacts gpu_facts(int device);
GpuFacts gpu_facts();  ///< of the default device

/// Takes a value of STENCILSCOPE_AS_GPU in place of the environment's; empty: the GPU as it is. Returns what
/// is wrong with it and what is allowed, in one line, and then changes nothing.
std::string act_as_gpu(std::string_view value);
/// Says what is wrong with the value of STENCILSCOPE_AS_GPU in the environment; empty if it is right.
const std::string& why_not_as_gpu();
/// Whether the facts are another GPU's.
bool acts_as_other_gpu();

}  // namespace stencil

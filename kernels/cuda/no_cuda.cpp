// Replaces kernels/cuda/cuda_runtime.cu in a build without the CUDA toolkit.

#include "kernels/cuda/cuda_library.h"
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/cuda/profile_range.h"

namespace stencil {

const CudaStatus& query_cuda() {
    static const CudaStatus status = [] {
        CudaStatus none;
        none.why_none = "this build has no CUDA backend";
        return none;
    }();
    return status;
}

ProfileRange::ProfileRange(const std::string&) {}

ProfileRange::~ProfileRange() = default;

const std::string& why_no_cufft() {
    return query_cuda().why_none;
}

int default_cuda_device() {
    return 0;
}

int default_compute_capability() {
    return 0;
}

void choose_cuda_device(int) {}

std::vector<int> cuda_devices_of_runs() {
    return {};
}

CudaMemoryInfo cuda_memory(int) {
    return {};
}

CudaMemory::CudaMemory(std::size_t, int) {
    throw CudaError("this build has no CUDA backend");
}

CudaHostMemory::CudaHostMemory(std::size_t, int) {
    throw CudaError("this build has no CUDA backend");
}

// Never called, because the constructors throw.
void CudaMemory::Free::operator()(void*) const {}
void CudaHostMemory::Free::operator()(void*) const {}

}  // namespace stencil

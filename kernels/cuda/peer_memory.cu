#include "kernels/cuda/peer_memory.h"

#include <cuda.h>

#include <cstring>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/driver_function.cuh"

namespace stencil {
namespace {

using OnValue = CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned);

// Smaller pieces would be parts of one that is shared as a whole.
constexpr std::size_t kWhole = std::size_t(2) << 20;

struct Signal {
    const char* function;
    unsigned flags;
};

void enqueue(const Signal& signal, void* flag, std::uint32_t value, CudaStream& stream) {
    const auto call = driver_function<OnValue>(signal.function);
    if (!call) throw CudaError(std::string("the driver lacks ") + signal.function);
    const CUresult result =
        call(cuda_handle(stream), reinterpret_cast<CUdeviceptr>(flag), value, signal.flags);
    if (result != CUDA_SUCCESS)
        throw CudaError(std::string(signal.function) + ": CUDA error " + std::to_string(int(result)));
}

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes) : memory_((bytes / kWhole + 1) * kWhole) {
    CUDA_CHECK(cudaMemset(memory_.data(), 0, bytes));
    CUDA_CHECK(cudaDeviceSynchronize());
}

PeerHandle SharedMemory::handle() const {
    cudaIpcMemHandle_t handle;
    CUDA_CHECK(cudaIpcGetMemHandle(&handle, memory_.data()));
    PeerHandle bytes;
    static_assert(sizeof(handle) == sizeof(bytes));
    std::memcpy(bytes.data(), &handle, sizeof(bytes));
    return bytes;
}

PeerMemory::PeerMemory(const PeerHandle& bytes) {
    cudaIpcMemHandle_t handle;
    std::memcpy(&handle, bytes.data(), sizeof(handle));
    CUDA_CHECK(cudaIpcOpenMemHandle(&data_, handle, cudaIpcMemLazyEnablePeerAccess));
}

PeerMemory::~PeerMemory() {
    cudaIpcCloseMemHandle(data_);
}

void enqueue_signal(void* flag, std::uint32_t value, CudaStream& stream) {
    enqueue({"cuStreamWriteValue32", CU_STREAM_WRITE_VALUE_DEFAULT}, flag, value, stream);
}

void enqueue_wait(void* flag, std::uint32_t value, CudaStream& stream) {
    enqueue({"cuStreamWaitValue32", CU_STREAM_WAIT_VALUE_GEQ}, flag, value, stream);
}

}  // namespace stencil

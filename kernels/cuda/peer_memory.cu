#include "kernels/cuda/peer_memory.h"

#include <cstring>

#include "kernels/cuda/driver_function.cuh"

namespace stencil {
namespace {

// The size from which an allocation can be shared alone: cudaMalloc packs smaller ones into one block, which
// an IPC handle shares as a whole.
constexpr std::size_t kWhole = std::size_t(2) << 20;

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
    cudaDeviceSynchronize();  // no copy into it may still be running
    cudaIpcCloseMemHandle(data_);
}

bool reach_gpu(int from, int to) {
    int can = 0;
    CUDA_CHECK(cudaDeviceCanAccessPeer(&can, from, to));
    if (!can) return false;
    use_cuda_device(from);
    const cudaError_t error = cudaDeviceEnablePeerAccess(to, 0);
    cudaGetLastError();
    return error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled;
}

void enqueue_signal(void* flag, std::uint32_t value, CudaStream& stream) {
    const auto address = reinterpret_cast<CUdeviceptr>(flag);
    check_driver(
        DRIVER(cuStreamWriteValue32)(cuda_handle(stream), address, value, CU_STREAM_WRITE_VALUE_DEFAULT),
        "cuStreamWriteValue32");
}

void enqueue_wait(void* flag, std::uint32_t value, CudaStream& stream) {
    const auto address = reinterpret_cast<CUdeviceptr>(flag);
    check_driver(DRIVER(cuStreamWaitValue32)(cuda_handle(stream), address, value, CU_STREAM_WAIT_VALUE_GEQ),
                 "cuStreamWaitValue32");
}

}  // namespace stencil

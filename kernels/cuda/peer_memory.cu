#include "kernels/cuda/peer_memory.h"

#include <cuda.h>

#include <cstring>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/driver_function.cuh"

namespace stencil {
namespace {

using OnValue = CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned);

// cudaMalloc packs smaller allocations into one block, which an IPC handle would share as a whole.
constexpr std::size_t kWhole = std::size_t(2) << 20;

struct Signal {
    explicit Signal(const char* name) : name(name), enqueue(driver_function<OnValue>(name)) {
        if (!enqueue) throw CudaError(std::string("the driver lacks ") + name);
    }
    const char* name;
    OnValue enqueue;
};

void enqueue(const Signal& signal, void* flag, std::uint32_t value, unsigned flags, CudaStream& stream) {
    const CUresult result =
        signal.enqueue(cuda_handle(stream), reinterpret_cast<CUdeviceptr>(flag), value, flags);
    if (result != CUDA_SUCCESS)
        throw CudaError(std::string(signal.name) + ": CUDA error " + std::to_string(int(result)));
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
    static const Signal write("cuStreamWriteValue32");
    enqueue(write, flag, value, CU_STREAM_WRITE_VALUE_DEFAULT, stream);
}

void enqueue_wait(void* flag, std::uint32_t value, CudaStream& stream) {
    static const Signal wait("cuStreamWaitValue32");
    enqueue(wait, flag, value, CU_STREAM_WAIT_VALUE_GEQ, stream);
}

}  // namespace stencil

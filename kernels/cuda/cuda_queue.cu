#include "kernels/cuda/cuda_queue.h"

#include "kernels/cuda/cuda_check.cuh"

namespace stencil {

void finish(const CudaStream& stream) noexcept {
    cudaSetDevice(stream.device());
    cudaStreamSynchronize(static_cast<cudaStream_t>(stream.handle()));
    cudaGetLastError();
}

void enqueue_to_device(void* to, const void* from, std::size_t bytes, CudaStream& stream) {
    CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, cuda_handle(stream)));
}

void enqueue_to_host(void* to, const void* from, std::size_t bytes, CudaStream& stream) {
    CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, cuda_handle(stream)));
}

CudaGraph::CudaGraph(CudaStream& stream, const std::function<void()>& enqueue) {
    CUDA_CHECK(cudaStreamBeginCapture(cuda_handle(stream), cudaStreamCaptureModeThreadLocal));
    cudaGraph_t graph = nullptr;
    try {
        enqueue();
    } catch (...) {
        cudaStreamEndCapture(cuda_handle(stream), &graph);
        if (graph) cudaGraphDestroy(graph);
        cudaGetLastError();
        throw;
    }
    CUDA_CHECK(cudaStreamEndCapture(cuda_handle(stream), &graph));
    cudaGraphExec_t executable = nullptr;
    const cudaError_t error = cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphDestroy(graph);
    check_cuda(error, "cudaGraphInstantiate");
    executable_ = executable;
}

CudaGraph::~CudaGraph() {
    cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(executable_));
}

void CudaGraph::upload(CudaStream& stream) {
    CUDA_CHECK(cudaGraphUpload(static_cast<cudaGraphExec_t>(executable_), cuda_handle(stream)));
}

void CudaGraph::launch(CudaStream& stream) {
    CUDA_CHECK(cudaGraphLaunch(static_cast<cudaGraphExec_t>(executable_), cuda_handle(stream)));
}

}  // namespace stencil

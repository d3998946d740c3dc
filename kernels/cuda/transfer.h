// Copies between the host and the device that are enqueued and not waited for.
#pragma once

#include <cstddef>

namespace stencil {

class CudaStream;

/// The host's memory stays as it is until the stream has got there; where it is not page-locked, the call may
/// wait. Throw CudaError.
void enqueue_to_device(void* to, const void* from, std::size_t bytes, CudaStream& stream);
void enqueue_to_host(void* to, const void* from, std::size_t bytes, CudaStream& stream);

}  // namespace stencil

// The kernels of `streaming` for float32: a file of their own, because they take long to compile.

#include "kernels/methods/streaming/streaming_kernel.cuh"

namespace stencil {

template int stream_blocks_per_multiprocessor<float>(const StreamLaunch&, const GpuFacts&);
template void launch_stream<float>(const StreamPass<float>&, const StreamLaunch&);

}  // namespace stencil

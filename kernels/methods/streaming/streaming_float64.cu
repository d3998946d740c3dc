// The kernels of `streaming` for float64: a file of their own, because they take long to compile.

#include "kernels/methods/streaming/streaming_kernel.cuh"

namespace stencil {

template int stream_blocks_per_multiprocessor<double>(const StreamLaunch&, const GpuFacts&);
template void launch_stream<double>(const StreamPass<double>&, const StreamLaunch&);

}  // namespace stencil

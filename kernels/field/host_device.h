// Marks functions for both host and device where nvcc compiles them.
#pragma once

#ifdef __CUDACC__
#define STENCIL_HOST_DEVICE __host__ __device__
#else
#define STENCIL_HOST_DEVICE
#endif

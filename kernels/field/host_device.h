// One spelling for functions that both compilers translate.
#pragma once

#ifdef __CUDACC__
#define STENCIL_HOST_DEVICE __host__ __device__
#else
#define STENCIL_HOST_DEVICE
#endif

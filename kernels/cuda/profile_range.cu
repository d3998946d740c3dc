#include "kernels/cuda/profile_range.h"

#include <nvtx3/nvToolsExt.h>

namespace stencil {

ProfileRange::ProfileRange(const std::string& name) {
    nvtxRangePushA(name.c_str());
}

ProfileRange::~ProfileRange() {
    nvtxRangePop();
}

}  // namespace stencil

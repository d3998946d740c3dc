#include "kernels/matmul/tensor_peak.h"

namespace stencil {
namespace {

struct Entry {
    int major, minor;
    double half, tf32, float64;
};

constexpr Entry kTable[] = {{7, 5, 1024, 0, 0},
                            {8, 0, 2048, 1024, 128},
                            {8, 6, 1024, 512, 0},
                            {8, 9, 1024, 512, 0},
                            {9, 0, 4096, 2048, 256},
                            {10, 0, 8192, 4096, 128},
                            {12, 0, 1024, 512, 0}};

}  // namespace

double tensor_operations_per_clock(int major, int minor, TensorKind kind) {
    for (const Entry& entry : kTable) {
        if (entry.major != major || entry.minor != minor) continue;
        if (kind == TensorKind::half) return entry.half;
        return kind == TensorKind::tf32 ? entry.tf32 : entry.float64;
    }
    return 0;
}

}  // namespace stencil

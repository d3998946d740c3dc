#include "kernels/examples/matmul/tensor_peak.h"

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
        switch (kind) {
            case TensorKind::half:
                return entry.half;
            case TensorKind::tf32:
                return entry.tf32;
            case TensorKind::float64:
                return entry.float64;
        }
    }
    return 0;
}

}  // namespace stencil

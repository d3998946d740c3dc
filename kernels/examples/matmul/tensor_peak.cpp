#include "kernels/examples/matmul/tensor_peak.h"

namespace stencil {
namespace {

struct Entry {
    int major, minor;
    double half, tf32, float64, int8;
};

constexpr Entry kTable[] = {{7, 5, 1024, 0, 0, 2048},
                            {8, 0, 2048, 1024, 128, 4096},
                            {8, 6, 1024, 512, 0, 2048},
                            {8, 9, 1024, 512, 0, 2048},
                            {9, 0, 4096, 2048, 256, 8192},
                            {10, 0, 8192, 4096, 128, 16384},
                            {12, 0, 1024, 512, 0, 2048}};

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
            case TensorKind::int8:
                return entry.int8;
        }
    }
    return 0;
}

}  // namespace stencil

// The method `resident` in float64.

#include "kernels/methods/resident/resident.cuh"

namespace stencil {

template <>
std::span<const ResidentInstance> resident_instances<double>() {
    static const ResidentInstance instances[] = {
        resident_instance<ResidentShape<double, 1, 1, 8, 1>>(),
        resident_instance<ResidentShape<double, 2, 8, 8, 1>>(),
        resident_instance<ResidentShape<double, 4, 10, 8, 1>>(),
        resident_instance<ResidentShape<double, 6, 12, 8, 1>>(),
    };
    return instances;
}

}  // namespace stencil

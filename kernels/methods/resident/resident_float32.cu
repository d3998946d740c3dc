// The method `resident` in float32.

#include "kernels/methods/resident/resident.cuh"

namespace stencil {

template <>
std::span<const ResidentInstance> resident_instances<float>() {
    // The last two shapes fill the registers of a multiprocessor; the first one is for tiny fields.
    static const ResidentInstance instances[] = {
        resident_instance<ResidentShape<float, 1, 1, 8, 1>>(),
        resident_instance<ResidentShape<float, 2, 8, 8, 1>>(),
        resident_instance<ResidentShape<float, 4, 12, 8, 1>>(),
        resident_instance<ResidentShape<float, 6, 22, 8, 1>>(),
        resident_instance<ResidentShape<float, 6, 25, 8, 1>>(),
    };
    return instances;
}

}  // namespace stencil

// The table of methods.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "kernels/methods/stepper.h"

namespace stencil {

class ThreadPool;
class CudaStream;
class StripExchange;

enum class Device { cpu, cuda };

constexpr std::string_view name_of(Device device) {
    return device == Device::cpu ? "cpu" : "cuda";
}

/// Where a method runs: the thread pool on the CPU, the stream on CUDA; the other one is null.
struct ExecutionSpace {
    ThreadPool* threads = nullptr;
    CudaStream* stream = nullptr;
    /// The transpose (all-to-all) for transforms of a distributed field; the shape is then that of the local
    /// rows. Null if the process has the whole field.
    StripExchange* strips = nullptr;
};

struct FieldShape {
    int nx = 0;
    int ny = 0;
};

template <class T>
using MakeStepper = std::unique_ptr<Stepper<T>> (*)(const ExecutionSpace&, FieldShape);

/// du/dt = D lap(u), stepped by euler, with the same boundary on all sides.
inline constexpr std::string_view kDiffusion = "diffusion";
/// All other equations.
inline constexpr std::string_view kEquation = "equation";
/// The largest number of stages or steps of a typed equation that the CPU fuses into one pass.
inline constexpr int kEquationSteps = 16;

struct Method {
    /// One row per method, device and model that it supports.
    std::string_view name;
    /// An alias: an older name, or the name of its counterpart for the other models.
    std::string_view alias = {};
    Device device;
    std::string_view model = kDiffusion;  ///< the model that it solves
    /// Keeps its state in float64 whatever the field's precision.
    bool float64_state = false;
    /// Advances any number of steps at constant cost, so no throughput is reported, and `auto` never selects
    /// it.
    bool jumps = false;
    /// Contracts operations and uses functions of the hardware: its bits are no other method's, and `auto`
    /// never selects it.
    bool fast = false;
    /// Cannot be distributed over several processes.
    bool whole_field = false;
    /// Field-sized arrays besides the double buffer, in the field's precision.
    int extra_arrays = 0;
    /// Temporal blocking unit: advancing by multiples of this wastes no work.
    int steps_at_a_time = 1;
    /// Temporal blocking depth, in steps per pass over memory; 0: as many as requested.
    int steps_fused = 1;
    /// Rows of fewer bytes are stepped one step at a time, so `auto` then takes another method.
    int least_row_bytes = 0;
    /// Why it cannot handle a field of this shape on this machine's device, as one clause that also says what
    /// to use instead. Empty if it can; null if it always can.
    std::string (*unsupported_reason)(FieldShape, std::size_t cell_bytes) = nullptr;
    std::string_view summary;
    /// Null if the method lacks the precision, if this build lacks the device, and for typed equations, whose
    /// steppers are in kernels/equation.
    MakeStepper<float> make_float32 = nullptr;
    MakeStepper<double> make_float64 = nullptr;

    bool is_built() const;
    bool is_called(std::string_view word) const { return word == name || (!alias.empty() && word == alias); }
};

template <class T>
std::unique_ptr<Stepper<T>> make_stepper(const Method& method,
                                         const ExecutionSpace& execution,
                                         FieldShape shape) {
    if constexpr (std::is_same_v<T, float>)
        return method.make_float32(execution, shape);
    else
        return method.make_float64(execution, shape);
}

/// All methods of a model, slowest first on each device.
std::span<const Method> methods(std::string_view model = kDiffusion);

/// Without a device, returns the first row of that name. Null if there is none.
const Method* find_method(std::string_view name,
                          std::optional<Device> device = std::nullopt,
                          std::string_view model = kDiffusion);

}  // namespace stencil

// The ladder of methods: one row of one table each.
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

/// Where a method works: the pool on the CPU, the stream on CUDA (the other one is null).
struct ExecutionSpace {
    ThreadPool* threads = nullptr;
    CudaStream* stream = nullptr;
    /// Of a method that jumps, whose shape is that of its rows alone: what joins them to the others. Null
    /// where it has the whole field.
    StripExchange* strips = nullptr;
};

struct FieldShape {
    int nx = 0;
    int ny = 0;
};

template <class T>
using MakeStepper = std::unique_ptr<Stepper<T>> (*)(const ExecutionSpace&, FieldShape);

/// The built-in model, du/dt = D lap(u).
inline constexpr std::string_view kDiffusion = "diffusion";
/// All typed equations.
inline constexpr std::string_view kEquation = "equation";
/// Stages or steps of theirs that the CPU makes in one pass over the field, at most.
inline constexpr int kEquationSteps = 16;

struct Method {
    /// A method that runs on both devices has a row for each, and so has one that solves several models.
    std::string_view name;
    Device device;
    std::string_view model = kDiffusion;  ///< that it solves, by name
    /// Keeps its state in float64 whatever the field's precision.
    bool float64_state = false;
    /// Goes any number of steps in one go: its time is that of a jump, its throughput is not reported, and
    /// `auto` never takes it.
    bool jumps = false;
    /// It takes a field as a whole: several processes cannot share one.
    bool whole_field = false;
    /// Field-sized arrays of its own in the field's precision, besides the double buffer.
    int extra_arrays = 0;
    /// It works on this many steps at a time; advancing by multiples of them wastes nothing.
    int steps_at_a_time = 1;
    /// Steps in one pass over the memory of the field; 0: as many as are asked for.
    int steps_fused = 1;
    /// Where it cannot work on a field of this shape on this machine's device: one clause that says why and
    /// what would do, for a message. Empty where it can; null where it always can.
    std::string (*unfit)(FieldShape, std::size_t cell_bytes) = nullptr;
    std::string_view summary;
    /// Null where the method lacks the precision, where this build lacks the device, and for typed equations,
    /// whose steppers are in kernels/equation.
    MakeStepper<float> make_float32 = nullptr;
    MakeStepper<double> make_float64 = nullptr;

    /// This build has it.
    bool is_built() const;
};

/// The method at work on a field of this shape in precision T.
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

/// The method of a model by its name on a device; on the first that has it where the device is open. Null
/// where there is none.
const Method* find_method(std::string_view name,
                          std::optional<Device> device = std::nullopt,
                          std::string_view model = kDiffusion);

}  // namespace stencil

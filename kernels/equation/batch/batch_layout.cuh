// Cells and inputs of many runs on their way to the GPU and back.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_queue.h"
#include "kernels/equation/batch/batch_stepper.h"
#include "kernels/equation/cuda/kernel_arguments.h"
#include "kernels/equation/text/fused_program.h"
#include "kernels/field/divide.h"

namespace stencil::equation {

inline constexpr std::size_t kMemoryAlignment = 256;

// Memory of the host and its counterpart on the device.
struct Mirror {
    void reserve(std::size_t bytes, const CudaStream& stream) {
        if (bytes <= size) return;
        host = CudaHostMemory(bytes, stream.device());
        device = CudaMemory(bytes, stream.device());
        size = bytes;
    }
    std::byte* on_host(std::size_t at) const { return static_cast<std::byte*>(host.data()) + at; }
    std::byte* on_device(std::size_t at) const { return static_cast<std::byte*>(device.data()) + at; }
    void upload(std::size_t bytes, CudaStream& stream) {
        if (bytes > 0) enqueue_to_device(device.data(), host.data(), bytes, stream);
    }
    void download(std::size_t bytes, CudaStream& stream) {
        if (bytes > 0) enqueue_to_host(host.data(), device.data(), bytes, stream);
    }

    CudaHostMemory host;
    CudaMemory device;
    std::size_t size = 0;
};

/// The layout of runs of one program and shape, packed one after the other.
template <class T>
class BatchLayout {
  public:
    BatchLayout(const Program& program, FieldCells cells)
        : program_(program),
          fused_(program_),
          size_(cells),
          lines_(cuda_lines(program_)),
          pitch_(round_up(cells.nx, int(kMemoryAlignment / sizeof(T)))) {}

    const Program& program() const { return program_; }
    const FusedProgram& fused() const { return fused_; }
    FieldCells size() const { return size_; }
    int pitch() const { return pitch_; }
    std::size_t field_bytes() const { return std::size_t(pitch_) * std::size_t(size_.ny) * sizeof(T); }
    /// Bytes of a run's components, which come back.
    std::size_t own_bytes() const { return std::size_t(program_.components) * field_bytes(); }
    std::size_t line_values() const {
        return std::size_t(lines_.count) * std::size_t(std::max(size_.nx, size_.ny) + kCudaLineMargin);
    }
    /// Values of a step's inputs; 0: all steps have the same.
    std::size_t values_of_step() const {
        return fused_.of_time ? line_values() + program_.uniforms.outputs.size() : 0;
    }
    std::size_t argument_bytes() const { return KernelArguments<T>::bytes(program_); }

    /// Where the parts of `rest`, which holds all but the components, begin: arrays that are only read,
    /// lines, arguments, and what comes behind.
    struct Places {
        std::size_t lines, arguments, end;
    };
    Places places(std::size_t runs) const {
        const std::size_t lines = runs * std::size_t(fused_.only_read()) * field_bytes();
        const std::size_t arguments = lines + runs * lines_bytes();
        return {lines, arguments, arguments + runs * argument_bytes()};
    }
    /// Bytes of all that is packed for a run.
    std::size_t run_bytes() const { return own_bytes() + places(1).end + kMemoryAlignment; }

    /// A component or an array that is only read, the k-th of FusedProgram::from, of a run.
    struct Place {
        const Mirror* memory;
        std::size_t at;
        T* on_device() const { return reinterpret_cast<T*>(memory->on_device(at)); }
        T* on_host() const { return reinterpret_cast<T*>(memory->on_host(at)); }
    };
    Place array(const Mirror& fields, const Mirror& rest, std::size_t run, std::size_t k) const {
        const auto components = std::size_t(program_.components);
        if (k < components) return {&fields, run * own_bytes() + k * field_bytes()};
        return {&rest, (run * std::size_t(fused_.only_read()) + k - components) * field_bytes()};
    }

    /// Packs a member's cells and lines, and returns its arguments, whose arrays are those read.
    KernelArguments<T> pack(EquationStepper<T>& member,
                            const Mirror& fields,
                            const Mirror& rest,
                            std::size_t runs,
                            std::size_t run,
                            std::vector<T*>& arrays) const {
        const InputValues<T>& inputs = member.prepare();
        KernelArguments<T> arguments(program_, member.setup(), pitch_);
        arguments.set_step(member.step());
        arguments.set_uniforms(inputs.uniforms());
        arrays.assign(program_.arrays.size(), nullptr);
        for (std::size_t k = 0; k < fused_.from.size(); ++k) {
            const Place place = array(fields, rest, run, k);
            const FieldView<T> from = member.array(fused_.from[k]);
            T* to = place.on_host();
            for (int y = 0; y < size_.ny; ++y, to += pitch_) std::copy_n(from.row(y), size_.nx, to);
            arrays[std::size_t(fused_.from[k])] = place.on_device();
        }
        arguments.set_arrays(arrays);
        if (values_of_step() == 0 && line_values() > 0) {
            const Place place{&rest, places(runs).lines + run * lines_bytes()};
            arguments.pack_lines(inputs, place.on_host());
            arguments.set_lines(place.on_device());
        }
        return arguments;
    }

    /// Gives a member its cells after so many steps.
    void unpack(EquationStepper<T>& member, const Mirror& fields, std::size_t run, long long steps) const {
        member.made(steps);
        for (int c = 0; c < program_.components; ++c) {
            const FieldView<T> to = member.component(c);
            const T* from = Place{&fields, run * own_bytes() + std::size_t(c) * field_bytes()}.on_host();
            for (int y = 0; y < size_.ny; ++y, from += pitch_) std::copy_n(from, size_.nx, to.row(y));
        }
    }

  private:
    std::size_t lines_bytes() const {
        return values_of_step() > 0 ? 0 : round_up(line_values() * sizeof(T), kMemoryAlignment);
    }

    const Program program_;
    const FusedProgram fused_;
    FieldCells size_;
    CudaLines lines_;
    int pitch_;
};

/// Calls work(i) for each run, spread over the threads.
inline void for_runs(ThreadPool& threads, std::size_t runs, const std::function<void(std::size_t)>& work) {
    threads.for_ranges(std::int64_t(runs), [&](std::int64_t first, std::int64_t last) {
        for (auto run = std::size_t(first); run < std::size_t(last); ++run) work(run);
    });
}

// Called by make_cuda_batch().
template <class T>
std::unique_ptr<BatchStepper<T>> make_block_batch(const Program& program,
                                                  FieldCells size,
                                                  KernelMaker maker,
                                                  int device);
template <class T>
std::unique_ptr<BatchStepper<T>> make_fused_batch(const Program& program,
                                                  FieldCells size,
                                                  KernelMaker maker,
                                                  int device);

}  // namespace stencil::equation

// Cells and inputs of many runs on their way to the GPU and back.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_queue.h"
#include "kernels/equation/cuda/kernel_arguments.h"
#include "kernels/equation/equation_stepper.h"
#include "kernels/equation/fused/fused_shape.h"
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

/// The components of all runs, which are uploaded where they differ from what was downloaded last.
struct FieldsMirror : Mirror {
    void reserve(std::size_t bytes, const CudaStream& stream) {
        if (bytes > size) on_both = 0;
        Mirror::reserve(bytes, stream);
    }
    /// `others`: what is on the host was changed. The kernels then change what is on the device.
    void upload(std::size_t bytes, bool others, CudaStream& stream) {
        if (std::exchange(on_both, 0) != bytes || others) Mirror::upload(bytes, stream);
    }
    /// Waits for the stream.
    void finish_download(std::size_t bytes, CudaStream& stream) {
        stream.synchronize();
        on_both = bytes;
    }

    std::size_t on_both = 0;  ///< bytes, from the first, that host and device have alike
};

/// Which arrays the kernels of a batch read, and where they expect rows to begin.
struct BatchNeeds {
    std::vector<int> sent;  ///< the arrays that are packed: the components, then those that are only read
    std::size_t row_bytes;  ///< rows begin at multiples of it
};

/// The layout of runs of one program and shape: the fields of an array follow one another, run after run.
template <class T>
class BatchLayout {
  public:
    /// `program` must outlive it.
    BatchLayout(const Program& program, FieldCells cells, BatchNeeds needs)
        : program_(program),
          sent_(std::move(needs.sent)),
          size_(cells),
          lines_(cuda_lines(program_)),
          of_time_(InputValues<T>(program_).of_time()),
          pitch_(round_up(cells.nx, int(needs.row_bytes / sizeof(T)))) {}

    const std::vector<int>& sent() const { return sent_; }
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
        return of_time_ ? line_values() + program_.uniforms.outputs.size() : 0;
    }
    std::size_t argument_bytes() const { return KernelArguments<T>::bytes(program_); }

    /// Where the parts of `rest`, which holds all but the components, begin: arrays that are only read,
    /// lines, arguments, and what comes behind.
    struct Places {
        std::size_t lines, arguments, end;
    };
    Places places(std::size_t runs) const {
        const std::size_t lines = runs * (sent_.size() - std::size_t(program_.components)) * field_bytes();
        const std::size_t arguments = lines + runs * lines_bytes();
        return {lines, arguments, arguments + runs * argument_bytes()};
    }
    /// Bytes of all that is packed for a run.
    std::size_t run_bytes() const { return own_bytes() + places(1).end + kMemoryAlignment; }

    /// The k-th of the arrays that are sent, of a run.
    struct Place {
        const Mirror* memory;
        std::size_t at;
        T* on_device() const { return reinterpret_cast<T*>(memory->on_device(at)); }
        T* on_host() const { return reinterpret_cast<T*>(memory->on_host(at)); }
    };
    Place array(
        const Mirror& fields, const Mirror& rest, std::size_t runs, std::size_t run, std::size_t k) const {
        const auto components = std::size_t(program_.components);
        if (k < components) return {&fields, (k * runs + run) * field_bytes()};
        return {&rest, ((k - components) * runs + run) * field_bytes()};
    }

    /// Packs a member's components; returns whether others were packed before.
    bool pack_components(EquationStepper<T>& member,
                         const Mirror& fields,
                         std::size_t runs,
                         std::size_t run) const {
        bool others = false;
        for (std::size_t c = 0; c < std::size_t(program_.components); ++c) {
            const FieldView<T> from = member.component(int(c));
            T* to = array(fields, fields, runs, run, c).on_host();
            for (int y = 0; y < size_.ny; ++y, to += pitch_) {
                others = others || std::memcmp(to, from.row(y), std::size_t(size_.nx) * sizeof(T)) != 0;
                if (others) std::copy_n(from.row(y), size_.nx, to);
            }
        }
        return others;
    }

    /// Packs a member's lines and the arrays that are only read, and returns its arguments, whose arrays are
    /// those sent.
    KernelArguments<T> pack(EquationStepper<T>& member,
                            const InputValues<T>& inputs,
                            const Mirror& fields,
                            const Mirror& rest,
                            std::size_t runs,
                            std::size_t run,
                            std::vector<T*>& arrays) const {
        KernelArguments<T> arguments(program_, member.setup(), pitch_);
        arguments.set_step(member.step());
        arguments.set_uniforms(inputs.uniforms());
        arrays.assign(program_.arrays.size(), nullptr);
        for (std::size_t k = 0; k < sent_.size(); ++k) {
            const Place place = array(fields, rest, runs, run, k);
            arrays[std::size_t(sent_[k])] = place.on_device();
            if (k < std::size_t(program_.components)) continue;
            const FieldView<T> from = member.array(sent_[k]);
            T* to = place.on_host();
            for (int y = 0; y < size_.ny; ++y, to += pitch_) std::copy_n(from.row(y), size_.nx, to);
        }
        arguments.set_arrays(arrays);
        if (values_of_step() == 0 && line_values() > 0) {
            const Place place{&rest, places(runs).lines + run * lines_bytes()};
            arguments.pack_lines(inputs, place.on_host());
            arguments.set_lines(place.on_device());
        }
        return arguments;
    }

    /// Packs the inputs of the steps from first to last - 1 after the present one, each of values_of_step().
    void pack_inputs(
        EquationStepper<T>& member, InputValues<T> inputs, long long first, long long last, T* to) const {
        const KernelArguments<T> arguments(program_, member.setup(), pitch_);
        for (long long i = first; i < last; ++i, to += values_of_step()) {
            inputs.update(member.setup(), member.step() + i, member.time(i), false);
            if (line_values() > 0) arguments.pack_lines(inputs, to);
            std::ranges::copy(inputs.uniforms(), to + line_values());
        }
    }

    /// Gives a member its cells after so many steps.
    void unpack(EquationStepper<T>& member,
                const Mirror& fields,
                std::size_t runs,
                std::size_t run,
                long long steps) const {
        member.made(steps);
        for (int c = 0; c < program_.components; ++c) {
            const FieldView<T> to = member.component(c);
            const T* from = array(fields, fields, runs, run, std::size_t(c)).on_host();
            for (int y = 0; y < size_.ny; ++y, from += pitch_) std::copy_n(from, size_.nx, to.row(y));
        }
    }

  private:
    std::size_t lines_bytes() const {
        return values_of_step() > 0 ? 0 : round_up(line_values() * sizeof(T), kMemoryAlignment);
    }

    const Program& program_;
    std::vector<int> sent_;
    FieldCells size_;
    CudaLines lines_;
    bool of_time_;
    int pitch_;
};

/// Calls work(i) for each run, spread over the threads.
inline void for_runs(ThreadPool& threads, std::size_t runs, const std::function<void(std::size_t)>& work) {
    threads.for_ranges(std::int64_t(runs), [&](std::int64_t first, std::int64_t last) {
        for (auto run = std::size_t(first); run < std::size_t(last); ++run) work(run);
    });
}

}  // namespace stencil::equation

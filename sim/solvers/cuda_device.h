// The CUDA part of solvers: executors, copies and views.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_field.h"
#include "kernels/equation/cuda/cuda_equation_stepper.h"
#include "kernels/equation/text/cuda_text.h"
#include "kernels/view/view.h"
#include "sim/machine/kernel_cache.h"
#include "sim/solvers/device_solver.h"

namespace stencil {

/// Padded rows in device memory. Uninitialised.
template <class T>
class CudaArray {
  public:
    CudaArray() = default;
    CudaArray(int nx, int ny) : memory_(cuda_field_bytes<T>(nx, ny)), nx_(nx), ny_(ny) {}
    std::size_t size() const { return cuda_field_bytes<T>(nx_, ny_) / sizeof(T); }  ///< with padding
    FieldView<T> view() const { return cuda_view<T>(memory_, nx_, ny_); }

  private:
    CudaMemory memory_;
    int nx_ = 0, ny_ = 0;
};

/// T is the precision of the steps.
template <class T>
class CudaDevicePart : public LocalSolver {
  public:
    using Cell = T;
    using Stepper = equation::CudaEquationStepper<T>;
    using View = CudaView<T>;
    using Kept = CudaArray<T>;
    using Base = CudaArray<double>;
    using LocalSolver::LocalSolver;

    double wait() override {
        seconds_ += settle();
        stream_.synchronize();
        return std::exchange(seconds_, 0.0);
    }

    Field field(const Observable& what = {}) override { return rounded(download(read(what))); }

    void read_rows(const SolverArray& array, const RowSink& sink) override {
        give_rows(read(array.observable), setup_.dtype, sink);
    }

    CudaMemory device_copy(const Observable& what) override {
        if (setup_.dtype != dtype_of<T>) return {};
        CudaMemory copy(sizeof(T) * std::size_t(setup_.nx) * std::size_t(setup_.ny), stream_.device());
        stencil::read(view_of(what),
                      FieldView<T>{static_cast<T*>(copy.data()), setup_.nx, setup_.ny, setup_.nx});
        stream_.synchronize();
        return copy;
    }

    using LocalSolver::set_base;
    void set_base(const Field& base) override {
        const FieldView<double> to = make_base();
        if (base.dtype() == DType::float64)
            upload(base.as<double>().view(), to);
        else {
            // Converts through the spare field, whose rows are long enough.
            const FieldView<T> room = spare();
            const FieldView<float> narrow{static_cast<float*>(static_cast<void*>(room.data)),
                                          setup_.nx,
                                          setup_.local_rows(),
                                          room.pitch * int(sizeof(T) / sizeof(float))};
            upload(base.as<float>().view(), narrow);
            const PlainView<float> field(narrow);
            stencil::read(CudaView<float>{{field, {}, {}}, Quantity::value, stream_, scratch_}, to);
        }
        stream_.synchronize();
    }

    void resample(const Observable& what,
                  const ResampleRequest& request,
                  bool to_host,
                  Pixels& out) override {
        const std::size_t size = std::size_t(request.width) * std::size_t(request.height);
        make_room(out, size * sizeof(float));
        out.width = request.width;
        out.height = request.height;
        out.on_device = !to_host;
        stencil::resample(view_of(what), request, static_cast<float*>(out.device.data()));
        if (to_host) {
            if (out.host.size() < size) out.host.resize(size);
            const std::size_t row = std::size_t(request.width) * sizeof(float);
            copy_to_host({out.host.data(), row, out.device.data(), row, row, std::size_t(request.height)},
                         stream_);
        } else {
            stream_.synchronize();
        }
    }

  protected:
    /// A view of the local rows, or with the halo.
    virtual View view_of(const Observable& what, bool with_halo = false) = 0;
    View view(const QuantitySource<T>& source, Quantity quantity) {
        return {source, quantity, stream_, scratch_};
    }

    std::unique_ptr<Stepper> make_stepper(const std::shared_ptr<const equation::Program>& program) {
        const std::string text = equation::cuda_text(*program, sizeof(T) == sizeof(double));
        equation::CodeTarget target = equation::code_target();
        target.fast = program->fast;
        const std::string cubin = compiled_kernels(text, target);
        const equation::KernelMaker maker{
            [target](const std::string& fused) { return compiled_kernels(fused, target); },
            fastest_kernel,
            keep_fastest_kernel};
        return std::make_unique<Stepper>(*program, equation_setup(setup_, &stream_), cubin, stream_, maker);
    }
    static void wait_for_fastest_of(Stepper& stepper) { stepper.wait_for_compiler(); }
    ExecutionPath way_of(const Stepper& stepper) const {
        ExecutionPath way{.name = stepper.single_steps(), .compiling = stepper.compiling()};
        std::string used = way.name;
        if (const equation::SeveralSteps* kernel = stepper.fused()) {
            used = kernel->name;
            way.name = kernel->way;
            way.steps_fused = kernel->steps_fused();
        } else {
            way.why_not = stepper.why_not_fused();
        }
        for (const auto& [name, resources, seconds] : stepper.tried())
            way.tried.push_back({name,
                                 resources.registers,
                                 resources.spilled_bytes,
                                 resources.blocks,
                                 double(setup_.nx) * setup_.ny / seconds / 1e9,
                                 name == used});
        return way;
    }

    void copy_array(FieldView<T> from, FieldView<T> to) { copy_on_device(row_copy(from, to), stream_); }
    void write(const Field& field, FieldView<T> to) {
        const Field rounded = field.dtype() == dtype_of<T> ? Field() : field.to(dtype_of<T>);
        const Array<T>& cells = (rounded.size() > 0 ? rounded : field).template as<T>();
        upload(cells.view(), to);
    }
    /// Downloads some rows at a time, so that the host need not hold the whole field.
    void give_rows(FieldView<const T> cells, DType dtype, const RowSink& sink) {
        const int most = rows_at_a_time(cells.nx);
        for (int y = 0; y < cells.ny; y += most) {
            Field piece = download(cells.rows(y, std::min(most, cells.ny - y)));
            sink(y, piece.dtype() == dtype ? std::move(piece) : piece.to(dtype));
        }
    }
    Array<T> download(FieldView<const T> from) {
        Array<T> result(from.nx, from.ny);
        copy_to_host(row_copy(from, result.view()), stream_);
        return result;
    }

    /// Cells of a diffusion method.
    using Cells = CudaArray<T>;
    Cells make_cells() const { return {setup_.nx, setup_.ny}; }
    static FieldView<T> view_of_cells(const Cells& cells) { return cells.view(); }
    ExecutionSpace space() { return {nullptr, &stream_, setup_.strips}; }
    void finish_copies() { stream_.synchronize(); }
    /// A scratch array of the field's shape.
    virtual FieldView<T> spare() {
        if (spare_.size() == 0) spare_ = CudaArray<T>(setup_.nx, setup_.ny);
        return spare_.view();
    }

    CudaStream& runner() { return stream_; }
    CudaStream* stream_of_steps() { return &stream_; }
    /// Times what is enqueued between start and stop; wait() returns the seconds.
    void start_timing() {
        // The events hold one batch, so the time of the previous batch is read first.
        seconds_ += settle();
        cuda_nudge(stream_);
        timer_.start(stream_);
    }
    void stop_timing() {
        timer_.stop(stream_);
        timing_ = true;
    }

    CudaStream stream_;

  private:
    template <class A, class B>
    static RowCopy row_copy(FieldView<A> from, FieldView<B> to) {
        return {to.data,
                std::size_t(to.pitch) * sizeof(B),
                from.data,
                std::size_t(from.pitch) * sizeof(A),
                std::size_t(to.nx) * sizeof(B),
                std::size_t(to.ny)};
    }
    template <class U>
    void upload(FieldView<const U> from, FieldView<U> to) {
        copy_to_device(row_copy(from, to), stream_);
    }

    // Evaluates into the spare field.
    FieldView<const T> read(const Observable& what) {
        const FieldView<T> room = own(spare());
        stencil::read(view_of(what), room);
        return room;
    }

    // Rounds a float64 state to the precision of the setup.
    Field rounded(Field field) const {
        return field.dtype() == setup_.dtype ? std::move(field) : field.to(setup_.dtype);
    }

    static void make_room(Pixels& pixels, std::size_t bytes) {
        if (pixels.device_bytes >= bytes) return;
        pixels.device_bytes = 0;
        pixels.device = CudaMemory();
        pixels.device = CudaMemory(bytes);
        pixels.device_bytes = bytes;
    }

    double settle() {
        if (!timing_) return 0;
        timing_ = false;
        return timer_.seconds();
    }

    CudaScratch scratch_;
    CudaArray<T> spare_;  ///< empty until needed
    CudaTimer timer_;
    double seconds_ = 0;
    bool timing_ = false;
};

}  // namespace stencil

// The CUDA parts of solvers: executors, copies and views.
#pragma once

#include "kernels/equation/cuda/cuda_equation_stepper.h"
#include "kernels/equation/text/cuda_text.h"
#include "sim/machine/kernel_cache.h"
#include "sim/run/solvers/cuda_view_solver.h"
#include "sim/run/solvers/typed_run.h"

namespace stencil {

template <class T>
class CudaDevicePart : public CudaViewSolver<T> {
  public:
    using Cell = T;
    using Stepper = equation::CudaEquationStepper<T>;
    using CudaViewSolver<T>::CudaViewSolver;

    /// A copy of a field in device memory.
    struct Kept {
        CudaMemory cells;
        std::size_t bytes = 0;
    };
    static std::size_t bytes_of_kept(const Kept& kept) { return kept.bytes; }

  protected:
    using CudaViewSolver<T>::setup_;
    using CudaViewSolver<T>::stream_;

    std::unique_ptr<Stepper> make_stepper(equation::Program program) {
        const std::string text = equation::cuda_text(program, sizeof(T) == sizeof(double));
        const int capability = default_compute_capability();
        const std::string cubin = compiled_kernels(text, capability);
        const auto compile = [capability](const std::string& fused) {
            return compiled_kernels(fused, capability);
        };
        return std::make_unique<Stepper>(std::move(program), equation_setup(setup_), cubin, stream_, compile);
    }

    static void wait_for_fastest_of(Stepper& stepper) { stepper.wait_for_compiler(); }
    ExecutionPath way_of(const Stepper& stepper) const {
        ExecutionPath way{.name = stepper.single_steps(), .compiling = stepper.compiling()};
        std::string used = way.name;
        if (const equation::SeveralSteps* kernel = stepper.fused()) {
            used = kernel->name();
            way.name = kernel->way();
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

    Field copy_of_array(FieldView<T> cells) { return this->download(FieldView<const T>(cells)); }
    void copy_array(FieldView<T> from, FieldView<T> to) {
        const std::size_t row = std::size_t(to.nx) * sizeof(T);
        copy_on_device({to.data,
                        std::size_t(to.pitch) * sizeof(T),
                        from.data,
                        std::size_t(from.pitch) * sizeof(T),
                        row,
                        std::size_t(to.ny)},
                       stream_);
    }
    Kept keep(FieldView<T> cells) {
        const std::size_t bytes = cuda_field_bytes<T>(setup_.nx, setup_.ny);
        Kept kept{CudaMemory(bytes), bytes};
        copy_array(cells, cuda_view<T>(kept.cells, setup_.nx, setup_.ny));
        stream_.synchronize();
        return kept;
    }
    void take_back(const Kept& kept, FieldView<T> to) {
        copy_array(cuda_view<T>(kept.cells, setup_.nx, setup_.ny), to);
        stream_.synchronize();
    }
    void paint_array(const PlainView<T>& cells, const BrushPiece& piece) {
        cuda_paint(cells, piece, stream_, this->first_row());
    }

    /// Cells of a diffusion method.
    using Cells = CudaMemory;
    Cells make_cells() const { return CudaMemory(cuda_field_bytes<T>(setup_.nx, setup_.ny)); }
    FieldView<T> view_of_cells(Cells& cells) const { return cuda_view<T>(cells, setup_.nx, setup_.ny); }
    ExecutionSpace space() { return {nullptr, &stream_, setup_.strips}; }
    void finish_copies() { stream_.synchronize(); }

    void copy_plain(const PlainView<const T>& from, FieldView<T> to) {
        cuda_read(CudaView<T>{{from, {}, {}}, Quantity::value, stream_, this->scratch_}, to);
    }

    CudaStream* stream_of_steps() { return &stream_; }

    FieldView<T> spare() override {
        if (!spare_.data()) spare_ = CudaMemory(cuda_field_bytes<T>(setup_.nx, setup_.ny));
        return cuda_view<T>(spare_, setup_.nx, setup_.ny);
    }

  private:
    CudaMemory spare_;  ///< empty until needed
};

}  // namespace stencil

// Arguments for generated kernels of several steps that run on the CPU.
#pragma once

#include <string>
#include <vector>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cuda/cuda_field.h"
#include "kernels/equation/cuda/kernel_arguments.h"
#include "kernels/equation/text/fused_program.h"
#include "tests/model/typed_run.h"

namespace stencil_test {

/// Covers every kind of side, several stages, data, noise, and inputs that depend on place and time.
inline const std::vector<std::string> kTextsOfSeveralSteps{
    "du/dt = lap(u) - u*v^2; dv/dt = 0.5*lap(v) + u*v^2 - 0.1*v; dt = 0.1; boundary = periodic",
    "du/dt = lap(u) + dxy(u); dt = 0.01; left: u = y; right: flux(u) = t; top: u = sin(x); bottom: u + "
    "flux(u) = 1",
    "du/dt = lap(u^3 - u - lap(u)); dt = 0.01; x: insulated; y: periodic",
    "da/dt = b; db/dt = lap(a) + dxy(a); stepper = symplectic; dt = 0.1; left: a = 1; right: a + 2*flux(a) "
    "= 1; y: insulated",
    "du/dt = div((1 + 0.5*cos(x*y))*grad(u)) + sin(t)*u; dt = 0.01; boundary = zero; top: flux(u) = x; "
    "inside = x + y > 4",
    "du/dt = lap(u) + normal + random*u; dt = 0.05; x: periodic; top: u = sin(x); bottom: flux(u) = 0; "
    "laplacian = isotropic; stepper = heun",
    "du/dt = dx(u*dx(u) + y) - lap(lap(u) - t); dt = 0.001; left: u = y^2; right: flux(u) = t; y: u = 0"};

/// A program's arrays at run.start, and the inputs of `steps` steps from there.
template <class T>
class TextArguments {
  public:
    TextArguments(const stencil::equation::Equations& e,
                  const stencil::equation::FusedProgram& fused,
                  const TypedRun& run,
                  int steps)
        : program_(fused.program),
          run_(run),
          setup_(setup_of(e, run)),
          pitch_(stencil::cuda_pitch<T>(run.nx)) {
        for (std::size_t a = 0; a < program_.arrays.size(); ++a) {
            buffers_.emplace_back(std::size_t(pitch_) * std::size_t(run.ny));
            arrays_.push_back(buffers_.back().data());
        }
        fill_arrays(fused.from);
        arguments_ = std::make_unique<stencil::equation::KernelArguments<T>>(program_, setup_, pitch_);
        fill_lines(steps);
        arguments_->set_arrays(arrays_);
        arguments_->set_step(0);
    }

    const void* data() const { return arguments_->data(); }
    int pitch() const { return pitch_; }
    /// Values per step: lines and uniforms.
    std::size_t values() const { return arguments_->line_values() + program_.uniforms.outputs.size(); }
    std::vector<T> sides() const { return arguments_->sides(inputs_); }

    /// Returns the components after the steps, one after the other, row by row.
    std::vector<T> cells() const {
        std::vector<T> cells;
        for (const int next : program_.next)
            for (int y = 0; y < run_.ny; ++y) {
                const T* row = arrays_[std::size_t(next)] + y * pitch_;
                cells.insert(cells.end(), row, row + run_.nx);
            }
        return cells;
    }

  private:
    // Setup stages are computed by the row executor.
    void fill_arrays(const std::vector<int>& from) {
        stencil::ThreadPool pool(1);
        stencil::equation::EquationStepper<T> rows(program_, setup_, pool);
        const auto start = [&](int c) { return [=, this](int x, int y) { return run_.start(c, x, y); }; };
        for (int c = 0; c < program_.components; ++c) set_cells(rows.component(c), start(c));
        rows.advance(1);
        for (const int a : from) {
            const stencil::FieldView<T> to{arrays_[std::size_t(a)], run_.nx, run_.ny, pitch_};
            if (a < program_.components)
                set_cells(to, start(a));
            else
                stencil::copy_cells(rows.array(a), to);
        }
    }

    void fill_lines(int steps) {
        lines_.resize(values() * std::size_t(steps) + 1);
        for (int step = steps; step-- > 0;) {
            T* of_step = &lines_[std::size_t(step) * values()];
            inputs_.update(setup_, step, step * setup_.dt, true);
            if (arguments_->line_values() > 0) arguments_->pack_lines(inputs_, of_step);
            std::ranges::copy(inputs_.uniforms(), of_step + arguments_->line_values());
        }
        arguments_->set_lines(lines_.data());
        arguments_->set_uniforms(inputs_.uniforms());
    }

    const stencil::equation::Program& program_;
    const TypedRun& run_;
    stencil::equation::EquationSetup setup_;
    int pitch_;
    std::vector<stencil::AlignedBuffer<T>> buffers_;
    std::vector<T*> arrays_;
    stencil::equation::InputValues<T> inputs_{program_};
    std::unique_ptr<stencil::equation::KernelArguments<T>> arguments_;
    std::vector<T> lines_;
};

}  // namespace stencil_test

// IMEX steps on the GPU agree with the CPU up to rounding of the transforms.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/equation/cuda/cuda_equation_stepper.h"
#include "kernels/equation/cuda/nvrtc.h"
#include "kernels/equation/text/cuda_text.h"
#include "tests/model/typed_run.h"
#include "tests/support/catch.h"

using namespace stencil;
using namespace stencil::equation;
using namespace stencil_test;

namespace {

template <class T>
RowCopy row_copy(FieldView<T> to, FieldView<T> from) {
    return {to.data,
            std::size_t(to.pitch) * sizeof(T),
            from.data,
            std::size_t(from.pitch) * sizeof(T),
            std::size_t(to.nx) * sizeof(T),
            std::size_t(to.ny)};
}

/// Returns the cells of all components.
template <class T>
std::vector<T> cells_of(CudaEquationStepper<T>& stepper, int components, CudaStream& stream) {
    std::vector<T> all;
    for (int c = 0; c < components; ++c) {
        const FieldView<T> from = stepper.component(c);
        std::vector<T> cells(std::size_t(from.nx) * std::size_t(from.ny));
        copy_to_host(row_copy(FieldView<T>{cells.data(), from.nx, from.ny, from.nx}, from), stream);
        all.insert(all.end(), cells.begin(), cells.end());
    }
    return all;
}

}  // namespace

TEMPLATE_TEST_CASE("imex on the GPU is the CPU's but for roundings, however its steps are cut",
                   "",
                   float,
                   double) {
    using T = TestType;
    const std::string equations = GENERATE(
        "du/dt = lap(u^3 - u - lap(u)); dt = 0.1; ",
        "du/dt = -lap(v) + 0.4*cos(x)*v; dv/dt = lap(u) - 0.4*cos(x)*u; dt = 0.2; ",
        "du/dt = lap(u) - v; dv/dt = 2*lap(v) + u - w; dw/dt = lap2(v)/50 - lap2(w)/9 - w*t*u; dt = 0.1; ",
        "da/dt = lap(a) - b; db/dt = lap(b) + a; dc/dt = lap(c) + d; dd/dt = lap(d) - c; de/dt = lap(e) + "
        "a*b; dt = 0.1; ");
    const std::string sides =
        GENERATE("boundary = periodic", "boundary = zero", "boundary = insulated", "x: zero; y: periodic");
    INFO(equations << sides);
    const Equations e = read_equations(equations + sides);
    const Program program = make_program(e, SteppingScheme::imex, sizeof(T) == 8);
    const std::string cubin =
        compile_cuda(cuda_text(program, sizeof(T) == 8), default_compute_capability()).cubin;
    for (const auto& [nx, ny] : {std::pair(1, 1), {7, 5}, {129, 66}, {300, 131}}) {
        INFO(nx << "x" << ny);
        const EquationSetup setup{nx, ny, e.spacing, *e.dt, {}, 7, false};
        ThreadPool pool(2);
        CudaStream stream;
        EquationStepper<T> cpu(program, setup, pool);
        CudaEquationStepper<T> whole(program, setup, cubin, stream), cut(program, setup, cubin, stream);
        for (int c = 0; c < program.components; ++c) {
            const FieldView<T> to = cpu.component(c);
            for (int y = 0; y < ny; ++y)
                for (int x = 0; x < nx; ++x)
                    to.at(x, y) = T(0.3 * std::cos(0.2 * x + c) + 0.2 * std::sin(0.3 * y));
            copy_to_device(row_copy(whole.component(c), to), stream);
            copy_to_device(row_copy(cut.component(c), to), stream);
        }
        stream.synchronize();
        cpu.advance(40);
        whole.advance(40);
        for (const int steps : {1, 2, 33, 0, 4}) cut.advance(steps);
        const auto cells = cells_of(whole, program.components, stream);
        REQUIRE(cells == cells_of(cut, program.components, stream));
        double difference = 0, size = 0;
        std::size_t i = 0;
        for (int c = 0; c < program.components; ++c)
            for (int y = 0; y < ny; ++y)
                for (int x = 0; x < nx; ++x, ++i) {
                    const double of_cpu = cpu.component(c).at(x, y);
                    difference += (double(cells[i]) - of_cpu) * (double(cells[i]) - of_cpu);
                    size += of_cpu * of_cpu;
                }
        REQUIRE(std::sqrt(difference) <= (sizeof(T) == 8 ? 1e-12 : 1e-4) * std::sqrt(size));
    }
}

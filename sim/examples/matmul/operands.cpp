#include "sim/examples/matmul/operands.h"

#include <fmt/format.h>

#include "sim/examples/arrays/arrays.h"
#include "sim/machine/host_memory.h"
#include "sim/text/error.h"

namespace stencil::matmul {

MatmulProblem matmul_problem(const ExampleRequest& request) {
    const OptionValues& options = request.options;
    return {{options.integer("m"), options.integer("k"), options.integer("n")},
            int(options.integer("repetitions")),
            std::uint64_t(options.integer("seed")),
            options.text("distribution") == "centred"};
}

double random_seconds(const MatmulShape& shape) {
    return 5e-9 * double(shape.k) * double(shape.m + shape.n);
}

template <class T>
MatmulOperands<T> make_operands(const MatmulProblem& problem, ExampleContext& context) {
    const auto [m, k, n] = problem.shape;
    const double bytes = (double(m) * double(k) + double(k) * double(n) + double(m) * double(n)) * sizeof(T);
    const auto free = double(query_host_memory().free_bytes);
    if (bytes > free)
        throw MachineError(fmt::format(
            "host memory: A, B and C take {:.1f} GB, and {:.1f} GB are free", bytes / 1e9, free / 1e9));
    Random random(problem.seed);
    MatmulOperands<T> operands;
    operands.a = random_array<T>(context, random, m * k);
    operands.b = random_array<T>(context, random, k * n);
    for (AlignedBuffer<T>* factor : {&operands.a, &operands.b})
        if (problem.centred)
            for (T& value : *factor) value -= T(0.5);
    return operands;
}

template MatmulOperands<float> make_operands(const MatmulProblem&, ExampleContext&);
template MatmulOperands<double> make_operands(const MatmulProblem&, ExampleContext&);

}  // namespace stencil::matmul

#include "sim/examples/matmul/operands.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/field/random.h"
#include "sim/machine/host_memory.h"
#include "sim/text/error.h"

namespace stencil::matmul {
namespace {

template <class T>
T next(Random& random) {
    if constexpr (sizeof(T) == sizeof(float))
        return random.next_float();
    else
        return random.next_double();
}

template <class T>
AlignedBuffer<T> random_values(std::int64_t count,
                               bool centred,
                               Random& random,
                               const ExampleContext& context) {
    constexpr std::int64_t kAtOnce = 1 << 22;  // between two looks at whether to end
    AlignedBuffer<T> values{std::size_t(count)};
    const T shift = centred ? T(0.5) : T(0);
    for (std::int64_t first = 0; first < count; first += kAtOnce) {
        context.pause();
        T* const end = values.data() + std::min(count, first + kAtOnce);
        for (T* value = values.data() + first; value < end; ++value) *value = next<T>(random) - shift;
    }
    return values;
}

}  // namespace

MatmulProblem matmul_problem(const ExampleRequest& request) {
    const OptionValues& options = request.options;
    return {{options.integer("m"), options.integer("k"), options.integer("n")},
            int(options.integer("repetitions")),
            std::uint64_t(options.integer("seed")),
            options.text("distribution") == "centred"};
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
    AlignedBuffer<T> a = random_values<T>(m * k, problem.centred, random, context);
    AlignedBuffer<T> b = random_values<T>(k * n, problem.centred, random, context);
    return {std::move(a), std::move(b)};
}

template MatmulOperands<float> make_operands(const MatmulProblem&, ExampleContext&);
template MatmulOperands<double> make_operands(const MatmulProblem&, ExampleContext&);

}  // namespace stencil::matmul

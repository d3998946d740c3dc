#include "sim/examples/matmul/run.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "kernels/cpu/thread_pool.h"
#include "kernels/examples/arrays/column_sums.h"
#include "kernels/examples/matmul/cpu_matmul.h"
#include "sim/examples/report/stopwatch.h"

namespace stencil::matmul {

template <class T>
ReportRow MatmulRun<T>::row(const MatmulRow& which) const {
    ReportRow row;
    row.work = "matmul + column sum";
    row.name = which.name;
    row.backend = which.backend;
    row.dtype = sizeof(T) == sizeof(float) ? DType::float32 : DType::float64;
    row.inexact = which.inexact;
    return row;
}

template <class T>
void MatmulRun<T>::progress(double share, const ReportRow& row) const {
    context.progress((rows.done + share) / rows.all, fmt::format("{}, {}", row.name, name_of(row.dtype)));
}

template <class T>
void MatmulRun<T>::add(ReportRow row) const {
    ++rows.done;
    context.add(std::move(row));
}

template <class T>
void run_on_cpu(const MatmulRun<T>& run, const MatmulRow& which) {
    ExampleContext& context = run.context;
    const MatmulShape& s = run.problem.shape;
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    AlignedBuffer<T> c{std::size_t(s.m * s.n)};
    std::fill_n(c.data(), c.size(), nan);
    MatmulResult<T> result;
    result.sums.assign(std::size_t(s.n), nan);
    result.stored_sums = result.sums;

    ReportRow row = run.row(which);
    const Timing timing = time_host(context, run.request.repeats, [&] {
        for (int i = 0; i < run.problem.repetitions; ++i) {
            cpu_matmul<T>({run.operands.a.data(), run.operands.b.data(), c.data(), s},
                          context.thread_count(),
                          [&](double share) { run.progress((i + share) / run.problem.repetitions, row); });
            cpu_column_sums<T>(context.threads(), c.data(), {s.m, s.n, s.n}, nullptr, result.sums.data());
        }
    });
    timing.fill(row);
    for (const std::int64_t i : run.reference.rows)
        result.rows.insert(result.rows.end(), c.data() + i * s.n, c.data() + (i + 1) * s.n);
    cpu_column_sums<T>(context.threads(), c.data(), {s.m, s.n, s.n}, nullptr, result.stored_sums.data());
    row.more.emplace_back("repetition_seconds", row.seconds / run.problem.repetitions);
    compare(result, run.reference, {sizeof(T) == sizeof(float) ? 5e-6 : 1e-13, true}, row);
    row.rates = {{run.problem.operations() / row.seconds / 1e12,
                  "TFLOP/s",
                  context.tflops(Device::cpu, row.dtype),
                  "multiply-adds, measured"}};
    run.add(std::move(row));
}

template struct MatmulRun<float>;
template struct MatmulRun<double>;
template void run_on_cpu(const MatmulRun<float>&, const MatmulRow&);
template void run_on_cpu(const MatmulRun<double>&, const MatmulRow&);

}  // namespace stencil::matmul

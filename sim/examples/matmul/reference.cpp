#include "sim/examples/matmul/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "kernels/cpu/thread_pool.h"
#include "kernels/field/divide.h"
#include "sim/examples/arrays/arrays.h"
#include "sim/machine/host_memory.h"
#include "sim/text/error.h"

namespace stencil::matmul {
namespace {

constexpr double kProducts = 1e9;  // of the rows of C, about: a second on two cores
constexpr std::int64_t kMaxRows = 64;

std::vector<std::int64_t> some_rows(const MatmulShape& s) {
    const auto affordable = std::int64_t(kProducts / (double(s.k) * double(s.n)));
    const std::int64_t count = std::min(s.m, std::clamp<std::int64_t>(affordable, 2, kMaxRows));
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < count; ++i) rows.push_back(count > 1 ? i * (s.m - 1) / (count - 1) : 0);
    return rows;
}

// A vector of length k, and the sizes of what it was added up from.
template <class X>
struct Factor {
    std::vector<X> x, sizes;
};

// sum over k of x_k b_kj, for all j; and of the sizes.
struct Sums {
    double* exact;
    double* of_size;
};

// Four columns at a time stay in the processor's registers.
template <class X, class T>
void add_products(const Factor<X>& factor, const T* b, const MatmulShape& s, std::int64_t column, Sums out) {
    constexpr std::int64_t kColumns = 4;
    const std::int64_t count = std::min(kColumns, s.n - column);
    long double exact[kColumns] = {};
    double of_size[kColumns] = {};
    const auto add = [&](auto columns) {
        const T* row = b + column;
        for (std::int64_t k = 0; k < s.k; ++k, row += s.n)
            for (std::int64_t j = 0; j < columns; ++j) {
                exact[j] += static_cast<long double>(factor.x[k]) * row[j];
                of_size[j] += double(factor.sizes[k]) * std::abs(double(row[j]));
            }
    };
    if (count == kColumns)
        add(std::integral_constant<std::int64_t, kColumns>());
    else
        add(count);
    for (std::int64_t j = 0; j < count; ++j) {
        out.exact[column + j] = double(exact[j]);
        out.of_size[column + j] = of_size[j];
    }
}

// Vectors of length k, one or more, times B.
template <class X, class T>
void multiply(
    const std::vector<Factor<X>>& factors, const T* b, const MatmulShape& s, ThreadPool& threads, Sums out) {
    constexpr std::int64_t kStrip = 16;  // columns whose values stay in the cache for the next vector
    threads.for_ranges(ceil_div(s.n, kStrip), [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t strip = first; strip < last; ++strip)
            for (std::size_t i = 0; i < factors.size(); ++i) {
                const Sums mine{out.exact + std::int64_t(i) * s.n, out.of_size + std::int64_t(i) * s.n};
                const std::int64_t end = std::min(s.n, (strip + 1) * kStrip);
                for (std::int64_t column = strip * kStrip; column < end; column += 4)
                    add_products(factors[i], b, s, column, mine);
            }
    });
}

template <class T>
Factor<long double> column_totals(const T* a, const MatmulShape& s, ThreadPool& threads) {
    Factor<long double> totals{std::vector<long double>(std::size_t(s.k), 0), {}};
    totals.sizes = totals.x;
    threads.for_ranges(s.k, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = 0; i < s.m; ++i)
            for (std::int64_t k = first; k < last; ++k) {
                totals.x[std::size_t(k)] += a[i * s.k + k];
                totals.sizes[std::size_t(k)] += std::abs(a[i * s.k + k]);
            }
    });
    return totals;
}

double norm(const std::vector<double>& values) {
    return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

// Anything is better than no number.
double worst(double a, double b) {
    return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::infinity() : std::max(a, b);
}

struct Difference {
    double relative = 0;  // 2-norm
    double of_bound = 0;  // the largest, as a share of (`count` + 1) u sums_of_size
};

template <class T>
Difference difference(const std::vector<T>& values,
                      const std::vector<double>& exact,
                      const std::vector<double>& of_size,
                      double count) {
    const double unit = std::numeric_limits<T>::epsilon() / 2;
    double sum = 0;
    Difference result;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const double error = std::abs(double(values[i]) - exact[i]);
        sum += error * error;
        const double bound = (count + 1) * unit * of_size[i];  // the reference is rounded as well
        if (error > 0) result.of_bound = std::max(result.of_bound, error / bound);
    }
    const double size = norm(exact);
    result.relative = size > 0 ? std::sqrt(sum) / size : std::sqrt(sum);
    return result;
}

// numpy.allclose with both tolerances alike.
template <class T>
bool all_close(const std::vector<T>& values, const std::vector<double>& exact, double tolerance) {
    for (std::size_t i = 0; i < exact.size(); ++i)
        if (!(std::abs(double(values[i]) - exact[i]) <= tolerance + tolerance * std::abs(exact[i])))
            return false;
    return true;
}

// How much worse than by chance the sums' terms cancel each other.
double cancellation(const std::vector<double>& exact, const std::vector<double>& of_size, double terms) {
    const double size = norm(exact);
    return size > 0 ? std::max(1.0, norm(of_size) / size / std::sqrt(terms)) : 1.0;
}

}  // namespace

MatmulProblem matmul_problem(const OptionValues& options) {
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
        throw MachineError(
            "host memory: A, B and C take {:.1f} GB, and {:.1f} GB are free", bytes / 1e9, free / 1e9);
    Random random(problem.seed);
    MatmulOperands<T> operands;
    operands.a = random_array<T>(context, random, m * k);
    operands.b = random_array<T>(context, random, k * n);
    for (AlignedBuffer<T>* factor : {&operands.a, &operands.b})
        if (problem.centred)
            for (T& value : *factor) value -= T(0.5);
    return operands;
}

template <class T>
MatmulReference make_reference(const MatmulOperands<T>& operands,
                               const MatmulShape& s,
                               ExampleContext& context) {
    MatmulReference reference{s, {}, {}, some_rows(s), {}, {}};
    const T *a = operands.a.data(), *b = operands.b.data();
    reference.sums.resize(std::size_t(s.n));
    reference.sums_of_size.resize(std::size_t(s.n));
    multiply<long double>({column_totals(a, s, context.threads())},
                          b,
                          s,
                          context.threads(),
                          {reference.sums.data(), reference.sums_of_size.data()});
    const std::size_t values = reference.rows.size() * std::size_t(s.n);
    reference.c.resize(values);
    reference.c_of_size.resize(values);
    constexpr std::size_t kTogether = 8;
    for (std::size_t first = 0; first < reference.rows.size(); first += kTogether) {
        context.pause();
        std::vector<Factor<T>> some;
        for (std::size_t i = first; i < std::min(reference.rows.size(), first + kTogether); ++i) {
            const T* const row = a + reference.rows[i] * s.k;
            Factor<T>& factor = some.emplace_back(Factor<T>{{row, row + s.k}, {row, row + s.k}});
            for (T& value : factor.sizes) value = std::abs(value);
        }
        const std::size_t at = first * std::size_t(s.n);
        multiply(some, b, s, context.threads(), {reference.c.data() + at, reference.c_of_size.data() + at});
    }
    return reference;
}

template <class T>
void compare(const MatmulResult<T>& result,
             const MatmulReference& reference,
             MatmulLimits limits,
             ReportRow& row) {
    const MatmulReference& r = reference;
    const double k = double(r.shape.k), m = double(r.shape.m);
    const Difference c = difference(result.rows, r.c, r.c_of_size, k);
    const Difference sums = difference(result.sums, r.sums, r.sums_of_size, k + m);
    const Difference stored = difference(result.stored_sums, r.sums, r.sums_of_size, k + m);
    const double of_bound = std::max({c.of_bound, sums.of_bound, stored.of_bound});
    const bool close8 = all_close(result.sums, r.sums, 1e-8), close4 = all_close(result.sums, r.sums, 1e-4);
    row.error = worst(c.relative, worst(sums.relative, stored.relative));
    const double limit = limits.error * std::max(1.0, std::sqrt(k / 5000));
    const bool accurate =
        c.relative <= limit * cancellation(r.c, r.c_of_size, k) &&
        worst(sums.relative, stored.relative) <= limit * cancellation(r.sums, r.sums_of_size, k * m);
    row.failed = !accurate || (limits.bounded && !(of_bound <= 1));
    row.check = "all sums and some rows of C against long double";
    row.more.emplace_back("error_of_c", c.relative);
    row.more.emplace_back("rows_of_c_checked", r.rows.size());
    row.more.emplace_back("error_of_sums", sums.relative);
    row.more.emplace_back("error_of_stored_c_summed", stored.relative);
    row.more.emplace_back("largest_error_of_bound", of_bound);
    row.more.emplace_back("within_1e-8", close8);
    row.more.emplace_back("within_1e-4", close4);
}

template MatmulOperands<float> make_operands(const MatmulProblem&, ExampleContext&);
template MatmulOperands<double> make_operands(const MatmulProblem&, ExampleContext&);
template MatmulReference make_reference(const MatmulOperands<float>&, const MatmulShape&, ExampleContext&);
template MatmulReference make_reference(const MatmulOperands<double>&, const MatmulShape&, ExampleContext&);
template void compare(const MatmulResult<float>&, const MatmulReference&, MatmulLimits, ReportRow&);
template void compare(const MatmulResult<double>&, const MatmulReference&, MatmulLimits, ReportRow&);

}  // namespace stencil::matmul

// The arithmetic on the CPU: sums at memory bandwidth, and matrix products by OpenBLAS.

#include <algorithm>
#include <complex>
#include <utility>
#include <vector>

#include "kernels/cpu/gemm.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/examples/arrays/column_sums.h"
#include "kernels/examples/einsum/arithmetic.h"
#include "kernels/field/divide.h"

namespace stencil::einsum {
namespace {

// Sizes of pieces that take some tenths of a second, and the size from which on waking threads pays off.
constexpr double kPieceFlops = 2e10;
constexpr std::int64_t kPieceValues = std::int64_t(1) << 27;
constexpr std::int64_t kWorthSharing = 1 << 15;

// work(i) for i of [0, count) on all threads, with `between` called after each piece.
template <class Work>
void in_pieces(ThreadPool& threads,
               const std::function<void()>& between,
               std::int64_t count,
               std::int64_t piece,
               const Work& work) {
    for (std::int64_t start = 0; start < count; start += piece) {
        threads.for_ranges(std::min(piece, count - start), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = start + begin; i < start + end; ++i) work(i);
        });
        between();
    }
}

// Rows along the last axis, which is contiguous in the output.
template <class T>
void strided_product(ThreadPool& threads,
                     const std::function<void()>& between,
                     const ProductShape& shape,
                     const T* a,
                     const T* b,
                     T* out) {
    if (shape.values() == 0) return;
    const int last = shape.axes - 1;
    const std::int64_t width = last < 0 ? 1 : shape.count[last];
    const std::int64_t step_a = last < 0 ? 0 : shape.a[last], step_b = last < 0 ? 0 : shape.b[last];
    in_pieces(threads, between, shape.values() / width, kPieceValues / width + 1, [&](std::int64_t row) {
        const T *from_a = a, *from_b = b;
        T* const to = out + row * width;
        for (int axis = last - 1; axis >= 0; row /= shape.count[axis--]) {
            from_a += row % shape.count[axis] * shape.a[axis];
            if (b) from_b += row % shape.count[axis] * shape.b[axis];
        }
        for (std::int64_t x = 0; x < width; ++x)
            to[x] = b ? from_a[x * step_a] * from_b[x * step_b] : from_a[x * step_a];
    });
}

// Product `i` of the batch, from row `row` of A on.
template <class T>
void multiply_one(const MatrixProductShape& s,
                  const T* a,
                  const T* b,
                  T* c,
                  std::int64_t i,
                  std::int64_t row,
                  std::int64_t rows) {
    const std::int64_t a_row = row * (s.a.transposed ? 1 : s.a.leading);
    gemm(GemmCall<T>{rows,
                     s.k,
                     s.n,
                     {a + i * s.a.batch_stride + a_row, s.a.leading, s.a.transposed},
                     {b + i * s.b.batch_stride, s.b.leading, s.b.transposed},
                     c + i * s.c.batch_stride + row * s.c.leading,
                     s.c.leading});
}

// Eight accumulators, because an addition depends on the previous one.
template <class A, class W>
double dot(std::int64_t count, A a, W weight) {
    double sums[8] = {};
    std::int64_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (int lane = 0; lane < 8; ++lane) sums[lane] += double(a(i + lane)) * double(weight(i + lane));
    for (int lane = 0; i < count; ++i, ++lane) sums[lane] += double(a(i)) * double(weight(i));
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

template <class T>
double dot(const StridedAxis& axis, const T* a, const T* weights) {
    const auto with = [&](auto weight) {
        if (axis.stride == 1)
            return dot(
                axis.count, [=](std::int64_t i) { return a[i]; }, weight);
        return dot(
            axis.count, [=, s = axis.stride](std::int64_t i) { return a[i * s]; }, weight);
    };
    if (weights) return with([=](std::int64_t i) { return weights[i]; });
    return with([](std::int64_t) { return 1.0; });
}

template <class T>
class CpuArithmetic : public EinsumArithmetic<T> {
  public:
    CpuArithmetic(ThreadPool& threads, std::function<void()> between)
        : threads_(threads), between_(std::move(between)) {}

    void multiply(const ProductShape& shape, const T* a, const T* b, T* out) override {
        strided_product(threads_, between_, shape, a, b, out);
    }

    void sum(const SumShape& shape, const T* a, const T* weights, T* out) override {
        const std::int64_t each = shape.reduced.count * shape.inner.count;
        if (shape.outer.count < 4 * threads_.size() && each >= kWorthSharing)
            sum_one_by_one(shape, a, weights, out);
        else
            sum_side_by_side(shape, a, weights, out);
    }

    void multiply_matrices(const MatrixProductShape& shape, const T* a, const T* b, T* c) override {
        const double flops = 2.0 * double(shape.m) * double(shape.n) * double(shape.k);
        if (shape.batch > 1 && flops < 1e7) return multiply_side_by_side(shape, a, b, c, flops);
        set_gemm_threads(threads_.size());
        const std::int64_t rows =
            std::clamp(std::int64_t(double(shape.m) * kPieceFlops / std::max(flops, 1.0)) / 64 * 64,
                       std::int64_t(64),
                       std::max(shape.m, std::int64_t(64)));
        for (std::int64_t i = 0; i < shape.batch; ++i)
            for (std::int64_t row = 0; row < shape.m; row += rows) {
                multiply_one(shape, a, b, c, i, row, std::min(rows, shape.m - row));
                between_();
            }
    }

    void zero(std::int64_t count, T* to) override { std::fill_n(to, count, T(0)); }

  private:
    // All threads work on one sum after the other.
    void sum_one_by_one(const SumShape& shape, const T* a, const T* weights, T* out) {
        for (std::int64_t o = 0; o < shape.outer.count; ++o) {
            const T* const from = a + o * shape.outer.stride;
            const T* const w = weights ? weights + o * shape.weight_outer : nullptr;
            if (shape.inner.count > 1 && shape.inner.stride == 1) {
                const MatrixShape matrix{shape.reduced.count, shape.inner.count, shape.reduced.stride};
                cpu_column_sums(threads_, from, matrix, w, out + o * shape.inner.count);
            } else {
                for (std::int64_t i = 0; i < shape.inner.count; ++i)
                    out[o * shape.inner.count + i] = shared_dot(shape, from + i * shape.inner.stride, w);
            }
            between_();
        }
    }

    T shared_dot(const SumShape& shape, const T* a, const T* weights) {
        std::vector<double> sums(std::size_t(threads_.size()));
        const std::int64_t parts = threads_.size(), count = shape.reduced.count;
        threads_.run([&](int part) {
            const std::int64_t begin = count / parts * part + std::min<std::int64_t>(count % parts, part);
            const std::int64_t length = count / parts + (part < count % parts ? 1 : 0);
            sums[std::size_t(part)] = dot({length, shape.reduced.stride},
                                          a + begin * shape.reduced.stride,
                                          weights ? weights + begin : nullptr);
        });
        double total = 0;
        for (const double sum : sums) total += sum;
        return T(total);
    }

    // Each thread works on its own sums.
    void sum_side_by_side(const SumShape& shape, const T* a, const T* weights, T* out) {
        const std::int64_t each = std::max<std::int64_t>(1, shape.reduced.count * shape.inner.count);
        const std::int64_t piece = std::max<std::int64_t>(threads_.size(), kPieceValues / each);
        in_pieces(threads_, between_, shape.outer.count, piece, [&](std::int64_t o) {
            sum_alone(shape,
                      a + o * shape.outer.stride,
                      weights ? weights + o * shape.weight_outer : nullptr,
                      out + o * shape.inner.count);
        });
    }

    static void sum_alone(const SumShape& shape, const T* a, const T* weights, T* out) {
        if (shape.inner.count == 1) {
            out[0] = T(dot(shape.reduced, a, weights));
            return;
        }
        constexpr std::int64_t kTogether = 256;
        for (std::int64_t start = 0; start < shape.inner.count; start += kTogether) {
            const std::int64_t width = std::min(kTogether, shape.inner.count - start);
            double totals[kTogether] = {};
            for (std::int64_t r = 0; r < shape.reduced.count; ++r) {
                const T* const row = a + r * shape.reduced.stride + start * shape.inner.stride;
                const double weight = weights ? double(weights[r]) : 1.0;
                for (std::int64_t i = 0; i < width; ++i)
                    totals[i] += weight * double(row[i * shape.inner.stride]);
            }
            std::copy_n(totals, width, out + start);
        }
    }

    void multiply_side_by_side(const MatrixProductShape& shape, const T* a, const T* b, T* c, double flops) {
        set_gemm_threads(1);
        const auto piece =
            std::max<std::int64_t>(threads_.size(), std::int64_t(kPieceFlops / 10 / (flops + 1000)));
        in_pieces(threads_, between_, shape.batch, piece, [&](std::int64_t i) {
            multiply_one(shape, a, b, c, i, 0, shape.m);
        });
    }

    ThreadPool& threads_;
    std::function<void()> between_;
};

template <class T>
class PlainArithmetic : public EinsumArithmetic<T> {
  public:
    PlainArithmetic(ThreadPool& threads, std::function<void()> between)
        : threads_(threads), between_(std::move(between)) {}

    void multiply(const ProductShape& shape, const T* a, const T* b, T* out) override {
        strided_product(threads_, between_, shape, a, b, out);
    }

    // Some neighbouring sums at a time, so that cache lines are used as a whole.
    void sum(const SumShape& shape, const T* a, const T* weights, T* out) override {
        constexpr std::int64_t kTogether = 256;
        const std::int64_t blocks = ceil_div(shape.inner.count, kTogether),
                           work = shape.reduced.count * kTogether;
        in_pieces(threads_,
                  between_,
                  shape.outer.count * blocks,
                  kPieceValues / (work + 1) + 1,
                  [&](std::int64_t i) {
                      const std::int64_t o = i / blocks, begin = i % blocks * kTogether;
                      const std::int64_t width = std::min(kTogether, shape.inner.count - begin);
                      T totals[kTogether] = {};
                      for (std::int64_t r = 0; r < shape.reduced.count; ++r) {
                          const T* const from = a + o * shape.outer.stride + r * shape.reduced.stride +
                                                begin * shape.inner.stride;
                          const T* const weight = weights ? weights + o * shape.weight_outer + r : nullptr;
                          for (std::int64_t x = 0; x < width; ++x) {
                              const T value = from[x * shape.inner.stride];
                              totals[x] += weight ? *weight * value : value;
                          }
                      }
                      std::copy_n(totals, width, out + o * shape.inner.count + begin);
                  });
    }

    void multiply_matrices(const MatrixProductShape& s, const T* a, const T* b, T* c) override {
        in_pieces(threads_, between_, s.batch * s.m, kPieceValues / (s.n * s.k + 1) + 1, [&](std::int64_t i) {
            const std::int64_t batch = i / s.m, row = i % s.m;
            const T* const from_a = a + batch * s.a.batch_stride + row * (s.a.transposed ? 1 : s.a.leading);
            const T* const from_b = b + batch * s.b.batch_stride;
            T* const to = c + batch * s.c.batch_stride + row * s.c.leading;
            const std::int64_t step_a = s.a.transposed ? s.a.leading : 1;
            const std::int64_t step_k = s.b.transposed ? 1 : s.b.leading,
                               step_n = s.b.transposed ? s.b.leading : 1;
            std::fill_n(to, s.n, T());
            for (std::int64_t k = 0; k < s.k; ++k)
                for (std::int64_t n = 0; n < s.n; ++n)
                    to[n] += from_a[k * step_a] * from_b[k * step_k + n * step_n];
        });
    }

    void zero(std::int64_t count, T* to) override { std::fill_n(to, count, T()); }

  private:
    ThreadPool& threads_;
    std::function<void()> between_;
};

}  // namespace

template <class T>
std::unique_ptr<EinsumArithmetic<T>> cpu_einsum_arithmetic(ThreadPool& threads,
                                                           std::function<void()> between) {
    return std::make_unique<CpuArithmetic<T>>(threads, std::move(between));
}

template <class T>
std::unique_ptr<EinsumArithmetic<T>> plain_einsum_arithmetic(ThreadPool& threads,
                                                             std::function<void()> between) {
    return std::make_unique<PlainArithmetic<T>>(threads, std::move(between));
}

#define PLAIN(T) \
    template std::unique_ptr<EinsumArithmetic<T>> plain_einsum_arithmetic(ThreadPool&, std::function<void()>)
PLAIN(std::uint64_t);
PLAIN(Logical);
PLAIN(std::complex<double>);

template std::unique_ptr<EinsumArithmetic<float>> cpu_einsum_arithmetic(ThreadPool&, std::function<void()>);
template std::unique_ptr<EinsumArithmetic<double>> cpu_einsum_arithmetic(ThreadPool&, std::function<void()>);

}  // namespace stencil::einsum

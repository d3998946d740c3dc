#include "kernels/examples/ridge/dense_svd.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "kernels/cpu/thread_pool.h"

namespace stencil {
namespace {

template <class Real>
constexpr double kEpsilon = std::is_same_v<Real, double>        ? 0x1p-52
                            : std::is_same_v<Real, long double> ? 0x1p-63
                                                                : 0x1p-112;

// The standard library has no square root of 113 bits; a step of Newton's doubles the digits of one of 64.
template <class Real>
Real root(Real value) {
    const Real near = Real(std::sqrt((long double)(value)));
    return near > 0 ? (near + value / near) / 2 : near;
}

template <class Real>
Real size_of(Real value) {
    return value < 0 ? -value : value;
}

// Four sums, because an addition depends on the previous one.
template <class Real>
Real dot(const Real* a, const Real* b, std::size_t count) {
    Real sums[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (std::size_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
    for (; i < count; ++i) sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

// Rows with large numbers come first, without which Householder's reflections spoil the small ones.
template <class Real>
template <class T>
DenseSvd<Real>::DenseSvd(const SparseMatrix<T>& a,
                         std::span<const double> d,
                         ThreadPool& threads,
                         const std::function<void()>& pause)
    : columns_(std::size_t(a.columns)) {
    const std::size_t m = d.size(), n = columns_, most = std::min(m, n);
    std::vector<T> largest(m, 0);
    std::vector<std::size_t> order(m), column(n);
    for (std::size_t i = 0; i < m; ++i)
        for (auto k = std::size_t(a.start[i]); k < std::size_t(a.start[i + 1]); ++k)
            largest[i] = std::max(largest[i], std::abs(a.value[k]));
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::iota(column.begin(), column.end(), std::size_t(0));
    std::ranges::stable_sort(order, [&](std::size_t i, std::size_t j) { return largest[i] > largest[j]; });
    std::vector<Real> q(m * (n + 1), Real(0)), rest(n + 1);  // by columns, the last one d
    for (std::size_t i = 0; i < m; ++i) {
        const std::size_t row = order[i];
        q[n * m + i] = d[row];
        for (auto k = std::size_t(a.start[row]); k < std::size_t(a.start[row + 1]); ++k)
            q[a.column[k] * m + i] = Real(a.value[k]);
    }
    for (std::size_t j = 0; j < n; ++j) rest[j] = dot(&q[j * m], &q[j * m], m);
    std::vector<Real> whole = rest;
    std::size_t rank = 0;
    for (; rank < most; ++rank) {
        pause();
        const std::size_t k = rank;
        const auto pivot =
            std::size_t(std::max_element(rest.begin() + std::ptrdiff_t(k), rest.end() - 1) - rest.begin());
        if (!(rest[pivot] > 0)) break;
        if (pivot != k) {
            std::swap_ranges(&q[k * m], &q[k * m] + m, &q[pivot * m]);
            for (auto* list : {&rest, &whole}) std::swap((*list)[k], (*list)[pivot]);
            std::swap(column[k], column[pivot]);
        }
        Real* const v = &q[k * m];
        const Real length = root(rest[k]), diagonal = v[k] > 0 ? -length : length;
        const Real half = rest[k] - diagonal * v[k];  // of |v|^2
        v[k] -= diagonal;
        threads.for_ranges(
            std::int64_t(n - k),
            [&](std::int64_t begin, std::int64_t end) {
                for (auto j = k + 1 + std::size_t(begin); j < k + 1 + std::size_t(end); ++j) {
                    Real* const to = &q[j * m];
                    const Real share = dot(v + k, to + k, m - k) / half;
                    for (std::size_t i = k; i < m; ++i) to[i] -= share * v[i];
                    rest[j] = dot(to + k + 1, to + k + 1, m - k - 1);
                }
            },
            std::int64_t(40000 / (m - k) + 1));
        v[k] = diagonal;
    }
    outside_ = dot(&q[n * m] + rank, &q[n * m] + rank, m - rank);
    Real right = 0;  // squared lengths of this column and those to the right
    noise_.resize(rank);
    for (std::size_t j = n; j-- > 0;) {
        right += whole[j];
        if (j < rank) noise_[j] = 8 * kEpsilon<Real> * root(right);
    }
    for (std::size_t k = 0; k < rank; ++k) {
        std::vector<Real>& row = rows_.emplace_back(n, Real(0));
        for (std::size_t j = k; j < n; ++j) row[column[j]] = q[j * m + k];
        data_.push_back(q[n * m + k]);
    }
    rotate_all(threads, pause);
    for (const auto& row : rows_) sigma2_.push_back(dot(row.data(), row.data(), n));
    Real least = 0, noise = 0;
    for (std::size_t j = 0; j < rank; ++j) {
        scale_ = std::max(scale_, root(sigma2_[j]));
        if (is_rounding(j))
            noise = std::max(noise, noise_[j]);
        else if (least == 0 || sigma2_[j] < least)
            least = sigma2_[j];
    }
    whole_ = rank == most;
    if (noise > 0 || !whole_) clear_ = least >= 1e8 * noise * noise && maps_to_zero(a);
}

// Whether A maps a vector without a part in the rows that count to rounding, also in its small rows.
template <class Real>
template <class T>
bool DenseSvd<Real>::maps_to_zero(const SparseMatrix<T>& a) const {
    std::vector<Real> v(columns_);
    for (std::size_t i = 0; i < columns_; ++i) v[i] = 1 + double(i * i % 7) / 8;
    for (int twice = 0; twice < 2; ++twice)
        for (std::size_t j = 0; j < rows_.size(); ++j) {
            if (is_rounding(j)) continue;
            const Real share = dot(rows_[j].data(), v.data(), columns_) / sigma2_[j];
            for (std::size_t i = 0; i < columns_; ++i) v[i] -= share * rows_[j][i];
        }
    const Real allowed = 100 * kEpsilon<Real> * (1 + std::sqrt(double(columns_)));
    for (std::size_t i = 0; i < std::size_t(a.rows); ++i) {
        Real sum = 0, sizes = 0;
        for (auto k = std::size_t(a.start[i]); k < std::size_t(a.start[i + 1]); ++k) {
            sum += Real(a.value[k]) * v[a.column[k]];
            sizes += size_of(Real(a.value[k]));
        }
        if (size_of(sum) > allowed * sizes) return false;
    }
    return true;
}

// Every pair once a sweep, in rounds of pairs that have no row in common.
template <class Real>
void DenseSvd<Real>::rotate_all(ThreadPool& threads, const std::function<void()>& pause) {
    constexpr int kMaxSweeps = 40;
    const std::size_t count = rows_.size() + rows_.size() % 2;
    std::atomic<bool> rotated = count > 1;
    for (int sweep = 0; rotated && sweep < kMaxSweeps; ++sweep) {
        rotated = false;
        for (std::size_t round = 0; round + 1 < count; ++round) {
            pause();
            threads.for_ranges(
                std::int64_t(count / 2),
                [&](std::int64_t begin, std::int64_t end) {
                    for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
                        const std::size_t p = i == 0 ? count - 1 : (round + i) % (count - 1);
                        const std::size_t q = (round + count - 1 - i) % (count - 1);
                        if (std::max(p, q) < rows_.size() && rotate(std::min(p, q), std::max(p, q)))
                            rotated = true;
                    }
                },
                std::int64_t(10000 / columns_ + 1));
        }
    }
}

// Makes two rows orthogonal; false where they are.
template <class Real>
bool DenseSvd<Real>::rotate(std::size_t p, std::size_t q) {
    Real *const x = rows_[p].data(), *const y = rows_[q].data();
    const Real alpha = dot(x, x, columns_), beta = dot(y, y, columns_), gamma = dot(x, y, columns_);
    Real sizes = 0;  // what gamma's rounding goes by
    for (std::size_t i = 0; i < columns_; ++i) sizes += size_of(x[i] * y[i]);
    if (!(size_of(gamma) > kEpsilon<Real> * (8 + std::sqrt(double(columns_))) * sizes)) return false;
    const Real zeta = (beta - alpha) / (2 * gamma), size = size_of(zeta);
    const Real tangent = (zeta < 0 ? -1 : 1) / (size > 1e100 ? 2 * size : size + root(1 + zeta * zeta));
    const Real c = 1 / root(1 + tangent * tangent), s = c * tangent;
    const auto turn = [&](Real& a, Real& b) {
        const Real old = a;
        a = c * old - s * b;
        b = s * old + c * b;
    };
    for (std::size_t i = 0; i < columns_; ++i) turn(x[i], y[i]);
    turn(data_[p], data_[q]);
    const Real noise_p = noise_[p] * noise_[p], noise_q = noise_[q] * noise_[q];
    noise_[p] = root(c * c * noise_p + s * s * noise_q);
    noise_[q] = root(c * c * noise_q + s * s * noise_p);
    return true;
}

template <class Real>
std::vector<Wide> DenseSvd<Real>::solve(double c) const {
    std::vector<Wide> x(columns_, Wide(0));
    for (std::size_t j = 0; j < rows_.size(); ++j) {
        if (is_zero(j, c)) continue;
        const Wide share = Wide(data_[j]) / (Wide(sigma2_[j]) + Wide(c) * c);
        for (std::size_t i = 0; i < columns_; ++i) x[i] += share * rows_[j][i];
    }
    return x;
}

template <class Real>
std::vector<Wide> DenseSvd<Real>::apply_inverse(std::span<const Wide> g, double c) const {
    std::vector<Wide> x(columns_, Wide(0));
    for (std::size_t j = 0; j < rows_.size(); ++j) {
        if (is_zero(j, c) || !(sigma2_[j] > 0)) continue;
        const Wide square = sigma2_[j];
        Wide share = 0;
        for (std::size_t i = 0; i < columns_; ++i) share += g[i] * rows_[j][i];
        share = share / square / (square + Wide(c) * c);
        for (std::size_t i = 0; i < columns_; ++i) x[i] += share * rows_[j][i];
    }
    return x;
}

template <class Real>
std::size_t DenseSvd<Real>::rank(double c) const {
    std::size_t rank = 0;
    for (std::size_t j = 0; j < rows_.size(); ++j) rank += is_zero(j, c) ? 0 : 1;
    return rank;
}

template <class Real>
Bidiagonal::Norms DenseSvd<Real>::norms_at(double c) const {
    Wide residual = outside_, solution = 0;
    for (std::size_t j = 0; j < rows_.size(); ++j) {
        const Wide square = is_zero(j, c) ? Real(0) : sigma2_[j], sum = square + Wide(c) * c;
        const Wide left = sum > 0 ? Wide(c) * c / sum * data_[j] : Wide(data_[j]);
        residual += left * left;
        if (sum > 0) solution += square / sum / sum * data_[j] * data_[j];
    }
    return {std::sqrt(double(residual)), std::sqrt(double(solution))};
}

#define DENSE_SVD(Real, T)             \
    template DenseSvd<Real>::DenseSvd( \
        const SparseMatrix<T>&, std::span<const double>, ThreadPool&, const std::function<void()>&)
template class DenseSvd<double>;
template class DenseSvd<Wide>;
DENSE_SVD(double, float);
DENSE_SVD(double, double);
DENSE_SVD(Wide, float);
DENSE_SVD(Wide, double);

}  // namespace stencil

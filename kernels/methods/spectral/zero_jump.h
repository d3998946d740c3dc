// How `spectral` jumps under the zero boundary. Sine transforms of n cells need FFTs of length 2 (n + 1),
// which are slow where n + 1 has a large prime factor (8193 = 3 * 2731). So the jump is applied in one of two
// other ways, by the length of its kernel, which is that of a random walk:
//
//  - Tiles (overlap-save): the kernel is shorter than some cells, its reach. Each tile of the odd extension
//    is convolved with it by a two-dimensional FFT of any length, of which only the cells that are further
//    than the reach from the tile's sides are kept. Two tiles are the real and the imaginary part of one
//    complex tile, because the factors of the modes are real and even.
//  - Modes: a long kernel leaves only few sines, to which rows and columns are projected by matrix products.
//
// What both neglect is below the rounding of the cells: the reach times the number of modes left is a small
// multiple of n, so one of the two is cheap. Sine transforms remain where they are cheaper than both, or
// where a field is so long and thin that both need much memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/field/divide.h"
#include "kernels/methods/spectral/spectral_modes.h"
#include "kernels/methods/spectral/strip_exchange.h"
#include "kernels/methods/stepper.h"

namespace stencil::zero_jump {

/// A cell of the odd extension, which has the period 2 (n + 1): `sign` times that cell, or 0.
struct OddCell {
    int cell, sign;
};

STENCIL_HOST_DEVICE inline OddCell odd_cell(int i, int n) {
    const int period = 2 * (n + 1);
    int at = i + 1;  // zeros are at 0 and n + 1
    if (at < 0 || at >= period) {
        at %= period;
        if (at < 0) at += period;
    }
    if (at == 0 || at == n + 1) return {0, 0};
    return at <= n ? OddCell{at - 1, 1} : OddCell{period - at - 1, -1};
}

/// The part of a sum that may be left out.
template <class T>
constexpr double neglected() {
    return std::numeric_limits<T>::epsilon() / 64;
}

/// The weight of the kernel of one step, by absolute values: the largest factor where there is no side.
inline double weight_of(double coefficient) {
    return std::abs(1 - 4 * coefficient) + 4 * std::abs(coefficient);
}

/// The least distance beyond which the kernel of these steps has at most the part `least` of its weight.
inline double reach(double coefficient, long long steps, double least) {
    // Chernoff's bound: the weight beyond a distance w is at most 2 M(t)^steps / exp(t w) for each t > 0,
    // where M generates the moments of one step. The 2 counts both sides, another one both axes.
    const double weight = weight_of(coefficient);
    double distance = double(steps);
    for (double t = 1e-7; t < 60; t *= 1.05) {
        const double spread = std::log1p(4 * std::abs(coefficient) * std::pow(std::sinh(t / 2), 2) / weight);
        distance = std::min(distance, std::ceil((std::log(4 / least) + double(steps) * spread) / t));
    }
    return distance;
}

/// The first and the last modes of an axis, counted together.
struct EdgeModes {
    int low = 0, high = 0, of = 0;
    double log_largest = 0;  ///< of the factors

    STENCIL_HOST_DEVICE int count() const { return low + high; }
    STENCIL_HOST_DEVICE int mode(int i) const { return i < low ? i : of - count() + i; }
};

/// The modes along an axis of which one, with any mode across, keeps at least the part `least` of the
/// largest factor.
inline EdgeModes modes_left(const std::vector<ModeAngle>& along,
                            const std::vector<ModeAngle>& across,
                            const SpectralJump& jump,
                            double least) {
    // |factor| is largest for the first or the last mode across.
    const auto largest = [&](int mode) {
        const ModeAngle angle = along[std::size_t(mode)];
        return std::max(jump.log_size(angle, across.front()), jump.log_size(angle, across.back()));
    };
    EdgeModes left{.of = int(along.size())};
    left.log_largest = std::max(largest(0), largest(left.of - 1));
    const double enough = left.log_largest + std::log(least);
    while (left.low < left.of && largest(left.low) >= enough) ++left.low;
    while (left.count() < left.of && largest(left.of - 1 - left.high) >= enough) ++left.high;
    return left;
}

/// The tiles along an axis: tile i keeps the cells from i * own on, and starts `reach` cells before them.
struct TileAxis {
    int count = 0, own = 0, length = 0;
};

/// What a device does well. The unit of time is that of a mode, for which each cell is multiplied twice.
struct Costs {
    int shortest, longest;  ///< lengths of tiles
    double tiles;           ///< the time of tiles as large as the field
    int cached;             ///< longer tiles leave the cache,
    double uncached;        ///< and take as many times as long
    double other_length;    ///< as do those whose length is no power of two
    double sines;           ///< the time of sine transforms,
    double other_sines;     ///< and if 2 (n + 1) has a large prime factor
    double memory;          ///< the most memory, in cells
    int parts;              ///< of which matrix products over all rows are sums; 0 if they are made at once
};

/// So many that short products of large matrices occupy a GPU.
inline constexpr int kParts = 32;

/// The most memory of a jump on the CPU, in arrays of a large field. CUDA's is in Method::extra_arrays.
inline constexpr double kCpuArrays = 0.35;

inline Costs costs_of(Device device, FieldShape whole) {
    const double cells = double(whole.nx) * whole.ny;
    if (device == Device::cpu)
        return {.shortest = 64,
                .longest = 1024,
                .tiles = 15,
                .cached = 640,
                .uncached = 1.4,
                .other_length = 1.2,
                .sines = 50,
                .other_sines = 400,
                .memory = std::max(double(1 << 22), kCpuArrays * cells),
                .parts = 0};
    return {.shortest = 256,
            .longest = std::clamp(std::max(whole.nx, whole.ny) / 2, 1024, 8192),
            .tiles = 150,
            .cached = 2048,
            .uncached = 1.2,
            .other_length = 1.12,
            .sines = 350,
            .other_sines = 1600,
            .memory = std::max(double(1 << 24), 0.5 * cells),
            .parts = kParts};
}

enum class Way { sines, tiles, modes };

inline bool is_smooth(long long length, int largest_factor = 7) {
    for (int factor = 2; factor <= largest_factor; ++factor)
        while (length % factor == 0) length /= factor;
    return length == 1;
}

/// The tiles of an axis of n cells, with their time in units of the n cells; no tiles if none are long
/// enough. `unit` is how many tiles are transformed together.
inline std::pair<TileAxis, double> tile_axis(int n, double reach, int unit, const Costs& costs) {
    std::pair<TileAxis, double> best{{}, std::numeric_limits<double>::infinity()};
    for (int length = 8; length <= costs.longest; ++length) {
        if (length <= 2 * reach || !is_smooth(length)) continue;
        const int own = std::min(length - 2 * int(reach), n);
        const int count = ceil_div(n, own);
        if (length < costs.shortest && count > 1) continue;
        const double time = double(length) * round_up(count, unit) / n *
                            ((length & (length - 1)) == 0 ? 1 : costs.other_length) *
                            (length <= costs.cached ? 1 : costs.uncached);
        if (time < best.second) best = {{count, own, length}, time};
    }
    return best;
}

/// The way of one jump, which depends on the whole field alone.
struct Plan {
    Way way = Way::sines;
    int reach = 0;
    TileAxis x, y;
    EdgeModes along_x, along_y;

    int pairs_across() const { return ceil_div(x.count, 2); }
};

/// The matrices of a jump by modes, one after another; arrays are (rows, columns).
struct ModeMatrices {
    std::size_t sines_x = 0;  ///< (modes along x, nx)
    std::size_t sines_y;      ///< (modes along y, ny)
    std::size_t rows;         ///< (ny, modes along x)
    std::size_t sums;         ///< (parts, modes along y, modes along x)
    std::size_t modes;        ///< (modes along y, modes along x)
    std::size_t cells;        ///< of all

    ModeMatrices(FieldShape whole, std::size_t along_x, std::size_t along_y, int parts) {
        sines_y = along_x * std::size_t(whole.nx);
        rows = sines_y + along_y * std::size_t(whole.ny);
        sums = rows + std::size_t(whole.ny) * along_x;
        modes = sums + std::size_t(parts) * along_x * along_y;
        cells = modes + along_x * along_y;
    }
};

class Planner {
  public:
    Planner(FieldShape whole, const Costs& costs)
        : whole_(whole),
          costs_(costs),
          x_(mode_angles(Modes::zero, whole.nx)),
          y_(mode_angles(Modes::zero, whole.ny)) {}

    const std::vector<ModeAngle>& angles_x() const { return x_; }
    const std::vector<ModeAngle>& angles_y() const { return y_; }

    /// Until the next call.
    const Plan& plan(double coefficient, long long steps, double least) {
        if (planned_ != std::tuple{coefficient, steps, least}) plan_ = made(coefficient, steps, least);
        planned_ = {coefficient, steps, least};
        return plan_;
    }

  private:
    Plan made(double coefficient, long long steps, double least) const {
        Plan plan;
        const SpectralJump jump(coefficient, steps, 1);
        plan.along_x = modes_left(x_, y_, jump, least);
        plan.along_y = modes_left(y_, x_, jump, least);
        const double nx = whole_.nx, kx = plan.along_x.count(), ky = plan.along_y.count();
        const ModeMatrices matrices(whole_, std::size_t(kx), std::size_t(ky), costs_.parts);
        const double reached = reach(coefficient, steps, least);
        const auto [x, time_x] = tile_axis(whole_.nx, reached, 2, costs_);
        const auto [y, time_y] = tile_axis(whole_.ny, reached, 1, costs_);
        // The sides of tiles are no zeros, so their rounding errors do not decay with a field of few cells.
        const bool decays =
            double(steps) * std::log(weight_of(coefficient)) - plan.along_x.log_largest > std::log(2.0);
        const bool smooth = is_smooth(whole_.nx + 1LL, 13) && is_smooth(whole_.ny + 1LL, 13);
        double time = smooth ? costs_.sines : costs_.other_sines;
        const auto takes_less = [&](double other) { return other < time ? (time = other, true) : false; };
        if (double(matrices.cells) <= costs_.memory && takes_less(kx * (1 + ky / nx))) plan.way = Way::modes;
        if (2.0 * x.length * y.length <= costs_.memory && !decays &&
            takes_less(time_x * time_y * costs_.tiles)) {
            plan.way = Way::tiles;
            plan.reach = int(reached);
            plan.x = x;
            plan.y = y;
        }
        return plan;
    }

    FieldShape whole_;
    Costs costs_;
    std::vector<ModeAngle> x_, y_;
    std::tuple<double, long long, double> planned_;
    Plan plan_;
};

struct Lines {
    int first = 0, count = 0;
};

/// The rows that the tiles of these rows of a field of ny rows read.
inline Lines rows_read(const Plan& plan, Lines rows, int ny) {
    if (rows.count == 0) return {};
    const int begin = rows.first / plan.y.own * plan.y.own;
    const int end = std::min(round_up(rows.first + rows.count, plan.y.own), ny);
    const int first = std::max(begin - plan.reach, 0);
    return {first, std::min(end + plan.reach, ny) - first};
}

/// A field's rows that are distributed, as one part sees them.
class SharedRows {
  public:
    SharedRows(const ExecutionSpace& on, FieldShape rows) : on_(on), all_{rows.ny, 1} {
        if (on.strips) all_ = on.strips->rows();
    }

    int whole() const { return all_.lines; }
    Lines own() const { return of(on_.strips ? on_.strips->part() : 0); }
    Lines of(int part) const { return {all_.begin(part), all_.count(part)}; }

    /// Gathers what each part reads: the lines of it that wanted(part) says. `own` are this part's rows, `to`
    /// receives those that it wants.
    template <class T, class F>
    void gather(FieldView<T> rows, FieldView<T> to, const F& wanted) const {
        const int me = on_.strips->part();
        const auto common = [](FieldView<T> view, Lines lines, Lines other) {
            const int first = std::max(lines.first, other.first);
            const int last = std::min(lines.first + lines.count, other.first + other.count);
            return bytes_of_cells(last > first ? view.rows(first - lines.first, last - first)
                                               : FieldView<T>{view.data, 0, 0, view.pitch});
        };
        std::vector<ByteRows> give, take;
        for (int part = 0; part < all_.parts; ++part) {
            give.push_back(common(rows, of(me), wanted(part)));
            take.push_back(common(to, wanted(me), of(part)));
            // Rows that are in place already.
            if (give.back().data == take.back().data) give.back() = take.back() = {};
        }
        on_.strips->exchange(give, take, on_);
    }

  private:
    ExecutionSpace on_;
    Strips all_;
};

/// Jumps of a field, or of one part's rows of it. A device has its own two ways.
template <class T>
class Jump {
  public:
    virtual ~Jump() = default;

    /// Jumps from front to front, and returns true, unless it is a case for sine transforms.
    bool advance(FieldPair<T>& fields, double coefficient, long long steps) {
        const Plan& plan = planner_.plan(coefficient, steps, neglected<T>());
        if (plan.way == Way::tiles) jump_by_tiles(fields, plan, coefficient, steps);
        if (plan.way == Way::modes) jump_by_modes(fields.front, plan, coefficient, steps);
        return plan.way != Way::sines;
    }

  protected:
    Jump(const ExecutionSpace& on, FieldShape rows, Device device)
        : on_(on),
          whole_(whole_shape(on, rows)),
          rows_(on, rows),
          planner_(whole_, costs_of(device, whole_)) {}

    virtual void jump_by_tiles(FieldPair<T>& fields,
                               const Plan& plan,
                               double coefficient,
                               long long steps) = 0;
    virtual void jump_by_modes(FieldView<T> u, const Plan& plan, double coefficient, long long steps) = 0;

    ExecutionSpace on_;
    FieldShape whole_;
    SharedRows rows_;
    Planner planner_;
};

}  // namespace stencil::zero_jump

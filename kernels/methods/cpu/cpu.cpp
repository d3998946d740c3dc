// The method `cpu`: temporal blocking on threads and SIMD. Each thread sweeps down strips of the field and
// makes up to 32 steps in one pass over memory.
//
// A block of a few rows moves down the strip and stays in L1. It is loaded with the field's values (level 0)
// and stepped in place, level by level. Each step shifts its rows up by one, because the last row of a level
// cannot be stepped before the row below it is there. The last two rows of each level stay behind in that
// level's carry buffer (in L2) for the next block. After the last step the rows are written to the field,
// which is thus read and written once per pass instead of once per step. Blocks use the dimension-lifted
// layout (kernels/methods/cpu/lifted_rows.h), in which a step is three additions and an FMA per aligned
// vector; that arithmetic is what limits the method.
//
// Strips and bands do not communicate within a pass: each computes its halo redundantly. Steps contain no
// boundary code either: beyond the field's sides the halo holds the extended field (unfold() in
// kernels/field/boundary.h), whose symmetry preserves the boundary condition at every step. Every cell is
// computed by the same operations in the same order in whichever block it lies, so neither the tiling nor the
// number of threads nor the division of steps into calls changes a bit.

#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cpu/subnormals.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/field/divide.h"
#include "kernels/field/padded_rows.h"
#include "kernels/methods/cpu/cpu_tiling.h"
#include "kernels/methods/cpu/lifted_rows.h"
#include "kernels/methods/scaled_stepper.h"
#include "kernels/methods/steppers.h"

namespace stencil {
namespace {

// Above this size the two fields are assumed not to stay in any cache between passes.
constexpr double kCachedBytes = 48e6;
// Above this size they do not stay in L2 either. A plain store to L3 first fetches the line; a pass of many
// steps, which writes little, is faster with non-temporal stores.
constexpr double kNearBytes = 16e6;

constexpr int kFewColumns = 8;

// A thread makes a step of fewer cells in less time than it takes to wake another thread.
constexpr int kCellsWorthAThread = 16384;

struct Span {
    int begin, end;
};

// Transposes a field.
template <class T>
void turn(FieldView<T> from, FieldView<T> to) {
    for (int y = 0; y < from.ny; ++y)
        for (int x = 0; x < from.nx; ++x) to.at(y, x) = from.at(x, y);
}

/// A halo column outside of the field: its index in the strip's rows, and where its values come from.
struct HaloColumn {
    int place;
    Unfolded source;
};

/// Buffers of one thread.
template <class T>
class Workspace {
  public:
    Workspace(const CpuTiling& tiling, int lanes)
        : width_(std::size_t(tiling.columns * lanes)),
          columns_(tiling.columns),
          line_(width_),
          cells_(width_ * kBlockRows + 2 * kBlockGuard<T>),
          carries_(width_ * 2 * std::size_t(tiling.levels) + 2 * kBlockGuard<T>) {
        // Padding is read (its results are discarded), so it must be initialised.
        for (AlignedBuffer<T>* buffer : {&line_, &cells_, &carries_})
            std::fill_n(buffer->data(), buffer->size(), T(0));
    }

    T* line() { return line_.data(); }
    LiftedBlock<T> block() { return {cells_.data() + kBlockGuard<T>, columns_}; }
    /// The last two rows of the previous blocks at this level.
    T* carry(int level) { return carries_.data() + kBlockGuard<T> + std::size_t(level) * 2 * width_; }

    std::vector<HaloColumn> halo;

  private:
    std::size_t width_;
    int columns_;
    AlignedBuffer<T> line_;
    AlignedBuffer<T> cells_;
    AlignedBuffer<T> carries_;
};

template <class T>
class CpuStepper : public ScaledStepper<T> {
  public:
    CpuStepper(ThreadPool& threads, FieldShape shape);

  protected:
    void step(FieldPair<T>& fields, Boundary boundary, long long steps) override;
    void step_plainly(FieldPair<T>& fields, const DiffusionParams& params, long long steps) override;

  private:
    struct Pass {
        FieldView<T> from, to;
        Boundary boundary;
        int levels;
    };

    struct Tile {
        Span rows, columns;
    };

    Tile part(int index) const;
    void take_steps(FieldPair<T>& fields, Boundary boundary, long long steps);
    void run(const Pass& pass);
    void find_halo(const Pass& pass, const Tile& part, Workspace<T>& space) const;
    void gather_row(const Pass& pass, const Tile& part, int y, Workspace<T>& space) const;
    void sweep(const Pass& pass, const Tile& part, Workspace<T>& space) const;
    void step_once(const Pass& pass) const;

    ThreadPool& threads_;
    const LiftedRows<T>& simd_ = lifted_rows<T>();
    /// A field of only a few columns is stepped transposed, because most of each vector of a short row would
    /// be halo. A step treats rows and columns alike, so the bits are the same.
    bool turned_;
    FieldShape shape_;  ///< as stepped, i.e. transposed if turned_
    CpuTiling tiling_;
    AlignedBuffer<T> turned_front_, turned_back_;
    AlignedBuffer<T> zeros_;            ///< the ghost row of the zero boundary, with guards
    double field_bytes_;                ///< both buffers together
    std::vector<Workspace<T>> spaces_;  ///< one per thread
    std::vector<StepWeights<T>> weights_;
};

template <class T>
CpuStepper<T>::CpuStepper(ThreadPool& threads, FieldShape shape)
    : threads_(threads),
      turned_(shape.nx < kFewColumns && shape.nx < shape.ny),
      shape_(turned_ ? FieldShape{shape.ny, shape.nx} : shape),
      tiling_(choose_tiling(shape_, {threads.size(), simd_.lanes, sizeof(T)})),
      zeros_(std::size_t(round_up(shape_.nx, kBlockGuard<T>) + 2 * kBlockGuard<T>)),
      field_bytes_(2.0 * shape.nx * shape.ny * sizeof(T)),
      weights_(std::size_t(tiling_.levels)) {
    for (int i = 0; i < std::min(threads.size(), tiling_.parts()); ++i)
        spaces_.emplace_back(tiling_, simd_.lanes);
    std::ranges::fill(zeros_, T(0));
    for (AlignedBuffer<T>* buffer : {&turned_front_, &turned_back_})
        if (turned_) *buffer = AlignedBuffer<T>(PaddedRows<T>::cells(shape_.nx, shape_.ny));
}

template <class T>
typename CpuStepper<T>::Tile CpuStepper<T>::part(int index) const {
    const std::int64_t band = index / tiling_.strips;
    const int x = index % tiling_.strips * tiling_.strip_width;
    return {{int(shape_.ny * band / tiling_.bands), int(shape_.ny * (band + 1) / tiling_.bands)},
            {x, std::min(x + tiling_.strip_width, shape_.nx)}};
}

template <class T>
void CpuStepper<T>::find_halo(const Pass& pass, const Tile& part, Workspace<T>& space) const {
    const int left = part.columns.begin - pass.levels;
    const auto add = [&](int x) { space.halo.push_back({x - left, unfold(pass.boundary, x, shape_.nx)}); };
    space.halo.clear();
    for (int x = left; x < 0; ++x) add(x);
    for (int x = std::max(shape_.nx, left); x < part.columns.end + pass.levels; ++x) add(x);
}

// Copies row y of the extended field, halos included, to the line buffer.
template <class T>
void CpuStepper<T>::gather_row(const Pass& pass, const Tile& part, int y, Workspace<T>& space) const {
    const Span inside{std::max(part.columns.begin - pass.levels, 0),
                      std::min(part.columns.end + pass.levels, shape_.nx)};
    T* line = space.line();
    T* end = line + (part.columns.end - part.columns.begin + 2 * pass.levels);
    const Unfolded row = unfold(pass.boundary, y, shape_.ny);
    if (row.sign == 0) {
        std::fill(line, end, T(0));
        return;
    }
    const T* from = pass.from.row(row.index);
    simd_.copy(from + inside.begin,
               line + (inside.begin - part.columns.begin + pass.levels),
               inside.end - inside.begin,
               false);
    for (const auto& [place, source] : space.halo)
        line[place] = source.sign == 0 ? T(0) : T(source.sign) * from[source.index];
    if (row.sign < 0) std::transform(line, end, line, [](T value) { return -value; });
}

// Prefetches a row's cells into L2.
template <class T>
void fetch(const T* row, int begin, int end) {
    for (int x = begin; x < end; x += int(64 / sizeof(T))) __builtin_prefetch(row + x, 0, 2);
}

template <class T>
void CpuStepper<T>::sweep(const Pass& pass, const Tile& part, Workspace<T>& space) const {
    find_halo(pass, part, space);
    const LiftedBlock<T> block = space.block();
    const int width = part.columns.end - part.columns.begin;
    const int top = part.rows.begin - pass.levels;
    for (int y = top; y < part.rows.end + pass.levels; y += kBlockRows) {
        for (int row = 0; row < kBlockRows; ++row) {
            gather_row(pass, part, y + row, space);
            simd_.lift(space.line(), row, block);
        }
        std::array<const T*, kBlockRows> next;  // prefetched while this block is stepped
        for (int row = 0; row < kBlockRows; ++row)
            next[std::size_t(row)] =
                pass.from.row(unfold(pass.boundary, y + kBlockRows + row, shape_.ny).index);
        // At level l the part needs the rows from top + l on, and the block now holds rows up to y - l +
        // kBlockRows - 1. A level starts one block early, to fill the carry of the next level.
        for (int level = 1; level <= pass.levels && top + 2 * level < y + 2 * kBlockRows; ++level) {
            simd_.step(block, space.carry(level - 1), weights_[std::size_t(level - 1)]);
            const int from = part.columns.begin;
            for (const T* row : next)
                fetch(row, from + width * (level - 1) / pass.levels, from + width * level / pass.levels);
        }
        for (int row = 0; row < kBlockRows; ++row) {
            const int out = y - pass.levels + row;
            if (out < part.rows.begin || out >= part.rows.end) continue;
            simd_.lower(block, row, space.line());
            simd_.copy(space.line() + pass.levels,
                       pass.to.row(out) + part.columns.begin,
                       width,
                       field_bytes_ > kNearBytes);
        }
    }
    hwy::FlushStream();
}

// A single step, which conversion to the lifted layout would slow down: reads rows as stored, a band per
// thread.
template <class T>
void CpuStepper<T>::step_once(const Pass& pass) const {
    const int nx = shape_.nx;
    const int west = inside_index(pass.boundary, -1, nx), east = inside_index(pass.boundary, nx, nx);
    const auto row = [&](int y) {
        const int inside = inside_index(pass.boundary, y, shape_.ny);
        return inside == kOutside ? zeros_.data() + kBlockGuard<T> : pass.from.row(inside);
    };
    const auto run_band = [&](std::int64_t begin, std::int64_t end) {
        const SubnormalsAsZero flush;
        for (int y = int(begin); y < end; ++y) {
            const T* const cells = pass.from.row(y);
            simd_.step_row({row(y - 1), cells, row(y + 1), pass.from.row(std::min(y + 2, shape_.ny - 1))},
                           {west == kOutside ? T(0) : cells[west], east == kOutside ? T(0) : cells[east]},
                           pass.to.row(y),
                           nx,
                           weights_.front(),
                           field_bytes_ > kCachedBytes);
        }
        hwy::FlushStream();
    };
    threads_.for_ranges(shape_.ny, run_band, ceil_div(kCellsWorthAThread, nx));
}

template <class T>
void CpuStepper<T>::run(const Pass& pass) {
    if (pass.levels == 1) return step_once(pass);
    if (tiling_.parts() == 1) {
        const SubnormalsAsZero flush;
        sweep(pass, part(0), spaces_.front());
        return;
    }
    std::atomic<int> next{0};
    threads_.run([&](int thread) {
        if (std::size_t(thread) >= spaces_.size()) return;
        const SubnormalsAsZero flush;
        for (int i = next++; i < tiling_.parts(); i = next++)
            sweep(pass, part(i), spaces_[std::size_t(thread)]);
    });
}

template <class T>
void CpuStepper<T>::step(FieldPair<T>& fields, Boundary boundary, long long steps) {
    if (!turned_) return take_steps(fields, boundary, steps);
    FieldPair<T> turned{PaddedRows<T>::view(turned_front_.data(), shape_.nx, shape_.ny),
                        PaddedRows<T>::view(turned_back_.data(), shape_.nx, shape_.ny)};
    turn(fields.front, turned.front);
    take_steps(turned, boundary, steps);
    turn(turned.front, fields.front);
}

template <class T>
void CpuStepper<T>::step_plainly(FieldPair<T>& fields, const DiffusionParams& params, long long steps) {
    for (; steps > 0; --steps) {
        const FieldView<const T> u = fields.front;
        const auto run_band = [&](std::int64_t begin, std::int64_t end) {
            for (int y = int(begin); y < end; ++y)
                for (int x = 0; x < u.nx; ++x)
                    fields.back.at(x, y) =
                        step_cell_plainly(neighbourhood(u, params.boundary, x, y), params.coefficient);
        };
        threads_.for_ranges(u.ny, run_band, ceil_div(kCellsWorthAThread, u.nx));
        fields.swap();
    }
}

template <class T>
void CpuStepper<T>::take_steps(FieldPair<T>& fields, Boundary boundary, long long steps) {
    while (steps > 0) {
        const long long passes = ceil_div(steps, tiling_.levels);
        const Pass pass{fields.front, fields.back, boundary, int(ceil_div(steps, passes))};
        for (int i = 0; i < pass.levels; ++i) weights_[std::size_t(i)] = this->schedule().next();
        run(pass);
        fields.swap();
        steps -= pass.levels;
    }
}

}  // namespace

template <class T>
std::unique_ptr<Stepper<T>> make_cpu(const ExecutionSpace& execution, FieldShape shape) {
    return std::make_unique<CpuStepper<T>>(*execution.threads, shape);
}

template std::unique_ptr<Stepper<float>> make_cpu<float>(const ExecutionSpace&, FieldShape);
template std::unique_ptr<Stepper<double>> make_cpu<double>(const ExecutionSpace&, FieldShape);

}  // namespace stencil

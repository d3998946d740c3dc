// The method `cpu`: every thread sweeps down its band of rows once for several steps, strip by strip.
//
// Level l of a sweep is the field after l of the pass's steps. Row t of level 0 (the field in memory) allows
// row t - 1 of level 1, that allows row t - 2 of level 2, and so on: each level needs only the last three
// rows of the level before, which live in a ring of four. A strip is so narrow that the rings of all levels
// stay in the first- or second-level cache, and the field itself is read and written once a pass instead of
// once a step. Where strips and bands meet, each works out the rim that its own cells still depend on (one
// row or column more per side and level), so that nothing is exchanged within a pass and threads meet only
// between passes.

#include <algorithm>
#include <vector>

#include "kernels/flush_denormals.h"
#include "kernels/padded_rows.h"
#include "kernels/row_update.h"
#include "kernels/steppers.h"
#include "kernels/thread_pool.h"

namespace stencil {
namespace {

struct CpuTuning {
    int levels = kCpuSteps;       ///< steps per pass
    int strip_bytes = 8192;       ///< width of a strip's rows: all rings together take 400 KB
    int band_rows_per_level = 8;  ///< a band is at least this high per level: at most 1/4 is done twice
    std::int64_t cells_per_thread = 16384;  ///< below it a further thread costs more than it does
};

constexpr CpuTuning kTuning;
constexpr int kRingRows = 4;

template <class T>
constexpr int kLine = PaddedRows<T>::kLine;

// Up to whole cache lines of cells.
template <class T>
constexpr int whole_lines(int cells) {
    return (cells + kLine<T> - 1) / kLine<T> * kLine<T>;
}

struct Span {
    int begin, end;
};

template <class T>
class CpuStepper : public Stepper<T> {
  public:
    CpuStepper(ThreadPool& threads, FieldShape shape);

    void advance(FieldPair<T>& fields, Boundary boundary, ScaledSteps<T>& schedule, long long steps) override;

  private:
    struct Pass {
        FieldView<T> from, to;
        Boundary boundary;
        int levels;
        bool wraps() const { return boundary == Boundary::periodic; }
    };

    /// The part of a pass that is swept at a time.
    struct Block {
        int thread;
        Span rows, columns;
        bool copies;  ///< its rim reaches around the field's sides, so level 0 is gathered in a ring of its
                      ///< own
    };

    void sweep(const Pass& pass, const Block& block);
    void gather_row(const Pass& pass, const Block& block, int y);
    void update_level(const Pass& pass, const Block& block, int level, int y);
    Span columns_of(const Pass& pass, const Block& block, int level) const;
    const T* source_row(const Pass& pass, const Block& block, int level, int y);
    T* ring_row(const Block& block, int level, int y);

    ThreadPool& threads_;
    FieldShape shape_;
    int bands_;
    int levels_;
    int strip_;  ///< columns, whole cache lines unless there is but one strip
    int rim_;    ///< columns beside a strip, whole cache lines
    int ring_pitch_;
    AlignedBuffer<T> rings_;  ///< (bands, levels, kRingRows) rows of a strip, its rim and a line
    AlignedBuffer<T> zeros_;  ///< the row outside a zero boundary
    std::vector<StepWeights<T>> weights_;
};

template <class T>
CpuStepper<T>::CpuStepper(ThreadPool& threads, FieldShape shape) : threads_(threads), shape_(shape) {
    const std::int64_t cells = std::int64_t(shape.nx) * shape.ny;
    bands_ = int(std::clamp<std::int64_t>(cells / kTuning.cells_per_thread, 1, threads.size()));
    bands_ = std::min(bands_, shape.ny);
    levels_ = std::clamp(shape.ny / bands_ / kTuning.band_rows_per_level, 1, kTuning.levels);
    rim_ = whole_lines<T>(levels_);
    strip_ = std::min(kTuning.strip_bytes / int(sizeof(T)), whole_lines<T>(shape.nx));

    ring_pitch_ = strip_ + 2 * rim_ + 2 * kLine<T>;
    rings_ =
        AlignedBuffer<T>(std::size_t(bands_) * std::size_t(levels_ * kRingRows) * std::size_t(ring_pitch_));
    std::fill_n(rings_.data(), rings_.size(), T(0));
    zeros_ = AlignedBuffer<T>(std::size_t(PaddedRows<T>::pitch(shape.nx)));
    std::fill_n(zeros_.data(), zeros_.size(), T(0));
    weights_.resize(std::size_t(levels_));
}

// Indexed by the field's columns. Level 0 takes the place of the last level, which is written to the field.
template <class T>
T* CpuStepper<T>::ring_row(const Block& block, int level, int y) {
    // y may be negative under a periodic boundary; the low bits still count up.
    const int row = (block.thread * levels_ + level) * kRingRows + int(unsigned(y) % kRingRows);
    return rings_.data() + std::size_t(row) * std::size_t(ring_pitch_) + kLine<T> + rim_ -
           block.columns.begin;
}

// Row y of a level, where y may lie outside: under a zero boundary that row is zero at every level, under an
// insulated one it is the edge row, and under a periodic one the levels count on beyond the edge and only the
// field in memory wraps.
template <class T>
const T* CpuStepper<T>::source_row(const Pass& pass, const Block& block, int level, int y) {
    const int ny = shape_.ny;
    if (pass.wraps())
        return level > 0 || block.copies ? ring_row(block, level, y) : pass.from.row(((y % ny) + ny) % ny);
    const int inside = inside_index(pass.boundary, y, ny);
    if (inside == kOutside) return zeros_.data() + kLine<T>;
    return level > 0 ? ring_row(block, level, inside) : pass.from.row(inside);
}

// The columns that a level works out, in whole lines. The outermost of a rim depend on cells that are not
// there and are wrong, by one column more per level; a rim is as wide as there are levels.
template <class T>
Span CpuStepper<T>::columns_of(const Pass& pass, const Block& block, int level) const {
    const int rim = whole_lines<T>(pass.levels - level);
    const Span wide{block.columns.begin - rim, block.columns.end + rim};
    if (block.copies) return wide;
    return {std::max(wide.begin, 0), std::min(wide.end, shape_.nx)};
}

// Level 0 of a block whose rim reaches around the field's sides.
template <class T>
void CpuStepper<T>::gather_row(const Pass& pass, const Block& block, int y) {
    const int nx = shape_.nx;
    const T* from = pass.from.row(((y % shape_.ny) + shape_.ny) % shape_.ny);
    T* to = ring_row(block, 0, y);
    for (int x = block.columns.begin - rim_; x < block.columns.end + rim_;) {
        const int source = ((x % nx) + nx) % nx;
        const int count = std::min(nx - source, block.columns.end + rim_ - x);
        std::copy_n(from + source, count, to + x);
        x += count;
    }
}

template <class T>
void CpuStepper<T>::update_level(const Pass& pass, const Block& block, int level, int y) {
    const Span columns = columns_of(pass, block, level);
    T* out = level == pass.levels ? pass.to.row(y) : ring_row(block, level, y);
    update_row({out + columns.begin,
                source_row(pass, block, level - 1, y - 1) + columns.begin,
                source_row(pass, block, level - 1, y) + columns.begin,
                source_row(pass, block, level - 1, y + 1) + columns.begin,
                columns.end - columns.begin,
                weights_[std::size_t(level - 1)]});
    if (!block.copies) {
        if (columns.begin == 0) set_west_ghost(out, shape_.nx, pass.boundary);
        if (columns.end == shape_.nx) set_east_ghost(out, shape_.nx, pass.boundary);
    }
}

template <class T>
void CpuStepper<T>::sweep(const Pass& pass, const Block& block) {
    for (int t = block.rows.begin - pass.levels; t < block.rows.end + pass.levels; ++t) {
        if (block.copies) gather_row(pass, block, t);
        for (int level = 1; level <= pass.levels; ++level) {
            const int y = t - level;
            const int reach = pass.levels - level;
            if (y < block.rows.begin - reach || y >= block.rows.end + reach) continue;
            if (pass.wraps() || (y >= 0 && y < shape_.ny)) update_level(pass, block, level, y);
        }
    }
}

template <class T>
void CpuStepper<T>::advance(FieldPair<T>& fields,
                            Boundary boundary,
                            ScaledSteps<T>& schedule,
                            long long steps) {
    // The rows may have been written, or the boundary changed, since the last call.
    for (int y = 0; y < shape_.ny; ++y) {
        set_west_ghost(fields.front.row(y), shape_.nx, boundary);
        set_east_ghost(fields.front.row(y), shape_.nx, boundary);
    }
    while (steps > 0) {
        const Pass pass{fields.front, fields.back, boundary, int(std::min<long long>(steps, levels_))};
        for (int i = 0; i < pass.levels; ++i) weights_[std::size_t(i)] = schedule.next();
        threads_.run([&](int thread) {
            if (thread >= bands_) return;
            const FlushDenormals flush;
            const Span rows{int(std::int64_t(shape_.ny) * thread / bands_),
                            int(std::int64_t(shape_.ny) * (thread + 1) / bands_)};
            const bool one_strip = shape_.nx <= strip_;
            for (int x = 0; x < shape_.nx; x += strip_) {
                const Span columns{x, std::min(x + strip_, shape_.nx)};
                const bool at_side = columns.begin < rim_ || columns.end + rim_ > shape_.nx;
                sweep(pass, {thread, rows, columns, pass.wraps() && at_side && !one_strip});
            }
        });
        fields.swap();
        steps -= pass.levels;
    }
}

}  // namespace

template <class T>
std::unique_ptr<Stepper<T>> make_cpu(const Execution& execution, FieldShape shape) {
    return std::make_unique<CpuStepper<T>>(*execution.threads, shape);
}

template std::unique_ptr<Stepper<float>> make_cpu<float>(const Execution&, FieldShape);
template std::unique_ptr<Stepper<double>> make_cpu<double>(const Execution&, FieldShape);

}  // namespace stencil

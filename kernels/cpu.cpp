// The method `cpu`: every thread takes a band of rows and sweeps down it once for several steps.
//
// Level l of a sweep is the field after l of the pass's steps. Row t of level 0 (the field in memory) allows
// row t - 1 of level 1, that allows row t - 2 of level 2, and so on: each level needs the last three rows of
// the level before, which live in a ring of four rows a level, small enough for the second-level cache. So
// memory is read and written once a pass instead of once a step. At its ends a band works out the rows that
// its neighbours' cells need again (one more per side and level), so that threads meet only between passes.

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
    int most_levels = 16;  ///< steps per pass; beyond it the repeated rows cost more than memory does
    std::size_t ring_bytes = 1024 * 1024;  ///< of one thread's rings: half a usual second-level cache
    int band_rows_per_level = 8;  ///< a band is at least this high, per level: at most 1/4 is done twice
    std::int64_t cells_per_thread = 16384;  ///< below it a further thread costs more than it does
};

constexpr CpuTuning kTuning;
constexpr int kRingRows = 4;

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
    };

    void sweep(const Pass& pass, int band);
    const T* source_row(const Pass& pass, int band, int level, int y) const;
    T* ring_row(int band, int level, int y) const;

    ThreadPool& threads_;
    int bands_;
    int levels_;
    int pitch_;
    mutable AlignedBuffer<T> rings_;  ///< (bands, levels - 1, kRingRows) padded rows
    AlignedBuffer<T> zeros_;          ///< the row outside a zero boundary
    std::vector<StepWeights<T>> weights_;
};

template <class T>
CpuStepper<T>::CpuStepper(ThreadPool& threads, FieldShape shape) : threads_(threads) {
    const std::int64_t cells = std::int64_t(shape.nx) * shape.ny;
    bands_ = int(std::clamp<std::int64_t>(cells / kTuning.cells_per_thread, 1, threads.size()));
    bands_ = std::min(bands_, shape.ny);
    pitch_ = PaddedRows<T>::pitch(shape.nx);
    const int fitting = int(kTuning.ring_bytes / (kRingRows * std::size_t(pitch_) * sizeof(T)));
    const int worthwhile = shape.ny / bands_ / kTuning.band_rows_per_level;
    levels_ = std::clamp(std::min(fitting, worthwhile), 1, kTuning.most_levels);

    rings_ = AlignedBuffer<T>(std::size_t(bands_) * std::size_t(levels_) * kRingRows * std::size_t(pitch_));
    std::fill_n(rings_.data(), rings_.size(), T(0));
    zeros_ = AlignedBuffer<T>(std::size_t(pitch_));
    std::fill_n(zeros_.data(), zeros_.size(), T(0));
    weights_.resize(std::size_t(levels_));
}

template <class T>
T* CpuStepper<T>::ring_row(int band, int level, int y) const {
    // y may be negative under a periodic boundary; the low bits still count up.
    const std::size_t row = (std::size_t(band) * std::size_t(levels_) + std::size_t(level - 1)) * kRingRows +
                            std::size_t(unsigned(y) % kRingRows);
    return rings_.data() + row * std::size_t(pitch_) + PaddedRows<T>::kLine;
}

// Row y of a level, where y may lie outside: under a zero boundary that row is zero at every level, under an
// insulated one it is the edge row, and under a periodic one the levels count on beyond the edge and only the
// field in memory wraps.
template <class T>
const T* CpuStepper<T>::source_row(const Pass& pass, int band, int level, int y) const {
    const int ny = pass.from.ny;
    if (pass.boundary == Boundary::periodic) {
        if (level > 0) return ring_row(band, level, y);
        return pass.from.row(((y % ny) + ny) % ny);
    }
    const int inside = inside_index(pass.boundary, y, ny);
    if (inside == kOutside) return zeros_.data() + PaddedRows<T>::kLine;
    return level > 0 ? ring_row(band, level, inside) : pass.from.row(inside);
}

template <class T>
void CpuStepper<T>::sweep(const Pass& pass, int band) {
    const FlushDenormals flush;
    const int nx = pass.from.nx;
    const int ny = pass.from.ny;
    const int first = int(std::int64_t(ny) * band / bands_);
    const int last = int(std::int64_t(ny) * (band + 1) / bands_);
    const bool wraps = pass.boundary == Boundary::periodic;
    for (int t = first - pass.levels + 2; t < last + pass.levels; ++t) {
        for (int level = 1; level <= pass.levels; ++level) {
            const int y = t - level;
            const int reach = pass.levels - level;
            if (y < first - reach || y >= last + reach) continue;
            if (!wraps && (y < 0 || y >= ny)) continue;
            T* out = level == pass.levels ? pass.to.row(y) : ring_row(band, level, y);
            update_row({out,
                        source_row(pass, band, level - 1, y - 1),
                        source_row(pass, band, level - 1, y),
                        source_row(pass, band, level - 1, y + 1),
                        nx,
                        weights_[std::size_t(level - 1)]});
            set_ghosts(out, nx, pass.boundary);
        }
    }
}

template <class T>
void CpuStepper<T>::advance(FieldPair<T>& fields,
                            Boundary boundary,
                            ScaledSteps<T>& schedule,
                            long long steps) {
    // The rows may have been written, or the boundary changed, since the last call.
    for (int y = 0; y < fields.front.ny; ++y) set_ghosts(fields.front.row(y), fields.front.nx, boundary);
    while (steps > 0) {
        const Pass pass{fields.front, fields.back, boundary, int(std::min<long long>(steps, levels_))};
        for (int i = 0; i < pass.levels; ++i) weights_[std::size_t(i)] = schedule.next();
        threads_.run([&](int thread) {
            if (thread < bands_) sweep(pass, thread);
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

// Resampling on the CPU. A row of pixels is a weighted sum of rows of cells, computed first and vectorised, a
// few thousand columns at a time so that they stay in the cache; each pixel is then a weighted sum of its
// columns. Nearest cells and interpolation are sums of one or two cells.

#include <algorithm>
#include <vector>

#include "kernels/view/cell_span.h"
#include "kernels/view/quantity_rows.h"
#include "kernels/view/view.h"

namespace stencil {
namespace {

struct PixelGrid {
    std::vector<CellSpan> columns;
    PixelAxis rows;
    int width;
    float* pixels;
};

/// Pixels [begin, end) of row y.
struct PixelRun {
    int y, begin, end;
};

// The weighted sum over a span's rows, for one run of columns.
template <Quantity Q, class T>
void sum_rows(const QuantitySource<T>& source, const CellSpan& rows, CellRun run, double* sums) {
    using V = QuantityValue<Q, T>;
    std::array<V, kRun> values;
    std::fill_n(sums, run.count, 0.0);
    for (int y = rows.first; y <= rows.last; ++y) {
        run.y = y;
        quantity_run<Q>(source, run, values.data());
        cell_runs<V>().add_weighted(sums, rows.weight(y), values.data(), run.count);
    }
}

// The contribution of columns [x, x + count), at least one of them the pixel's.
double sum_columns(const CellSpan& span, const CellRun& run, const double* sums) {
    const int begin = std::max(span.first, run.x);
    const int end = std::min(span.last, run.x + run.count - 1);
    double sum = span.weight(begin) * sums[begin - run.x];
    if (begin == end) return sum;
    // Four accumulators, because an addition depends on the previous one.
    double parts[4] = {};
    int x = begin + 1;
    for (; x + 4 <= end; x += 4)
        for (int i = 0; i < 4; ++i) parts[i] += sums[x + i - run.x];
    for (; x < end; ++x) sum += sums[x - run.x];
    return sum + span.weight(end) * sums[end - run.x] + ((parts[0] + parts[1]) + (parts[2] + parts[3]));
}

template <Quantity Q, class T>
void resample_run(const QuantitySource<T>& source,
                  const PixelGrid& grid,
                  const PixelRun& run,
                  std::vector<double>& totals) {
    const CellSpan rows = pixel_span(grid.rows, run.y);
    const auto span = [&](int pixel) -> const CellSpan& { return grid.columns[std::size_t(pixel)]; };
    std::fill(totals.begin() + run.begin, totals.begin() + run.end, 0.0);
    std::array<double, kRun> sums;
    const int last = span(run.end - 1).last;
    int pixel = run.begin;
    for (int x = span(run.begin).first; x <= last; x += kRun) {
        const CellRun cells{x, 0, std::min(kRun, last - x + 1)};
        sum_rows<Q>(source, rows, cells, sums.data());
        const int end = x + cells.count;
        while (pixel < run.end && span(pixel).last < x) ++pixel;
        for (int p = pixel; p < run.end && span(p).first < end; ++p)
            totals[std::size_t(p)] += sum_columns(span(p), cells, sums.data());
    }
    float* row = grid.pixels + std::ptrdiff_t(run.y) * grid.width;
    for (int p = run.begin; p < run.end; ++p)
        row[p] = float(totals[std::size_t(p)] * span(p).scale * rows.scale);
}

}  // namespace

template <class T>
void resample(const CpuView<T>& view, const ResampleRequest& request, float* pixels) {
    PixelGrid grid{{}, rows_of(request, view.source.field.ny()), request.width, pixels};
    const PixelAxis columns = columns_of(request, view.source.field.nx());
    for (int p = 0; p < request.width; ++p) grid.columns.push_back(pixel_span(columns, p));
    // A few long rows are split, so that every thread gets a share.
    const int parts =
        request.height < 4 * view.threads.size() ? std::min(request.width, view.threads.size()) : 1;
    with_quantity(view.quantity, [&](auto quantity) {
        view.threads.for_ranges(std::int64_t(request.height) * parts,
                                [&](std::int64_t begin, std::int64_t end) {
                                    std::vector<double> totals(std::size_t(request.width));
                                    for (std::int64_t i = begin; i < end; ++i) {
                                        const std::int64_t part = i % parts;
                                        const PixelRun run{int(i / parts),
                                                           int(request.width * part / parts),
                                                           int(request.width * (part + 1) / parts)};
                                        resample_run<quantity.value>(view.source, grid, run, totals);
                                    }
                                });
    });
}

template void resample(const CpuView<float>&, const ResampleRequest&, float*);
template void resample(const CpuView<double>&, const ResampleRequest&, float*);

}  // namespace stencil

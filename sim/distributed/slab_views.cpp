// Views of a distributed field: each process evaluates its local rows, process 0 combines the results.

#include <algorithm>
#include <limits>

#include "kernels/view/cell_span.h"
#include "sim/distributed/slab_solver.h"

namespace stencil {

std::vector<double> SlabSolver::sample(const Observable& what,
                                       const std::vector<SamplePoint>& points,
                                       bool smooth) {
    const auto has = [&](int rank, const SamplePoint& point) {
        return point.y >= partition_.begin(rank) && point.y < partition_.begin(rank + 1);
    };
    std::vector<SamplePoint> own;
    for (const SamplePoint& point : points)
        if (has(comm_->rank(), point)) own.push_back(point);
    const auto values = gather_values(*comm_, solver_->sample(what, own, smooth));
    std::vector<double> all(points.size(), std::numeric_limits<double>::quiet_NaN());
    for (int rank = 0; rank < comm_->size(); ++rank)
        for (std::size_t i = 0, k = 0; i < points.size(); ++i)
            if (has(rank, points[i])) all[i] = values[std::size_t(rank)][k++];
    return all;
}

// Combines the pixel rows of all slabs; adjacent slabs share at most one pixel row.
std::vector<float> SlabSolver::resample(const Observable& what, const ResampleRequest& whole) {
    Communicator& comm = *comm_;
    const auto request_of = [&](int rank) {
        return pixel_rows_of(whole, partition_.begin(rank), partition_.local_rows(rank), partition_.rows);
    };
    const std::size_t width = std::size_t(whole.width);
    const auto own = request_of(comm.rank());
    Pixels pixels;
    // Evaluating a formula exchanges halos and global values, so processes whose slab has no pixels take
    // part, too.
    if (own.height > 0)
        solver_->resample(what, own, true, pixels);
    else
        solver_->sums(what, Summand::value);
    if (comm.rank() > 0) {
        if (own.height > 0) comm.send(pixels.host.data(), width * std::size_t(own.height) * sizeof(float), 0);
        return {};
    }
    std::vector<float> all(width * std::size_t(whole.height), 0.0F);
    for (int from = 0; from < comm.size(); ++from) {
        const ResampleRequest request = request_of(from);
        const std::size_t count = width * std::size_t(request.height);
        if (count == 0) continue;
        if (from > 0) {
            pixels.host.resize(std::max(pixels.host.size(), count));
            comm.receive(pixels.host.data(), count * sizeof(float), from);
        }
        float* to = all.data() + std::size_t(request.part.first_pixel) * width;
        for (std::size_t i = 0; i < count; ++i) to[i] += pixels.host[i];
    }
    return all;
}

}  // namespace stencil

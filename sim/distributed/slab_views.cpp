// Views of a distributed field: each process evaluates its local rows, process 0 combines the results.

#include <algorithm>
#include <limits>

#include "kernels/view/cell_span.h"
#include "sim/distributed/slab_solver.h"

namespace stencil {
namespace {

// Each point is sampled by the process that has its row.
std::vector<double> sample_all(SlabSolver& slab,
                               const Observable& what,
                               const std::vector<SamplePoint>& points,
                               bool smooth) {
    const int first = slab.first_row(), end = first + slab.local_rows(), rows = slab.partition().rows;
    const auto is_here = [&](const SamplePoint& point) { return point.y >= first && point.y < end; };
    std::vector<SamplePoint> own;
    for (const SamplePoint& point : points)
        if (is_here(point)) own.push_back(point);
    const std::vector<double> values = slab.solver().sample(what, own, smooth);
    std::vector<double> all(points.size(), std::numeric_limits<double>::quiet_NaN());
    for (Bytes& bytes : slab.comm().gather(Packet().put(first).put(end).put(values).bytes())) {
        Packet packet(std::move(bytes));
        const int begin = packet.get<int>(), last = packet.get<int>();
        const auto theirs = packet.get<std::vector<double>>();
        for (std::size_t i = 0, k = 0; i < points.size(); ++i)
            if (points[i].y >= begin && points[i].y < last && points[i].y < rows) all[i] = theirs[k++];
    }
    return all;
}

// Combines the pixel rows of all slabs; adjacent slabs share at most one pixel row.
std::vector<float> resample_all(SlabSolver& slab, const Observable& what, const ResampleRequest& whole) {
    Communicator& comm = slab.comm();
    const auto request_of = [&](int rank) {
        const Partition& partition = slab.partition();
        return pixel_rows_of(whole, partition.begin(rank), partition.local_rows(rank), partition.rows);
    };
    const std::size_t width = std::size_t(whole.width);
    const auto own = request_of(comm.rank());
    Pixels pixels;
    if (own.height > 0) slab.solver().resample(what, own, true, pixels);
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

}  // namespace

bool SlabSolvers::look_at(SlabSolver& slab, Opcode verb, Packet& packet) {
    Solver& solver = slab.solver();
    const Observable what = read_observable(packet);
    switch (verb) {
        case Opcode::sums:
            answer.sums = joined(slab.comm(), solver.sums(what, packet.get<Summand>()));
            return true;
        case Opcode::percentiles:
            answer.values = solver.percentiles(what, packet.get<std::vector<double>>());
            return true;
        case Opcode::histogram: {
            const auto bins = packet.get<HistogramBins>();
            answer.counts = solver.histogram(what, bins.low, bins.high, bins.count);
            slab.comm().sum(answer.counts);
            return true;
        }
        case Opcode::sample: {
            const auto points = packet.get<std::vector<SamplePoint>>();
            answer.values = sample_all(slab, what, points, packet.get<bool>());
            return true;
        }
        case Opcode::resample:
            answer.pixels = resample_all(slab, what, packet.get<ResampleRequest>());
            return true;
        default:
            return false;
    }
}

}  // namespace stencil

// A distributed field within one process, without MPI: each slab has a thread, and one thread runs at a time
// until it waits for halos.
#pragma once

#include <algorithm>
#include <barrier>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "sim/distributed/mpi_halo.h"
#include "sim/run/solvers/solver.h"

namespace stencil_test {

using ActOnSolver = std::function<void(stencil::Solver&)>;

/// Where the slabs meet, and the solver of each.
struct SlabTeam {
    SlabTeam(const stencil::SolverSetup& setup, int parts)
        : whole(setup),
          partition(stencil::partition_of(setup, parts)),
          arrays(std::size_t(partition.parts)),
          meeting(partition.parts) {}

    const stencil::SolverSetup& whole;
    stencil::Partition partition;
    std::vector<std::vector<stencil::HaloRows>> arrays;
    std::barrier<> meeting;
    std::mutex running;
    std::exception_ptr failure;
};

/// Copies rows from the neighbours directly, and counts the bytes of cells.
class CountingHalo : public stencil::HaloExchange {
  public:
    CountingHalo(SlabTeam& comm, int part, std::unique_lock<std::mutex>& lock)
        : comm_(comm), part_(part), lock_(lock) {}

    int exchanges() const { return exchanges_; }
    int depth() const override { return comm_.partition.depth; }
    void exchange(std::span<const stencil::HaloRows> arrays, stencil::CudaStream* stream) override {
        const stencil::Partition& all = comm_.partition;
        ++exchanges_;
        comm_.arrays[std::size_t(part_)].assign(arrays.begin(), arrays.end());
        meet(stream);
        for (std::size_t a = 0; a < arrays.size(); ++a) {
            const stencil::HaloRanges own = stencil::ranges_of(arrays[a], all, part_);
            take(all.above(part_), own.above, &stencil::HaloRanges::last, a, stream);
            take(all.below(part_), own.below, &stencil::HaloRanges::first, a, stream);
        }
        meet(stream);
    }

  private:
    // Waits until all have finished what they enqueued.
    void meet(stencil::CudaStream* stream) {
#if STENCILSCOPE_HAS_CUDA
        if (stream) stream->synchronize();
#endif
        static_cast<void>(stream);
        lock_.unlock();
        comm_.meeting.arrive_and_wait();
        lock_.lock();
        if (comm_.failure) throw std::runtime_error("another part failed");
    }

    void take(int from,
              std::byte* to,
              const std::byte* stencil::HaloRanges::*rows,
              std::size_t array,
              stencil::CudaStream* stream) {
        if (from < 0) return;
        const stencil::HaloRanges given =
            stencil::ranges_of(comm_.arrays[std::size_t(from)].at(array), comm_.partition, from);
        if (!stream) std::copy_n(given.*rows, given.bytes, to);
#if STENCILSCOPE_HAS_CUDA
        if (stream) stencil::copy_on_device(to, given.*rows, given.bytes, *stream);
#endif
        count_message(std::size_t(depth()) * std::size_t(comm_.whole.nx) *
                      bytes_of(comm_.whole.state_dtype()));
    }

    SlabTeam& comm_;
    int part_;
    std::unique_lock<std::mutex>& lock_;
    int exchanges_ = 0;
};

struct SlabRun {
    struct Taken {
        int exchanges = 0;
        stencil::HaloExchange::Traffic rows;
    };

    stencil::State state;
    stencil::Partition partition;
    std::vector<Taken> taken;  ///< by each slab
};

/// Runs the actions on all slabs, or on the whole field, and returns the results.
inline SlabRun run_slabs(const stencil::SolverSetup& whole,
                         int parts,
                         const stencil::State& start,
                         const ActOnSolver& act) {
    using namespace stencil;
    SlabTeam comm(whole, parts);
    SlabRun run;
    run.partition = comm.partition;
    run.taken.resize(comm.arrays.size());
    for (std::size_t c = 0; c < start.components.size(); ++c)
        run.state.components.emplace_back(whole.dtype, whole.nx, whole.ny);
    const auto step = [&](int part, std::unique_lock<std::mutex>& lock) {
        CountingHalo halo(comm, part, lock);
        SolverSetup setup = whole;
        setup.ny = comm.partition.stored_rows(part);
        setup.slab = comm.partition.slab(part);
        if (!setup.slab.whole()) setup.halo = &halo;
        const auto solver = make_solver(setup);
        solver->load(start);
        act(*solver);
        const State own = solver->state();
        for (std::size_t c = 0; c < own.components.size(); ++c)
            run.state.components[c].visit([&]<class T>(Array<T>& cells) {
                std::ranges::copy(own.components[c].as<T>().cells(),
                                  cells.view().row(comm.partition.begin(part)));
            });
        run.taken[std::size_t(part)] = {halo.exchanges(), halo.traffic()};
    };
    const auto step_or_fail = [&](int part) {
        {
            std::unique_lock lock(comm.running);
            try {
                step(part, lock);
            } catch (...) {
                if (!comm.failure) comm.failure = std::current_exception();
            }
        }
        comm.meeting.arrive_and_drop();
    };
    std::vector<std::thread> threads;
    for (int part = 0; part < comm.partition.parts; ++part) threads.emplace_back(step_or_fail, part);
    for (std::thread& thread : threads) thread.join();
    if (comm.failure) std::rethrow_exception(comm.failure);
    return run;
}

}  // namespace stencil_test

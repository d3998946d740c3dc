// The slabs of distributed fields that this process steps.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/distributed/packet.h"
#include "sim/distributed/partition.h"
#include "sim/distributed/rows.h"
#include "sim/distributed/strip_pieces.h"
#include "sim/solvers/solver.h"

namespace stencil {

/// One process's slab of a distributed solver. All functions that concern the whole field are collective over
/// its communicator, and their results are complete at process 0.
class SlabSolver {
  public:
    /// `comm` has one process per slab. Throws MachineError on all processes or none.
    SlabSolver(std::unique_ptr<Communicator> comm, const SolverSetup& whole);

    Communicator& comm() { return *comm_; }
    Solver& solver() { return *solver_; }
    const SolverSetup& setup() const { return setup_; }
    /// Messages and bytes sent by this process so far.
    HaloExchange::Traffic traffic() const {
        const HaloExchange::Traffic &rows = halo_->traffic(), &turned = strips_->traffic();
        return {rows.messages + turned.messages, rows.bytes + turned.bytes};
    }
    const Partition& partition() const { return partition_; }
    int local_rows() const { return setup_.local_rows(); }
    int first_row() const { return partition_.begin(comm_->rank()); }

    /// Gathers whole fields; empty on other processes than 0.
    std::vector<Field> gather(std::vector<Field> own) {
        return gather_rows(*comm_, partition_, std::move(own));
    }
    /// The rows of an array, for files and hashes.
    OwnRows rows_of(const SolverArray& array);
    /// A copy of the state, with its rows in SolverRecord::arrays.
    SolverRecord snapshot();
    std::string hash();

    /// Values at points of the whole field, each sampled by the process that has its row.
    std::vector<double> sample(const Observable& what, const std::vector<SamplePoint>& points, bool smooth);
    /// The pixels of the whole request.
    std::vector<float> resample(const Observable& what, const ResampleRequest& whole);

    /// Seconds of steps on the slowest process, without communication.
    double seconds_alone(long long steps);

  private:
    std::unique_ptr<Communicator> comm_;
    Partition partition_;
    SolverSetup setup_;  ///< for this slab
    std::unique_ptr<HaloExchange> halo_;
    std::unique_ptr<StripPieces> strips_;
    std::unique_ptr<Solver> solver_;
};

/// This process's slabs and saved states, by the numbers that process 0 gives them.
struct Slabs {
    std::map<int, SlabSolver> solvers;
    std::map<int, std::unique_ptr<SavedState>> saved;  ///< they may outlive their solvers

    /// Null if this process has no rows of it.
    SlabSolver* find(int solver);
};
Slabs& slabs();

}  // namespace stencil

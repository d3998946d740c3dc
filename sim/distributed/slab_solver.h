// Workers of distributed fields: each process's slab, and the loop that executes process 0's commands.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/view/statistics/histogram_bins.h"
#include "sim/distributed/packet.h"
#include "sim/distributed/partition.h"
#include "sim/distributed/rows.h"
#include "sim/distributed/strip_pieces.h"
#include "sim/problem/run_spec.h"
#include "sim/solvers/solver.h"

namespace stencil {

/// Opcodes of messages from process 0, with the arguments that follow. Unless stated otherwise the first
/// argument is the solver's number.
enum class Opcode : std::uint8_t {
    make,  ///< spec as text, parameters in force, maximum number of processes
    drop,
    load,        ///< step; then rows
    set_params,  ///< parameters, as in make
    set_clock,   ///< clock
    advance,     ///< steps
    wait,
    expect,  ///< steps
    wait_for_fastest,
    fields,         ///< then gathers the rows
    field,          ///< observable; then gathers the rows
    inner,          ///< then gathers the rows
    take_inner,     ///< names, numbers, rows
    load_from,      ///< number of the other solver
    go_on_from,     ///< number of the other solver
    write,          ///< array, file
    set_base,       ///< rows
    set_base_from,  ///< number of the other solver, formula
    resample,       ///< observable, request
    sums,           ///< observable, summand
    percentiles,    ///< observable, q
    histogram,      ///< observable, bins
    sample,         ///< observable, points, smooth
    paint,          ///< component, piece
    save,           ///< number of the saved state
    restore,        ///< number of the saved state
    release,        ///< saved state, which may outlive its solver; no solver
    seconds_alone,  ///< steps
    hash,
    traffic,
    look_at_rows,  ///< recipe, field; no solver
    write_rows,    ///< recipe, field, file; no solver
    quit,
};

/// Serialise the parts of a distributed solver's setup.
Packet& operator<<(Packet& packet, const StepParameters& params);
StepParameters read_params(Packet& packet);
Packet& operator<<(Packet& packet, const InnerNumbers& numbers);
Packet& operator<<(Packet& packet, const Observable& what);
Observable read_observable(Packet& packet);

/// One process's slab of a distributed solver. All functions are collective over its communicator.
class SlabSolver {
  public:
    /// `comm` has one process per slab. Throws MachineError on all processes or none.
    SlabSolver(std::unique_ptr<Communicator> comm, const SolverSetup& whole);

    Communicator& comm() { return *comm_; }
    Solver& solver() { return *solver_; }
    const SolverSetup& setup() const { return setup_; }
    /// Messages and bytes sent by this process so far.
    HaloExchange::Traffic traffic() const { return strips_ ? strips_->traffic() : halo_->traffic(); }
    const Partition& partition() const { return partition_; }
    int nx() const { return setup_.nx; }
    int local_rows() const { return setup_.local_rows(); }
    int first_row() const { return partition_.begin(comm_->rank()); }

    /// Gathers whole fields at process 0; empty elsewhere.
    std::vector<Field> gather(std::vector<Field> own);

  private:
    std::unique_ptr<Communicator> comm_;
    Partition partition_;
    SolverSetup setup_;  ///< of its slab
    std::unique_ptr<HaloExchange> halo_;
    std::unique_ptr<StripPieces> strips_;  ///< if the method is spectral (Method::jumps)
    std::unique_ptr<Solver> solver_;
};

/// The slabs of this process, by solver number.
class SlabSolvers {
  public:
    explicit SlabSolvers(Communicator& comm) : comm_(comm) {}

    /// Executes a message; false for Opcode::quit. On process 0 the results are in `answer` and `rows`, and
    /// `given` provides input rows.
    bool perform(Packet packet);

    struct Answer {
        double number = 0;
        PartialStatistics sums;
        std::vector<double> values;
        std::vector<std::uint64_t> counts;
        InnerState inner;
        std::vector<float> pixels;
        std::string text;
        HaloExchange::Traffic traffic;
        RowsSeen seen;
        WrittenRows written;
    } answer;
    std::vector<Field> rows;           ///< gathered fields
    const RowSource* given = nullptr;  ///< input on process 0

    SlabSolver* find(int solver);

    /// Makes a slab, as Opcode::make does on the others. Throws MachineError on process 0 only.
    void make(int solver, SolverSetup setup, int processes);

  private:
    bool perform_on_rows(Opcode verb, Packet& packet);
    bool perform_on(SlabSolver& slab, Opcode verb, Packet& packet);
    bool take(SlabSolver& slab, Opcode verb, Packet& packet);
    bool measure(SlabSolver& slab, Opcode verb, Packet& packet);
    bool look_at(SlabSolver& slab, Opcode verb, Packet& packet);

    Communicator& comm_;
    std::map<int, SlabSolver> slabs_;
    std::map<int, std::unique_ptr<SavedState>> saved_;
};

/// The worker loop of processes other than 0; returns when process 0 ends.
void serve(Communicator& comm);

}  // namespace stencil

// What each process has of a spread field, and what it does when process 0 says so.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/view/statistics/histogram_bins.h"
#include "sim/run/run_spec.h"
#include "sim/run/solvers/solver.h"
#include "sim/spread/packet.h"
#include "sim/spread/partition.h"
#include "sim/spread/rows.h"
#include "sim/spread/strip_pieces.h"

namespace stencil {

/// What process 0 asks of all, with what follows in the packet. The number of what it is asked of comes
/// first: a solver, where nothing else is said.
enum class Verb : std::uint8_t {
    make,  ///< the spec as text, the parameters in force, how many processes at most
    drop,
    load,        ///< the step; rows
    set_params,  ///< as in make
    advance,     ///< steps
    wait,
    expect,  ///< steps
    wait_for_fastest,
    fields,         ///< then the rows
    field,          ///< observable; then the rows
    inner,          ///< then the rows
    take_inner,     ///< names, numbers, rows
    load_from,      ///< the other solver's number
    go_on_from,     ///< the same
    write,          ///< array, file
    set_base,       ///< rows
    set_base_from,  ///< the other solver's number, formula
    resample,       ///< observable, request
    statistics,     ///< observable
    norm,           ///< observable
    percentiles,    ///< observable, q
    histogram,      ///< observable, bins
    sample,         ///< observable, points, smooth
    paint,          ///< component, piece
    save,           ///< the number of the state
    restore,        ///< the same
    release,        ///< of a state, which may outlive its solver, and no solver
    seconds_alone,  ///< steps
    hash,
    traffic,
    look_at_rows,  ///< recipe, field; of no solver
    write_rows,    ///< recipe, field, file; of no solver
    quit,
};

/// A spread solver's setup as text and numbers.
Packet& operator<<(Packet& packet, const StepParameters& params);
StepParameters read_params(Packet& packet);
Packet& operator<<(Packet& packet, const InnerNumbers& numbers);
Packet& operator<<(Packet& packet, const Observable& what);
Observable read_observable(Packet& packet);

/// A process's part of one solver. Everything is called on all processes of its team together.
class Part {
  public:
    /// `team` is of as many as there are parts. Throws MachineError, on all or none.
    Part(std::unique_ptr<Team> team, const SolverSetup& whole);

    Team& team() { return *team_; }
    Solver& solver() { return *solver_; }
    const SolverSetup& setup() const { return setup_; }
    /// Of what this process gave so far.
    HaloExchange::Traffic traffic() const { return strips_ ? strips_->traffic() : halo_->traffic(); }
    const Partition& partition() const { return partition_; }
    int nx() const { return setup_.nx; }
    int own_rows() const { return setup_.own_rows(); }
    int first_row() const { return partition_.begin(team_->rank()); }

    /// Whole fields at process 0, nothing at the others.
    std::vector<Field> gather(std::vector<Field> own);

  private:
    std::unique_ptr<Team> team_;
    Partition partition_;
    SolverSetup setup_;  ///< of its rows
    std::unique_ptr<HaloExchange> halo_;
    std::unique_ptr<StripPieces> strips_;  ///< where the method jumps
    std::unique_ptr<Solver> solver_;
};

/// The parts of a process by the numbers of their solvers.
class Parts {
  public:
    explicit Parts(Team& team) : team_(team) {}

    /// Does what a packet says; false for Verb::quit. What process 0 is told is in `answer`, and the
    /// fields that it gives or gets in `given` and `rows`.
    bool perform(Packet packet);

    struct Answer {
        double number = 0;
        Statistics statistics;
        std::vector<double> values;
        std::vector<std::uint64_t> counts;
        InnerState inner;
        std::vector<float> pixels;
        std::string text;
        HaloExchange::Traffic traffic;
        RowsSeen seen;
        WrittenRows written;
    } answer;
    std::vector<Field> rows;           ///< gathered
    const RowSource* given = nullptr;  ///< of process 0

    Part* find(int solver);

    /// What the other processes do at Verb::make. Throws MachineError, on process 0 alone.
    void make(int solver, SolverSetup setup, int processes);

  private:
    bool perform_on_rows(Verb verb, Packet& packet);
    bool perform_on(Part& part, Verb verb, Packet& packet);
    bool take(Part& part, Verb verb, Packet& packet);
    bool measure(Part& part, Verb verb, Packet& packet);
    bool look_at(Part& part, Verb verb, Packet& packet);

    Team& team_;
    std::map<int, Part> parts_;
    std::map<int, std::unique_ptr<SavedState>> saved_;
};

/// What processes other than 0 do until process 0 ends.
void serve(Team& team);

}  // namespace stencil

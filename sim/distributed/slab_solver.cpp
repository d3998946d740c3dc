#include "sim/distributed/slab_solver.h"

#include <algorithm>
#include <exception>

#include "sim/distributed/distributed_solver.h"
#include "sim/distributed/halos.h"
#include "sim/field/field_hash.h"
#include "sim/machine/median.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// Throws on all processes if any of them reports a problem.
void share_trouble(Communicator& comm, const std::string& own) {
    const auto all = gather_values(comm, own);
    const auto first = std::ranges::find_if(all, [](const std::string& text) { return !text.empty(); });
    if (first != all.end())
        throw MachineError("process " + std::to_string(first - all.begin()) + ": " + *first);
}

}  // namespace

SlabSolver::SlabSolver(std::unique_ptr<Communicator> comm, const SolverSetup& whole)
    : comm_(std::move(comm)), partition_(partition_of(whole, comm_->size())) {
    const int own = comm_->rank();
    SolverSetup& setup = setup_ = whole;
    setup.ny = partition_.stored_rows(own);
    setup.slab = partition_.slab(own);
    setup.sum = [comm = comm_.get()](std::span<std::uint64_t> counts) { comm->sum(counts); };
    std::string trouble;
    try {
        halo_ = make_halo(*comm_, partition_, setup.method->device);
        setup.halo = halo_.get();
        strips_ = make_strip_exchange(*comm_, partition_, setup.nx, setup.method->device);
        setup.strips = strips_.get();
        if (partition_.transposes) strips_->prepare();
        solver_ = make_solver(setup);
    } catch (const std::bad_alloc&) {
        trouble = "out of memory";
    } catch (const std::exception& error) {
        trouble = error.what();
    }
    share_trouble(*comm_, trouble);
}

OwnRows SlabSolver::rows_of(const SolverArray& array) {
    return {setup_.nx, partition_.rows, first_row(), [this, array](const RowSink& sink) {
                solver_->read_rows(array, sink);
            }};
}

SolverRecord SlabSolver::snapshot() {
    SolverRecord now = solver_->snapshot();
    auto own = std::make_shared<State>(std::move(now.plain));
    now.plain.step = own->step;
    for (auto& [name, array] : now.inner.arrays) own->components.push_back(std::move(array));
    now.arrays = std::make_shared<StateRows>(std::move(own), first_row(), partition_.rows);
    return now;
}

std::string SlabSolver::hash() {
    std::vector<std::string> hashes;
    for (std::size_t c = 0; c < setup_.components(); ++c)
        hashes.push_back(look_together(*comm_, rows_of({SolverArray::Kind::component, c, {}})).hash);
    return joined_hash(hashes);
}

double SlabSolver::seconds_alone(long long steps) {
    constexpr int kWarmUps = 2, kRepeats = 5;
    SolverSetup alone = setup_;
    alone.slab = {};
    alone.halo = nullptr;
    alone.strips = nullptr;
    const auto solver = make_solver(alone);
    start_with_noise(*solver, alone, 0);
    solver->wait_for_fastest();
    std::vector<double> times;
    for (int i = -kWarmUps; i < kRepeats; ++i) {
        solver->advance(steps);
        const double seconds = solver->wait();
        if (i >= 0) times.push_back(seconds);
    }
    return std::ranges::max(gather_values(*comm_, median(times)));
}

SlabSolver* Slabs::find(int solver) {
    const auto found = solvers.find(solver);
    return found == solvers.end() ? nullptr : &found->second;
}

Slabs& slabs() {
    static Slabs all;
    return all;
}

}  // namespace stencil

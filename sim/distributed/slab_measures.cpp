// Measurements on each process (sim/bench/scale.h).

#include <algorithm>

#include "sim/distributed/distributed_solver.h"
#include "sim/distributed/slab_solver.h"
#include "sim/field/field_hash.h"
#include "sim/problem/typed_run.h"

namespace stencil {
namespace {

constexpr int kWarmUps = 2, kAloneRepeats = 5;

std::string hash_of_all(SlabSolver& slab) {
    const std::size_t components = slab.setup().components();
    std::vector<std::string> hashes;
    for (std::size_t c = 0; c < components; ++c) {
        const OwnRows own{slab.nx(), slab.partition().rows, slab.first_row(), [&](const RowSink& sink) {
                              slab.solver().read_rows({SolverArray::Kind::component, c, {}}, sink);
                          }};
        hashes.push_back(look_together(slab.comm(), own).hash);
    }
    return joined_hash(hashes);
}

}  // namespace

double seconds_of_steps(Solver& solver, long long steps) {
    solver.advance(steps);
    return solver.wait();
}

bool SlabSolvers::measure(SlabSolver& slab, Opcode verb, Packet& packet) {
    switch (verb) {
        case Opcode::seconds_alone: {
            const auto steps = packet.get<long long>();
            SolverSetup alone = slab.setup();
            alone.slab = {};
            alone.halo = nullptr;
            alone.strips = nullptr;
            const auto solver = make_solver(alone);
            start_with_noise(*solver, alone, 0);
            solver->wait_for_fastest();
            for (int i = 0; i < kWarmUps; ++i) seconds_of_steps(*solver, steps);
            std::vector<double> times;
            for (int i = 0; i < kAloneRepeats; ++i) times.push_back(seconds_of_steps(*solver, steps));
            std::ranges::nth_element(times, times.begin() + kAloneRepeats / 2);
            answer.number = std::ranges::max(gather_values(slab.comm(), times[kAloneRepeats / 2]));
            return true;
        }
        case Opcode::hash:
            answer.text = hash_of_all(slab);
            return true;
        case Opcode::traffic:
            answer.traffic = slab.traffic();
            return true;
        default:
            return false;
    }
}

}  // namespace stencil

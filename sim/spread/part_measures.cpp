// What measuring asks of each process (sim/bench/scale.h).

#include <algorithm>

#include "sim/field/field_hash.h"
#include "sim/initial/initial.h"
#include "sim/run/solvers/typed_run.h"
#include "sim/spread/part.h"

namespace stencil {
namespace {

constexpr int kWarmUps = 2, kAloneRepeats = 5;

std::string hash_of_all(Part& part) {
    std::vector<std::string> hashes;
    for (const Field& own : part.solver().state().components) {
        std::vector<std::uint64_t> rows;
        for (const auto& theirs : gather_values(part.team(), row_hashes(own)))
            rows.insert(rows.end(), theirs.begin(), theirs.end());
        hashes.push_back(field_hash(own.dtype(), own.nx(), rows));
    }
    return joined_hash(hashes);
}

}  // namespace

State noise_rows(const SolverSetup& setup, int first, int rows, std::uint64_t seed) {
    const std::size_t components = setup.typed ? setup.typed->equations.components.size() : 1;
    State state;
    for (std::size_t c = 0; c < components; ++c)
        state.components.push_back(make_noise_rows(setup.dtype, setup.nx, first, rows, seed + c));
    return state;
}

double seconds_of_steps(Solver& solver, long long steps) {
    solver.advance(steps);
    return solver.wait();
}

bool Parts::measure(Part& part, Verb verb, Packet& packet) {
    switch (verb) {
        case Verb::start_noise:
            part.solver().load(
                noise_rows(part.setup(), part.first_row(), part.own_rows(), packet.get<std::uint64_t>()));
            return true;
        case Verb::seconds_alone: {
            const auto steps = packet.get<long long>();
            SolverSetup alone = part.setup();
            alone.slab = {};
            alone.halo = nullptr;
            alone.strips = nullptr;
            const auto solver = make_solver(alone);
            solver->load(noise_rows(alone, 0, alone.ny, 0));
            solver->wait_for_fastest();
            for (int i = 0; i < kWarmUps; ++i) seconds_of_steps(*solver, steps);
            std::vector<double> times;
            for (int i = 0; i < kAloneRepeats; ++i) times.push_back(seconds_of_steps(*solver, steps));
            std::ranges::nth_element(times, times.begin() + kAloneRepeats / 2);
            answer.number = std::ranges::max(gather_values(part.team(), times[kAloneRepeats / 2]));
            return true;
        }
        case Verb::hash:
            answer.text = hash_of_all(part);
            return true;
        case Verb::traffic:
            answer.traffic = part.traffic();
            return true;
        default:
            return false;
    }
}

}  // namespace stencil

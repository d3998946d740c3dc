// Distributed fields beyond the command line: undo states, and a slab that does not fit into memory.

#include <sys/resource.h>

#include <fstream>

#include "sim/distributed/distributed_solver.h"
#include "sim/machine/machine.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"
#include "sim/run/start.h"
#include "sim/text/error.h"
#include "tests/support/among_two.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/runs.h"

using namespace stencil;
using namespace stencil_test;

namespace {

RunSpec spec_of(int nx, int ny, const std::string& method) {
    RunSpec spec = noise_run({nx, ny}, method);
    spec.threads = 1;
    return resolve(spec, query_machine());
}

// Limits this process to the memory it has, plus a little.
void limit_memory(std::size_t more) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t bytes = pages * 4096 + more;
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
}

}  // namespace

TEST_CASE("Two processes come back to a state whatever changed since") {
    among_two("Two processes come back to a state whatever changed since", [] {
        RunSpec spec = spec_of(67, 150, "cpu");
        Simulation simulation(spec, make_start(spec));
        REQUIRE(simulation.solver().processes() == 2);
        simulation.apply(Advance{40});
        const auto before = simulation.checkpoint();
        simulation.apply(Advance{7});
        const Field wanted = simulation.field();

        simulation.apply(Set{"boundary", "periodic"});
        simulation.apply(Advance{5});
        const auto periodic = simulation.checkpoint();
        simulation.apply(Advance{9});
        const Field wanted_periodic = simulation.field();
        REQUIRE_FALSE(same_bits(wanted, wanted_periodic));

        simulation.apply(Set{"method", "reference"});
        simulation.apply(Set{"size", "50x90"});
        simulation.apply(Advance{3});
        simulation.restore(periodic);
        simulation.apply(Advance{9});
        REQUIRE(same_bits(simulation.field(), wanted_periodic));
        simulation.restore(before);
        simulation.apply(Advance{7});
        REQUIRE(same_bits(simulation.field(), wanted));
        simulation.restore(periodic);
        simulation.apply(Advance{9});
        REQUIRE(same_bits(simulation.field(), wanted_periodic));
    });
}

TEST_CASE("A field of which one process lacks room for its part is refused and the others go on") {
    if (Communicator::was_launched() && std::string(std::getenv("OMPI_COMM_WORLD_RANK")) == "1")
        limit_memory(std::size_t(150) << 20);
    among_two("A field of which one process lacks room for its part is refused and the others go on", [] {
        RunSpec small = spec_of(67, 150, "cpu");
        const RunSpec large = spec_of(8192, 16384, "cpu");
        Simulation simulation(small, make_start(small));
        simulation.apply(Advance{10});
        const Field now = simulation.field();
        try {
            make_run_solver(large, solver_setup(large));
            FAIL("it was made");
        } catch (const MachineError& error) {
            REQUIRE(error.what() == std::string("process 1: out of memory"));
        }
        REQUIRE(same_bits(simulation.field(), now));
        simulation.apply(Advance{10});
        REQUIRE(simulation.step() == 20);
    });
}

TEST_CASE("Fields are compared that different numbers of processes have") {
    among_two("Fields are compared that different numbers of processes have", [] {
        const Field start = Field(random_field(41, 21)).to(DType::float32);
        const auto loaded = [&](const std::string& method) {
            const RunSpec spec = spec_of(41, 21, method);
            auto solver = make_run_solver(spec, solver_setup(spec));
            solver->load(start);
            return solver;
        };
        const auto shared = loaded("spectral"), whole = loaded("cpu");
        REQUIRE(shared->processes() == 2);
        REQUIRE(whole->processes() == 1);
        for (const auto& [seen, base] : {std::pair{&shared, &whole}, std::pair{&whole, &shared}}) {
            (*seen)->set_base(**base);
            REQUIRE((*seen)->norm(Quantity::difference) == 0);
            REQUIRE((*seen)->norm(Quantity::base) > 0);
        }
    });
}

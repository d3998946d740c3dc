// Runs a test case as two processes.
#pragma once

#include <filesystem>
#include <string>

#include "sim/distributed/distributed_solver.h"
#include "sim/distributed/slab_solver.h"
#include "sim/machine/child_process.h"
#include "sim/machine/communicator.h"
#include "tests/support/catch.h"

namespace stencil_test {

/// Starts the test case of this name (without commas) again as two processes, and runs `act` in rank 0.
template <class Act>
void among_two(const std::string& name, const Act& act) {
    if (!stencil::Communicator::was_launched()) {
        std::string said;
        stencil::ChildCommand command;
        command.words = {stencil::find_program("mpirun"), "-n", "2", "--bind-to", "none", "--oversubscribe"};
        command.words.insert(
            command.words.end(),
            {"--allow-run-as-root", std::filesystem::read_symlink(stencil::own_program()).string(), name});
        command.limit_seconds = 60;
        command.is_tool = true;
        const stencil::ChildEnd end =
            stencil::run_child(command, [&](std::string_view line) { said += std::string(line) + '\n'; });
        INFO(said);
        REQUIRE(end.how == stencil::ChildEnd::How::exited);
        REQUIRE(end.code == 0);
        REQUIRE(said.find("in 1 test case") != std::string::npos);
        return;
    }
    stencil::Communicator::begin(nullptr);
    REQUIRE(stencil::Communicator::all().size() == 2);
    if (stencil::Communicator::all().rank() > 0) {
        stencil::serve(stencil::Communicator::all());
    } else {
        try {
            act();
        } catch (...) {
            stencil::dismiss_team();
            throw;
        }
        stencil::dismiss_team();
    }
    stencil::Communicator::end();
}

}  // namespace stencil_test

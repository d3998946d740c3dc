// Processes that mpirun started.
#pragma once

#include <sys/types.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include "tests/support/scratch.h"

namespace stencil_test {

/// The process of a run into this folder that Open MPI gave this rank.
inline pid_t process_of_rank(int rank, const std::filesystem::path& folder) {
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", gone)) {
        const pid_t process = std::atoi(entry.path().filename().c_str());
        if (process > 0 && contains(read_bytes(entry.path() / "cmdline"), folder.string()) &&
            contains(read_bytes(entry.path() / "environ"),
                     std::string("OMPI_COMM_WORLD_RANK=") + std::to_string(rank)))
            return process;
    }
    throw std::runtime_error("there is no process of this rank");
}

}  // namespace stencil_test

// A distributed field, as a solver on process 0.
#pragma once

#include <memory>

#include "sim/machine/communicator.h"
#include "sim/problem/run_spec.h"
#include "sim/solvers/solver.h"

namespace stencil {

/// Makes a solver over at most `processes` processes (0: all), distributed if there are several, the method
/// supports it and the field has rows for two slabs; else on process 0 alone. Throws as make_solver() does.
std::unique_ptr<Solver> make_run_solver(const RunSpec& spec, const SolverSetup& setup, int processes = 0);

/// The row generator of start_recipe() if there are several processes; files are checked as by make_start().
/// Null if only make_start() can make the state, as whole fields. Throws InputError.
std::shared_ptr<const RowSource> start_in_place(RunSpec& spec);

/// Hash and statistics of a field of a source; all processes compute them if each can read its recipe.
struct SeenField {
    std::string hash;
    Statistics statistics;
};
SeenField look_at(const RowSource& source, std::size_t field);

/// Writes the field as a .npy file and returns its field_hash(). Throws FileError and then leaves no file.
std::string write_npy(const std::filesystem::path& path, const RowSource& source, std::size_t field);

// Functions for benchmarks, on solvers made by make_run_solver().

/// Fills all components with noise, without a whole field on any process. The values do not depend on the
/// number of processes.
void start_with_noise(Solver& solver, const SolverSetup& setup, std::uint64_t seed);

struct SpreadCosts {
    HaloExchange::Traffic sent = {};  ///< sent by process 0 since the solver was made
    double seconds_alone =
        0;  ///< time that the slowest process takes for the steps without communication; 0 for no steps
};
SpreadCosts costs_of(Solver& solver, long long steps);

/// The field_hash() of the state, computed where the rows are.
std::string hash_in_place(Solver& solver);

/// Assigns the host's GPUs to its processes, round robin if there are more processes.
void choose_gpu_of_process(const Communicator& comm);

}  // namespace stencil

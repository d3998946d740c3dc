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

/// The row generator of start_recipe(), if there are several processes, with its files checked as
/// make_start() does. Null if the state must be made whole by make_start(). Throws InputError.
std::shared_ptr<const RowSource> start_in_place(RunSpec& spec);

/// Hash and statistics of a field of a source, computed by all processes if its recipe allows.
struct SeenField {
    std::string hash;
    Statistics statistics;
};
SeenField look_at(const RowSource& source, std::size_t field);

/// Writes the field as a .npy file and returns its field_hash(). Throws FileError and then leaves no file.
std::string write_npy(const std::filesystem::path& path, const RowSource& source, std::size_t field);

// Functions for benchmarks, on solvers made by make_run_solver().

/// Fills all components with noise, without a whole field on any process. Independent of their number.
void start_with_noise(Solver& solver, const SolverSetup& setup, std::uint64_t seed);

struct SpreadCosts {
    HaloExchange::Traffic sent = {};  ///< by process 0 since the solver was made
    double seconds_alone =
        0;  ///< time of the steps on the slowest process without communication; 0 for no steps
};
SpreadCosts costs_of(Solver& solver, long long steps);

/// The field_hash() of the state, computed where the rows are.
std::string hash_in_place(Solver& solver);

/// Assigns the host's GPUs to its processes, round robin if there are more processes.
void choose_gpu_of_process(const Communicator& comm);

}  // namespace stencil

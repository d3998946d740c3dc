// One field spread over all processes of the program's team, as the solver that process 0 sees.
#pragma once

#include <memory>

#include "sim/machine/team.h"
#include "sim/run/run_spec.h"
#include "sim/run/solvers/solver.h"

namespace stencil {

/// Of a spec and its setup: spread where there are several processes, the method can share a field and the
/// field has rows for two; else on process 0 alone. Throws as make_solver() does.
/// `processes`: at most so many of them; 0: all.
std::unique_ptr<Solver> make_run_solver(const RunSpec& spec, const SolverSetup& setup, int processes = 0);

/// The start of a spec as start_recipe() has it, where there are several processes, with its files looked
/// through as make_start() does. Null where it is to be made whole, by that. Throws InputError.
std::shared_ptr<const RowSource> start_in_place(RunSpec& spec);

/// Of a field of a source: field_hash() and what is in it, worked out by all processes where its recipe is.
struct SeenField {
    std::string hash;
    Statistics statistics;
};
SeenField look_at(const RowSource& source, std::size_t field);

/// The same as a .npy file; its field_hash(). Throws FileError, and leaves no file then.
std::string write_npy(const std::filesystem::path& path, const RowSource& source, std::size_t field);

// Of a solver that make_run_solver() made, for measurements.

/// Noise in all components: no process makes a whole field. The same whatever their number.
void start_with_noise(Solver& solver, const SolverSetup& setup, std::uint64_t seed);

struct SpreadCosts {
    HaloExchange::Traffic sent = {};  ///< by process 0 since the solver was made
    double seconds_alone = 0;  ///< of so many steps by the slowest process, without its neighbours; 0 of none
};
SpreadCosts costs_of(Solver& solver, long long steps);

/// field_hash() of its state, worked out where the rows are.
std::string hash_in_place(Solver& solver);

/// The GPUs of a host are its processes', one each; in turn where there are more processes.
void choose_gpu_of_process(const Team& team);

/// Ends the others' serve().
void dismiss_team();

}  // namespace stencil

#include "sim/spread/team.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "sim/spread/mpi_team.h"

namespace stencil {
namespace {

// Of what one of several processes is told by its launcher: Open MPI, MPICH and others, Slurm.
constexpr const char* kLaunched[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"};

class Alone : public Team {
  public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    int host_rank() const override { return 0; }
    int host_size() const override { return 1; }
    std::unique_ptr<Team> first(int) override { return std::make_unique<Alone>(); }
    void broadcast(Bytes&) override {}
    std::vector<Bytes> gather(const Bytes& own) override { return {own}; }
    void sum(std::span<std::uint64_t>) override {}
    void send(const void*, std::size_t, int) override { throw std::logic_error("alone"); }
    void receive(void*, std::size_t, int) override { throw std::logic_error("alone"); }
    void exchange(const Neighbour&, const Neighbour&, std::size_t) override {
        throw std::logic_error("alone");
    }
    [[noreturn]] void abort(int status) override { std::_Exit(status); }
};

std::unique_ptr<Team>& the_team() {
    static std::unique_ptr<Team> team = std::make_unique<Alone>();
    return team;
}

}  // namespace

Team& Team::all() {
    return *the_team();
}

bool Team::is_built_in() {
    return STENCILSCOPE_HAS_MPI;
}

bool Team::was_launched() {
    return std::ranges::any_of(kLaunched, [](const char* name) { return std::getenv(name); });
}

void Team::begin([[maybe_unused]] int (*interrupted)()) {
#if STENCILSCOPE_HAS_MPI
    if (was_launched()) the_team() = begin_mpi(interrupted);
#endif
}

void Team::end() {
#if STENCILSCOPE_HAS_MPI
    if (!was_launched()) return;
    the_team() = std::make_unique<Alone>();
    end_mpi();
#endif
}

}  // namespace stencil

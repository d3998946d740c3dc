#include "sim/machine/communicator.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "sim/machine/child_process.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// Variables set by the launchers of Open MPI, MPICH, Slurm and others.
constexpr const char* kLaunched[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"};

class Alone : public Communicator {
  public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    int host_rank() const override { return 0; }
    int host_size() const override { return 1; }
    std::unique_ptr<Communicator> first(int) override { return std::make_unique<Alone>(); }
    void broadcast(Bytes&) override {}
    std::vector<Bytes> gather(const Bytes& own, std::size_t) override { return {own}; }
    void sum(std::span<std::uint64_t>) override {}
    void send(const void*, std::size_t, int) override { throw std::logic_error("alone"); }
    void receive(void*, std::size_t, int) override { throw std::logic_error("alone"); }
    int wait_for_sender() override { throw std::logic_error("alone"); }
    void exchange(const Neighbour&, const Neighbour&, std::size_t) override {
        throw std::logic_error("alone");
    }
    void all_to_all(const void*, std::span<const std::size_t>, void*, std::span<const std::size_t>) override {
        throw std::logic_error("alone");
    }
    [[noreturn]] void abort(int status) override { std::_Exit(status); }
};

// The module's file, beside the program or where it is installed.
std::string module_file() {
    std::error_code ignored;
    const auto folder = std::filesystem::read_symlink(own_program(), ignored).parent_path();
    for (const auto& path : {folder / kMpiModule, folder / "../lib/stencilscope" / kMpiModule})
        if (std::filesystem::exists(path, ignored)) return path.string();
    return "";
}

EndMpi end_mpi = nullptr;
bool shares_fields = true;

std::unique_ptr<Communicator>& the_team() {
    static std::unique_ptr<Communicator> comm = std::make_unique<Alone>();
    return comm;
}

}  // namespace

Communicator& Communicator::all() {
    return *the_team();
}

int Communicator::sharing() {
    return shares_fields ? all().size() : 1;
}

void Communicator::share_no_fields() {
    shares_fields = false;
}

bool Communicator::is_built_in() {
    return !module_file().empty();
}

bool Communicator::was_launched() {
    return std::ranges::any_of(kLaunched, [](const char* name) { return std::getenv(name); });
}

void Communicator::begin(int (*interrupted)()) {
    if (!was_launched() || !is_built_in()) return;
    // The module stays loaded, since other threads may be executing its code when the program ends.
    void* module = dlopen(module_file().c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!module) throw MachineError("MPI cannot be loaded: {}", dlerror());
    const auto start = reinterpret_cast<BeginMpi>(dlsym(module, "stencilscope_begin_mpi"));
    end_mpi = reinterpret_cast<EndMpi>(dlsym(module, "stencilscope_end_mpi"));
    if (!start || !end_mpi)
        throw MachineError("MPI cannot be loaded: it belongs to another version of this program");
    the_team().reset(start(interrupted));
}

void Communicator::end() {
    if (!end_mpi) return;
    the_team() = std::make_unique<Alone>();
    end_mpi();
}

}  // namespace stencil

#include "sim/distributed/slab_solver.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "sim/distributed/halos.h"
#include "sim/distributed/rows.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// Throws on all processes if any of them reports a problem.
void share_trouble(Communicator& comm, const std::string& own) {
    const auto all = gather_values(comm, own);
    const auto first = std::ranges::find_if(all, [](const std::string& text) { return !text.empty(); });
    if (first != all.end())
        throw MachineError("process " + std::to_string(first - all.begin()) + ": " + *first);
}

void report(Communicator& comm, const char* what) {
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    std::fprintf(stderr, "stencilscope: process %d on %s: %s\n", comm.rank(), host, what);
}

}  // namespace

Packet& operator<<(Packet& packet, const StepParameters& params) {
    return packet.put(static_cast<const DiffusionParams&>(params)).put(params.values).put(params.dt);
}

StepParameters read_params(Packet& packet) {
    const auto diffusion = packet.get<DiffusionParams>();
    auto values = packet.get<std::vector<double>>();
    return {diffusion, std::move(values), packet.get<double>()};
}

Packet& operator<<(Packet& packet, const InnerNumbers& numbers) {
    packet.put(numbers.size());
    for (const auto& [name, number] : numbers) {
        packet.put(name).put(std::holds_alternative<double>(number));
        std::visit([&](auto value) { packet.put(value); }, number);
    }
    return packet;
}

Packet& operator<<(Packet& packet, const Observable& what) {
    return packet.put(what.formula).put(what.quantity);
}

Observable read_observable(Packet& packet) {
    auto formula = packet.get<std::string>();
    return {std::move(formula), packet.get<Quantity>()};
}

SlabSolver::SlabSolver(std::unique_ptr<Communicator> comm, const SolverSetup& whole)
    : comm_(std::move(comm)), partition_(partition_of(whole, comm_->size())) {
    const int own = comm_->rank();
    SolverSetup& setup = setup_ = whole;
    setup.ny = partition_.stored_rows(own);
    setup.slab = partition_.slab(own);
    setup.sum = [comm = comm_.get()](std::span<std::uint64_t> counts) { comm->sum(counts); };
    std::string trouble;
    try {
        halo_ = make_halo(*comm_, partition_, setup.method->device);
        setup.halo = halo_.get();
        if (setup.method->jumps)
            strips_ = make_strip_exchange(*comm_, partition_, setup.nx, setup.method->device);
        setup.strips = strips_.get();
        solver_ = make_solver(setup);
    } catch (const std::bad_alloc&) {
        trouble = "out of memory";
    } catch (const std::exception& error) {
        trouble = error.what();
    }
    share_trouble(*comm_, trouble);
}

std::vector<Field> SlabSolver::gather(std::vector<Field> own) {
    return gather_rows(*comm_, partition_, std::move(own));
}

SlabSolver* SlabSolvers::find(int solver) {
    const auto found = slabs_.find(solver);
    return found == slabs_.end() ? nullptr : &found->second;
}

void SlabSolvers::make(int solver, SolverSetup setup, int processes) {
    auto comm = comm_.first(partition_of(setup, processes).parts);
    if (!comm) return;
    try {
        slabs_.try_emplace(solver, std::move(comm), setup);
    } catch (const MachineError&) {
        if (comm_.rank() == 0) throw;
    }
}

bool SlabSolvers::perform(Packet packet) {
    const auto verb = packet.get<Opcode>();
    if (verb == Opcode::quit) return false;
    const int number = packet.get<int>();
    if (verb == Opcode::make) {
        SolverSetup setup = solver_setup(spec_from_json(packet.get<std::string>(), "the spec of process 0"));
        setup.params = read_params(packet);
        make(number, std::move(setup), packet.get<int>());
        return true;
    }
    if (verb == Opcode::release) {
        saved_.erase(number);
        return true;
    }
    if (perform_on_rows(verb, packet)) return true;
    SlabSolver* slab = find(number);
    if (!slab) return true;
    if (verb == Opcode::drop)
        slabs_.erase(number);
    else if (!perform_on(*slab, verb, packet))
        throw std::logic_error("a verb that nobody knows");
    return true;
}

bool SlabSolvers::perform_on(SlabSolver& slab, Opcode verb, Packet& packet) {
    Solver& solver = slab.solver();
    const auto own_field = [&](Field field) {
        std::vector<Field> one;
        one.push_back(std::move(field));
        rows = slab.gather(std::move(one));
    };
    switch (verb) {
        case Opcode::set_params:
            solver.set_params(read_params(packet));
            return true;
        case Opcode::set_clock:
            solver.set_clock(packet.get<equation::Clock>());
            return true;
        case Opcode::advance:
            solver.advance(packet.get<long long>());
            return true;
        case Opcode::wait:
            answer.number = std::ranges::max(gather_values(slab.comm(), solver.wait()));
            return true;
        case Opcode::expect:
            solver.expect(packet.get<long long>());
            return true;
        case Opcode::wait_for_fastest:
            solver.wait_for_fastest();
            return true;
        case Opcode::fields:
            rows = slab.gather(solver.state().components);
            return true;
        case Opcode::field:
            own_field(solver.field(read_observable(packet)));
            return true;
        case Opcode::inner: {
            answer.inner = solver.inner();
            std::vector<Field> arrays;
            for (auto& [name, array] : answer.inner.arrays) arrays.push_back(std::move(array));
            rows = slab.gather(std::move(arrays));
            for (std::size_t i = 0; auto& [name, array] : answer.inner.arrays)
                if (i < rows.size()) array = std::move(rows[i++]);
            return true;
        }
        case Opcode::paint: {
            const auto component = packet.get<std::size_t>();
            solver.paint(packet.get<BrushPiece>(), component);
            return true;
        }
        case Opcode::save:
            saved_[packet.get<int>()] = solver.save();
            return true;
        case Opcode::restore:
            solver.restore(*saved_.at(packet.get<int>()));
            return true;
        case Opcode::set_base_from: {
            Solver& other = find(packet.get<int>())->solver();
            solver.set_base(other, packet.get<std::string>());
            return true;
        }
        default:
            return take(slab, verb, packet) || measure(slab, verb, packet) || look_at(slab, verb, packet);
    }
}

void serve(Communicator& comm) {
    SlabSolvers parts(comm);
    try {
        Bytes bytes;
        do {
            bytes.clear();
            comm.broadcast(bytes);
        } while (parts.perform(Packet(bytes)));
        return;
    } catch (const std::bad_alloc&) {
        report(comm, "out of memory; smaller sizes need less");
    } catch (const std::exception& error) {
        report(comm, error.what());
    }
    comm.abort(1);
}

}  // namespace stencil

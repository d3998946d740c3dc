#include "sim/distributed/part.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "sim/distributed/halos.h"
#include "sim/distributed/rows.h"
#include "sim/run/resolve.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// Throws on all processes if any of them reports a problem.
void share_trouble(Team& team, const std::string& own) {
    const auto all = gather_values(team, own);
    const auto first = std::ranges::find_if(all, [](const std::string& text) { return !text.empty(); });
    if (first != all.end())
        throw MachineError("process " + std::to_string(first - all.begin()) + ": " + *first);
}

void report(Team& team, const char* what) {
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    std::fprintf(stderr, "stencilscope: process %d on %s: %s\n", team.rank(), host, what);
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

Part::Part(std::unique_ptr<Team> team, const SolverSetup& whole)
    : team_(std::move(team)), partition_(partition_of(whole, team_->size())) {
    const int own = team_->rank();
    SolverSetup& setup = setup_ = whole;
    setup.ny = partition_.local_rows(own);
    setup.slab = partition_.slab(own);
    setup.sum = [team = team_.get()](std::span<std::uint64_t> counts) { team->sum(counts); };
    std::string trouble;
    try {
        halo_ = make_halo(*team_, partition_, setup.method->device);
        setup.halo = halo_.get();
        if (setup.method->jumps)
            strips_ = make_strip_exchange(*team_, partition_, setup.nx, setup.method->device);
        setup.strips = strips_.get();
        solver_ = make_solver(setup);
    } catch (const std::bad_alloc&) {
        trouble = "out of memory";
    } catch (const std::exception& error) {
        trouble = error.what();
    }
    share_trouble(*team_, trouble);
}

std::vector<Field> Part::gather(std::vector<Field> own) {
    return gather_rows(*team_, partition_, std::move(own));
}

Part* Parts::find(int solver) {
    const auto found = parts_.find(solver);
    return found == parts_.end() ? nullptr : &found->second;
}

void Parts::make(int solver, SolverSetup setup, int processes) {
    auto team = team_.first(partition_of(setup, processes).parts);
    if (!team) return;
    try {
        parts_.try_emplace(solver, std::move(team), setup);
    } catch (const MachineError&) {
        if (team_.rank() == 0) throw;
    }
}

bool Parts::perform(Packet packet) {
    const auto verb = packet.get<Verb>();
    if (verb == Verb::quit) return false;
    const int number = packet.get<int>();
    if (verb == Verb::make) {
        SolverSetup setup = solver_setup(spec_from_json(packet.get<std::string>(), "the spec of process 0"));
        setup.params = read_params(packet);
        make(number, std::move(setup), packet.get<int>());
        return true;
    }
    if (verb == Verb::release) {
        saved_.erase(number);
        return true;
    }
    if (perform_on_rows(verb, packet)) return true;
    Part* part = find(number);
    if (!part) return true;
    if (verb == Verb::drop)
        parts_.erase(number);
    else if (!perform_on(*part, verb, packet))
        throw std::logic_error("a verb that nobody knows");
    return true;
}

bool Parts::perform_on(Part& part, Verb verb, Packet& packet) {
    Solver& solver = part.solver();
    const auto own_field = [&](Field field) {
        std::vector<Field> one;
        one.push_back(std::move(field));
        rows = part.gather(std::move(one));
    };
    switch (verb) {
        case Verb::set_params:
            solver.set_params(read_params(packet));
            return true;
        case Verb::advance:
            solver.advance(packet.get<long long>());
            return true;
        case Verb::wait:
            answer.number = std::ranges::max(gather_values(part.team(), solver.wait()));
            return true;
        case Verb::expect:
            solver.expect(packet.get<long long>());
            return true;
        case Verb::wait_for_fastest:
            solver.wait_for_fastest();
            return true;
        case Verb::fields:
            rows = part.gather(solver.state().components);
            return true;
        case Verb::field:
            own_field(solver.field(read_observable(packet)));
            return true;
        case Verb::inner: {
            answer.inner = solver.inner();
            std::vector<Field> arrays;
            for (auto& [name, array] : answer.inner.arrays) arrays.push_back(std::move(array));
            rows = part.gather(std::move(arrays));
            for (std::size_t i = 0; auto& [name, array] : answer.inner.arrays)
                if (i < rows.size()) array = std::move(rows[i++]);
            return true;
        }
        case Verb::paint: {
            const auto component = packet.get<std::size_t>();
            solver.paint(packet.get<BrushPiece>(), component);
            return true;
        }
        case Verb::save:
            saved_[packet.get<int>()] = solver.save();
            return true;
        case Verb::restore:
            solver.restore(*saved_.at(packet.get<int>()));
            return true;
        case Verb::set_base_from: {
            Solver& other = find(packet.get<int>())->solver();
            solver.set_base(other, packet.get<std::string>());
            return true;
        }
        default:
            return take(part, verb, packet) || measure(part, verb, packet) || look_at(part, verb, packet);
    }
}

void serve(Team& team) {
    Parts parts(team);
    try {
        Bytes bytes;
        do {
            bytes.clear();
            team.broadcast(bytes);
        } while (parts.perform(Packet(bytes)));
        return;
    } catch (const std::bad_alloc&) {
        report(team, "out of memory; smaller sizes need less");
    } catch (const std::exception& error) {
        report(team, error.what());
    }
    team.abort(1);
}

}  // namespace stencil

// Commands that move rows into slabs or files.

#include "sim/distributed/slab_solver.h"

namespace stencil {
namespace {

// Reads the inverse of operator<<: numbers by name, each a double or an integer.
InnerNumbers read_numbers(Packet& packet) {
    InnerNumbers numbers;
    for (auto left = packet.get<std::size_t>(); left > 0; --left) {
        const auto name = packet.get<std::string>();
        if (packet.get<bool>())
            numbers[name] = packet.get<double>();
        else
            numbers[name] = packet.get<std::int64_t>();
    }
    return numbers;
}

std::shared_ptr<const RowSource> rows_of(const SlabSolver& slab, State own) {
    return std::make_shared<StateRows>(
        std::make_shared<State>(std::move(own)), slab.first_row(), slab.partition().rows);
}

// The state of another solver with the same slabs.
SolverRecord snapshot_of(SlabSolver& slab) {
    SolverRecord now = slab.solver().snapshot();
    State own = std::move(now.plain);
    now.plain.step = own.step;
    for (auto& [name, array] : now.inner.arrays) own.components.push_back(std::move(array));
    now.arrays = rows_of(slab, std::move(own));
    return now;
}

}  // namespace

bool SlabSolvers::take(SlabSolver& slab, Opcode verb, Packet& packet) {
    Solver& solver = slab.solver();
    const auto rows_given = [&] { return take_rows(slab.comm(), slab.partition(), packet, given); };
    switch (verb) {
        case Opcode::load: {
            const auto step = packet.get<long long>();
            solver.load(*rows_given().rows, step);
            return true;
        }
        case Opcode::take_inner: {
            std::vector<std::string> names(packet.get<std::size_t>());
            for (std::string& name : names) name = packet.get<std::string>();
            InnerNumbers numbers = read_numbers(packet);
            const GivenRows arrays = rows_given();
            answer.number =
                solver.take_inner({std::move(numbers), std::move(names), *arrays.rows, arrays.first}) ? 1 : 0;
            return true;
        }
        case Opcode::set_base: {
            const GivenRows base = rows_given();
            solver.set_base(base.rows->rows(base.first, slab.first_row(), slab.local_rows()));
            return true;
        }
        case Opcode::load_from: {
            const State now = find(packet.get<int>())->solver().state();
            solver.load(*rows_of(slab, now.to(slab.setup().dtype)), now.step);
            return true;
        }
        case Opcode::go_on_from:
            solver.resume(snapshot_of(*find(packet.get<int>())));
            return true;
        case Opcode::write: {
            SolverArray array{packet.get<SolverArray::Kind>(), packet.get<std::size_t>(), {}};
            array.inner = packet.get<std::string>();
            array.observable = read_observable(packet);
            answer.written =
                write_together(slab.comm(),
                               packet.get<std::string>(),
                               {slab.nx(), slab.partition().rows, slab.first_row(), [&](const RowSink& sink) {
                                    solver.read_rows(array, sink);
                                }});
            return true;
        }
        default:
            return false;
    }
}

// The answer stays empty if any process cannot read the recipe.
bool SlabSolvers::perform_on_rows(Opcode verb, Packet& packet) {
    if (verb != Opcode::look_at_rows && verb != Opcode::write_rows) return false;
    answer.seen = {};
    answer.written = {};
    const auto source = read_everywhere(comm_, packet.get<std::string>());
    if (!source) return true;
    const auto field = packet.get<std::size_t>();
    const Partition shares{source->ny(), comm_.size(), 0, false};
    const int first = shares.begin(comm_.rank()), count = shares.local_rows(comm_.rank());
    const auto give = [&](const RowSink& sink) {
        for_pieces(*source, field, first, count, [&](int y, const Field& piece) { sink(y - first, piece); });
    };
    const OwnRows own{source->nx(), source->ny(), first, give, source->dtypes()[field]};
    if (verb == Opcode::look_at_rows)
        answer.seen = look_together(comm_, own);
    else
        answer.written = write_together(comm_, packet.get<std::string>(), own);
    return true;
}

}  // namespace stencil

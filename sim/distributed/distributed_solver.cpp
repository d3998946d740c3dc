#include "sim/distributed/distributed_solver.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <utility>

#include "sim/distributed/slab_solver.h"
#include "sim/field/field_hash.h"
#include "sim/files/atomic_file.h"
#include "sim/files/npy_rows.h"
#include "sim/problem/start.h"
#include "sim/problem/typed_run.h"
#include "sim/text/error.h"
#include "sim/text/json.h"

namespace stencil {
namespace {

SlabSolvers& parts() {
    static SlabSolvers all(Communicator::all());
    return all;
}

// Calls come from the engine's thread and at the end from main's; one at a time.
std::recursive_mutex& in_call() {
    static std::recursive_mutex mutex;
    return mutex;
}

// Collective call. An exception after the broadcast would deadlock the other ranks, so abort.
SlabSolvers::Answer call(Packet& packet) {
    const std::lock_guard lock(in_call());
    Communicator::all().broadcast(packet.bytes());
    try {
        parts().perform(Packet(packet.bytes()));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "stencilscope: process 0: %s\n", error.what());
        Communicator::all().abort(1);
    }
    return std::move(parts().answer);
}

// All processes write one file, whose name is appended to the packet. Returns its hash, or nothing if not all
// can read the recipe.
std::optional<std::string> write_shared(const std::filesystem::path& path, Packet& packet) {
    AtomicFile file(path, AtomicFile::Temporary::named);
    const std::lock_guard lock(in_call());
    const WrittenRows written =
        call(packet.put(std::filesystem::absolute(file.open_name()).string())).written;
    if (!written.trouble.empty()) file.fail(written.trouble);
    if (written.hash.empty()) return std::nullopt;
    file.commit();
    return written.hash;
}

class SpreadState : public SavedState {
  public:
    explicit SpreadState(std::size_t bytes) : bytes_(bytes) {
        static int states = 0;
        number = ++states;
    }
    ~SpreadState() override {
        Packet packet;
        packet.put(Opcode::release).put(number);
        call(packet);
    }
    std::size_t bytes() const override { return bytes_; }

    int number;
    Boundary boundary = Boundary::zero;
    long long step = 0;

  private:
    std::size_t bytes_;
};

class DistributedSolver : public Solver {
  public:
    DistributedSolver(const RunSpec& spec, const SolverSetup& setup, int processes)
        : Solver(setup), spec_(spec), processes_(processes), number_(made(setup.params)) {}
    ~DistributedSolver() override { call(begin(Opcode::drop)); }

    void set_params(const StepParameters& params) override {
        if (has_halos_of(params.boundary)) {
            setup_.params = params;
            Packet packet = begin(Opcode::set_params);
            call(packet << params);
            return;
        }
        remake(params, true);
    }

    using Solver::load;
    void load(Solver& other) override {
        const auto* spread = dynamic_cast<DistributedSolver*>(&other);
        if (!spread || spread->processes() != processes()) return Solver::load(other);
        call(begin(Opcode::load_from).put(spread->number_));
        step_ = other.step();
        forget_largest();
    }

    equation::Clock clock() const override { return parts().find(number_)->solver().clock(); }
    void set_clock(const equation::Clock& clock) override { call(begin(Opcode::set_clock).put(clock)); }

    double wait() override { return call(begin(Opcode::wait)).number; }
    void expect(long long steps) override { call(begin(Opcode::expect).put(steps)); }
    void wait_for_fastest() override { call(begin(Opcode::wait_for_fastest)); }
    ExecutionPath way() const override { return parts().find(number_)->solver().way(); }

    int processes() const override { return parts().find(number_)->partition().parts; }

    Field field(const Observable& what = {}) override {
        const Packet packet = look(Opcode::field, what);
        const std::lock_guard lock(in_call());
        call(packet);
        return std::move(parts().rows.front());
    }

    void set_base(const Field& base) override { set_base(FieldRows({&base}), 0); }
    void set_base(const RowSource& source, std::size_t field) override {
        give(source, field, 1, begin(Opcode::set_base));
    }
    void set_base(Solver& other, const std::string& formula = {}) override {
        // Works in place only if both solvers have the same slabs.
        const auto* spread = dynamic_cast<DistributedSolver*>(&other);
        if (!spread || spread->processes() != processes()) return set_base(other.field(formula));
        spread->check(formula);
        call(begin(Opcode::set_base_from).put(spread->number_).put(formula));
    }

    void resample(const Observable& what, const ResampleRequest& request, bool, Pixels& out) override {
        out.width = request.width;
        out.height = request.height;
        out.on_device = false;
        out.host = call(look(Opcode::resample, what).put(request)).pixels;
    }

    PartialStatistics sums(const Observable& what, Summand summand) override {
        return call(look(Opcode::sums, what).put(summand)).sums;
    }
    std::vector<double> percentiles(const Observable& what, std::span<const double> q) override {
        const std::vector<double> all(q.begin(), q.end());
        return call(look(Opcode::percentiles, what).put(all)).values;
    }
    std::vector<std::uint64_t> histogram(const Observable& what, double low, double high, int bins) override {
        return call(look(Opcode::histogram, what).put(HistogramBins{low, high, bins})).counts;
    }
    std::vector<double> sample(const Observable& what,
                               std::span<const SamplePoint> points,
                               bool smooth) override {
        const std::vector<SamplePoint> all(points.begin(), points.end());
        return call(look(Opcode::sample, what).put(all).put(smooth)).values;
    }

    std::unique_ptr<SavedState> save() override {
        const double cell = double(bytes_of(setup_.dtype)) * double(setup_.components());
        auto state = std::make_unique<SpreadState>(std::size_t(double(setup_.nx) * setup_.ny * cell));
        state->boundary = setup_.params.boundary;
        state->step = step_;
        call(begin(Opcode::save).put(state->number));
        return state;
    }
    void restore(const SavedState& state) override {
        const auto& saved = dynamic_cast<const SpreadState&>(state);
        if (!has_halos_of(saved.boundary)) {
            StepParameters then = setup_.params;
            then.boundary = saved.boundary;
            remake(then, false);
        }
        call(begin(Opcode::restore).put(saved.number));
        step_ = saved.step;
        forget_largest();
    }

    std::string write_npy(const std::filesystem::path& path, const SolverArray& array) override {
        Packet packet = begin(Opcode::write);
        check(array.observable);
        packet.put(array.kind).put(array.component).put(array.inner) << array.observable;
        return *write_shared(path, packet);
    }

    InnerState inner(bool with_cells) override {
        return with_cells ? call(begin(Opcode::inner)).inner : own().inner(false);
    }
    bool take_inner(const InnerRows& inner) override {
        Packet packet = begin(Opcode::take_inner);
        packet.put(inner.names.size());
        for (const std::string& name : inner.names) packet.put(name);
        packet << inner.numbers;
        if (inner.arrays.nx() != setup_.nx || inner.arrays.ny() != setup_.ny) return false;
        return give(inner.arrays, inner.first, inner.names.size(), packet).number != 0;
    }

    SpreadCosts costs(long long steps) {
        SpreadCosts costs;
        costs.sent = call(begin(Opcode::traffic)).traffic;
        if (steps > 0) costs.seconds_alone = call(begin(Opcode::seconds_alone).put(steps)).number;
        return costs;
    }
    std::string hash() { return call(begin(Opcode::hash)).text; }

  protected:
    void load_fields(const RowSource& start) override {
        give(start, 0, setup_.components(), begin(Opcode::load).put(step_));
    }
    std::vector<Field> fields() override {
        const std::lock_guard lock(in_call());
        call(begin(Opcode::fields));
        return std::move(parts().rows);
    }
    void advance_by(long long steps) override { call(begin(Opcode::advance).put(steps)); }
    void paint_piece(const BrushPiece& piece, std::size_t component) override {
        call(begin(Opcode::paint).put(component).put(piece));
    }
    double largest_value(const StepParameters& params) const override {
        return parts().find(number_)->solver().largest_allowed(params);
    }

  private:
    // Makes a solver on all processes and returns its number. Throws MachineError.
    int made(const StepParameters& params) const {
        static int solvers = 0;
        const std::lock_guard lock(in_call());
        const int number = ++solvers;
        Packet packet;
        packet.put(Opcode::make).put(number);
        // Sends only settings that concern the steps.
        RunSpec spec = spec_;
        spec.exports = RunSpec().exports;
        spec.edits = {};
        packet.put(json_text(to_json(spec))) << params;
        Communicator::all().broadcast(packet.put(processes_).bytes());
        SolverSetup setup = setup_;
        setup.params = params;
        parts().make(number, setup, processes_);
        return number;
    }

    // Whether the halos fit the boundary: periodic fields have halos at their ends too. Typed equations
    // change sides by a new setup.
    bool has_halos_of(Boundary boundary) const {
        return setup_.is_general() ||
               (setup_.params.boundary == Boundary::periodic) == (boundary == Boundary::periodic);
    }
    // Replaces the solver by one with other halos, with or without copying the cells. Changes nothing on
    // failure.
    void remake(const StepParameters& params, bool with_cells) {
        const int last = std::exchange(number_, made(params));
        if (with_cells) call(begin(Opcode::go_on_from).put(last));
        Packet packet;
        call(packet.put(Opcode::drop).put(last));
        setup_.params = params;
    }

    Packet begin(Opcode verb) const {
        Packet packet;
        packet.put(verb).put(number_);
        return packet;
    }
    static SlabSolvers::Answer call(Packet packet) { return stencil::call(packet); }

    // Checks the observable before any other process is involved.
    Packet look(Opcode verb, const Observable& what) const {
        check(what);
        Packet packet = begin(verb);
        packet << what;
        return packet;
    }
    void check(const Observable& what) const {
        const bool laplacian = what.quantity == Quantity::laplacian;
        const std::pair key{what.formula, laplacian};
        if (what.formula.empty() || std::ranges::find(checked_, key) != checked_.end()) return;
        const Shown shown(*setup_.typed, what.formula);
        require_reach(
            shown.program(laplacian, false), what.formula, parts().find(number_)->partition().depth);
        checked_.push_back(key);
    }

    SlabSolvers::Answer give(const RowSource& source, std::size_t first, std::size_t count, Packet packet) {
        const std::lock_guard lock(in_call());
        parts().given = &source;
        SlabSolvers::Answer answer = call(put_rows(packet, source, first, count));
        parts().given = nullptr;
        return answer;
    }

    Solver& own() { return parts().find(number_)->solver(); }

    RunSpec spec_;
    int processes_;
    int number_;
    mutable std::vector<std::pair<std::string, bool>>
        checked_;  ///< valid formulas, and whether their Laplacian was checked
};

}  // namespace

std::unique_ptr<Solver> make_run_solver(const RunSpec& spec, const SolverSetup& setup, int processes) {
    const int most = processes > 0 ? processes : Communicator::all().size();
    if (partition_of(setup, most).parts == 1) return make_solver(setup);
    return std::make_unique<DistributedSolver>(spec, setup, most);
}

std::shared_ptr<const RowSource> start_in_place(RunSpec& spec) {
    if (Communicator::all().size() == 1) return nullptr;
    auto start = start_recipe(spec);
    for (std::size_t c = 0; start && c < start->count(); ++c) {
        const std::string file = initial_choice(spec, c).file;
        if (file.empty()) continue;
        const SeenField seen = look_at(*start, c);
        require_finite(file, seen.statistics.not_finite, 1ULL * start->nx() * start->ny());
        if (c == 0) keep_hash(spec, seen.hash);
    }
    return start;
}

SeenField look_at(const RowSource& source, std::size_t field) {
    const std::lock_guard lock(in_call());
    RowsSeen seen;
    const std::string recipe = source.recipe();
    if (Communicator::all().size() > 1 && !recipe.empty()) {
        Packet packet;
        seen = call(packet.put(Opcode::look_at_rows).put(0).put(recipe).put(field)).seen;
    }
    if (seen.hash.empty() && seen.trouble.empty()) seen = look_alone(source, field);
    if (!seen.trouble.empty()) throw InputError(seen.trouble);
    return {seen.hash, seen.statistics};
}

std::string write_npy(const std::filesystem::path& path, const RowSource& source, std::size_t field) {
    const std::string recipe = source.recipe();
    if (Communicator::all().size() > 1 && !recipe.empty()) {
        Packet packet;
        packet.put(Opcode::write_rows).put(0).put(recipe).put(field);
        if (const auto written = write_shared(path, packet)) return *written;
    }
    return write_npy_rows(path, source.nx(), source.ny(), [&](const RowSink& sink) {
        for_pieces(source, field, 0, source.ny(), sink);
    });
}

void start_with_noise(Solver& solver, const SolverSetup& setup, std::uint64_t seed) {
    solver.load(*noise_rows(setup.nx, setup.ny, setup.dtype, setup.components(), seed, setup.threads));
}

SpreadCosts costs_of(Solver& solver, long long steps) {
    auto* spread = dynamic_cast<DistributedSolver*>(&solver);
    return spread ? spread->costs(steps) : SpreadCosts{};
}

std::string hash_in_place(Solver& solver) {
    auto* spread = dynamic_cast<DistributedSolver*>(&solver);
    return spread ? spread->hash() : field_hash(solver.state().components);
}

void choose_gpu_of_process(const Communicator& comm) {
    if (comm.size() == 1) return;
    const auto& devices = query_cuda().devices;
    if (devices.empty()) return;
    choose_cuda_device(devices[std::size_t(comm.host_rank()) % devices.size()].index);
}

void dismiss_team() {
    if (Communicator::all().size() == 1) return;
    Packet packet;
    Communicator::all().broadcast(packet.put(Opcode::quit).bytes());
}

}  // namespace stencil

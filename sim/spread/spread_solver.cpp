#include "sim/spread/spread_solver.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <utility>

#include "sim/field/field_hash.h"
#include "sim/run/solvers/typed_run.h"
#include "sim/spread/part.h"
#include "sim/text/json.h"

namespace stencil {
namespace {

Parts& parts() {
    static Parts all(Team::all());
    return all;
}

// Calls come from the engine's thread, and the last ones from main's; one is made at a time.
std::recursive_mutex& in_call() {
    static std::recursive_mutex mutex;
    return mutex;
}

// Everybody does it, this process too. What goes wrong from here on cannot be made good by the others, which
// may wait for this one.
Parts::Answer& call(Packet& packet) {
    const std::lock_guard lock(in_call());
    Team::all().broadcast(packet.bytes());
    try {
        parts().perform(Packet(packet.bytes()));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "stencilscope: process 0: %s\n", error.what());
        Team::all().abort(1);
    }
    return parts().answer;
}

Packet& operator<<(Packet& packet, const InnerState& inner) {
    packet.put(inner.arrays.size());
    for (const auto& [name, array] : inner.arrays) packet.put(name);
    return packet << inner.numbers;
}

class SpreadState : public SavedState {
  public:
    explicit SpreadState(std::size_t bytes) : bytes_(bytes) {
        static int states = 0;
        number = ++states;
    }
    ~SpreadState() override {
        Packet packet;
        packet.put(Verb::release).put(number);
        call(packet);
    }
    std::size_t bytes() const override { return bytes_; }

    int number;
    Boundary boundary = Boundary::zero;
    long long step = 0;

  private:
    std::size_t bytes_;
};

class SpreadSolver : public Solver {
  public:
    SpreadSolver(const RunSpec& spec, const SolverSetup& setup, int processes)
        : Solver(setup), spec_(spec), processes_(processes), number_(made(setup.params)) {}
    ~SpreadSolver() override { call(begin(Verb::drop)); }

    void set_params(const StepParameters& params) override {
        if (has_halos_of(params.boundary)) {
            setup_.params = params;
            Packet packet = begin(Verb::set_params);
            call(packet << params);
            return;
        }
        const SolverSnapshot now = snapshot();
        remake(params);
        resume(now);
    }

    void show(const std::string& formula) override {
        own().show(formula);  // which throws before anybody else hears of it
        shown_ = formula;
        call(begin(Verb::show).put(formula));
    }

    double wait() override { return call(begin(Verb::wait)).number; }
    void expect(long long steps) override { call(begin(Verb::expect).put(steps)); }
    void wait_for_fastest() override { call(begin(Verb::wait_for_fastest)); }
    SteppingWay way() const override { return parts().find(number_)->solver().way(); }

    int processes() const override { return parts().find(number_)->partition().parts; }

    Field field() override { return gathered(begin(Verb::field).put(false)); }
    Field laplacian() override { return gathered(begin(Verb::field).put(true)); }

    void set_base(const Field& base) override {
        give({&base, 1}, begin(Verb::set_base).put(std::size_t(1)).put(base.dtype()));
    }
    void set_base(Solver& other) override {
        // As many processes have the same rows.
        const auto* spread = dynamic_cast<SpreadSolver*>(&other);
        if (spread && spread->processes() == processes())
            call(begin(Verb::set_base_from).put(spread->number_));
        else
            set_base(other.field());
    }

    void resample(Quantity quantity, const ResampleRequest& request, bool, Pixels& out) override {
        out.width = request.width;
        out.height = request.height;
        out.on_device = false;
        const std::lock_guard lock(in_call());
        out.host = std::move(call(begin(Verb::resample).put(quantity).put(request)).pixels);
    }

    Statistics statistics(Quantity quantity) override {
        return call(begin(Verb::statistics).put(quantity)).statistics;
    }
    double norm(Quantity quantity) override { return call(begin(Verb::norm).put(quantity)).number; }
    std::vector<double> percentiles(Quantity quantity, std::span<const double> q) override {
        const std::vector<double> all(q.begin(), q.end());
        return call(begin(Verb::percentiles).put(quantity).put(all)).values;
    }
    std::vector<std::uint64_t> histogram(Quantity quantity, double low, double high, int bins) override {
        return call(begin(Verb::histogram).put(quantity).put(HistogramBins{low, high, bins})).counts;
    }
    std::vector<double> sample(Quantity quantity, std::span<const SamplePoint> points, bool smooth) override {
        const std::vector<SamplePoint> all(points.begin(), points.end());
        return call(begin(Verb::sample).put(quantity).put(all).put(smooth)).values;
    }

    std::unique_ptr<SavedState> save() override {
        const double cell = double(bytes_of(setup_.dtype)) * double(components());
        auto state = std::make_unique<SpreadState>(std::size_t(double(setup_.nx) * setup_.ny * cell));
        state->boundary = setup_.params.boundary;
        state->step = step_;
        call(begin(Verb::save).put(state->number));
        return state;
    }
    void restore(const SavedState& state) override {
        const auto& saved = dynamic_cast<const SpreadState&>(state);
        if (!has_halos_of(saved.boundary)) {
            StepParameters then = setup_.params;
            then.boundary = saved.boundary;
            remake(then);
        }
        call(begin(Verb::restore).put(saved.number));
        step_ = saved.step;
        forget_largest();
    }

    InnerState inner() override { return std::move(call(begin(Verb::inner)).inner); }
    bool take_inner(const InnerState& inner) override {
        Packet packet = begin(Verb::take_inner);
        packet << inner;
        std::vector<Field> arrays;
        for (const auto& [name, array] : inner.arrays) {
            if (array.nx() != setup_.nx || array.ny() != setup_.ny) return false;
            arrays.push_back(array.clone());
        }
        const DType dtype = arrays.empty() ? setup_.dtype : arrays.front().dtype();
        give(arrays, packet.put(arrays.size()).put(dtype));
        return parts().answer.number != 0;
    }

    void start_noise(std::uint64_t seed) {
        call(begin(Verb::start_noise).put(seed));
        forget_largest();
        step_ = 0;
    }
    SpreadCosts costs(long long steps) {
        SpreadCosts costs;
        costs.sent = call(begin(Verb::traffic)).traffic;
        if (steps > 0) costs.seconds_alone = call(begin(Verb::seconds_alone).put(steps)).number;
        return costs;
    }
    std::string hash() { return call(begin(Verb::hash)).text; }

  protected:
    void load_fields(std::span<const Field> start) override {
        give(start, begin(Verb::load).put(step_).put(start.size()).put(start.front().dtype()));
    }
    std::vector<Field> fields() override {
        const std::lock_guard lock(in_call());
        call(begin(Verb::fields));
        return std::move(parts().rows);
    }
    void advance_by(long long steps) override { call(begin(Verb::advance).put(steps)); }
    void paint_piece(const BrushPiece& piece, std::size_t component) override {
        call(begin(Verb::paint).put(component).put(piece));
    }
    double largest_value(const StepParameters& params) const override {
        return parts().find(number_)->solver().largest_allowed(params);
    }

  private:
    // The number of the solver of all processes with these parameters. Throws MachineError.
    int made(const StepParameters& params) const {
        static int solvers = 0;
        const std::lock_guard lock(in_call());
        const int number = ++solvers;
        Packet packet;
        packet.put(Verb::make).put(number);
        // What is stepped, and nothing of what becomes of it.
        RunSpec spec = spec_;
        spec.exports = RunSpec().exports;
        spec.edits = {};
        packet.put(json_text(to_json(spec))) << params;
        Team::all().broadcast(packet.put(processes_).bytes());
        SolverSetup setup = setup_;
        setup.params = params;
        parts().make(number, setup, processes_);
        return number;
    }

    // The ends of a periodic field have halos too. Other sides of typed equations are another setup.
    bool has_halos_of(Boundary boundary) const {
        return setup_.typed ||
               (setup_.params.boundary == Boundary::periodic) == (boundary == Boundary::periodic);
    }
    // With the halos of these parameters, and no cells yet. Where it does not fit nothing has changed.
    void remake(const StepParameters& params) {
        const int next = made(params);
        call(begin(Verb::drop));
        number_ = next;
        setup_.params = params;
        if (!shown_.empty()) show(shown_);
    }

    Packet begin(Verb verb) const {
        Packet packet;
        packet.put(verb).put(number_);
        return packet;
    }
    static Parts::Answer& call(Packet packet) { return stencil::call(packet); }

    // The rows of whole fields behind a packet.
    void give(std::span<const Field> whole, Packet& packet) {
        const std::lock_guard lock(in_call());
        parts().given = whole;
        call(packet);
        parts().given = {};
    }
    Field gathered(const Packet& packet) {
        const std::lock_guard lock(in_call());
        call(packet);
        return std::move(parts().rows.front());
    }

    Solver& own() { return parts().find(number_)->solver(); }
    std::size_t components() const { return setup_.typed ? setup_.typed->equations.components.size() : 1; }

    RunSpec spec_;
    int processes_;
    int number_;
    std::string shown_;
};

}  // namespace

std::unique_ptr<Solver> make_run_solver(const RunSpec& spec, const SolverSetup& setup, int processes) {
    const int most = processes > 0 ? processes : Team::all().size();
    if (partition_of(setup, most).parts == 1) return make_solver(setup);
    return std::make_unique<SpreadSolver>(spec, setup, most);
}

void start_with_noise(Solver& solver, const SolverSetup& setup, std::uint64_t seed) {
    if (auto* spread = dynamic_cast<SpreadSolver*>(&solver))
        spread->start_noise(seed);
    else
        solver.load(noise_rows(setup, 0, setup.ny, seed));
}

SpreadCosts costs_of(Solver& solver, long long steps) {
    auto* spread = dynamic_cast<SpreadSolver*>(&solver);
    return spread ? spread->costs(steps) : SpreadCosts{};
}

std::string hash_in_place(Solver& solver) {
    auto* spread = dynamic_cast<SpreadSolver*>(&solver);
    return spread ? spread->hash() : field_hash(solver.state().components);
}

void choose_gpu_of_process(const Team& team) {
    if (team.size() == 1) return;
    const auto& devices = query_cuda().devices;
    if (devices.empty()) return;
    choose_cuda_device(devices[std::size_t(team.host_rank()) % devices.size()].index);
}

void dismiss_team() {
    if (Team::all().size() == 1) return;
    Packet packet;
    Team::all().broadcast(packet.put(Verb::quit).bytes());
}

}  // namespace stencil

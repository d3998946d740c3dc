#include "sim/distributed/distributed_solver.h"

#include <algorithm>
#include <utility>

#include "sim/distributed/slab_solver.h"
#include "sim/distributed/team.h"
#include "sim/field/field_hash.h"
#include "sim/files/atomic_file.h"
#include "sim/files/held_arrays.h"
#include "sim/files/npy_rows.h"
#include "sim/problem/start.h"
#include "sim/problem/typed_run.h"
#include "sim/text/error.h"
#include "sim/text/json.h"

namespace stencil {

// parts_of() for the structures that processes send each other.
auto parts_of(StepParameters& params) {
    return std::tie(static_cast<DiffusionParams&>(params), params.values, params.dt);
}
auto parts_of(Observable& what) {
    return std::tie(what.formula, what.quantity);
}
auto parts_of(SolverArray& array) {
    return std::tie(array.kind, array.component, array.inner, array.observable);
}

// An array in memory that a text names.
struct SentArray {
    DType dtype = DType::float64;
    int nx = 0, ny = 0;
    std::vector<double> values;
};
auto parts_of(SentArray& array) {
    return std::tie(array.dtype, array.nx, array.ny, array.values);
}

namespace {

using NumberList = std::vector<std::pair<std::string, InnerNumbers::mapped_type>>;

std::vector<SentArray> sent_arrays(std::string_view text) {
    std::vector<SentArray> arrays;
    for (const auto& [name, field] : arrays_named(text))
        arrays.push_back({field->dtype(), field->nx(), field->ny(), field->values()});
    return arrays;
}

HeldArrays held(const std::vector<SentArray>& arrays) {
    HeldArrays all;
    for (const SentArray& array : arrays) {
        Array<double> cells(array.nx, array.ny);
        std::ranges::copy(array.values, cells.data());
        all.insert(hold_array(Field(std::move(cells)).to(array.dtype)));
    }
    return all;
}

// All processes write one file. `write(name)` returns the file's hash, or nothing if a process cannot read
// the recipe.
template <class Write>
std::optional<std::string> write_shared(const std::filesystem::path& path, const Write& write) {
    AtomicFile file(path, AtomicFile::Temporary::named);
    const WrittenRows written = write(std::filesystem::absolute(file.open_name()).string());
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
        together<"forget state">([](int state) { slabs().saved.erase(state); }, number);
    }
    std::size_t bytes() const override { return bytes_; }

    int number;
    Boundary boundary = Boundary::zero;
    long long step = 0;

  private:
    std::size_t bytes_;
};

class DistributedSolver : public Solver {
    // Calls act(slab, arguments...) together() on all processes that have a slab of the field.
    template <team::Name name, class Act, class... Args>
    auto call(Act, const Args&... arguments) const {
        const auto on_slab = [](int number, const Args&... all) {
            using Answer = std::invoke_result_t<Act, SlabSolver&, const Args&...>;
            SlabSolver* slab = slabs().find(number);
            return slab ? Act()(*slab, all...) : Answer();
        };
        return together<name>(on_slab, number_, arguments...);
    }

  public:
    DistributedSolver(const RunSpec& spec, const SolverSetup& setup, int processes)
        : Solver(setup), spec_(spec), processes_(processes), number_(made(setup.params)) {}
    ~DistributedSolver() override { drop(number_); }

    void set_params(const StepParameters& params) override {
        if (!has_halos_of(params.boundary)) return remake(params, true);
        setup_.params = params;
        call<"set parameters">(
            [](SlabSolver& slab, const StepParameters& all) { slab.solver().set_params(all); }, params);
    }

    using Solver::load;
    void load(Solver& other) override {
        const auto* spread = dynamic_cast<DistributedSolver*>(&other);
        if (!spread || spread->processes() != processes()) return Solver::load(other);
        call<"load from solver">(
            [](SlabSolver& slab, int from) {
                const State now = slabs().find(from)->solver().state();
                const StateRows rows(std::make_shared<State>(now.to(slab.setup().dtype)),
                                     slab.first_row(),
                                     slab.partition().rows);
                slab.solver().load(rows, now.step);
            },
            spread->number_);
        step_ = other.step();
        forget_largest();
    }

    equation::Clock clock() const override { return own().clock(); }
    void set_clock(const equation::Clock& clock) override {
        call<"set clock">(
            [](SlabSolver& slab, const equation::Clock& same) { slab.solver().set_clock(same); }, clock);
    }

    double wait() override {
        return call<"wait">([](SlabSolver& slab) {
            return std::ranges::max(gather_values(slab.comm(), slab.solver().wait()));
        });
    }
    void expect(long long steps) override {
        call<"expect">([](SlabSolver& slab, long long all) { slab.solver().expect(all); }, steps);
    }
    void wait_for_fastest() override {
        call<"wait for fastest">([](SlabSolver& slab) { slab.solver().wait_for_fastest(); });
    }
    ExecutionPath way() const override { return own().way(); }

    int processes() const override { return slabs().find(number_)->partition().parts; }

    Field field(const Observable& what = {}) override {
        check(what);
        const auto gathered = [](SlabSolver& slab, const Observable& same) {
            std::vector<Field> one;
            one.push_back(slab.solver().field(same));
            return slab.gather(std::move(one));
        };
        return std::move(call<"field">(gathered, what).front());
    }

    void set_base(const Field& base) override { set_base(FieldRows({&base}), 0); }
    void set_base(const RowSource& source, std::size_t field) override {
        call<"set base">(
            [](SlabSolver& slab, const OfferedRows& rows) {
                const GivenRows base = take_rows(slab.comm(), slab.partition(), rows);
                slab.solver().set_base(base.rows->rows(base.first, slab.first_row(), slab.local_rows()));
            },
            offered(source, field, 1));
    }
    void set_base(Solver& other, const std::string& formula = {}) override {
        // Works in place only if both solvers have the same slabs.
        const auto* spread = dynamic_cast<DistributedSolver*>(&other);
        if (!spread || spread->processes() != processes()) return set_base(other.field(formula));
        spread->check(formula);
        call<"set base from solver">(
            [](SlabSolver& slab, int from, const std::string& shown) {
                slab.solver().set_base(slabs().find(from)->solver(), shown);
            },
            spread->number_,
            formula);
    }

    void resample(const Observable& what, const ResampleRequest& request, bool, Pixels& out) override {
        check(what);
        out.width = request.width;
        out.height = request.height;
        out.on_device = false;
        out.host = call<"resample">(
            [](SlabSolver& slab, const Observable& same, const ResampleRequest& whole) {
                return slab.resample(same, whole);
            },
            what,
            request);
    }

    PartialStatistics sums(const Observable& what, Summand summand) override {
        check(what);
        return call<"sums">(
            [](SlabSolver& slab, const Observable& same, Summand of) {
                return joined(slab.comm(), slab.solver().sums(same, of));
            },
            what,
            summand);
    }
    bool estimate_errors(bool on) override {
        if (on == estimates_) return true;
        const auto estimate = [](SlabSolver& slab, bool same) { return slab.solver().estimate_errors(same); };
        if (!call<"estimate errors">(estimate, on)) return false;
        estimates_ = on;
        return true;
    }
    PartialStatistics error_sums(std::size_t c, Summand summand) override {
        return call<"error sums">(
            [](SlabSolver& slab, std::size_t same, Summand of) {
                return joined(slab.comm(), slab.solver().error_sums(same, of));
            },
            c,
            summand);
    }
    std::vector<double> percentiles(const Observable& what, std::span<const double> q) override {
        check(what);
        return call<"percentiles">(
            [](SlabSolver& slab, const Observable& same, const std::vector<double>& all) {
                return slab.solver().percentiles(same, all);
            },
            what,
            std::vector<double>(q.begin(), q.end()));
    }
    std::vector<std::uint64_t> histogram(const Observable& what, double low, double high, int bins) override {
        check(what);
        const auto counted = [](SlabSolver& slab, const Observable& same, double from, double to, int count) {
            auto counts = slab.solver().histogram(same, from, to, count);
            slab.comm().sum(counts);
            return counts;
        };
        return call<"histogram">(counted, what, low, high, bins);
    }
    std::vector<double> sample(const Observable& what,
                               std::span<const SamplePoint> points,
                               bool smooth) override {
        check(what);
        const auto sampled = [](SlabSolver& slab,
                                const Observable& same,
                                const std::vector<SamplePoint>& all,
                                bool interpolated) { return slab.sample(same, all, interpolated); };
        return call<"sample">(sampled, what, std::vector<SamplePoint>(points.begin(), points.end()), smooth);
    }

    std::unique_ptr<SavedState> save() override {
        const double cell = double(bytes_of(setup_.dtype)) * double(setup_.components());
        auto state = std::make_unique<SpreadState>(std::size_t(double(setup_.nx) * setup_.ny * cell));
        state->boundary = setup_.params.boundary;
        state->step = step_;
        call<"save state">([](SlabSolver& slab, int number) { slabs().saved[number] = slab.solver().save(); },
                           state->number);
        return state;
    }
    void restore(const SavedState& state) override {
        const auto& saved = dynamic_cast<const SpreadState&>(state);
        if (!has_halos_of(saved.boundary)) {
            StepParameters then = setup_.params;
            then.boundary = saved.boundary;
            remake(then, false);
        }
        call<"restore state">(
            [](SlabSolver& slab, int number) { slab.solver().restore(*slabs().saved.at(number)); },
            saved.number);
        step_ = saved.step;
        forget_largest();
    }

    std::string write_npy(const std::filesystem::path& path, const SolverArray& array) override {
        check(array.observable);
        const auto write = [](SlabSolver& slab, const SolverArray& same, const std::string& file) {
            return write_together(slab.comm(), file, slab.rows_of(same));
        };
        return *write_shared(
            path, [&](const std::string& file) { return call<"write array">(write, array, file); });
    }

    InnerState inner(bool with_cells) override {
        if (!with_cells) return own().inner(false);
        return call<"inner state">([](SlabSolver& slab) {
            InnerState state = slab.solver().inner();
            std::vector<Field> arrays;
            for (auto& [name, array] : state.arrays) arrays.push_back(std::move(array));
            arrays = slab.gather(std::move(arrays));
            for (std::size_t i = 0; auto& [name, array] : state.arrays)
                if (i < arrays.size()) array = std::move(arrays[i++]);
            return state;
        });
    }
    bool take_inner(const InnerRows& inner) override {
        const bool fits = inner.arrays.nx() == setup_.nx && inner.arrays.ny() == setup_.ny;
        if (!fits && !inner.names.empty()) return false;
        const auto take = [](SlabSolver& slab,
                             const std::vector<std::string>& names,
                             const NumberList& numbers,
                             const OfferedRows& rows) {
            const GivenRows arrays = take_rows(slab.comm(), slab.partition(), rows);
            return slab.solver().take_inner(
                {{numbers.begin(), numbers.end()}, names, *arrays.rows, arrays.first});
        };
        return call<"take inner state">(take,
                                        inner.names,
                                        NumberList(inner.numbers.begin(), inner.numbers.end()),
                                        offered(inner.arrays, inner.first, inner.names.size()));
    }

    SpreadCosts costs(long long steps) {
        const auto alone = [](SlabSolver& slab, long long all) { return slab.seconds_alone(all); };
        return {slabs().find(number_)->traffic(), steps > 0 ? call<"seconds alone">(alone, steps) : 0};
    }
    std::string hash() {
        return call<"hash">([](SlabSolver& slab) { return slab.hash(); });
    }

  protected:
    void load_fields(const RowSource& start) override {
        call<"load rows">(
            [](SlabSolver& slab, long long step, const OfferedRows& rows) {
                slab.solver().load(*take_rows(slab.comm(), slab.partition(), rows).rows, step);
            },
            step_,
            offered(start, 0, setup_.components()));
    }
    std::vector<Field> fields() override {
        return call<"fields">([](SlabSolver& slab) { return slab.gather(slab.solver().state().components); });
    }
    void advance_by(long long steps) override {
        call<"advance">([](SlabSolver& slab, long long all) { slab.solver().advance(all); }, steps);
    }
    void paint_piece(const BrushPiece& piece, std::size_t component) override {
        call<"paint">(
            [](SlabSolver& slab, const BrushPiece& same, std::size_t on) { slab.solver().paint(same, on); },
            piece,
            component);
    }
    double largest_value(const StepParameters& params) const override {
        return own().largest_allowed(params);
    }

  private:
    // Makes a solver on all processes and returns its number. Throws MachineError.
    int made(const StepParameters& params) const {
        static int solvers = 0;
        // Sends only the settings that affect the steps.
        RunSpec spec = spec_;
        spec.exports = RunSpec().exports;
        spec.edits = {};
        const auto make = [](int number,
                             const std::string& text,
                             const StepParameters& own,
                             int processes,
                             const std::vector<SentArray>& arrays,
                             OnFirst<SolverSetup> known) -> std::string {
            const HeldArrays while_read = known.value ? HeldArrays() : held(arrays);
            SolverSetup setup =
                known.value ? *known.value : solver_setup(spec_from_json(text, "the spec of process 0"));
            setup.params = own;
            auto comm = Communicator::all().first(partition_of(setup, processes).parts);
            try {
                if (comm) slabs().solvers.try_emplace(number, std::move(comm), setup);
            } catch (const MachineError& error) {
                return error.what();
            }
            return "";
        };
        const std::lock_guard lock(team::one_at_a_time());
        const std::string text = json_text(to_json(spec));
        const std::string trouble = together<"make solver">(
            make, ++solvers, text, params, processes_, sent_arrays(text), OnFirst<SolverSetup>{&setup_});
        if (!trouble.empty()) throw MachineError(trouble);
        return solvers;
    }
    static void drop(int number) {
        together<"drop solver">([](int solver) { slabs().solvers.erase(solver); }, number);
    }

    // Whether the halos suit the boundary: periodic fields also have halos at their ends. Typed equations
    // change their conditions by a new setup instead.
    bool has_halos_of(Boundary boundary) const {
        return setup_.is_general() ||
               (setup_.params.boundary == Boundary::periodic) == (boundary == Boundary::periodic);
    }
    // Replaces the solver by one with other halos, with or without copying the cells. Changes nothing on
    // failure.
    void remake(const StepParameters& params, bool with_cells) {
        const int last = std::exchange(number_, made(params));
        if (with_cells)
            call<"resume from solver">(
                [](SlabSolver& slab, int from) { slab.solver().resume(slabs().find(from)->snapshot()); },
                last);
        drop(last);
        setup_.params = params;
    }

    // Checks the observable before any other process is involved.
    void check(const Observable& what) const {
        const bool laplacian = what.quantity == Quantity::laplacian;
        const std::pair key{what.formula, laplacian};
        if (what.formula.empty() || std::ranges::find(checked_, key) != checked_.end()) return;
        const Shown shown(*setup_.typed, what.formula);
        require_reach(
            *shown.program(laplacian, false), what.formula, slabs().find(number_)->partition().depth);
        checked_.push_back(key);
    }

    Solver& own() const { return slabs().find(number_)->solver(); }

    RunSpec spec_;
    int processes_;
    int number_;
    bool estimates_ = false;  ///< whether steps estimate their errors
    mutable std::vector<std::pair<std::string, bool>>
        checked_;  ///< valid formulas, and whether their Laplacian was also checked
};

// The rows of a recipe's field that this process works on; empty if a process cannot read the recipe.
std::optional<OwnRows> own_rows(const std::string& recipe, std::size_t field) {
    Communicator& comm = Communicator::all();
    const auto source = read_everywhere(comm, recipe);
    if (!source) return std::nullopt;
    const Partition shares{source->ny(), comm.size(), 0, false};
    const int first = shares.begin(comm.rank()), count = shares.local_rows(comm.rank());
    const auto give = [=](const RowSink& sink) {
        for_pieces(*source, field, first, count, [&](int y, const Field& piece) { sink(y - first, piece); });
    };
    return OwnRows{source->nx(), source->ny(), first, give, source->dtypes()[field]};
}

}  // namespace

std::unique_ptr<Solver> make_run_solver(const RunSpec& spec, const SolverSetup& setup, int processes) {
    const int most = processes > 0 ? processes : Communicator::sharing();
    if (partition_of(setup, most).parts == 1) return make_solver(setup);
    return std::make_unique<DistributedSolver>(spec, setup, most);
}

std::shared_ptr<const RowSource> start_in_place(RunSpec& spec) {
    if (Communicator::sharing() == 1) return nullptr;
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
    const auto look = [](const std::string& recipe, std::size_t index) {
        const auto own = own_rows(recipe, index);
        return own ? look_together(Communicator::all(), *own) : RowsSeen();
    };
    RowsSeen seen;
    const std::string recipe = source.recipe();
    if (Communicator::sharing() > 1 && !recipe.empty()) seen = together<"look at rows">(look, recipe, field);
    if (seen.hash.empty() && seen.trouble.empty()) seen = look_alone(source, field);
    if (!seen.trouble.empty()) throw InputError(seen.trouble);
    return {seen.hash, seen.statistics};
}

std::string write_npy(const std::filesystem::path& path, const RowSource& source, std::size_t field) {
    const auto write = [](const std::string& recipe, std::size_t index, const std::string& file) {
        const auto own = own_rows(recipe, index);
        return own ? write_together(Communicator::all(), file, *own) : WrittenRows();
    };
    const std::string recipe = source.recipe();
    if (Communicator::sharing() > 1 && !recipe.empty())
        if (const auto written = write_shared(path, [&](const std::string& file) {
                return together<"write rows">(write, recipe, field, file);
            }))
            return *written;
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

}  // namespace stencil

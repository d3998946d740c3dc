// Slabs of a field on one device: their bits and halo exchanges.

#include <barrier>
#include <exception>
#include <mutex>
#include <stdexcept>

#include "kernels/methods/spectral/strip_exchange.h"
#include "sim/distributed/halos.h"
#include "sim/machine/machine.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/start.h"
#include "sim/run/resolve.h"
#include "sim/solvers/solver.h"
#include "tests/support/device.h"
#include "tests/support/fields.h"

namespace {

using ActOnSolver = std::function<void(Solver&)>;

/// Where the slabs meet, and the solver of each.
struct SlabTeam {
    SlabTeam(const SolverSetup& setup, int parts)
        : whole(setup),
          partition(partition_of(setup, parts)),
          arrays(std::size_t(partition.parts)),
          meeting(partition.parts) {}

    /// Waits until all have finished what they enqueued.
    void meet(std::unique_lock<std::mutex>& lock, CudaStream* stream) {
#if STENCILSCOPE_HAS_CUDA
        if (stream) stream->synchronize();
#endif
        static_cast<void>(stream);
        lock.unlock();
        meeting.arrive_and_wait();
        lock.lock();
        if (failure) throw std::runtime_error("another part failed");
    }

    const SolverSetup& whole;
    Partition partition;
    std::vector<std::vector<HaloRows>> arrays;
    std::vector<std::vector<ByteRows>> blocks = std::vector<std::vector<ByteRows>>(arrays.size());
    std::vector<std::uint64_t> sums;
    std::barrier<> meeting;
    std::mutex running;
    std::exception_ptr failure;
};

/// Copies rows from the neighbours directly, and counts the bytes of cells.
class CountingHalo : public HaloExchange {
  public:
    CountingHalo(SlabTeam& comm, int part, std::unique_lock<std::mutex>& lock)
        : comm_(comm), part_(part), lock_(lock) {}

    int exchanges() const { return exchanges_; }
    int depth() const override { return comm_.partition.depth; }
    void exchange(std::span<const HaloRows> arrays, CudaStream* stream) override {
        const Partition& all = comm_.partition;
        ++exchanges_;
        comm_.arrays[std::size_t(part_)].assign(arrays.begin(), arrays.end());
        meet(stream);
        for (std::size_t a = 0; a < arrays.size(); ++a) {
            const HaloRanges own = ranges_of(arrays[a], all, part_);
            take(all.above(part_), own.above, &HaloRanges::last, a, stream);
            take(all.below(part_), own.below, &HaloRanges::first, a, stream);
        }
        meet(stream);
    }

    /// Adds up numbers over all slabs.
    void sum(std::span<std::uint64_t> counts) {
        comm_.sums.resize(counts.size());
        for (std::size_t i = 0; i < counts.size(); ++i) comm_.sums[i] += counts[i];
        meet(nullptr);
        std::ranges::copy(comm_.sums, counts.begin());
        meet(nullptr);
        comm_.sums.clear();
        meet(nullptr);
    }

  private:
    void meet(CudaStream* stream) { comm_.meet(lock_, stream); }

    void take(
        int from, std::byte* to, const std::byte* HaloRanges::*rows, std::size_t array, CudaStream* stream) {
        if (from < 0) return;
        const HaloRanges given = ranges_of(comm_.arrays[std::size_t(from)].at(array), comm_.partition, from);
        if (!stream) std::copy_n(given.*rows, given.bytes, to);
#if STENCILSCOPE_HAS_CUDA
        if (stream) copy_on_device(to, given.*rows, given.bytes, *stream);
#endif
        count_message(std::size_t(depth()) * std::size_t(comm_.whole.nx) *
                      bytes_of(comm_.whole.state_dtype()));
    }

    SlabTeam& comm_;
    int part_;
    std::unique_lock<std::mutex>& lock_;
    int exchanges_ = 0;
};

/// Copies blocks from the other slabs directly.
class CopiedStrips : public StripExchange {
  public:
    CopiedStrips(SlabTeam& comm, int part, std::unique_lock<std::mutex>& lock)
        : StripExchange(part, comm.partition.parts, {comm.whole.nx, comm.whole.ny}),
          comm_(comm),
          lock_(lock) {}

    void exchange(std::span<const ByteRows> give,
                  std::span<const ByteRows> take,
                  const ExecutionSpace& on) override {
        comm_.blocks[std::size_t(part())].assign(give.begin(), give.end());
        comm_.meet(lock_, on.stream);
        for (std::size_t other = 0; other < take.size(); ++other)
            copy(comm_.blocks[other].at(std::size_t(part())), take[other], on.stream);
        comm_.meet(lock_, on.stream);
    }

  private:
    static void copy(const ByteRows& from, const ByteRows& to, CudaStream* stream) {
        REQUIRE(from.width == to.width);
        REQUIRE(from.rows == to.rows);
        for (std::size_t y = 0; !stream && y < from.rows; ++y)
            std::copy_n(from.data + y * from.pitch, from.width, to.data + y * to.pitch);
#if STENCILSCOPE_HAS_CUDA
        if (stream && from.bytes() > 0)
            copy_on_device({to.data, to.pitch, from.data, from.pitch, from.width, from.rows}, *stream);
#endif
    }

    SlabTeam& comm_;
    std::unique_lock<std::mutex>& lock_;
};

struct SlabRun {
    struct Taken {
        int exchanges = 0;
        HaloExchange::Traffic rows;
    };

    State state;
    Partition partition;
    std::vector<Taken> taken;  ///< by each slab
};

/// Runs the actions on all slabs, or on the whole field, and returns the results.
SlabRun run_slabs(const SolverSetup& whole, int parts, const State& start, const ActOnSolver& act) {
    SlabTeam comm(whole, parts);
    SlabRun run;
    run.partition = comm.partition;
    run.taken.resize(comm.arrays.size());
    for (std::size_t c = 0; c < start.components.size(); ++c)
        run.state.components.emplace_back(whole.dtype, whole.nx, whole.ny);
    const auto step = [&](int part, std::unique_lock<std::mutex>& lock) {
        CountingHalo halo(comm, part, lock);
        CopiedStrips strips(comm, part, lock);
        SolverSetup setup = whole;
        setup.ny = comm.partition.stored_rows(part);
        setup.slab = comm.partition.slab(part);
        if (!setup.slab.whole()) {
            setup.halo = &halo;
            setup.strips = &strips;
            setup.sum = [&halo](std::span<std::uint64_t> counts) { halo.sum(counts); };
        }
        const auto solver = make_solver(setup);
        solver->load(start);
        act(*solver);
        const State own = solver->state();
        for (std::size_t c = 0; c < own.components.size(); ++c)
            run.state.components[c].visit([&]<class T>(Array<T>& cells) {
                std::ranges::copy(own.components[c].as<T>().cells(),
                                  cells.view().row(comm.partition.begin(part)));
            });
        run.taken[std::size_t(part)] = {halo.exchanges(), halo.traffic()};
    };
    const auto step_or_fail = [&](int part) {
        {
            std::unique_lock lock(comm.running);
            try {
                step(part, lock);
            } catch (...) {
                if (!comm.failure) comm.failure = std::current_exception();
            }
        }
        comm.meeting.arrive_and_drop();
    };
    std::vector<std::thread> threads;
    for (int part = 0; part < comm.partition.parts; ++part) threads.emplace_back(step_or_fail, part);
    for (std::thread& thread : threads) thread.join();
    if (comm.failure) std::rethrow_exception(comm.failure);
    return run;
}

using Settings = std::vector<std::pair<std::string, std::string>>;

SolverSetup setup_of(const Settings& settings, Size size, DType dtype) {
    RunSpec spec;
    for (const auto& [name, value] : settings) set_setting(spec, name, value);
    spec.size = size;
    spec.dtype = dtype;
    spec.threads = 1;
    spec.backend = name_of(kDevice);
    return solver_setup(resolve(spec, query_machine()));
}

// Lists the methods that can step slabs of diffusion.
std::vector<const Method*> methods_of_slabs() {
    std::vector<const Method*> all;
    for (const Method& method : methods())
        if (method.device == kDevice && method.is_built() && !method.whole_field && !method.jumps)
            all.push_back(&method);
    return all;
}

std::shared_ptr<const State> noise_of(const SolverSetup& setup) {
    return noise_rows(setup.nx, setup.ny, setup.dtype, setup.components(), next_seed(), 1)->whole();
}

void require_same_bits(const SolverSetup& setup, const ActOnSolver& act) {
    const auto start = noise_of(setup);
    const State expected = run_slabs(setup, 1, *start, act).state;
    for (const int parts : {2, 3}) {
        const SlabRun run = run_slabs(setup, parts, *start, act);
        CAPTURE(setup.method->name, setup.nx, setup.ny, name_of(setup.dtype), parts);
        REQUIRE(run.partition.parts == parts);
        for (std::size_t c = 0; c < expected.components.size(); ++c) {
            CAPTURE(c);
            REQUIRE(statistics_of(expected.components[c]).not_finite == 0);
            REQUIRE(same_bits(run.state.components[c], expected.components[c]));
        }
    }
}

// Counts the exchanges for calls with these numbers of steps; -1 paints.
void require_exchanges(const SolverSetup& setup, int parts, const std::vector<int>& calls, int expected) {
    const SlabRun run = run_slabs(setup, parts, *noise_of(setup), [&](Solver& solver) {
        for (const int steps : calls)
            if (steps > 0)
                solver.advance(steps);
            else
                solver.paint({{}, 5, 5});
    });
    REQUIRE(run.partition.parts == parts);
    for (int part = 0; part < parts; ++part) {
        CAPTURE(part, parts, calls);
        const bool end = part == 0 || part == parts - 1;
        const int neighbours = end && !run.partition.periodic ? 1 : 2;
        const auto& [exchanges, rows] = run.taken[std::size_t(part)];
        REQUIRE(exchanges == expected);
        REQUIRE(rows.messages == expected * neighbours * int(setup.components()));
        const auto row_bytes = std::size_t(setup.nx) * bytes_of(setup.state_dtype());
        REQUIRE(rows.bytes == rows.messages * run.partition.depth * static_cast<long long>(row_bytes));
    }
}

}  // namespace

TEST_CASE("Slabs of one device step as the whole field whatever the method and the boundary") {
    const ActOnSolver act = [](Solver& solver) {
        solver.advance(1);
        solver.advance(40);
        solver.paint({{.value = 0.7, .radius = 20}, 30, 47});
        solver.advance(33);
        solver.advance(16);
    };
    for (const Method* method : methods_of_slabs())
        for (const DType dtype : kDTypes)
            for (const char* boundary : {"zero", "insulated", "periodic"})
                for (const Size size : {Size{67, 101}, {515, 203}, {1, 99}}) {
                    CAPTURE(boundary);
                    SolverSetup setup = setup_of({{"boundary", boundary}}, size, dtype);
                    setup.method = method;
                    require_same_bits(setup, act);
                }
}

TEST_CASE("Slabs of typed equations step as the whole field by single steps and by several at a time") {
    for (const DType dtype : kDTypes)
        for (const char* boundary : {"zero", "insulated", "periodic"}) {
            CAPTURE(boundary);
            const SolverSetup setup =
                setup_of({{"model", "gray-scott"}, {"boundary", boundary}}, {661, 151}, dtype);
            require_same_bits(setup, [](Solver& solver) {
                solver.advance(1);
                solver.advance(50);
            });
            bool several = true;
            require_same_bits(setup, [&](Solver& solver) {
                solver.wait_for_fastest();
                several = several && solver.way().steps_fused.value_or(setup.method->steps_fused) > 1;
                solver.advance(1);
                solver.advance(75);
                solver.paint({{.value = 0.7, .radius = 20}, 30, 75}, 1);
                solver.advance(60);
            });
            if (!several) WARN("no kernel of several steps was the fastest here");
        }
}

TEST_CASE("Slabs have the global values of the whole field") {
    const char* const kGlobals =
        "du/dt = 0.2*lap(u) + u - u^3 - mean(u - u^3) + 0.1*max(abs(dx(u))); dv/dt = 0.1*lap(v) - "
        "v*integral(u)/9e4 + mean((u - mean(u))^2); dt = 0.1; left: v = min(u); right: v = 0; u(0) = 0; v(0) "
        "= 0";
    for (const DType dtype : kDTypes)
        for (const auto& [stepper, every] : {std::pair("euler", "1"), {"euler", "16"}, {"heun", "3"}}) {
            CAPTURE(stepper, every);
            const SolverSetup setup = setup_of(
                {{"equation", kGlobals}, {"stepper", stepper}, {"global-every", every}}, {70, 971}, dtype);
            require_same_bits(setup, [](Solver& solver) {
                solver.advance(1);
                solver.advance(40);
                solver.paint({{.value = 0.7, .radius = 20}, 30, 75}, 1);
                solver.advance(7);
            });
        }
}

TEST_CASE("Slabs solve and convolve as the whole field by transforms") {
    const std::string kFlow =
        "dw/dt = -(dy(p)*dx(w) - dx(p)*dy(w)) + 0.02*lap(w); lap(p) = -w; dt = 0.05; w(0) = 0; ";
    const std::string kSystem =
        "du/dt = lap(u) + 0.5*lap(v) + u - u^3; dv/dt = 0.3*lap(v) - 0.1*lap2(v) - v + u; "
        "dt = 0.05; u(0) = 0; v(0) = 0; ";
    const std::string kConvolved =
        "du/dt = conv(u, exp(-r^2/9)) - conv(u, rx*exp(-r^2/30)) - 2*u + "
        "0.2*mean(u); dt = 0.02; u(0) = 0; ";
    std::vector<std::pair<Settings, Size>> all;
    for (const char* sides : {"boundary = periodic",
                              "boundary = insulated",
                              "boundary = zero",
                              "x: periodic; y: insulated",
                              "x: zero; y: periodic"})
        for (const Size size : {Size{60, 97}, {33, 100}, {3, 151}}) {
            all.push_back({{{"equation", kFlow + sides}, {"stepper", "rk4"}}, size});
            all.push_back({{{"equation", kSystem + sides}, {"stepper", "imex"}}, size});
            all.push_back({{{"equation", kConvolved + sides}, {"stepper", "heun"}}, size});
        }
    for (const DType dtype : kDTypes)
        for (const auto& [settings, size] : all) {
            CAPTURE(settings.front().second, settings.back().second);
            require_same_bits(setup_of(settings, size, dtype), [](Solver& solver) {
                solver.advance(1);
                solver.advance(9);
                solver.paint({{.value = 0.7, .radius = 5}, 2, 47});
                solver.advance(3);
            });
        }
}

TEST_CASE("Sums over slabs have the bits of those over the whole field") {
    for (const DType dtype : kDTypes)
        for (const auto& [settings, size] : {std::pair{Settings{{"boundary", "periodic"}}, Size{2085, 403}},
                                             {{{"model", "gray-scott"}}, {61, 517}}}) {
            SolverSetup setup = setup_of(settings, size, dtype);
            if (!setup.is_general()) setup.method = methods_of_slabs().back();
            const auto start = noise_of(setup);
            for (const Summand summand : {Summand::value, Summand::square})
                for (const Quantity quantity : {Quantity::value, Quantity::laplacian}) {
                    const auto sum_over = [&](int parts) {
                        std::vector<PartialStatistics> of_slabs;
                        run_slabs(setup, parts, *start, [&](Solver& solver) {
                            solver.advance(20);
                            of_slabs.push_back(solver.sums(quantity, summand));
                        });
                        REQUIRE(int(of_slabs.size()) == parts);
                        std::ranges::sort(of_slabs, {}, [](const auto& slab) { return slab.sum.first(); });
                        PartialStatistics all;
                        for (const PartialStatistics& slab : of_slabs) all.append(slab);
                        return all;
                    };
                    const PartialStatistics whole = sum_over(1);
                    REQUIRE(whole.cells == std::uint64_t(size.nx) * std::uint64_t(size.ny));
                    for (const int parts : {2, 3, 5}) {
                        const PartialStatistics all = sum_over(parts);
                        CAPTURE(name_of(dtype), size.nx, size.ny, parts, int(quantity), int(summand));
                        REQUIRE(all.sum.total() == whole.sum.total());
                        REQUIRE(all.cells == whole.cells);
                        REQUIRE(all.finite.count == whole.finite.count);
                        REQUIRE(all.finite.low == whole.finite.low);
                        REQUIRE(all.finite.high == whole.finite.high);
                    }
                }
        }
}

TEST_CASE("Halos are exchanged when they are used up and bring the bytes that the formula says") {
    const char* const kPlaces = "du/dt = div((1 + cos(x*y/300)) * grad(u)); u(0) = 0; dt = 0.01";
    std::vector<SolverSetup> setups;
    for (const DType dtype : kDTypes)
        for (const char* boundary : {"zero", "insulated", "periodic"}) {
            if (kWatchedMemory && dtype == DType::float64) continue;
            for (const Method* method : methods_of_slabs())
                setups.emplace_back(setup_of({{"boundary", boundary}}, {67, 203}, dtype)).method = method;
            for (const Settings& settings : {Settings{{"model", "gray-scott"}},
                                             {{"model", "gray-scott"}, {"stepper", "rk4"}},
                                             {{"model", "cahn-hilliard"}, {"stepper", "euler"}},
                                             {{"equation", kPlaces}}}) {
                Settings all = settings;
                all.emplace_back("boundary", boundary);
                setups.push_back(setup_of(all, {19, 611}, dtype));
            }
        }
    REQUIRE(partition_of(setups.back(), 2).depth == partition_of(setups.back(), 2).steps + 1);
    for (const SolverSetup& setup : setups)
        for (const int parts : {2, 3}) {
            CAPTURE(setup.method->name, name_of(setup.dtype), setup.is_general());
            const int steps = partition_of(setup, parts).steps;
            require_exchanges(setup, parts, {3 * steps}, 3);
            require_exchanges(setup, parts, {steps, steps, steps, 1}, 4);
            require_exchanges(setup, parts, {1, steps - 1, 1}, 2);
            require_exchanges(setup, parts, {steps - 1, -1, 1}, 2);
        }
}

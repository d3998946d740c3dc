// Distributed fields whose rows are never gathered, undo states, and a slab that does not fit into memory.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "sim/distributed/distributed_solver.h"
#include "sim/distributed/team.h"
#include "sim/field/field_hash.h"
#include "sim/files/atomic_file.h"
#include "sim/files/npy.h"
#include "sim/machine/child_process.h"
#include "sim/machine/communicator.h"
#include "sim/machine/machine.h"
#include "tests/support/program.h"
#include "tests/support/runs.h"

namespace fs = std::filesystem;

namespace {

/// Starts the running test case (without commas in its name) again as two processes, and runs `act` in rank
/// 0.
template <class Act>
void among_two(const Act& act) {
    if (!Communicator::was_launched()) {
        std::string said;
        ChildCommand command;
        command.words = words("{} -n 2 --bind-to none --oversubscribe --allow-run-as-root {} {}",
                              find_program("mpirun"),
                              fs::read_symlink(own_program()),
                              Catch::getResultCapture().getCurrentTestName());
        command.limit_seconds = 60;
        command.is_tool = true;
        const ChildEnd end =
            run_child(command, [&](std::string_view line) { said += std::string(line) + '\n'; });
        INFO(said);
        REQUIRE(end.how == ChildEnd::How::exited);
        REQUIRE(end.code == 0);
        REQUIRE(contains(said, "in 1 test case"));
        return;
    }
    Communicator::begin(nullptr);
    REQUIRE(Communicator::all().size() == 2);
    if (Communicator::all().rank() > 0) {
        serve(Communicator::all());
    } else {
        try {
            act();
        } catch (...) {
            dismiss_team();
            throw;
        }
        dismiss_team();
    }
    Communicator::end();
}

const std::string kArrays =
    " --export initial.npy,field.npy,laplacian.npy,timings.json --checkpoint 40 --steps 40";

void require_same_arrays(const fs::path& one, const fs::path& several) {
    std::size_t arrays = 0;
    for (const fs::path& folder : {one, one / "checkpoint"})
        for (const auto& entry : fs::directory_iterator(folder)) {
            if (entry.path().extension() != ".npy") continue;
            const fs::path name = fs::relative(entry.path(), one);
            INFO(name);
            REQUIRE(read_bytes(several / name) == read_bytes(entry.path()));
            ++arrays;
        }
    REQUIRE(arrays >= 5);
    const auto json = [](const fs::path& folder, const char* file) { return read_json(folder / file); };
    REQUIRE(json(several / "checkpoint", "run.json").at("arrays") ==
            json(one / "checkpoint", "run.json").at("arrays"));
    REQUIRE(json(several, "timings.json").at("field_hash") == json(one, "timings.json").at("field_hash"));
    for (const auto& entry : fs::recursive_directory_iterator(several))
        REQUIRE(entry.path().extension() != ".tmp");
}

void require_same_arrays_by(std::initializer_list<int> processes, const std::string& line) {
    CAPTURE(line);
    const ScratchFolder folder;
    const std::string run = "run --backend cpu --threads 1 --quiet --out {} " + line + kArrays;
    require_done(stencilscope(run, folder / "one"));
    for (const int count : processes) {
        CAPTURE(count);
        const fs::path several = folder / std::to_string(count);
        require_done(stencilscope(run + " --processes {}", several, count));
        require_same_arrays(folder / "one", several);
    }
}

RunSpec spec_of(Size size, const std::string& method, const std::string& initial = "noise") {
    RunSpec spec = noise_run(size, method);
    spec.initial = initial;
    spec.threads = 1;
    return resolve(spec, query_machine());
}

RunSpec spec_of(const std::string& initial) {
    return spec_of({67, 150}, "cpu", initial);
}

bool is_process(int rank) {
    const char* own = std::getenv("OMPI_COMM_WORLD_RANK");
    return own && own == std::to_string(rank);
}

// Limits this process to the memory it has, plus a little.
void limit_memory(std::size_t more) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t bytes = pages * 4096 + more;
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
}

}  // namespace

TEST_CASE("Arrays and checkpoints of any number of processes are byte for byte those of one") {
    require_same_arrays_by({1, 2, 3, 4, 7}, "--size 67x230 --initial noise --method cpu");
    require_same_arrays_by({3}, "--size 67x131 --initial sine --method reference --at 20:boundary=periodic");
    require_same_arrays_by({2}, "--size 67x131 --initial jagged --method cpu --dtype float64");
    require_same_arrays_by({4}, "--size 53x210 --model gray-scott --initial sin(x/7)*y/100");
}

TEST_CASE("Each process reads its rows of an array to start from, whose hash is kept") {
    const ScratchFolder folder;
    write_npy(folder / "start.npy", Field(random_field(61, 140)));
    require_same_arrays_by({2, 4}, "--method cpu --initial " + (folder / "start.npy").string());
    const auto hash = [&](const std::string& more, const char* out) {
        require_done(
            stencilscope("run --backend cpu --method cpu --quiet --steps 1 --initial {} --export "
                         "spec.json --out {} " +
                             more,
                         folder / "start.npy",
                         folder / out));
        return read_json(folder / out / "spec.json").at("initial_hash");
    };
    REQUIRE(hash("", "a") == hash("--processes 2", "b"));
    Field bad(random_field(61, 140));
    bad.as<double>().at(7, 130) = INFINITY;
    write_npy(folder / "bad.npy", bad);
    const auto one = stencilscope("run --quiet --backend cpu --initial {}", folder / "bad.npy");
    const auto two = stencilscope("run --quiet --backend cpu --processes 2 --initial {}", folder / "bad.npy");
    require_refused(one, 2, "1 of 8540 values");
    require_refused(two, 2, "1 of 8540 values");
    REQUIRE(two.err == one.err);
}

TEST_CASE("Where a file cannot be written whole none is left, and one line says why") {
    const ScratchFolder folder;
    // MPI's own files take some MB.
    const auto cut = run_program(
        words("run --backend cpu --quiet --size 2600x2600 --initial noise --steps 1 --processes 3 --export "
              "field.npy --out {}",
              folder / "out"),
        {.seconds = 60, .file_size_limit = 20'000'000});
    require_refused(cut, 1, "field.npy");
    REQUIRE(names_in(folder / "out").empty());
}

TEST_CASE("Fewer rows than processes are looked through and written too") {
    const ScratchFolder folder;
    const std::string line =
        "run --backend cpu --method cpu --quiet --processes 4 --initial {} --checkpoint 2 --steps 2 "
        "--export spec.json --out {}";
    write_npy(folder / "start.npy", Field(random_field(9, 3)));
    require_done(stencilscope(line, folder / "start.npy", folder / "out"));
    require_done(stencilscope("run --quiet --processes 4 --resume {} --steps 4", folder / "out"));
    REQUIRE(read_json(folder / "out" / "spec.json").at("initial_hash") ==
            field_hash(read_npy(folder / "start.npy")));
    REQUIRE(same_bits(read_npy(folder / "out" / "checkpoint" / "start-u.npy"),
                      read_npy(folder / "start.npy").to(DType::float32)));
}

TEST_CASE("Memory is counted for rows where they are and for whole fields only where a file needs them") {
    const ScratchFolder folder;
    const std::string line =
        "run --backend cpu --method cpu --quiet --size 4096 --initial noise --steps 1 --memory-limit 400MB "
        "--processes 2 --export {} --out {}";
    require_done(stencilscope(line, "field.npy", folder / "rows"));
    require_refused(stencilscope(line, "figure.png", folder / "whole"), 1, "not enough host memory");
}

TEST_CASE("The columns of a shared jump are counted as one field more") {
    const std::string line =
        "run --backend cpu --quiet --size 4096 --initial noise --steps 1 --processes 2 --method {} "
        "--memory-limit {}MB";
    // 64 MB, plus the stepped fields and a copy, of 67 MB each, and a third of that for a jump's matrices.
    require_done(stencilscope(line, "cpu", 270));
    require_refused(stencilscope(line, "spectral", 345), 1, "not enough host memory");
    require_done(stencilscope(line, "spectral", 365));
}

TEST_CASE("The start of two processes is a recipe from which each makes its rows again") {
    among_two([] {
        RunSpec spec = spec_of("noise");
        const Field whole = make_start(spec).components.front().to(DType::float32);
        Simulation simulation(spec, start_in_place(spec));
        REQUIRE_FALSE(simulation.start()->recipe().empty());
        REQUIRE(same_bits(simulation.field(), whole));
        simulation.apply(Advance{40});
        simulation.apply(Set{"boundary", "periodic"});
        simulation.apply(Advance{3});
        simulation.apply(Set{"dtype", "float64"});
        REQUIRE_FALSE(simulation.start()->recipe().empty());
        simulation.apply(Reset{});
        REQUIRE(same_bits(simulation.field(), whole.to(DType::float64)));
        REQUIRE(simulation.start_statistics().min == statistics_of(whole).min);
        RunSpec jagged = spec_of("jagged");
        REQUIRE_FALSE(start_in_place(jagged));
    });
}

// Simulates two hosts without a common disk: the same path is another folder for rank 1.
TEST_CASE("Rows of a process that does not see the file go through process 0") {
    const ScratchFolder other;
    if (is_process(1)) fs::current_path(other.path());
    among_two([] {
        const ScratchFolder folder;
        fs::current_path(folder.path());
        const fs::path here = "/proc/self/cwd";
        RunSpec spec = spec_of("noise");
        Simulation simulation(spec, start_in_place(spec));
        simulation.apply(Advance{20});
        simulation.solver().write_npy(here / "field.npy", {});
        simulation.solver().write_npy(here / "laplacian.npy", {.observable = Quantity::laplacian});
        write_npy(here / "start.npy", *simulation.start(), 0);
        REQUIRE(folder.entries() == 3);
        REQUIRE(same_bits(read_npy(folder / "field.npy"), simulation.field()));
        REQUIRE(same_bits(read_npy(folder / "laplacian.npy"), simulation.laplacian()));
        REQUIRE(same_bits(read_npy(folder / "start.npy"), simulation.start()->whole()->components.front()));

        RunSpec from_file = spec_of((here / "field.npy").string());
        Simulation next(from_file, start_in_place(from_file));
        REQUIRE(same_bits(next.field(), simulation.field()));
        fs::current_path("/");
    });
}

TEST_CASE("A process that cannot write its rows leaves no file and everybody goes on") {
    if (is_process(1)) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{30'000, 30'000};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    among_two([] {
        const ScratchFolder folder;
        RunSpec spec = spec_of("noise");
        Simulation simulation(spec, start_in_place(spec));
        write_bytes(folder / "field.npy", "older");
        REQUIRE(
            contains(message_of<FileError>([&] { simulation.solver().write_npy(folder / "field.npy", {}); }),
                     "field.npy: File too large"));
        REQUIRE(read_bytes(folder / "field.npy") == "older");
        REQUIRE(folder.entries() == 1);
        simulation.apply(Advance{10});
        REQUIRE(simulation.step() == 10);
    });
}

TEST_CASE("Two processes come back to a state whatever changed since") {
    among_two([] {
        RunSpec spec = spec_of("noise");
        Simulation simulation(spec, make_start(spec));
        REQUIRE(simulation.solver().processes() == 2);
        simulation.apply(Advance{40});
        const auto before = simulation.checkpoint();
        simulation.apply(Advance{7});
        const Field wanted = simulation.field();

        simulation.apply(Set{"boundary", "periodic"});
        simulation.apply(Advance{5});
        const auto periodic = simulation.checkpoint();
        simulation.apply(Advance{9});
        const Field wanted_periodic = simulation.field();
        REQUIRE_FALSE(same_bits(wanted, wanted_periodic));

        simulation.apply(Set{"method", "reference"});
        simulation.apply(Set{"size", "50x90"});
        simulation.apply(Advance{3});
        simulation.restore(periodic);
        simulation.apply(Advance{9});
        REQUIRE(same_bits(simulation.field(), wanted_periodic));
        simulation.restore(before);
        simulation.apply(Advance{7});
        REQUIRE(same_bits(simulation.field(), wanted));
        simulation.restore(periodic);
        simulation.apply(Advance{9});
        REQUIRE(same_bits(simulation.field(), wanted_periodic));
    });
}

TEST_CASE("Two processes come back to a state that is stepped by transforms") {
    among_two([] {
        RunSpec spec;
        set_setting(spec, "model", "cahn-hilliard-flow");
        spec.size = Size{61, 90};
        spec.threads = 1;
        spec.backend = "cpu";
        spec = resolve(spec, query_machine());
        Simulation simulation(spec, make_start(spec));
        REQUIRE(simulation.solver().processes() == 2);
        simulation.apply(Advance{10});
        const auto before = simulation.checkpoint();
        const auto go_on = [&] {
            simulation.apply(Set{"stepper", "imex"});
            simulation.apply(Advance{7});
            simulation.apply(Set{"flow", "2"});
            simulation.apply(Advance{5});
            return simulation.field();
        };
        const Field wanted = go_on();
        simulation.apply(Set{"stepper", "rk4"});
        simulation.apply(Advance{3});
        simulation.restore(before);
        REQUIRE(same_bits(go_on(), wanted));
    });
}

TEST_CASE("A field of which one process lacks room for its part is refused and the others go on") {
    if (is_process(1)) limit_memory(std::size_t(150) << 20);
    among_two([] {
        RunSpec small = spec_of("noise");
        const RunSpec large = spec_of({8192, 16384}, "cpu");
        Simulation simulation(small, make_start(small));
        simulation.apply(Advance{10});
        const Field now = simulation.field();
        REQUIRE(message_of<MachineError>([&] { make_run_solver(large, solver_setup(large)); }) ==
                "process 1: out of memory");
        REQUIRE(same_bits(simulation.field(), now));
        simulation.apply(Advance{10});
        REQUIRE(simulation.step() == 20);
    });
}

TEST_CASE("Fields are compared that different numbers of processes have") {
    among_two([] {
        const Field start = Field(random_field(41, 21)).to(DType::float32);
        const auto loaded = [&](const std::string& method) {
            const RunSpec spec = spec_of({41, 21}, method);
            auto solver = make_run_solver(spec, solver_setup(spec));
            solver->load(start);
            return solver;
        };
        const auto shared = loaded("spectral"), whole = loaded("cpu");
        REQUIRE(shared->processes() == 2);
        REQUIRE(whole->processes() == 1);
        for (const auto& [seen, base] : {std::pair{&shared, &whole}, std::pair{&whole, &shared}}) {
            (*seen)->set_base(**base);
            REQUIRE((*seen)->norm(Quantity::difference) == 0);
            REQUIRE((*seen)->norm(Quantity::base) > 0);
        }
    });
}

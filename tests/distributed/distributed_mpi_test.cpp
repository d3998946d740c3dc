// A field distributed over processes gives the files of one process, by steps and by exact n-step
// propagation.
#include <csignal>

#include "kernels/cuda/cuda_runtime.h"
#include "sim/files/held_arrays.h"
#include "sim/files/npy.h"
#include "sim/machine/child_process.h"
#include "sim/run/output/checkpoint.h"
#include "sim/run/output/exports.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"
#include "tests/support/ranks.h"
#include "tests/support/runs.h"

namespace fs = std::filesystem;

namespace {

const std::string kFiles =
    " --export field.npy,laplacian.npy,initial.npy,field.png,histogram.csv,profile.csv,probes.csv,"
    "timings.json --probe 3,100 --probe 33,57 --profile 1,2,30,205 ";
const std::string kJump = "--method spectral --initial noise ";
const std::string kFields = "--export field.npy,laplacian.npy,field.png,timings.json ";

// Runs the line by one process and by several, of which `stepping` share the field.
void require_equal_runs(const std::string& line,
                        int processes,
                        int stepping,
                        const std::string& backend = "cpu") {
    CAPTURE(line, processes, backend);
    const ScratchFolder folder;
    const std::string run = "run --backend " + backend + " --threads 1 --quiet --out {} " + line;
    require_done(stencilscope(run, folder / "one"));
    require_done(stencilscope(run + " --processes {}", folder / "several", processes));
    const auto is_result = [](const std::string& path) { return path != "timings.json"; };
    const Files one = files_below(folder / "one", is_result);
    REQUIRE(one.size() >= 3);
    require_same_files(one, files_below(folder / "several", is_result));
    const auto timings = read_json(folder / "several/timings.json");
    REQUIRE(timings.value("processes", 1) == stepping);
    REQUIRE(timings.at("field_hash") == read_json(folder / "one/timings.json").at("field_hash"));
}

// As many processes share the field as are started.
void require_equal_runs(const std::string& line, int processes) {
    require_equal_runs(line, processes, processes);
}

// Runs to step 230 at once, and by three processes, then two, then one, each resuming from a checkpoint.
void require_same_when_cut(const std::string& line, int first_cut, int second_cut) {
    const ScratchFolder folder;
    const std::string run = "run --backend cpu --threads 1 --quiet --checkpoint 50 " + line;
    const std::string files = " --out {} " + kFields;
    require_done(stencilscope(run + " --steps 230" + files, folder / "uncut"));
    require_done(stencilscope(run + " --processes 3 --steps {}" + files, first_cut, folder / "cut"));
    require_done(
        stencilscope("run --quiet --processes 2 --resume {} --steps {}", folder / "cut", second_cut));
    require_done(stencilscope("run --quiet --resume {} --steps 230", folder / "cut"));
    REQUIRE(read_bytes(folder / "cut" / "field.npy") == read_bytes(folder / "uncut" / "field.npy"));
}

// Returns the relative distance, in float64, of the final fields of two command lines.
double distance_of_runs(const std::string& line, const std::string& truth) {
    CAPTURE(line, truth);
    const ScratchFolder folder;
    const std::string run = "run --quiet --export field.npy,timings.json --out {} ";
    require_done(stencilscope(run + line, folder / "run"));
    require_done(stencilscope(run + truth, folder / "truth"));
    return relative_error(read_npy(folder / "run" / "field.npy"),
                          read_npy(folder / "truth" / "field.npy").to(DType::float64));
}

}  // namespace

TEST_CASE("Any number of processes makes the files of one") {
    const std::string edits =
        " --at 40:coefficient=0.11 --at 70:paint=0.7,20,add,30,90 --at 70:paint=0.2,5,replace,3,1,60,200 ";
    for (const std::string boundary : {"zero", "insulated", "periodic"})
        require_equal_runs(
            "--size 67x211 --initial noise --steps 133 --method cpu --boundary " + boundary + edits + kFiles,
            boundary == "zero" ? 3 : 2);
    require_equal_runs(
        "--size 67x211 --initial noise --steps 50 --dtype float64 --method cpu" + edits + kFiles, 4);
    require_equal_runs("--size 41x230 --initial noise --steps 40 --method reference" + edits + kFiles, 7);
}

TEST_CASE(
    "Where there are too few rows fewer processes share them, and one has a field that cannot be shared") {
    require_equal_runs("--size 40x70 --initial noise --steps 33 --method cpu " + kFields, 4, 2);
    require_equal_runs("--size 40x20 --initial noise --steps 33 --method cpu " + kFields, 3, 1);
    // Beside the seam of v there is no halo, and beside that of u there is.
    require_equal_runs(
        "--size 64x128 --steps 20 --equation du/dt=lap(u)+v;dv/dt=lap(v)-u;dt=0.1;"
        "boundary=periodic;top:v=0;bottom:v=1;u(0)=x/Lx;v(0)=0 " +
            kFields,
        2,
        1);
}

TEST_CASE("Typed equations are spread to the bit: places, noise, several stages, ghost cells of any kind") {
    const std::string shape = "--size 53x140 --steps 60 " + kFields;
    require_equal_runs(shape + "--model gray-scott", 3);
    require_equal_runs(shape + "--model cahn-hilliard --stepper euler", 2);
    require_equal_runs(
        shape + "--model gray-scott --stepper rk4 --at 30:F=0.03 --at 31:paint-v=1,9,replace,20,70", 2);
    require_equal_runs(
        shape + "--model gray-scott --stepper ab2 --dt 0.5 --at 30:F=0.03 --at 31:paint-v=1,9,replace,20,70",
        3);
    require_equal_runs(shape + "--model gray-scott --stepper rkl2:4", 2);
    // Each change of dt is in spec.json.
    require_equal_runs(
        "--size 53x300 --steps 60 --model gray-scott --stepper bs32 --tolerance 1e-4 --at "
        "30:paint=0.9,9,replace,20,70 --export field.npy,spec.json,timings.json,statistics.csv",
        3);
    require_equal_runs(
        "--size 53x140 --steps 300 --model cahn-hilliard --stepper euler --dt follow:0.8limit --at "
        "90:paint=0.9,9,replace,20,70 --export field.npy,spec.json,timings.json,statistics.csv",
        3);
    require_equal_runs(shape + "--model allen-cahn-conserved --stepper heun --at 30:D=0.5 --show u-mean(u)",
                       3);
    const ScratchFolder folder;
    const auto whole = write_bytes(
        folder / "whole.txt",
        "du/dt = lap(u) - u + integral(u*v)/9e3 + sin(max(dx(v)))\n"
        "dv/dt = 0.1*lap(v) + mean((u - mean(u))^2)\nu(0) = x/Lx - mean(x/Lx)\nv(0) = "
        "random\ny: insulated\ntop: u = mean(u*v)\nbottom: u = 1\ninside = x + y > 30\ndt = 0.05\n");
    require_equal_runs(shape + "--model " + whole.string(), 3);
    for (const std::string sides :
         {"boundary = periodic",
          "boundary = zero",
          "x: periodic; top: flux(u) = cos(x/5); bottom: u = 0.1*t",
          "left: u = sin(y/9); right: u + 2*flux(u) = cos(y); y: periodic",
          "inside = (x - 26)^2 + (y - 70)^2 < 900 + 300*sin(9*t); edge: u = cos(y/9 + t)",
          "inside = u < 0.5 or y > 40; edge: flux(u) = x/Lx - u; boundary = zero"}) {
        const auto text = write_bytes(folder / "model.txt",
                                      "du/dt = div((1 + cos(x*y/300)) * grad(u)) + 0.1*normal + cos(y/9)/Ly\n"
                                      "u(0) = sin(x/7)*cos(y/11)\ndt = 0.01\n" +
                                          sides + "\n");
        require_equal_runs(shape + "--model " + text.string(), 3);
    }
}

TEST_CASE("Cells that are NaN in a file are left out by any number of processes to the same bits") {
    const ScratchFolder folder;
    Field start(random_field(53, 140)), sea(random_field(53, 140));
    for (int y = 0; y < 140; ++y)
        for (int x = 0; x < 53; ++x) {
            if ((x - 20) * (x - 20) + (y - 70) * (y - 70) < 400) start.as<double>().at(x, y) = NAN;
            if (x + y < 40 || y % 35 == 7) sea.as<double>().at(x, y) = NAN;
        }
    write_npy(folder / "start.npy", start);
    write_npy(folder / "sea.npy", sea);
    const std::string shape = "--steps 60 --at 20:dt=0.1 " + kFields;
    require_equal_runs(
        shape + "--equation du/dt=0.2*lap(u);dt=0.5 --initial " + (folder / "start.npy").string(), 3);
    for (const std::string inside : {"", "inside = known(\"sea.npy\") and x > 3\nedge: u = 1\n"}) {
        const auto text = write_bytes(folder / "model.txt",
                                      "du/dt = div((1 + array(\"sea.npy\"))*grad(u)) - u\ndt = 0.05\n"
                                      "u(0) = array(\"sea.npy\")\n" +
                                          inside);
        require_equal_runs(shape + "--model " + text.string(), 4);
        require_equal_runs(shape + "--stepper rk4 --model " + text.string(), 2);
    }
}

TEST_CASE("Several processes resume a run whose text names arrays in memory to the bits of one") {
    const ScratchFolder folder;
    const Field given(random_field(37, 130));
    const auto save = [&](const std::string& name) {
        const auto array = hold_array(given.clone());
        const std::string data = "array(\"" + array.first + "\")";
        RunSpec spec = run_of_text("du/dt = div((1 + " + data + ")*grad(u)) - u\nu(0) = " + data +
                                   "\ndt = 0.05\nsize = 37x130\nsteps = 20");
        set_setting(spec, "export", "field.npy,timings.json");
        Simulation run = begun(spec);
        run.apply(Advance{20});
        fs::create_directory(folder / name);
        write_checkpoint(folder / name, {run.state(), make_measures(run.spec()), {}});
    };
    for (const int processes : {1, 3}) {
        const std::string name = std::to_string(processes);
        save(name);
        require_done(stencilscope(
            "run --quiet --resume {} --backend cpu --steps 60 --processes {}", folder / name, processes));
        REQUIRE(read_json(folder / name / "timings.json").value("processes", 1) == processes);
    }
    require_same_files({{"field.npy", read_bytes(folder / "3/field.npy")}},
                       {{"field.npy", read_bytes(folder / "1/field.npy")}});
}

TEST_CASE("Elliptic equations and convolutions and implicit steps are spread to the bit") {
    const std::string shape = "--size 61x140 --steps 40 " + kFields;
    require_equal_runs(shape + "--model turbulence --at 20:paint=0.7,9,add,30,70 --show psi", 3);
    require_equal_runs(shape + "--model cahn-hilliard --stepper imex --at 20:dt=0.02 --at 30:boundary=zero",
                       2);
    require_equal_runs(shape + "--model cahn-hilliard-flow --dtype float64", 4);
    require_equal_runs(shape + "--model cahn-hilliard-flow --boundary insulated --stepper rk4", 2);
    require_equal_runs(shape + "--model neural-field --show conv(u,exp(-r)) --at 20:size=70x151", 3);
    require_equal_runs(
        "--size 61x140 --steps 40 --model orbium --every 10 --export "
        "initial.npy,field.npy,statistics.csv,timings.json",
        5);
    require_equal_runs(shape + "--model nonlocal-fisher --stepper imex --boundary zero", 7);
    // Shown alone, and by methods that need none themselves.
    require_equal_runs(shape + "--model gray-scott --show lap(conv(u,exp(-r^2/9)))", 3);
    require_equal_runs(shape + "--initial noise --boundary periodic --method cpu --show conv(u,exp(-r^2/9))",
                       2);
}

TEST_CASE("What is solved by transforms is spread whatever the integrator and the sides") {
    const ScratchFolder folder;
    const std::string start = "w(0) = random - 0.5\nu(0) = sin(x/5)*cos(y/9)\ndt = 0.01\n";
    const std::string flow =
        "dw/dt = -(dy(p)*dx(w) - dx(p)*dy(w)) + 0.1*lap(w) + 0.1*conv(u, rx*exp(-r^2/9))\n"
        "du/dt = 0.2*lap(u) - p*mean(u) + 0.1*conv(w, a*exp(-r))\nlap(p) - 0.1*p = -w\na = 0.3\n";
    const std::string own_sides = "boundary = periodic\ny: p = sin(x/9 + t)\ny: flux(w) = 0\ny: u = 0";
    for (const auto& [sides, integrator, processes] :
         {std::tuple{std::string("boundary = periodic"), "euler", 5},
          {"boundary = periodic", "imex", 2},
          {"boundary = insulated", "rk4", 2},
          {"boundary = insulated", "imex", 3},
          {"boundary = zero", "rkl2:4", 3},
          {"boundary = insulated\ny: periodic", "heun", 4},
          {own_sides, "ab2", 3},
          {own_sides, "bs32 --tolerance 1e-4", 3}}) {
        const auto text = write_bytes(folder / "model.txt", flow + start + sides + "\n");
        const bool lags = std::string_view(integrator) != "imex";
        require_equal_runs("--size 37x130 --steps 12 --at 6:a=0.7 " +
                               std::string(lags ? "--global-every 3 " : "") + "--stepper " + integrator +
                               " --model " + text.string() +
                               " --export field.npy,spec.json,timings.json,statistics.csv",
                           processes);
    }
    const auto walls =
        write_bytes(folder / "walls.txt",
                    "dw/dt = 0.1*lap(w) - a*p\ndu/dt = 0.2*lap(u) + 0.1*w\nlap(p) - 0.1*p = -w\na = 0.3\n" +
                        start + own_sides + "\nleft: u + 2*flux(u) = 1\nright: u = 0\n");
    require_equal_runs(
        "--size 37x130 --steps 12 --at 6:a=0.7 --stepper crank-nicolson --export "
        "field.npy,spec.json,timings.json,statistics.csv --model " +
            walls.string(),
        3);
}

TEST_CASE("Values of the whole field that lag stay when the threads of several processes change") {
    require_equal_runs(
        "--size 37x130 --steps 9 --model allen-cahn-conserved --global-every 4 "
        "--at 5:threads=3 --at 6:dt=0.01 " +
            kFields,
        2);
}

TEST_CASE("Steps by transforms of three processes go on by two and by one") {
    require_same_when_cut("--size 45x100 --model cahn-hilliard-flow --stepper imex", 90, 170);
    require_same_when_cut("--size 45x100 --model neural-field --stepper ab2 --dt 0.05", 90, 170);
}

// They share the first GPU, unless there are several. Each transforms the whole field, as one does.
TEST_CASE("Processes on GPUs solve and convolve to the bits of one") {
    if (query_cuda().devices.empty()) {
        SUCCEED("no GPU");
        return;
    }
    const std::string shape = "--size 133x211 --steps 40 " + kFields;
    for (const int processes : {2, 3}) {
        require_equal_runs(shape + "--model turbulence --at 20:paint=0.7,9,add,30,70 --show psi",
                           processes,
                           processes,
                           "cuda");
        require_equal_runs(
            shape + "--model cahn-hilliard --stepper imex --at 20:dt=0.02", processes, processes, "cuda");
        require_equal_runs(
            shape + "--model neural-field --show conv(u,exp(-r))", processes, processes, "cuda");
        require_equal_runs(
            shape + "--model orbium --boundary insulated --dtype float64", processes, processes, "cuda");
    }
}

// They share the first GPU, unless there are several.
TEST_CASE("Processes on GPUs make the files of one") {
    if (query_cuda().devices.empty()) {
        SUCCEED("no GPU");
        return;
    }
    // Also at multiples of the halo's 16 steps, where rows sent to neighbours have become invalid.
    const std::string edits =
        " --at 41:coefficient=0.11 --at 64:paint=0.7,20,add,30,90 --at 80:boundary=insulated --at "
        "96:paint=0.2,5,replace,3,1,60,200 ";
    for (const std::string boundary : {"zero", "insulated", "periodic"})
        for (const std::string method : {"streaming", "tiled --dtype float64"})
            require_equal_runs("--size 321x211 --initial noise --steps 157 --boundary " + boundary +
                                   " --method " + method + edits + kFiles,
                               boundary == "zero" ? 3 : 2,
                               boundary == "zero" ? 3 : 2,
                               "cuda");
    // Fewer rows than the fused steps need beside two cuts.
    require_equal_runs(kFields + "--size 400x75 --initial noise --steps 90 --method streaming", 3, 3, "cuda");
    require_equal_runs(kFields + "--size 130x300 --steps 200 --model gray-scott", 2, 2, "cuda");
}

TEST_CASE("A run of three processes goes on by two, and by one") {
    require_same_when_cut("--size 45x150 --initial noise --boundary periodic", 90, 170);
}

TEST_CASE("A method, a size, a precision and a boundary that change in mid-run do so on all processes") {
    require_equal_runs(
        "--size 67x150 --initial noise --steps 120 --method cpu --at 30:boundary=periodic --at "
        "50:method=reference --at 60:dtype=float64 --at 80:size=50x170 --at 90:method=cpu --at "
        "100:boundary=insulated" +
            kFiles,
        2);
}

TEST_CASE("Processes end at a time and by a condition where one does") {
    const std::string line = "--size 45x150 --model gray-scott " + kFields;
    require_equal_runs(line + " --dt 0.7 --time 30", 3);
    require_equal_runs(line + " --stepper bs32 --tolerance 1e-4 --time 20", 2);
    require_equal_runs(line + " --until t>40.5&&max(v)<2", 2);
}

TEST_CASE("What is wrong is said once, by one line, with the status of one process") {
    const auto refused = stencilscope("run --processes 3 --size 60x60 --boundary nowhere");
    REQUIRE(refused.status == 2);
    REQUIRE(contains(refused.err, "--boundary"));
    REQUIRE(std::ranges::count(refused.err, '\n') == 1);
    REQUIRE(refused.out.empty());
    require_refused(stencilscope("run --processes none --size 60x60"), 2, "--processes");
}

TEST_CASE("A spread run without a folder steps, and says how many processes did") {
    const ScratchFolder folder;
    require_done(stencilscope("run --backend cpu --quiet --size 40x90 --steps 64 --processes 2 --json {}",
                              folder / "run.json"));
    require_members(read_json(folder / "run.json"), {{"processes", 2}, {"steps", 64}});
}

TEST_CASE("bench --scale measures one and two processes, by steps and by jumps, and finds the same bits") {
    const ScratchFolder folder;
    const auto row_of_two = [&](const std::string& more) {
        require_done(stencilscope(
            "bench --scale strong --processes 2 --backend cpu --size 64x200 --repeats 5 --quiet --out {} " +
                more,
            folder / "scale"));
        const auto json = read_json(folder / "scale" / "scale.json");
        REQUIRE(json.at("same_bits") == true);
        REQUIRE(json.at("rows").size() == 2);
        REQUIRE(json.at("rows")[1].at("field_hash") == json.at("rows")[0].at("field_hash"));
        return json.at("rows")[1];
    };
    const auto row = row_of_two("");
    REQUIRE(row.at("processes") == 2);
    // Rows are sent with padding to whole cache lines.
    REQUIRE(row.at("bytes_per_step") >= 64 * 4);
    REQUIRE(row.at("bytes_per_step") < 1.5 * 64 * 4);
    REQUIRE(fs::exists(folder / "scale" / "scale.svg"));
    const auto jump = row_of_two("--method spectral --boundary insulated");
    REQUIRE(jump.at("steps") == 1);
    REQUIRE(jump.at("gcells_per_s").is_null());
    REQUIRE(jump.at("bytes_per_step") == 64 * 200 * 4 / 2);
}

TEST_CASE("Statistics and norms have the same bits for any number of processes") {
    const ScratchFolder folder;
    const auto written = [&](const std::string& words, int processes) {
        const fs::path out = folder / std::to_string(processes);
        require_done(stencilscope("run --backend cpu --quiet " + words +
                                      " --threads 1 --steps 64 --every 32 --export "
                                      "statistics.csv,timings.json --out {} --processes {}",
                                  out,
                                  processes));
        const auto timings = read_json(out / "timings.json");
        return std::pair{read_bytes(out / "statistics.csv"), timings.value("step_error", nlohmann::json())};
    };
    for (const std::string words : {"--size 67x411 --initial noise",
                                    "--size 2500x300 --initial noise --boundary periodic --dtype float64",
                                    "--model gray-scott --size 67x411 --show u*v --compare dt/2"}) {
        CAPTURE(words);
        const auto one = written(words, 1);
        REQUIRE(one.first.size() > 100);
        for (const int processes : {2, 3, 5}) REQUIRE(written(words, processes) == one);
    }
}

TEST_CASE("Ctrl-C ends all processes with what was done until then") {
    const ScratchFolder folder;
    const std::string line =
        "run --backend cpu --threads 1 --quiet --size 300x300 --steps 100000000 "
        "--checkpoint 500 --processes 2 --out {}";
    for (const int signal : {SIGINT, SIGTERM}) {
        const auto cut = run_program(
            words(line, folder / "cut"),
            {.interrupt_once = folder / "cut" / "checkpoint" / "run.json", .signal = signal, .seconds = 60});
        REQUIRE(cut.status == 128 + signal);
        REQUIRE(fs::exists(folder / "cut" / "field.npy"));
        fs::remove_all(folder / "cut");
    }
}

TEST_CASE("Ctrl-C ends a run one process of which was stopped") {
    const ScratchFolder folder;
    const std::string line =
        "run --backend cpu --threads 1 --quiet --size 300x300 --steps 100000000 --checkpoint 500 --out {}";
    const fs::path checkpoint = folder / "cut" / "checkpoint" / "run.json", stopped = folder / "stopped";
    for (const int rank : {1, 0}) {
        CAPTURE(rank);
        std::jthread stopping([&] {
            while (!fs::exists(checkpoint)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
            kill(process_of_rank(rank, folder.path()), SIGSTOP);
            write_bytes(stopped, "");
        });
        const auto cut = run_program(words(line + " --processes 2", folder / "cut"),
                                     {.interrupt_once = stopped, .seconds = 60});
        REQUIRE(cut.status == 128 + SIGINT);
        REQUIRE(fs::exists(folder / "cut" / "field.npy"));
        for (const char* left : {"cut", "stopped"}) fs::remove_all(folder / left);
    }
    // Without the program's own launcher nobody wakes it, and the others give up.
    ChildCommand command;
    command.words = words("{} -n 2 --bind-to none --oversubscribe --allow-run-as-root {} " + line,
                          find_program("mpirun"),
                          std::string(program_file()),
                          folder / "cut");
    command.limit_seconds = 60;
    command.is_tool = true;
    std::string said;
    bool told = false;
    const ChildEnd end = run_child(
        command,
        [&](std::string_view text) { said += text; },
        [&] {
            if (told || !fs::exists(checkpoint)) return false;
            told = kill(process_of_rank(1, folder.path()), SIGSTOP) == 0 &&
                   kill(process_of_rank(0, folder.path()), SIGUSR1) == 0;
            return false;
        });
    CHECK(end.how == ChildEnd::How::exited);
    CHECK(end.code != 0);
    CHECK(contains(said, "a process of this run does not answer"));
}

TEST_CASE("A jump of any number of processes has the bits of one whatever the boundary and the size") {
    for (const auto& [line, processes] :
         {std::pair{"--steps 1000000 --boundary zero --size 67x211", 2},
          {"--steps 40 --boundary insulated --size 131x64", 3},
          {"--steps 41 --boundary periodic --size 101x103", 4},
          {"--steps 40 --boundary zero --size 53x47 --dtype float64", 7},
          {"--steps 100000 --boundary insulated --size 101x103 --dtype float64", 4},
          {"--steps 7 --boundary periodic --size 66x31 --dtype float64", 3}})
        require_equal_runs(kJump + kFields + line, processes);
}

TEST_CASE("Pairs of rows are shared by as many processes as there are and columns may be fewer") {
    require_equal_runs(kJump + kFields + "--steps 40 --size 40x5", 7, 2);
    require_equal_runs(kJump + kFields + "--steps 40 --size 40x3", 2, 1);
    require_equal_runs(kJump + kFields + "--steps 40 --boundary periodic --size 2x50", 4);
    require_equal_runs(kJump + kFields + "--steps 40 --boundary insulated --size 3x51", 7);
}

TEST_CASE("Strips of more than a buffer are exchanged by pieces") {
    // In the second, one process has a row more than the others.
    for (const char* size : {"2501x2200", "2400000x4 --boundary periodic"})
        require_equal_runs(kJump +
                               "--export initial.npy,field.npy,laplacian.npy,timings.json --steps 9 --dtype "
                               "float64 --size " +
                               size,
                           2);
}

TEST_CASE("Jumps of several processes are edited and followed by steps as those of one") {
    const std::string edits =
        " --at 40:coefficient=0.11 --at 70:paint=0.7,20,add,30,90 --at 75:boundary=periodic "
        "--at 90:method=cpu --at 110:method=spectral --at 120:boundary=insulated --at 125:size=50x170 ";
    require_equal_runs(kJump + "--size 67x211 --steps 133" + edits + kFiles, 3);
}

TEST_CASE("Jumps of three processes go on by two and by one") {
    require_same_when_cut("--size 45x70 " + kJump, 100, 150);
}

// They share the first GPU, unless there are several. cuFFT may choose other kernels for fewer lines.
TEST_CASE("Processes on GPUs jump to where one does") {
    if (query_cuda().devices.empty()) {
        SUCCEED("no GPU");
        return;
    }
    for (const std::string boundary : {"zero", "insulated", "periodic"})
        for (const std::string dtype : {"float32", "float64"}) {
            const std::string shape =
                "--initial noise --size 1003x517 --at 300:coefficient=0.1 --at "
                "500:method=tiled --steps 550 --boundary " +
                boundary + " --dtype ";
            const std::string jump = shape + dtype + " --backend cuda --method spectral";
            const double bound = dtype == "float32" ? 3e-6 : 1e-12;
            REQUIRE(distance_of_runs(jump + " --processes 3", jump) < bound);
            REQUIRE(distance_of_runs(jump + " --processes 2",
                                     shape + "float64 --backend cuda --method spectral") < bound);
        }
    // Transposes in pieces, with fewer rows and columns than processes.
    const std::string large = "--size 9000x7001 --initial noise --steps 9 --backend cuda --method spectral";
    REQUIRE(distance_of_runs(large + " --processes 2", large) < 3e-6);
    const std::string small = "--size 3x9 --initial noise --steps 9 --backend cuda --method spectral";
    REQUIRE(distance_of_runs(small + " --processes 4", small) < 3e-6);
}

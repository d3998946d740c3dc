#include "sim/run/simulation.h"

#include <fmt/format.h>

#include <ctime>

#include "kernels/cpu/thread_pool.h"
#include "sim/machine/host_memory.h"
#include "sim/run/stability.h"
#include "tests/support/plain_diffusion.h"
#include "tests/support/png_file.h"
#include "tests/support/runs.h"

namespace {

RunSpec spec_of(int nx, int ny, const char* method = "cpu") {
    RunSpec spec = noise_run({nx, ny}, method);
    spec.initial.clear();
    return spec;
}

RunSpec spec_with(double coefficient, DType dtype) {
    RunSpec spec = noise_run({40, 30}, "cpu");
    spec.set_parameter("coefficient", coefficient);
    spec.dtype = dtype;
    return spec;
}

Field times(double factor) {
    const Array<double> cells = random_field(40, 30);
    return array_of(40, 30, [&](int x, int y) { return factor * cells.at(x, y); });
}

std::size_t not_finite(Simulation& simulation) {
    return statistics_of(simulation.field()).not_finite;
}

}  // namespace

TEST_CASE("A simulation counts its steps, resets to its start and repeats itself bit for bit") {
    const Field start = Field(random_field(97, 53)).to(DType::float32);
    Simulation simulation(spec_of(97, 53), start.clone());
    REQUIRE(same_bits(simulation.field(), start));
    simulation.apply(Advance{100});
    simulation.apply(Advance{23});
    REQUIRE(simulation.step() == 123);
    REQUIRE(simulation.timings().total_steps() == 123);
    REQUIRE(simulation.timings().total_seconds() > 0);
    const Field once = simulation.field();
    REQUIRE_FALSE(same_bits(once, start));
    REQUIRE_FALSE(input_error([&] { simulation.apply(Advance{-1}); }).empty());
    simulation.apply(Reset{});
    REQUIRE(simulation.step() == 0);
    REQUIRE(same_bits(simulation.field(), start));
    simulation.apply(Advance{123});
    REQUIRE(same_bits(simulation.field(), once));
}

TEST_CASE("Coefficient and boundary change in mid-run without a restart") {
    const Field start = Field(random_field(64, 40)).to(DType::float32);
    Simulation changed(spec_of(64, 40), start.clone());
    Simulation plain(spec_of(64, 40), start.clone());
    for (Simulation* simulation : {&changed, &plain}) simulation->apply(Advance{10});
    changed.apply(Set{"coefficient", "0.05"});
    changed.apply(Set{"boundary", "periodic"});
    REQUIRE(changed.step() == 10);
    REQUIRE(same_bits(changed.field(), plain.field()));
    for (Simulation* simulation : {&changed, &plain}) simulation->apply(Advance{10});
    REQUIRE_FALSE(same_bits(changed.field(), plain.field()));
    REQUIRE(changed.now().boundary == Boundary::periodic);
}

TEST_CASE(
    "Thousands of edits of a typed equation take milliseconds each, and small ones that lead beyond the "
    "limit are refused") {
    RunSpec spec = spec_of(16, 16);
    spec.use_model(model_of_text("du/dt = D*lap(u) - 0.01*u^3; D = 0.1 in [0, 10]; dt = 1; dx = 1"));
    constexpr int kEdits = kWatchedMemory ? 300 : 4000;
    std::vector<Event> edits;
    for (int i = 1; i <= kEdits; ++i)
        edits.push_back({i, SetSetting{"D", std::to_string(0.1 + 0.001 * (i % 7))}});
    add_events(spec.edits, std::move(edits));
    const std::clock_t begin = std::clock();
    Simulation simulation(spec, Field(random_field(16, 16)));
    simulation.apply(Advance{kEdits + 1});
    CHECK(double(std::clock() - begin) / CLOCKS_PER_SEC < 4);
    // Reaches the limit of 0.25 in steps of 5 %.
    double d = 0.1;
    std::string refused;
    while (refused.empty() && d < 1) {
        d *= 1.05;
        refused = input_error([&] { simulation.apply(Set{"D", std::to_string(d)}); });
    }
    INFO(refused);
    CHECK(contains(refused, "of the limit"));
    CHECK(std::abs(d - 0.25) < 0.02);
}

TEST_CASE("A time step that becomes a power of two and no such number again leaves bits repeatable") {
    RunSpec spec = spec_of(40, 30);
    spec.use_model(model_of_text("du/dt = 0.2*lap(u) - 0.3*u; dt = 0.1; dx = 1"));
    spec.edits = {{5, SetSetting{"dt", "0.125"}}, {9, SetSetting{"dt", "0.1"}}};
    const Field start = random_field(40, 30);
    Simulation whole(spec, start.clone()), cut(spec, start.clone());
    whole.apply(Advance{14});
    const Field end = whole.field();
    cut.apply(Advance{7});
    const Simulation::Checkpoint within = cut.checkpoint();
    Simulation resumed(cut.state());
    for (Simulation* each : {&cut, &resumed}) {
        each->apply(Advance{7});
        CHECK(same_bits(each->field(), end));
    }
    cut.restore(within);
    cut.apply(Advance{7});
    CHECK(same_bits(cut.field(), end));
    // Increments are rounded by themselves where dt is no power of two: a cell's own arithmetic shows it.
    spec.use_model(model_of_text("du/dt = -u; dt = 0.1; dx = 1"));
    spec.edits = {};
    Simulation decay(spec, start.clone());
    decay.apply(Advance{1});
    const Field now = decay.field(), before = start.to(DType::float32);
    for (int y = 0; y < 30; ++y)
        for (int x = 0; x < 40; ++x) {
            const float u = before.as<float>().at(x, y), increment = 0.1f * -u;
            REQUIRE(now.as<float>().at(x, y) == u + increment);
        }
}

TEST_CASE("The limit of a step is that of the run's time") {
    RunSpec spec = spec_of(16, 16);
    spec.use_model(model_of_text("du/dt = (0.1 + 0.01*t)*lap(u); dt = 0.5; dx = 1"));
    Simulation simulation(spec, Field(random_field(16, 16)));
    const auto limit = [&] { return stable_step(simulation.now(), simulation.solver()).dt; };
    CHECK(std::abs(limit() - 2.5) < 1e-6);
    simulation.apply(Advance{40});
    CHECK(std::abs(limit() - 0.25 / 0.3) < 1e-6);
    simulation.apply(Set{"dt", "0.25"});
    simulation.apply(Advance{40});
    CHECK(std::abs(simulation.solver().time() - 30) < 1e-9);
    CHECK(std::abs(limit() - 0.25 / 0.4) < 1e-6);
    for (const auto& [dt, expected] : {std::pair{0.25 / 0.98, StepVerdict::near_limit},
                                       {0.2, StepVerdict::unstable},
                                       {1.0, StepVerdict::stable},
                                       {std::nan(""), StepVerdict::unknown}})
        CHECK(verdict(0.25, {dt, "", "", false}) == expected);
    CHECK(contains(stability_text(0.25, {std::nan(""), "", "", false}), "not finite"));
    CHECK(stability_text(0.25, {0, "", "", false}) == "dt 0.25; waves grow in steps of any length");
}

TEST_CASE("A state that is returned to has its own time, whatever dt has become") {
    RunSpec spec = spec_of(16, 16);
    spec.use_model(model_of_text("du/dt = 0.1*lap(u) + sin(t); dt = 0.25; dx = 1"));
    Simulation simulation(spec, Field(random_field(16, 16)));
    simulation.apply(Advance{10});
    const Simulation::Checkpoint then = simulation.checkpoint();
    simulation.apply(Set{"dt", "0.5"});
    simulation.apply(Advance{10});
    simulation.restore(then);
    CHECK(simulation.solver().time() == 2.5);
    simulation.apply(Advance{2});
    CHECK(simulation.solver().time() == 3);
}

TEST_CASE("The step that is chosen holds where the reaction leads to, and not at the start alone") {
    const auto [text, limit] = GENERATE(table<const char*, double>({
        {"du/dt = 0.2*lap(u) + u - u^3; u(0) = 0", 2 / 3.6},
        {"du/dt = 0.2*lap(u) + u - u^3; u(0) = 0.1*random", 2 / 3.6},
        {"du/dt = 0.1*lap(u) + 9*u*(1 - u); u(0) = 0", 2 / 9.8},
        {"du/dt = 0.2*lap(u)*(1 + v); dv/dt = 4 - v; u(0) = random; v(0) = 0", 2 / 8.0},
        {"du/dt = 0.1*lap(u) + u^2; u(0) = 1", 1 / 0.8},
    }));
    CAPTURE(text);
    RunSpec spec = spec_of(16, 16);
    spec.use_model(model_of_text(text));
    Simulation simulation(spec, make_start(spec));
    const double dt = simulation.now().time_step();
    CHECK(dt <= std::min(1.0, 0.81 * limit));
    CHECK(dt >= std::min(1.0, 0.75 * limit));
}

TEST_CASE("auto resolves to the fastest method that the machine has") {
    Machine machine;
    machine.cpu_threads = 6;
    machine.cuda.why_none = "no NVIDIA driver found";
    const RunSpec on_cpu = resolve(RunSpec(), machine);
    REQUIRE(on_cpu.method == "cpu");
    REQUIRE(on_cpu.backend == "cpu");
    REQUIRE(on_cpu.threads == 6);
    REQUIRE(on_cpu.size == Size{2000, 2000});
    RunSpec asked;
    asked.backend = "cuda";
    REQUIRE(contains(input_error([&] { resolve(asked, machine); }), "no NVIDIA driver found"));
    asked = RunSpec();
    asked.method = "naive";
    REQUIRE(contains(input_error([&] { resolve(asked, machine); }), "reference, cpu"));

    machine.cuda.devices.emplace_back();
    REQUIRE(resolve(RunSpec(), machine).backend == "cuda");
    RunSpec stays;
    stays.backend = "cpu";
    REQUIRE(resolve(stays, machine).method == "cpu");
}

TEST_CASE("Too little memory is predicted, with what would fit") {
    Machine machine;
    machine.memory.free_bytes = 1'000'000'000;
    RunSpec spec = spec_of(100'000, 100'000);
    const auto message = [&] { return message_of<MachineError>([&] { check_resources(spec, machine); }); };
    spec.exports = {"field.npy"};
    REQUIRE(contains(message(), "not enough host memory: 100000x100000 needs"));
    REQUIRE(contains(message(), "1.00 GB is free"));
    const std::size_t at = message().find("field of ") + 9;
    const int side = std::stoi(message().substr(at));
    REQUIRE(side > 1000);
    spec.size = Size{side, side};
    REQUIRE(message().empty());
    spec.memory_limit = 100'000'000;
    REQUIRE(contains(message(), "100 MB is free"));
}

namespace {

// The sum of pieces, in definitions, since a formula is not as deep.
std::string repeated(int count, const char* piece) {
    std::string sum, parts;
    for (int i = 1; i <= count; ++i) {
        if (i % 100 == 1) sum += fmt::format(" + a{}", i), parts += fmt::format("; a{} = 0", i);
        parts += fmt::format(fmt::runtime(piece), i);
    }
    return sum + parts;
}

}  // namespace

TEST_CASE("Small inputs that would take much memory are counted before it is taken") {
    struct Case {
        std::string text, size;
        double least, most;  ///< bytes
    };
    const ScratchFolder folder;
    const auto picture = [&](bool interlaced) {
        const int side = 2000;
        const auto path = folder / (interlaced ? "interlaced.png" : "rows.png");
        write_bytes(path, png_file(side, side, {16, 6, interlaced}, std::string(8 * 4'000'000, '\0')));
        return fmt::format("du/dt = 0; u(0) = image(\"{}\")", path.string());
    };
    const Case cases[] = {
        {"du/dt = lap(u)", "16", 0, 1e6},
        {"du/dt = 0" + repeated(500, " + mean(u^2*{})"), "16", 2e6, 2e7},
        {"du/dt = 0" + repeated(2000, " + mean(u*u + {})"), "16", 8e6, 6e7},
        {"du/dt = 0" + repeated(2000, " + mean(u*u + {})"), "2000", 2000 * 16e6, 3000 * 16e6},
        {"du/dt = 0" + repeated(1000, " + max(u)*sin(x*{})"), "1000000x1", 1000 * 8e6, 1000 * 40e6},
        {"du/dt = 0; u(0) = 0" + repeated(1000, " + mean(x^{})"), "1000", 0, 2000 * 8e6},
        {"du/dt = 0; show = w; w = u" + repeated(1000, " + mean(lap(u)*{})"), "1000", 1000 * 4e6, 5000 * 4e6},
        {"du/dt = 0" + repeated(100, " + conv(u, exp(-r*{}))"), "512", 100 * 16 * 512 * 512, 1e11},
        {picture(false), "16", 0, 8e6},
        {picture(true), "16", 32e6, 50e6},
    };
    for (const auto& [text, size, least, most] : cases) {
        RunSpec spec = run_of_text(text);
        set_setting(spec, "size", size);
        spec.exports = {"field.npy"};
        spec = resolve(spec, query_machine());
        CAPTURE(text.substr(0, 40), size);
        const MemoryNeeds needs = run_needs(spec);
        const double bytes = needs.host * spec.size->nx * spec.size->ny + needs.fixed;
        CHECK(bytes >= least);
        CHECK(bytes <= most);
    }
}

TEST_CASE("A run of many values of the whole field on a small field stays small") {
    RunSpec spec =
        run_of_text("du/dt = 0" + repeated(2000, " + mean(u*u + {})") + "; size = 16x16; dt = 0.001");
    spec.allow_unstable = true;
    spec = resolve(spec, query_machine());
    const std::uint64_t before = process_bytes();
    Simulation simulation(spec, make_start(spec));
    simulation.apply(Advance{1});
    CHECK(double(process_bytes()) - double(before) < 250e6);
}

TEST_CASE("A change that makes the given step unstable is refused, in every model") {
    for (const Preset& preset : presets()) {
        RunSpec spec = run_of_text(std::string(preset.text));
        spec.size = Size{24, 20};
        spec = resolve(spec, query_machine());
        Simulation simulation(spec, make_start(spec));
        simulation.apply(Set{"dt", format_real(simulation.now().time_step())});
        simulation.apply(Advance{5});
        for (const ModelParameter& parameter : simulation.now().model->parameters)
            for (const double factor : {0.5, 1.3, 1.8, 2.5, 4.0, -1.0}) {
                const double value = factor * simulation.now().parameter(parameter.name);
                CAPTURE(preset.name, parameter.name, value);
                try {
                    simulation.apply(Set{parameter.name, format_real(value)});
                } catch (const InputError&) {
                    continue;
                }
                const auto limit = stable_step(simulation.now(), simulation.solver());
                CHECK(verdict(simulation.now().time_step(), limit) != StepVerdict::unstable);
                simulation.apply(Set{parameter.name, format_real(value / factor)});
            }
    }
}

TEST_CASE("Of several changes of a parameter at one step the last one counts") {
    RunSpec spec = run_of_text("du/dt = D*lap(u) - k*u; D = 0.1; k = 0.1; dt = 1; dx = 1; size = 12x12");
    for (const char* edit : {"3:D=10", "3:k=0.2", "3:D=0.2", "3:k=5", "3:k=0.3", "5:D=0.15", "5:D=0.1"})
        add_events(spec.edits, {parse_event(edit)});
    spec = resolve(spec, query_machine());
    Simulation simulation(spec, make_start(spec));
    simulation.apply(Advance{3});
    CHECK(simulation.now().parameter("D") == 0.2);
    CHECK(simulation.now().parameter("k") == 0.3);
    simulation.apply(Advance{10});
    CHECK(simulation.now().parameter("D") == 0.1);
    CHECK(simulation.edits().size() == 7);
    add_events(spec.edits, {parse_event("5:D=10")});
    Simulation refused(spec, make_start(spec));
    CHECK(contains(input_error([&] { refused.apply(Advance{10}); }), "--allow-unstable"));
}

TEST_CASE("Too little GPU memory is predicted, with what would fit") {
    Machine machine;
    machine.memory.free_bytes = 1'000'000'000'000;
    machine.cuda.devices.emplace_back();
    machine.gpu_free_bytes = 2'000'000'000;
    RunSpec spec = spec_of(40'000, 40'000, "tiled");
    spec.backend = "cuda";
    spec.exports = {"field.npy"};
    const auto message = [&] { return message_of<MachineError>([&] { check_resources(spec, machine); }); };
    REQUIRE(contains(message(), "not enough GPU memory: 40000x40000 needs 13.1 GB and 2.00 GB is free"));
    const int side = std::stoi(message().substr(message().find("field of ") + 9));
    spec.size = Size{side, side};
    REQUIRE(message().empty());
    spec.method = "spectral";  // also stores modes
    REQUIRE(contains(message(), "GPU memory"));
}

TEST_CASE(
    "A coefficient is refused where the stored state would leave the precision's range, and only there") {
    Simulation simulation(spec_with(0.0313, DType::float32), times(1e31));
    const Set change{"coefficient", "1e-4"};
    simulation.apply(Advance{3});
    const std::string refusal = message_of<InputError>([&] { simulation.apply(change); });
    REQUIRE(contains(refusal, "float32"));
    REQUIRE(simulation.now().parameter("coefficient") == 0.0313);
    simulation.apply(Advance{1});
    simulation.apply(change);
    simulation.apply(Advance{10});
    REQUIRE(not_finite(simulation) == 0);
}

TEST_CASE("A field that grew without bounds is measured before the coefficient changes") {
    RunSpec spec = spec_with(1, DType::float64);
    spec.allow_unstable = true;
    Simulation simulation(spec, times(1));
    simulation.apply(Advance{190});
    REQUIRE_FALSE(message_of<InputError>([&] { simulation.apply(Set{"coefficient", "1e-150"}); }).empty());
    simulation.apply(Set{"coefficient", "1e-100"});
    simulation.apply(Advance{10});
    REQUIRE(not_finite(simulation) == 0);
}

TEST_CASE("A brush whose value the coefficient cannot step is refused") {
    Simulation simulation(spec_with(1e-9, DType::float32), times(1));
    const auto paint = [](double value) { return Paint{{{value, 5, false, false}, 20, 15, 20, 15, false}}; };
    const std::string refusal = message_of<InputError>([&] { simulation.apply(paint(1e30)); });
    REQUIRE(contains(refusal, "float32"));
    simulation.apply(paint(1e25));
    simulation.apply(Advance{2});
    REQUIRE(not_finite(simulation) == 0);
}

TEST_CASE("A field too small or too large for its precision is refused, and one of zeros is not") {
    for (const auto& [coefficient, factor] : {std::pair{0.2, 1e-40}, {1e-6, 1e38}})
        REQUIRE(
            contains(input_error([&] { Simulation(spec_with(coefficient, DType::float32), times(factor)); }),
                     "--dtype float64"));
    REQUIRE_NOTHROW(Simulation(spec_with(1e-6, DType::float64), times(1e38)));
    Simulation wide(spec_with(0.2, DType::float64), times(1e-40));
    wide.apply(Advance{1});
    const Statistics found = statistics_of(wide.field());
    REQUIRE(std::max(-found.min, found.max) > 0);
    Simulation zeros(spec_with(0.2, DType::float32), times(0));
}

TEST_CASE("A typed diffusion keeps its field where D is 0 and grows where it is negative, also by a change") {
    struct Case {
        std::string name;
        std::vector<std::pair<long long, double>> changes;  // of D before these steps
    };
    const auto c = GENERATE(values<Case>({{"0", {{0, 0}}},
                                          {"0 and back", {{0, 0.5}, {3, 0}, {6, 0.5}}},
                                          {"negative", {{0, -0.3}}},
                                          {"negative later", {{0, 0.5}, {2, -0.05}, {7, 1e-320}}},
                                          {"tiny", {{0, 1e-30}, {4, 1e-320}, {6, 0.2}}}}));
    const auto dtype = GENERATE(DType::float32, DType::float64);
    const auto method = GENERATE(values<std::string>({"cpu", "spectral", "reference"}));
    const auto boundary = GENERATE(values<std::string>({"periodic", "insulated", "zero"}));
    INFO("D " << c.name << ", " << method << ", " << name_of(dtype) << ", " << boundary);
    RunSpec spec =
        run_of_text("du/dt = D*lap(u); D = 0.5 in [0, 1]; dx = 0.7; dt = 0.1; boundary = " + boundary);
    spec.size = Size{19, 17};
    spec.initial = "noise";
    spec.dtype = dtype;
    spec.method = method;
    Simulation simulation = begun(spec);
    const Field start = simulation.field();
    Array<double> truth = start.to(DType::float64).as<double>().clone();
    long long step = 0;
    const auto advance = [&](long long to, double d) {
        simulation.apply(Advance{to - step});
        truth = plain_steps(std::move(truth), {d * 0.1 / 0.49, simulation.now().boundary}, to - step);
        step = to;
    };
    double now = 0.5;
    for (const auto& [at, d] : c.changes) {
        advance(at, now);
        simulation.apply(Set{"D", format_real(now = d)});
    }
    advance(9, now);
    CHECK(relative_error(simulation.field(), Field(std::move(truth))) <
          (dtype == DType::float32 ? 1e-6 : 1e-12));
    if (c.name == "0") CHECK(same_bits(simulation.field(), start));
}
